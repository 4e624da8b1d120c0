"""Coriolis matrix by composite bodies, and the rotors' parts of M and C.

Source: Echeandia & Wensing 2021, Algorithm 1; rotors: docs/notation.md §5
"""

from __future__ import annotations

import casadi as ca

from cardan.formulations.connection import connection
from cardan.kinematics.motion import Motion, joint_transform, take
from cardan.kinematics.tree import GROUND, Number, Rotor, Tree
from cardan.numerics import entries
from cardan.spatial import inertia
from cardan.spatial.motion import cross_motion, force_to_parent, motion_matrix
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation

__all__ = ["coriolis_matrix", "rotor_mass"]


def coriolis_matrix(tree: Tree, state: Motion) -> Number:
    """C (nv×nv) with rotors; Ṁ − 2C is skew."""
    n = len(tree.links)
    S = [link.law.subspace(take(state.q, link.q)) for link in tree.links]
    S_dot = [_absolute_rate(tree, state, i, S[i]) for i in range(n)]
    I = [inertia.matrix(link.inertia) for link in tree.links]  # noqa: E741
    B = [connection(I[i], state.V_L[i]) for i in range(n)]
    C: dict[tuple[int, int], Number] = {}
    for j in reversed(range(n)):
        if S[j].shape[1]:
            _walk_inwards(tree, state, j, I[j], B[j], S, S_dot, C)
        link = tree.links[j]
        if link.parent != GROUND:
            T = joint_transform(link, state.q)
            X = motion_matrix(rotation(T), position(T))
            I[link.parent] = I[link.parent] + X.T @ I[j] @ X
            B[link.parent] = B[link.parent] + X.T @ B[j] @ X
    return entries.matrix(C, tree.nv, tree.nv) + _rotor_coriolis(tree, state)


def rotor_mass(tree: Tree, q: Number) -> Number:
    """What the rotors' spin adds to M (nv×nv): r² Im, and r Im of the carrier's motion about the rotor's axis."""
    total: Number = ca.DM(tree.nv, tree.nv)
    for rotor in tree.rotors:
        e = _unit(tree.nv, rotor.v)
        total = total + rotor.ratio**2 * rotor.inertia * (e @ e.T)
        if rotor.carrier is not None:
            a = _angular_jacobian(tree, q, rotor.carrier).T @ rotor.axis
            total = total + rotor.ratio * rotor.inertia * (a @ e.T + e @ a.T)
    return total


def _absolute_rate(tree: Tree, state: Motion, i: int, S: Number) -> Number:
    """Rate of a link's subspace in space, link axes: [V×] S + dS/dt."""
    link = tree.links[i]
    return cross_motion(state.V_L[i]) @ S + link.law.subspace_rate(take(state.q, link.q), take(state.v, link.v))


def _walk_inwards(
    tree: Tree,
    state: Motion,
    j: int,
    I_C: Number,
    B_C: Number,
    S: list[Number],
    S_dot: list[Number],
    C: dict[tuple[int, int], Number],
) -> None:
    """Blocks C[i, j] and C[j, i] for all links i from j to the ground (ibid., lines 12–19)."""
    F1, F2, F3 = I_C @ S_dot[j] + B_C @ S[j], I_C @ S[j], B_C.T @ S[j]
    for i in tree.path(j):
        upper, lower = S[i].T @ F1, F2.T @ S_dot[i] + F3.T @ S[i]
        for a, row in enumerate(tree.links[i].v):
            for b, column in enumerate(tree.links[j].v):
                C[column, row] = lower[b, a]
                C[row, column] = upper[a, b]
        T = joint_transform(tree.links[i], state.q)
        F1, F2, F3 = (force_to_parent(rotation(T), position(T), F) for F in (F1, F2, F3))


def _rotor_coriolis(tree: Tree, state: Motion) -> Number:
    """Rotors' part of C: the connection of an axisymmetric body spinning by r v about n on its carrier."""
    total: Number = ca.DM(tree.nv, tree.nv)
    for rotor in tree.rotors:
        if rotor.carrier is not None:
            total = total + _carried(tree, state, rotor, rotor.carrier)
    return total


def _carried(tree: Tree, state: Motion, rotor: Rotor, carrier: int) -> Number:
    J, J_dot = _angular_jacobian(tree, state.q, carrier), _angular_jacobian_rate(tree, state, carrier)
    e, n, spin = _unit(tree.nv, rotor.v), rotor.axis, rotor.ratio * rotor.inertia
    lever = J.T @ (skew(state.V_L[carrier][:3]) @ n)
    row = J_dot.T @ n + 0.5 * lever
    return spin * (e @ row.T + 0.5 * lever @ e.T - 0.5 * state.v[rotor.v] * (J.T @ skew(n) @ J))


def _unit(n: int, k: int) -> Number:
    return ca.DM.eye(n)[:, k]


def _angular_jacobian(tree: Tree, q: Number, index: int) -> Number:
    """Angular velocity (3×nv) of a link per velocity, link axes."""
    return _angular(tree, q, index, [link.law.subspace(take(q, link.q))[:3, :] for link in tree.links])


def _angular_jacobian_rate(tree: Tree, state: Motion, index: int) -> Number:
    """Rate of the angular Jacobian (3×nv) in space, link axes."""
    own = [link.law.subspace(take(state.q, link.q)) for link in tree.links]
    return _angular(tree, state.q, index, [_absolute_rate(tree, state, i, S)[:3, :] for i, S in enumerate(own)])


def _angular(tree: Tree, q: Number, index: int, blocks: list[Number]) -> Number:
    """Angular columns of the links on the path of `index`, turned into its axes, at their places in v."""
    columns: list[Number] = [ca.DM(3, 1)] * tree.nv
    R_IL: Number = ca.DM.eye(3)
    for i in tree.path(index):
        link = tree.links[i]
        for column, k in enumerate(link.v):
            columns[k] = R_IL @ blocks[i][:, column]
        R_IL = R_IL @ rotation(joint_transform(link, q)).T
    return ca.horzcat(ca.DM(3, 0), *columns)
