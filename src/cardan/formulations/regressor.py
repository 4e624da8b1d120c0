"""Efforts as a linear form of the bodies' inertial parameters: τ = Y(q, v, a) π, gravity included.

Ten parameters per body, in its own axes about its own origin: mass, first moments m c, and the inertia tensor. Springs,
dampers, forces and rotors are not part of it.

Source: Atkeson, An & Hollerbach 1986, eqs. 9–15 (one body); Khalil & Dombre 2002, §12.3
"""

import casadi as ca

from cardan.formulations import newton_euler
from cardan.formulations.newton_euler import LinkMotion
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree, check_no_modes
from cardan.spatial import inertia
from cardan.spatial.inertia import Inertia
from cardan.spatial.motion import force_to_parent
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation

PARAMETERS = ("mass", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""Names of a body's parameters [kg, kg m, kg m²]: Ixx … are tensor elements about the body's origin."""


def regressors(tree: Tree, state: Motion, a: Number) -> dict[str, Number]:
    """Y (nv×10) of every body, by name, for the accelerations a (nv,)."""
    check_no_modes(tree, "inertial parameters")
    moving = newton_euler.link_accelerations(tree, state, a)
    return {link.name: _projected(tree, state, i, _wrench(link.T_LB, moving[i])) for i, link in enumerate(tree.links)}


def inertial_parameters(P: Inertia) -> Number:
    """π (10,) of a body with the inertia P in its own frame."""
    I = inertia.tensor(P)
    moments = (I[0, 0], I[1, 1], I[2, 2], I[1, 0], I[2, 0], I[2, 1])
    return ca.vertcat(P.m, P.h, *moments)


def _wrench(T_LB: Number, own: LinkMotion) -> Number:
    """Wrench (6×10) at the link origin in link axes that the inertia of a body at T_LB asks for, per parameter.

    F = m a + U (m c),  N = (m c) × a + I α + ω × I ω in the body's own axes.
    """
    R_LB, p_L = rotation(T_LB), position(T_LB)
    a = R_LB.T @ (own.a + own.U @ p_L)
    w, alpha, U = R_LB.T @ own.w, R_LB.T @ own.alpha, R_LB.T @ own.U @ R_LB
    F = ca.horzcat(a, U, ca.DM(3, 6))
    N = ca.horzcat(ca.DM(3, 1), -skew(a), _momentum(alpha) + skew(w) @ _momentum(w))
    return force_to_parent(R_LB, p_L, ca.vertcat(N, F))


def _momentum(w: Number) -> Number:
    """Matrix (3×6) with I ω = matrix @ (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)."""
    zero = ca.DM(1, 1)
    x, y, z = w[0], w[1], w[2]
    return ca.blockcat([[x, zero, zero, y, z, zero], [zero, y, zero, x, zero, z], [zero, zero, z, zero, x, y]])


def _projected(tree: Tree, state: Motion, index: int, wrench: Number) -> Number:
    """Efforts (nv×10) of a wrench (6×10) on a link, per parameter."""
    rows: list[Number] = [ca.DM(1, 10)] * tree.nv
    for i in tree.path(index):
        joint = state.joints[i]
        own = joint.S.T @ wrench
        for row, k in enumerate(tree.links[i].v):
            rows[k] = own[row, :]
        wrench = force_to_parent(joint.R, joint.p, wrench)
    return ca.vertcat(ca.DM(0, 10), *rows)
