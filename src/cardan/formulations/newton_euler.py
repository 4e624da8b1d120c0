"""Recursive Newton–Euler: velocities and accelerations outwards, forces inwards.

Source: Luh, Walker & Paul 1980, in the form of Khalil & Dombre 2002, §9.5 (accelerations by the tensor
U = [α×] + [ω×]²), for any joint; rotors as gyrostats: Jain & Rodriguez 1990, §3
"""

from collections.abc import Callable, Sequence

import casadi as ca

from cardan.formulations import applied
from cardan.formulations.connection import connection, flow
from cardan.formulations.terms import Terms
from cardan.frozen import dataclass
from cardan.kinematics import loads
from cardan.kinematics.motion import JointMotion, Motion, absolute_rate, at_rest, take
from cardan.kinematics.tree import GROUND, Link, Number, Tree
from cardan.spatial import inertia
from cardan.spatial.motion import force_to_parent, motion_to_child
from cardan.spatial.rotations import acceleration_tensor, skew
from cardan.spatial.tracing import traced


@dataclass(frozen=True)
class LinkMotion:
    """Velocity and acceleration of a link, link axes."""

    w: Number  # angular velocity (3,) [rad/s]
    alpha: Number  # angular acceleration (3,) [rad/s²]
    a: Number  # acceleration of the origin, gravity taken off (3,) [m/s²]
    U: Number  # [α×] + [ω×]² (3×3)


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms from what the recursion is linear in: M from accelerations, C from its bilinear form, g at rest."""
    zero, rest = ca.DM(tree.nv, 1), at_rest(tree, state)
    conservative, other = loads.wrenches(tree, rest).conservative, loads.wrenches(tree, state).other
    return Terms(
        M=_matrix(lambda a: _efforts(tree, rest, a, gravity=False), tree.nv),
        C=_matrix(lambda w: _coriolis_column(tree, state, w), tree.nv),
        D=applied.damping(tree),
        g=_efforts(tree, rest, zero, conservative) + applied.spring_forces(tree, state.q),
        Q=-_efforts(tree, rest, zero, other, gravity=False),
        B=applied.input_matrix(tree),
    )


def _matrix(linear: Callable[[Number], Number], n: int) -> Number:
    """Matrix (n×n) of a linear map; numbers where it has numbers for factors."""
    x = ca.SX.sym("x", n)
    A = ca.jacobian(ca.SX(linear(x)), x)
    return A if ca.symvar(A) else ca.evalf(A)


def inverse_dynamics(tree: Tree, state: Motion, a: Number) -> Number:
    """Efforts τ = M a + C v + D v + g − Q (nv,) [N or N m] that give the accelerations a (nv,)."""
    acting = loads.wrenches(tree, state)
    wrenches = applied.wrench_sum(acting.conservative, acting.other)
    return _efforts(tree, state, a, wrenches) + applied.passive(tree, state.q, state.v)


def link_forces(
    tree: Tree, state: Motion, a: Number, wrenches: tuple[Number | None, ...] | None = None, gravity: bool = True
) -> tuple[Number, ...]:
    """Wrench (6,) that each link gets through its joint, at the link origin in link axes, moment first."""
    return _forces(tree, state, a, link_accelerations(tree, state, a, gravity), wrenches)


def _forces(
    tree: Tree, state: Motion, a: Number, moving: list[LinkMotion], wrenches: tuple[Number | None, ...] | None
) -> tuple[Number, ...]:
    """Wrenches through the joints, from all that acts on the links."""
    forces = [_newton_euler(link, own) for link, own in zip(tree.links, moving, strict=True)]
    _gyrostats(tree, moving, state.v, a, forces)
    for i, wrench in enumerate(wrenches or ()):
        if wrench is not None:
            forces[i] = forces[i] - wrench
    return gathered(tree, state, forces)


def gathered(tree: Tree, state: Motion, forces: Sequence[Number]) -> tuple[Number, ...]:
    """Wrench (6,) through each joint, the sum of the wrenches that its link and all links behind it need."""
    out = list(forces)
    for i in reversed(range(len(tree.links))):
        link, joint = tree.links[i], state.joints[i]
        if link.parent != GROUND:
            out[link.parent] = out[link.parent] + force_to_parent(joint.R, joint.p, out[i])
    return tuple(out)


def _efforts(
    tree: Tree, state: Motion, a: Number, wrenches: tuple[Number | None, ...] | None = None, gravity: bool = True
) -> Number:
    """Inertia, gravity and wrenches projected on the coordinates (nv,), rotors included."""
    moving = link_accelerations(tree, state, a, gravity)
    forces = _forces(tree, state, a, moving, wrenches)
    out: list[Number] = [ca.DM(1, 1)] * tree.nv
    for link, joint, f in zip(tree.links, state.joints, forces, strict=True):
        tau = joint.S.T @ f
        for row, k in enumerate(link.v):
            out[k] = out[k] + tau[row]
    for rotor in tree.rotors:
        carried = 0 if rotor.carrier is None else ca.dot(rotor.axis, moving[rotor.carrier].alpha)
        out[rotor.v] = out[rotor.v] + rotor.ratio * rotor.inertia * (rotor.ratio * a[rotor.v] + carried)
    return ca.vertcat(ca.DM(0, 1), *out)


def _ground(tree: Tree, gravity: bool) -> LinkMotion:
    """The ground, accelerated against gravity."""
    zero = ca.DM(3, 1)
    return LinkMotion(zero, zero, -tree.gravity if gravity else zero, ca.DM(3, 3))


def link_accelerations(tree: Tree, state: Motion, a: Number, gravity: bool = True) -> list[LinkMotion]:
    """Motion of all links under the accelerations a (nv,)."""
    moving: list[LinkMotion] = []
    for link, joint in zip(tree.links, state.joints, strict=True):
        parent = _ground(tree, gravity) if link.parent == GROUND else moving[link.parent]
        moving.append(_outwards(joint, parent, take(state.v, link.v), take(a, link.v)))
    return moving


def _outwards(joint: JointMotion, parent: LinkMotion, v: Number, a: Number) -> LinkMotion:
    """Motion of a link from its parent's (Khalil & Dombre 2002, eqs. 9.86–9.90)."""
    rate, rate_change = joint.S @ v, joint.S @ a + joint.S_dot @ v
    w, alpha, acceleration = _moved(joint.R, joint.p, parent.w, parent.alpha, parent.a, parent.U, rate, rate_change)
    return LinkMotion(w, alpha, acceleration, acceleration_tensor(w, alpha))


