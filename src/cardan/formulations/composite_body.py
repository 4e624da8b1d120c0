"""Composite-body algorithm: the mass matrix from the inertia of all that lies outside a joint; accelerations with it.

Source: Featherstone 2008, Table 6.2 (mass matrix) and Table 6.3 (its factorisation); Echeandia & Wensing 2021,
Algorithm 1 (Coriolis matrix)
"""

from __future__ import annotations

import casadi as ca

from cardan.formulations import applied, coriolis, newton_euler
from cardan.formulations.terms import Terms
from cardan.kinematics import loads
from cardan.kinematics.motion import Motion, at_rest
from cardan.kinematics.tree import GROUND, Number, Tree
from cardan.numerics import entries, sparse_ldl
from cardan.spatial import inertia
from cardan.spatial.motion import force_to_parent
from cardan.spatial.transforms import position, rotation

__all__ = ["elimination_order", "forward_dynamics", "least_length", "mass_matrix", "terms"]

FORCE = 14  # operations that move a force one joint inwards, at right angles and with one offset at least


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms with the mass matrix and the Coriolis matrix of composite bodies, forces by the transposed Jacobians."""
    acting = loads.wrenches(tree, state)
    rest = at_rest(tree, state)
    return Terms(
        M=mass_matrix(tree, state),
        C=coriolis.coriolis_matrix(tree, state),
        D=applied.damping(tree),
        g=-_project(tree, state, applied.wrench_sum(_weights(tree, state), loads.wrenches(tree, rest).conservative))
        + applied.spring_forces(tree, state.q),
        Q=_project(tree, state, acting.other),
        B=applied.input_matrix(tree),
    )


def forward_dynamics(tree: Tree, state: Motion, tau: Number) -> Number:
    """Accelerations v̇ (nv,) under the efforts tau (nv,): M⁻¹ (τ − h), h by Newton–Euler."""
    h = newton_euler.inverse_dynamics(tree, state, ca.DM(tree.nv, 1))
    factors = sparse_ldl.factor(mass_matrix(tree, state), elimination_order(tree))
    return sparse_ldl.solve(factors, tau - h)


def mass_matrix(tree: Tree, state: Motion) -> Number:
    """M (nv×nv) with rotors."""
    composite = [link.inertia for link in tree.links]
    M: dict[tuple[int, int], Number] = {}
    for i in reversed(range(len(tree.links))):
        link, joint = tree.links[i], state.joints[i]
        if link.parent != GROUND:
            turned = inertia.transformed(composite[i], rotation(joint.T_J), position(joint.T_J))
            outer = inertia.transformed(turned, rotation(link.T), position(link.T))
            composite[link.parent] = inertia.add(composite[link.parent], outer)
        if link.law.nv:
            F = inertia.matrix(composite[i]) @ joint.S
            for j in tree.path(i):
                _store(M, link.v, tree.links[j].v, F.T @ state.joints[j].S)
                if tree.links[j].parent != GROUND:
                    F = force_to_parent(state.joints[j].R, state.joints[j].p, F)
    return entries.matrix(M, tree.nv, tree.nv) + coriolis.rotor_mass(tree, state)


def elimination_order(tree: Tree) -> tuple[int, ...]:
    """Velocities from the tips to the ground: M is factorised without fill (Featherstone 2008, §6.5)."""
    return tuple(k for link in reversed(tree.links) for k in reversed(link.v))


def least_length(tree: Tree) -> int:
    """Operations that `forward_dynamics` needs at least: they grow with the square of the depth, cubic in factors."""
    depth = [sum(tree.links[j].law.nv for j in tree.path(i)) for i, link in enumerate(tree.links) for _ in link.v]
    return sum(FORCE * d + d * (d + 1) // 2 for d in depth)


def _store(M: dict[tuple[int, int], Number], rows: tuple[int, ...], columns: tuple[int, ...], block: Number) -> None:
    """Keeps one block of M and its mirror image, with a single graph node for both."""
    for a, row in enumerate(rows):
        for b, column in enumerate(columns):
            M[row, column] = M[column, row] = M.get((column, row), block[a, b])


def _weights(tree: Tree, state: Motion) -> tuple[Number, ...]:
    """Weight of every link as a wrench at the link origin, link axes."""
    out = []
    for link, T_WL in zip(tree.links, state.T_WL, strict=True):
        g_L = rotation(T_WL).T @ tree.gravity
        out.append(ca.vertcat(ca.cross(link.inertia.h, g_L), link.inertia.m * g_L))
    return tuple(out)


def _project(tree: Tree, state: Motion, wrenches: tuple[Number | None, ...]) -> Number:
    """Σ Jᵀ f (nv,) of wrenches on the links, gathered inwards."""
    total: list[Number] = [ca.DM(6, 1) if wrench is None else wrench for wrench in wrenches]
    out: list[Number] = [ca.DM(1, 1)] * tree.nv
    for i in reversed(range(len(tree.links))):
        link, joint = tree.links[i], state.joints[i]
        effort = joint.S.T @ total[i]
        for row, k in enumerate(link.v):
            out[k] = effort[row]
        if link.parent != GROUND:
            total[link.parent] = total[link.parent] + force_to_parent(joint.R, joint.p, total[i])
    return ca.vertcat(ca.DM(0, 1), *out)
