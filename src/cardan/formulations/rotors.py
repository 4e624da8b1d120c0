"""Contribution of the rotors' spin to the mass matrix and to the Coriolis matrix.   Source: docs/notation.md §5"""

import casadi as ca

from cardan.kinematics.motion import Motion, absolute_rate
from cardan.kinematics.tree import Number, Rotor, Tree
from cardan.spatial.rotations import skew


def rotor_mass(tree: Tree, state: Motion) -> Number:
    """Rotors' part of M (nv×nv): r² Im, and r Im of the carrier's motion about the rotor's axis."""
    total: Number = ca.DM(tree.nv, tree.nv)
    for rotor in tree.rotors:
        e = _unit(tree.nv, rotor.v)
        total = total + rotor.ratio**2 * rotor.inertia * (e @ e.T)
        if rotor.carrier is not None:
            a = _angular_jacobian(tree, state, rotor.carrier).T @ rotor.axis
            total = total + rotor.ratio * rotor.inertia * (a @ e.T + e @ a.T)
    return total


def rotor_coriolis(tree: Tree, state: Motion) -> Number:
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
    rates = [absolute_rate(state, i)[:3, :] for i in range(len(tree.links))]
    return _angular(tree, state, index, rates)


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
