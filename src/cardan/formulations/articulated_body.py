"""Articulated-body algorithm: accelerations in one sweep outwards, inwards, outwards; M from the same factors.

Source: Featherstone 2008, Table 7.1; M = LᵀDL from the articulated inertias: Rodriguez, Jain & Kreutz-Delgado 1991,
eq. 3.6; rotors on the parent link: Jain & Rodriguez 1990
"""

import casadi as ca

from cardan.errors import ModelError
from cardan.formulations import applied, composite_body
from cardan.formulations.terms import Terms
from cardan.frozen import dataclass
from cardan.kinematics import loads
from cardan.kinematics.motion import Motion, at_rest, take
from cardan.kinematics.tree import GROUND, Link, Number, Tree, check_no_modes
from cardan.numerics import entries, sparse_ldl
from cardan.spatial import inertia
from cardan.spatial.motion import cross_motion, force_to_parent, motion_to_child
from cardan.spatial.rotations import skew


@dataclass(frozen=True)
class _Joint:
    """Results of the inward sweep at a joint, which the outward sweep needs."""

    U: Number  # I_A S (6×nv), link axes
    coupling: Number  # wrench on the parent per joint acceleration (6×nv), parent axes
    factors: sparse_ldl.Factor  # factors of D = Sᵀ U and the rotors' inertia (nv×nv)
    D: Number
    u: Number  # effort that accelerates the joint (nv,): tau less the joint's share of the bias force
    c: Number  # acceleration from the velocities alone (6,)


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms with M = LᵀDL of the articulated inertias and all forces from accelerations they cause: f = −M v̇."""
    rest = at_rest(tree, state)
    M = _mass_matrix(tree, state)
    acting, still = loads.wrenches(tree, state).other, loads.wrenches(tree, rest).conservative
    zero = ca.DM(tree.nv, 1)
    return Terms(
        M=M,
        C=composite_body.coriolis_matrix(tree, state),
        D=applied.damping(tree),
        g=-M @ _sweep(tree, rest, zero, still, gravity=True) + applied.spring_forces(tree, state.q),
        Q=M @ _sweep(tree, rest, zero, acting, gravity=False) if any(f is not None for f in acting) else zero,
        B=applied.input_matrix(tree),
    )


def forward_dynamics(tree: Tree, state: Motion, tau: Number) -> Number:
    """Accelerations v̇ (nv,) under the efforts tau (nv,)."""
    acting = loads.wrenches(tree, state)
    wrenches = applied.wrench_sum(acting.conservative, acting.other)
    return _sweep(tree, state, tau - applied.passive(tree, state.q, state.v), wrenches, gravity=True)


def _sweep(tree: Tree, state: Motion, tau: Number, wrenches: tuple[Number | None, ...], gravity: bool) -> Number:
    """The three sweeps of Table 7.1."""
    joints = _inwards(tree, state, tau, wrenches)
    a: list[Number] = []
    out: list[Number] = [ca.DM(1, 1)] * tree.nv
    ground = ca.vertcat(ca.DM(3, 1), -tree.gravity) if gravity else ca.DM(6, 1)
    for i, link in enumerate(tree.links):
        at, joint = state.joints[i], joints[i]
        a_P = ground if link.parent == GROUND else a[link.parent]
        acceleration = motion_to_child(at.R, at.p, a_P) + joint.c
        if link.law.nv:
            own = sparse_ldl.solve(joint.factors, joint.u - joint.U.T @ acceleration - _carried(tree, link, a_P))
            acceleration = acceleration + at.S @ own
            for row, k in enumerate(link.v):
                out[k] = own[row]
        a.append(acceleration)
    return ca.vertcat(ca.DM(0, 1), *out)


def _inwards(tree: Tree, state: Motion, tau: Number, wrenches: tuple[Number | None, ...]) -> list[_Joint]:
    """Articulated inertias and bias forces, from the tips to the ground."""
    check_no_modes(tree, "articulated bodies")
    I_A = [inertia.matrix(link.inertia) for link in tree.links]
    p_A = [inertia.bias(link.inertia, V) for link, V in zip(tree.links, state.V_L, strict=True)]
    for i, wrench in enumerate(wrenches):
        if wrench is not None:
            p_A[i] = p_A[i] - wrench
    joints: dict[int, _Joint] = {}
    for i in reversed(range(len(tree.links))):
        link, at = tree.links[i], state.joints[i]
        S, own_v = at.S, take(state.v, link.v)
        c = cross_motion(state.V_L[i]) @ (S @ own_v) + at.S_dot @ own_v
        U = I_A[i] @ S
        D = symmetric(S.T @ U) + _rotor_inertia(tree, link)
        u = take(tau, link.v) - S.T @ p_A[i]
        _check_inertia(D, link)
        factors = sparse_ldl.factor(D)
        coupling = _spin(tree, link) if tree.turns(link.parent) else ca.DM(6, link.law.nv)
        joints[i] = _Joint(U, coupling, factors, D, u, c)
        if link.parent != GROUND:
            I_P, p_P = _to_parent(at.R, at.p, I_A[i], p_A[i], joints[i])
            I_A[link.parent] = I_A[link.parent] + I_P
            p_A[link.parent] = p_A[link.parent] + p_P + _gyroscopic(tree, link, state)
    return [joints[i] for i in range(len(tree.links))]


def _check_inertia(D: Number, link: Link) -> None:
    """Refuse a joint that carries no inertia: the algorithm divides by its D, an entry of M's factors."""
    if any(ca.SX(D[k, k]).is_zero() for k in range(D.shape[0])):
        fault = f"joint {link.joint!r} moves nothing that has inertia, and articulated bodies divide by it"
        raise ModelError(fault, 'choose formulation="composite_body" or "newton_euler"')


