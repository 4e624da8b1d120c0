"""Coriolis matrix by composite bodies, and the rotors' parts of M and C.

Source: Echeandia & Wensing 2021, Algorithm 1; rotors: docs/notation.md §5
"""

from __future__ import annotations

import casadi as ca

from cardan.formulations.connection import connection
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import GROUND, Number, Rotor, Tree
from cardan.numerics import entries
from cardan.spatial import inertia
from cardan.spatial.motion import cross_motion, force_to_parent, motion_matrix
from cardan.spatial.rotations import skew

__all__ = ["coriolis_matrix", "rotor_mass"]


def coriolis_matrix(tree: Tree, state: Motion) -> Number:
    """C (nv×nv) with rotors; Ṁ − 2C is skew."""
    n = len(tree.links)
    S = [joint.S for joint in state.joints]
    S_dot = [_absolute_rate(state, i) for i in range(n)]
    I = [inertia.matrix(link.inertia) for link in tree.links]
    B = [connection(I[i], state.V_L[i]) for i in range(n)]
    C: dict[tuple[int, int], Number] = {}
    for j in reversed(range(n)):
        if S[j].shape[1]:
            _walk_inwards(tree, state, j, I[j], B[j], S, S_dot, C)
        link = tree.links[j]
        if link.parent != GROUND:
            X = motion_matrix(state.joints[j].R, state.joints[j].p)
            I[link.parent] = I[link.parent] + X.T @ I[j] @ X
            B[link.parent] = B[link.parent] + X.T @ B[j] @ X
    return entries.matrix(C, tree.nv, tree.nv) + _rotor_coriolis(tree, state)


def rotor_mass(tree: Tree, state: Motion) -> Number:
    """What the rotors' spin adds to M (nv×nv): r² Im, and r Im of the carrier's motion about the rotor's axis."""
    total: Number = ca.DM(tree.nv, tree.nv)
    for rotor in tree.rotors:
        e = _unit(tree.nv, rotor.v)
        total = total + rotor.ratio**2 * rotor.inertia * (e @ e.T)
        if rotor.carrier is not None:
            a = _angular_jacobian(tree, state, rotor.carrier).T @ rotor.axis
            total = total + rotor.ratio * rotor.inertia * (a @ e.T + e @ a.T)
    return total


def _absolute_rate(state: Motion, i: int) -> Number:
    """Rate of a link's subspace in space, link axes: [V×] S + dS/dt."""
    return cross_motion(state.V_L[i]) @ state.joints[i].S + state.joints[i].S_dot


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
    k = S[j].shape[1]
    F = ca.horzcat(I_C @ S_dot[j] + B_C @ S[j], B_C.T @ S[j], I_C @ S[j])
    for i in tree.path(j):
        both = S[i].T @ F[:, : 2 * k]
        upper, lower = both[:, :k], F[:, 2 * k :].T @ S_dot[i] + both[:, k:].T
        for a, row in enumerate(tree.links[i].v):
            for b, column in enumerate(tree.links[j].v):
                C[column, row] = lower[b, a]
                C[row, column] = upper[a, b]
        if tree.links[i].parent != GROUND:
            F = force_to_parent(state.joints[i].R, state.joints[i].p, F)


def _rotor_coriolis(tree: Tree, state: Motion) -> Number:
    """Rotors' part of C: the connection of an axisymmetric body spinning by r v about n on its carrier."""
    total: Number = ca.DM(tree.nv, tree.nv)
    for rotor in tree.rotors:
        if rotor.carrier is not None:
            total = total + _carried(tree, state, rotor, rotor.carrier)
    return total


def _carried(tree: Tree, state: Motion, rotor: Rotor, carrier: int) -> Number:
    J, J_dot = _angular_jacobian(tree, state, carrier), _angular_jacobian_rate(tree, state, carrier)
    e, n, spin = _unit(tree.nv, rotor.v), rotor.axis, rotor.ratio * rotor.inertia
    lever = J.T @ (skew(state.V_L[carrier][:3]) @ n)
    row = J_dot.T @ n + 0.5 * lever
    return spin * (e @ row.T + 0.5 * lever @ e.T - 0.5 * state.v[rotor.v] * (J.T @ skew(n) @ J))


def _unit(n: int, k: int) -> Number:
    return ca.DM.eye(n)[:, k]


def _angular_jacobian(tree: Tree, state: Motion, index: int) -> Number:
    """Angular velocity (3×nv) of a link per velocity, link axes."""
    return _angular(tree, state, index, [joint.S[:3, :] for joint in state.joints])


def _angular_jacobian_rate(tree: Tree, state: Motion, index: int) -> Number:
    """Rate of the angular Jacobian (3×nv) in space, link axes."""
    return _angular(tree, state, index, [_absolute_rate(state, i)[:3, :] for i in range(len(tree.links))])


def _angular(tree: Tree, state: Motion, index: int, blocks: list[Number]) -> Number:
    """Angular columns of the links on the path of `index`, turned into its axes, at their places in v."""
    columns: list[Number] = [ca.DM(3, 1)] * tree.nv
    R_IL: Number = ca.DM.eye(3)
    for i in tree.path(index):
        link = tree.links[i]
        for column, k in enumerate(link.v):
            columns[k] = R_IL @ blocks[i][:, column]
        R_IL = R_IL @ state.joints[i].R.T
    return ca.horzcat(ca.DM(3, 0), *columns)
