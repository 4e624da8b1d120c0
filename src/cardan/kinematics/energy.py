"""Kinetic and potential energy of a mechanism, rotors and springs included.

Source: Featherstone 2008, eq. 2.67; docs/notation.md §6
"""

import casadi as ca

from cardan.kinematics import loads
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Rotor, Tree
from cardan.spatial import inertia
from cardan.spatial.transforms import position, rotation


def kinetic(tree: Tree, state: Motion) -> Number:
    """Kinetic energy [J] of links and rotors."""
    total: Number = ca.DM(1, 1)
    for link, V in zip(tree.links, state.V_L, strict=True):
        total = total + 0.5 * ca.dot(V, inertia.matrix(link.inertia) @ V)
    for rotor in tree.rotors:
        total = total + _spin_energy(state, rotor)
    return total


def potential(tree: Tree, state: Motion) -> Number:
    """Potential energy [J] of gravity, joint springs and force laws; gravity's is zero at the world origin."""
    total = loads.potential(tree, state)
    for link, T_WL in zip(tree.links, state.T_WL, strict=True):
        mc = link.inertia.m * position(T_WL) + rotation(T_WL) @ link.inertia.h
        total = total - ca.dot(tree.gravity, mc)
    for link in tree.owners:
        for i, k in zip(link.q, link.v, strict=False):
            if not ca.SX(tree.stiffness[k]).is_zero():
                total = total + 0.5 * tree.stiffness[k] * (state.q[i] - tree.rest[k]) ** 2
    return total


def _spin_energy(state: Motion, rotor: Rotor) -> Number:
    """Kinetic energy [J] of a rotor's spin beyond what turns with its carrier: ½ Im ((r v)² + 2 r v n·ω)."""
    spin = rotor.ratio * state.v[rotor.v]
    carried = 0 if rotor.carrier is None else ca.dot(rotor.axis, state.V_L[rotor.carrier][:3])
    return 0.5 * rotor.inertia * spin * (spin + 2 * carried)
