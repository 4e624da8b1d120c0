"""Composite-body algorithm: the mass matrix and the Coriolis matrix from the bodies that each joint carries.

Source: Featherstone 2008, Table 6.2 (mass matrix) and Table 6.3 (its factorisation); Echeandia & Wensing 2021,
Algorithm 1 (Coriolis matrix)
"""

import operator
from collections.abc import Callable, Sequence
from typing import TypeVar

import casadi as ca

from cardan.formulations import applied, connection, newton_euler
from cardan.formulations.connection import Flow
from cardan.formulations.rotors import rotor_coriolis, rotor_mass
from cardan.formulations.terms import Terms
from cardan.kinematics import loads
from cardan.kinematics.motion import Motion, absolute_rate, at_rest
from cardan.kinematics.tree import GROUND, Number, Tree
from cardan.numerics import sparse_ldl
from cardan.spatial import inertia
from cardan.spatial.inertia import Inertia
from cardan.spatial.motion import force_to_parent
from cardan.spatial.transforms import position, rotation

FORCE = 14  # operations that move a force one joint inwards, at right angles and with one offset at least

T = TypeVar("T")


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms with the mass matrix and the Coriolis matrix of composite bodies, forces by the transposed Jacobians."""
    S, I = _subspaces(tree, state), _composite_inertias(tree, state)
    M, C = _matrices(tree, state, S, I)
    still, acting = loads.wrenches(tree, at_rest(tree, state)).conservative, loads.wrenches(tree, state).other
    return Terms(
        M=M,
        C=C,
        D=applied.damping(tree),
        g=-(I @ S).T @ _gravity(tree, state) - _projected(tree, state, S, still) + applied.spring_forces(tree, state.q),
        Q=_projected(tree, state, S, acting),
        B=applied.input_matrix(tree),
    )


def forward_dynamics(tree: Tree, state: Motion, tau: Number) -> Number:
    """Accelerations v̇ (nv,) under the efforts tau (nv,): M⁻¹ (τ − h), h by Newton–Euler."""
    h = newton_euler.inverse_dynamics(tree, state, ca.DM(tree.nv, 1))
    factors = sparse_ldl.factor(mass_matrix(tree, state), elimination_order(tree))
    return sparse_ldl.solve(factors, tau - h)


def mass_matrix(tree: Tree, state: Motion) -> Number:
    """M (nv×nv) with rotors, and 1 for each velocity that is `still`; empty for a model of bond graphs alone."""
    if not tree.links:
        return ca.DM(tree.nv, tree.nv)
    S = _subspaces(tree, state)
    F = _with_outer(tree, state, _composite_inertias(tree, state) @ S)
    M = _mirrored(tree, S.T @ F) + rotor_mass(tree, state)
    return M + ca.diag(ca.sparsify(ca.DM([float(k in tree.still) for k in range(tree.nv)]))) if tree.still else M


def mass_diagonal(tree: Tree, state: Motion) -> Number:
    """Diagonal of M (nv,)."""
    S = _subspaces(tree, state)
    own = ca.sum1(S * (_composite_inertias(tree, state) @ S)).T
    still = ca.DM([float(k in tree.still) for k in range(tree.nv)])
    return own + ca.diag(rotor_mass(tree, state)) + still


def coriolis_matrix(tree: Tree, state: Motion) -> Number:
    """C (nv×nv) with rotors; Ṁ − 2C is skew."""
    _, C = _matrices(tree, state, _subspaces(tree, state), _composite_inertias(tree, state))
    return C


def elimination_order(tree: Tree) -> tuple[int, ...]:
    """Velocities from the tips to the ground: M is factorised without fill (Featherstone 2008, §6.5)."""
    return tuple(k for link in reversed(tree.owners) for k in reversed(link.v))


def least_length(tree: Tree) -> int:
    """Operations that `forward_dynamics` needs at least: they grow with the square of the depth, cubic in factors."""
    depth = [sum(tree.links[j].law.nv for j in tree.path(i)) for i, link in enumerate(tree.links) for _ in link.v]
    return sum(FORCE * d + d * (d + 1) // 2 for d in depth)


def _matrices(tree: Tree, state: Motion, S: Number, I: Number) -> tuple[Number, Number]:
    """M and C (nv×nv) with rotors (Echeandia & Wensing 2021, Algorithm 1, lines 12–19, for all joints at once).

    What lies outside of a joint needs the wrench I S per acceleration of the joint, I Ṡ + B S per velocity, Ṡ the rate
    of S in space; accelerations Ṡ of joints inside reach it through I S, and their velocities through Bᵀ S.
    """
    n = tree.nv
    if not tree.links:
        return ca.DM(n, n), ca.DM(n, n)
    S_dot = _in_columns(tree, [absolute_rate(state, i) for i in range(len(tree.links))])
    B = ca.diagcat(*map(connection.connection, _flows(tree, state)))
    F = _with_outer(tree, state, ca.horzcat(I @ S, I @ S_dot + B @ S, B.T @ S))
    inner, upper, lower = ca.horzsplit(S.T @ F, [0, n, 2 * n, 3 * n])
    lower = (lower + S_dot.T @ F[:, :n]) * _outer(tree)
    return _mirrored(tree, inner) + rotor_mass(tree, state), upper + lower.T + rotor_coriolis(tree, state)


def _composite_inertias(tree: Tree, state: Motion) -> Number:
    """Inertia of each link with all links outside it, in its frame: the 6×6 matrices on a diagonal (6n×6n)."""

    def to_parent(i: int, P: Inertia) -> Inertia:
        link, T_J = tree.links[i], state.joints[i].T_J
        turned = inertia.transformed(P, rotation(T_J), position(T_J))
        return inertia.transformed(turned, rotation(link.T), position(link.T))

    composites = _gathered(tree, [link.inertia for link in tree.links], to_parent, inertia.add)
    return ca.diagcat(*map(inertia.matrix, composites))


def _flows(tree: Tree, state: Motion) -> list[Flow]:
    """Flow of the mass of each link with all links outside it, past its frame."""

    def to_parent(i: int, passing: Flow) -> Flow:
        return connection.transformed(passing, state.joints[i].R, state.joints[i].p)

    own = [connection.flow(link.inertia, V) for link, V in zip(tree.links, state.V_L, strict=True)]
    return _gathered(tree, own, to_parent, connection.add)


def _with_outer(tree: Tree, state: Motion, own: Number) -> Number:
    """Wrenches (6n×k) on each link with all links outside it, of `own` wrenches; 6 rows a link, at its origin."""

    def to_parent(i: int, F: Number) -> Number:
        return force_to_parent(state.joints[i].R, state.joints[i].p, F)

    return ca.vertcat(*_gathered(tree, ca.vertsplit(own, 6), to_parent, operator.add))


def _gathered(tree: Tree, own: Sequence[T], to_parent: Callable[[int, T], T], add: Callable[[T, T], T]) -> list[T]:
    """Sums of the quantity `own` over each link and all links outside it, from the tips to the ground."""
    total = list(own)
    for i in reversed(range(len(tree.links))):
        parent = tree.links[i].parent
        if parent != GROUND:
            total[parent] = add(total[parent], to_parent(i, total[i]))
    return total


def _projected(tree: Tree, state: Motion, S: Number, wrenches: tuple[Number | None, ...]) -> Number:
    """Σ Jᵀ f (nv,) of wrenches on the links."""
    if all(wrench is None for wrench in wrenches):
        return ca.DM(tree.nv, 1)
    own = [ca.DM(6, 1) if wrench is None else wrench for wrench in wrenches]
    return S.T @ _with_outer(tree, state, ca.vertcat(*own))


def _gravity(tree: Tree, state: Motion) -> Number:
    """Acceleration of free fall (6n,) as a twist in the axes of each link."""
    return ca.vertcat(*(x for T_WL in state.T_WL for x in (ca.DM(3, 1), rotation(T_WL).T @ tree.gravity)))


def _subspaces(tree: Tree, state: Motion) -> Number:
    """Motion subspaces of all links (6n×nv): twist of a link against its parent per velocity."""
    return _in_columns(tree, [joint.S for joint in state.joints])


def _in_columns(tree: Tree, blocks: Sequence[Number]) -> Number:
    """A block (6×nv of its joint) for each link, one below the other (6n×nv), in the columns of its velocities."""
    places = [k for link in tree.links for k in link.v]
    return ca.diagcat(*blocks) @ _ones(len(places), list(enumerate(places)), tree.nv)


def _outer(tree: Tree) -> Number:
    """1 where the link that the column's velocity moves is carried by that of the row's (nv×nv)."""
    carried = [(i, j) for j, link in enumerate(tree.links) for i in tree.path(link.parent)]
    return _ones(tree.nv, [(row, column) for i, j in carried for row in tree.links[i].v for column in tree.links[j].v])


def _mirrored(tree: Tree, inner: Number) -> Number:
    """M (nv×nv) of its blocks for inner links in rows and outer ones in columns, the graph holds each entry once."""
    own = _ones(tree.nv, [(row, column) for link in tree.links for row in link.v for column in link.v if row > column])
    half = inner * (_outer(tree) + own)
    return inner * ca.DM.eye(tree.nv) + half + half.T


def _ones(n: int, places: Sequence[tuple[int, int]], columns: int | None = None) -> Number:
    """Matrix with ones at `places`, of n rows and as many columns, or of so many `columns`."""
    return ca.DM(ca.Sparsity.triplet(n, columns or n, [row for row, _ in places], [column for _, column in places]), 1)