@traced((3, 3), (3, 1), (3, 1), (3, 1), (3, 1), (3, 3), (6, 1), (6, 1))
def _moved(
    R: Number, p: Number, w_0: Number, alpha_0: Number, a_0: Number, U_0: Number, rate: Number, rate_change: Number
) -> tuple[Number, Number, Number]:
    """Angular velocity and accelerations of a link at p in its parent, whose motion is w_0, alpha_0, a_0 and U_0."""
    E = R.T
    w_P = E @ w_0
    w = w_P + rate[:3]
    alpha = E @ alpha_0 + rate_change[:3] + skew(w_P) @ rate[:3]
    relative = rate_change[3:] + skew(2 * w_P + rate[:3]) @ rate[3:]
    return w, alpha, E @ (a_0 + U_0 @ p) + relative


def _newton_euler(link: Link, own: LinkMotion) -> Number:
    """Wrench (6,) at the link's origin that accelerates its inertia (ibid., eqs. 9.91–9.92)."""
    P = link.inertia
    F = P.m * own.a + own.U @ P.h
    N = inertia.moment(P, own.U) + skew(P.h) @ own.a
    return ca.vertcat(N, F)


def _gyrostats(tree: Tree, moving: list[LinkMotion], v: Number, a: Number, forces: list[Number]) -> None:
    """Adds to each carrier the moment d/dt (r Im v n) that the spin of its rotor needs."""
    for rotor in tree.rotors:
        if rotor.carrier is not None:
            w, spin = moving[rotor.carrier].w, rotor.ratio * rotor.inertia * rotor.axis
            N = spin * a[rotor.v] + skew(w) @ spin * v[rotor.v]
            forces[rotor.carrier] = forces[rotor.carrier] + ca.vertcat(N, ca.DM(3, 1))


def _coriolis_column(tree: Tree, state: Motion, w: Number) -> Number:
    """C w (nv,) for a column w (nv,): the bilinear form of the recursion (Echeandia & Wensing 2021, eq. 13)."""
    W: list[Number] = []
    A: list[Number] = []
    forces: list[Number] = []
    for i, link in enumerate(tree.links):
        joint, own = state.joints[i], take(w, link.v)
        outer = (ca.DM(6, 1), ca.DM(6, 1)) if link.parent == GROUND else (W[link.parent], A[link.parent])
        W.append(motion_to_child(joint.R, joint.p, outer[0]) + joint.S @ own)
        A.append(motion_to_child(joint.R, joint.p, outer[1]) + absolute_rate(state, i) @ own)
        I = inertia.matrix(link.inertia)
        forces.append(I @ A[i] + connection(flow(link.inertia, state.V_L[i])) @ W[i])
    out: list[Number] = [ca.DM(1, 1)] * tree.nv
    rotor_rows = _rotor_coriolis(tree, state, w, W, A, forces)
    for i in reversed(range(len(tree.links))):
        link, joint = tree.links[i], state.joints[i]
        tau = joint.S.T @ forces[i]
        for row, k in enumerate(link.v):
            out[k] = out[k] + tau[row]
        if link.parent != GROUND:
            forces[link.parent] = forces[link.parent] + force_to_parent(joint.R, joint.p, forces[i])
    return ca.vertcat(ca.DM(0, 1), *out) + rotor_rows


def _rotor_coriolis(
    tree: Tree, state: Motion, w: Number, W: list[Number], A: list[Number], forces: list[Number]
) -> Number:
    """Rotors' part of C w: moments on the carriers are added to `forces`, those on the coordinates returned.

    From the connection of an axisymmetric body that spins by r v about n on its carrier (docs/notation.md §5).
    """
    out: list[Number] = [ca.DM(1, 1)] * tree.nv
    for rotor in tree.rotors:
        if rotor.carrier is not None:
            n, spin = rotor.axis, rotor.ratio * rotor.inertia
            lever = skew(state.V_L[rotor.carrier][:3]) @ n
            W_c, A_c = W[rotor.carrier][:3], A[rotor.carrier][:3]
            moment = 0.5 * spin * (lever * w[rotor.v] - state.v[rotor.v] * (skew(n) @ W_c))
            forces[rotor.carrier] = forces[rotor.carrier] + ca.vertcat(moment, ca.DM(3, 1))
            out[rotor.v] = out[rotor.v] + spin * (ca.dot(n, A_c) + 0.5 * ca.dot(lever, W_c))
    return ca.vertcat(ca.DM(0, 1), *out)