def _to_parent(R: Number, p: Number, I_A: Number, p_A: Number, joint: _Joint) -> tuple[Number, Number]:
    """Articulated inertia and bias force that a joint hands to its parent (ibid., eqs. 7.38–7.45)."""
    if not joint.D.shape[0]:
        return inertia_to_parent(R, p, I_A), force_to_parent(R, p, p_A + I_A @ joint.c)
    if joint.coupling.nnz():
        both = force_to_parent(R, p, joint.U) + joint.coupling
        I_P = inertia_to_parent(R, p, I_A) - both @ sparse_ldl.solve(joint.factors, both.T)
        free = sparse_ldl.solve(joint.factors, joint.u - joint.U.T @ joint.c)
        return I_P, force_to_parent(R, p, p_A + I_A @ joint.c) + both @ free
    I_a = symmetric(I_A - joint.U @ sparse_ldl.solve(joint.factors, joint.U.T))
    p_a = p_A + I_a @ joint.c + joint.U @ sparse_ldl.solve(joint.factors, joint.u)
    return inertia_to_parent(R, p, I_a), force_to_parent(R, p, p_a)


def inertia_to_parent(R: Number, p: Number, I_A: Number) -> Number:
    """Xᵀ I_A X by 3×3 blocks: rotated, then moved by p (ibid., Table A.2)."""
    A, H, M = I_A[:3, :3], I_A[:3, 3:], I_A[3:, 3:]
    A, H, M = inertia.congruence(R, A), R @ H @ R.T, inertia.congruence(R, M)
    P = skew(p)
    PH = P @ H.T
    A = symmetric(A + PH + PH.T - P @ M @ P)
    H = H + P @ M
    return ca.vertcat(ca.horzcat(A, H), ca.horzcat(H.T, M))


def symmetric(A: Number) -> Number:
    """A with its upper triangle in place of the lower one."""
    return ca.tril2symm(ca.tril(A))


def _rotor_inertia(tree: Tree, link: Link) -> Number:
    """r² Im of the rotors that drive a joint (nv×nv)."""
    out = [ca.DM(1, 1)] * link.law.nv
    for rotor in tree.rotors:
        if rotor.v in link.v:
            k = link.v.index(rotor.v)
            out[k] = out[k] + rotor.ratio**2 * rotor.inertia
    return ca.diag(ca.vertcat(ca.DM(0, 1), *out))


def _spin(tree: Tree, link: Link) -> Number:
    """Moment on the parent per acceleration of the joint (6×nv), from rotors that ride on the parent."""
    columns: list[Number] = [ca.DM(6, 1)] * link.law.nv
    for rotor in tree.rotors:
        if rotor.v in link.v and rotor.carrier is not None:
            if rotor.carrier != link.parent:
                carrier = tree.links[rotor.carrier].name
                fault = f"motor {rotor.name!r} rides on {carrier!r}, not on the parent of its joint"
                raise ModelError(fault, 'choose formulation="composite_body" or "newton_euler"')
            n = ca.vertcat(rotor.ratio * rotor.inertia * rotor.axis, ca.DM(3, 1))
            columns[link.v.index(rotor.v)] = columns[link.v.index(rotor.v)] + n
    return ca.horzcat(ca.DM(6, 0), *columns)


def _carried(tree: Tree, link: Link, a_P: Number) -> Number:
    """Effort on the joint (nv,) that the parent's acceleration causes through the joint's rotor."""
    return _spin(tree, link).T @ a_P


def _gyroscopic(tree: Tree, link: Link, state: Motion) -> Number:
    """Moment ω × (r Im v n) on the parent from the spin of its rotors (6,)."""
    if link.parent == GROUND:
        return ca.DM(6, 1)
    momentum = _spin(tree, link)[:3, :] @ take(state.v, link.v)
    return ca.vertcat(skew(state.V_L[link.parent][:3]) @ momentum, ca.DM(3, 1))


def _mass_matrix(tree: Tree, state: Motion) -> Number:
    """M (nv×nv) = LᵀDL with L[i, j] = D_i⁻¹ (U_iᵀ X_ij + coupling) S_j for j inwards of i."""
    nothing: tuple[Number | None, ...] = (None,) * len(tree.links)
    joints = _inwards(tree, state, ca.DM(tree.nv, 1), nothing)
    L: dict[tuple[int, int], Number] = {(k, k): ca.DM(1) for k in range(tree.nv)}
    D: dict[tuple[int, int], Number] = {}
    for i, link in enumerate(tree.links):
        if link.law.nv:
            _store(D, link.v, link.v, joints[i].D)
            F = force_to_parent(state.joints[i].R, state.joints[i].p, joints[i].U) + joints[i].coupling
            for j in tree.path(link.parent):
                other = tree.links[j]
                if other.law.nv:
                    _store(L, link.v, other.v, sparse_ldl.solve(joints[i].factors, F.T @ state.joints[j].S))
                F = force_to_parent(state.joints[j].R, state.joints[j].p, F)
    unit = entries.matrix(L, tree.nv, tree.nv)
    return unit.T @ entries.matrix(D, tree.nv, tree.nv) @ unit


def _store(M: dict[tuple[int, int], Number], rows: tuple[int, ...], columns: tuple[int, ...], block: Number) -> None:
    """Keeps one block of M."""
    for a, row in enumerate(rows):
        for b, column in enumerate(columns):
            M[row, column] = block[a, b]
