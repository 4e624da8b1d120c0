"""Lagrange's equations in trace form: everything from the 4×4 matrices B_l of the links and their derivatives.

With T = ½ Σ tr(Ḃ_l I_l Ḃ_lᵀ), B_l^k = ∂B_l/∂q_k and B_l^jk = ∂²B_l/∂q_j∂q_k, the k-th equation is

    Σ_i a0[i,k] q̈_i + Σ_j Σ_{i≥j} a1[j,i,k] q̇_j q̇_i + a2[k] = Q_k,
    a0[i,k] = Σ_l tr(B_l^i I_l B_l^kᵀ),  a1[j,i,k] = σ_ji Σ_l tr(B_l^ji I_l B_l^kᵀ),  a2[k] = −Σ_l γᵀ B_l^k (m r)_l,

σ = 1 for j = i, else 2; I_l the pseudo-inertia about the origin of link l, (m r)_l its last column, γ gravity (…, 0).
Joints with several velocities, quaternions among them, have derivatives along each: B^k = T Ω_k. They need not commute:
then a1 takes the mean of both orders. A rotor is a body that turns on its carrier.

Source: Hroncová, eqs. 7–13, I_l corrected (docs/errata.md)
"""

import casadi as ca

from cardan.formulations import applied
from cardan.formulations.terms import Terms
from cardan.frozen import dataclass
from cardan.kinematics import loads
from cardan.kinematics.motion import Motion, at_rest, take
from cardan.kinematics.tree import GROUND, Link, Number, Rotor, Tree
from cardan.numerics import entries
from cardan.spatial import inertia
from cardan.spatial.inertia import Inertia
from cardan.spatial.transforms import inverse, position, rotation, twist_operator


@dataclass(frozen=True)
class Coefficients:
    """The coefficients of eqs. 7–10 for n velocities; indices count from 0."""

    a0: Number  # coefficients of accelerations (n, n): a0[i, k], symmetric
    a1: tuple[Number, ...]  # coefficients of velocities, for each k a matrix (n, n): a1[k][j, i], zero for i < j
    a2: Number  # coefficients of gravity (n,)


@dataclass(frozen=True)
class BodyMatrices:
    """The 4×4 matrices of a body that eqs. 1–6 and 8–11 are made of, in its own frame."""

    name: str  # body
    parent: str  # body that carries it, or "ground"
    T: Number  # in the frame of the parent
    constant: Number  # T where the joint's coordinates are zero, or no rotation
    B: Number  # in the world
    by: dict[int, Number]  # B^k, by velocity k
    by_two: dict[tuple[int, int], Number]  # B^jk, by velocities j ≤ k
    I: Number  # pseudo-inertia about the origin


@dataclass(frozen=True)
class _Body:
    """A 4×4 matrix B with its derivatives, and the pseudo-inertia that it moves."""

    B: Number  # in the world
    rate: Number  # Ḃ
    by: dict[int, Number]  # B^k, by velocity k
    by_rate: dict[int, Number]  # d/dt B^k
    I: Number  # pseudo-inertia (4×4)


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms by traces of products of 4×4 matrices."""
    bodies = _bodies(tree, state, state.v)
    acting, still = loads.wrenches(tree, state).other, loads.wrenches(tree, at_rest(tree, state)).conservative
    return Terms(
        M=_mass_matrix(tree, bodies),
        C=_coriolis_matrix(tree, bodies),
        D=applied.damping(tree),
        g=_gravity(tree, bodies) - _projected(tree, bodies, still) + applied.spring_forces(tree, state.q),
        Q=_projected(tree, bodies, acting),
        B=applied.input_matrix(tree),
    )


def coefficients(tree: Tree, state: Motion) -> Coefficients:
    """Coefficients a0, a1 and a2 in the position of `state`."""
    bodies = _bodies(tree, state, ca.DM(tree.nv, 1))
    unit = ca.DM.eye(tree.nv)
    along = [_coriolis_matrix(tree, _bodies(tree, state, unit[:, j])) for j in range(tree.nv)]  # [j][k, i]: tr(B^ji …)
    a1 = tuple(_upper(ca.vertcat(ca.DM(0, tree.nv), *(C[k, :] for C in along))) for k in range(tree.nv))
    return Coefficients(_mass_matrix(tree, bodies), a1, _gravity(tree, bodies))


def is_gravity_alone(tree: Tree, state: Motion) -> bool:
    """Whether the potential energy is that of gravity: no spring and no other conservative force."""
    still = loads.wrenches(tree, at_rest(tree, state)).conservative
    return all(wrench is None for wrench in still) and not applied.spring_forces(tree, state.q).nnz()


def body_matrices(tree: Tree, state: Motion) -> list[BodyMatrices]:
    """Matrices of all bodies in the position of `state`, in topological order."""
    unit = ca.DM.eye(tree.nv)
    bodies = _bodies(tree, state, ca.DM(tree.nv, 1))[: len(tree.links)]
    along = [_bodies(tree, state, unit[:, j]) for j in range(tree.nv)]
    out = []
    for index, (link, body) in enumerate(zip(tree.links, bodies, strict=True)):
        own = link.T_LB
        carrier = ca.DM.eye(4) if link.parent == GROUND else tree.links[link.parent].T_LB
        outer = inverse(carrier) @ link.T
        two = {(j, k): along[j][index].by_rate[k] @ own for j in body.by for k in body.by if j <= k}
        out.append(
            BodyMatrices(
                link.name,
                "ground" if link.parent == GROUND else tree.links[link.parent].name,
                outer @ link.law.transform(take(state.q, link.q)) @ own,
                outer @ link.law.transform(ca.DM([tree.neutral[k] for k in link.q])) @ own,
                body.B @ own,
                {k: B_k @ own for k, B_k in body.by.items()},
                two,
                inertia.pseudo(inertia.transformed(link.inertia, rotation(inverse(own)), position(inverse(own)))),
            )
        )
    return out


def changed(c: Coefficients, T: Number) -> Coefficients:
    """The coefficients c for velocities w with v = T w (n×n): a0 and each quadratic form become Tᵀ · T, forces Tᵀ f."""
    n = len(c.a1)
    mixed = [sum((T[k, m] * c.a1[k] for k in range(n)), ca.DM(n, n)) for m in range(n)]
    return Coefficients(T.T @ c.a0 @ T, tuple(_upper(T.T @ form @ T) for form in mixed), T.T @ c.a2)


def _upper(form: Number) -> Number:
    """The upper triangular matrix (n×n) with the same quadratic form: σ_ji in front of each pair j ≤ i."""
    return ca.triu(form + form.T) - ca.diag(ca.diag(form))


def velocity_forces(c: Coefficients, v: Number) -> Number:
    """Vector a_q̇ (n,) of eq. 12 by the coefficients c: Σ_j Σ_{i≥j} a1[j,i,k] v_j v_i."""
    return ca.vertcat(ca.DM(0, 1), *(v.T @ form @ v for form in c.a1))


def accelerations(c: Coefficients, v: Number, a_F: Number) -> Number:
    """Accelerations (n,) of eq. 13, A0⁻¹ (a_F − a_q̇ − a_g), under the generalised forces a_F (n,)."""
    return ca.solve(c.a0, a_F - velocity_forces(c, v) - c.a2)


def _bodies(tree: Tree, state: Motion, v: Number) -> list[_Body]:
    """All links, then the rotors; derivatives by time along the velocities v (nv,)."""
    out: list[_Body] = []
    for link, T_WL in zip(tree.links, state.T_WL, strict=True):
        parent = _ground(tree) if link.parent == GROUND else out[link.parent]
        out.append(_carried(link, parent, T_WL, take(state.q, link.q), take(v, link.v)))
    for rotor in tree.rotors:
        carrier = _ground(tree) if rotor.carrier is None else out[rotor.carrier]
        out += _rotor(rotor, carrier, v[rotor.v])
    return out


def _ground(tree: Tree) -> _Body:
    return _Body(ca.DM.eye(4), ca.DM(4, 4), {}, {}, ca.DM(4, 4))


def _carried(link: Link, parent: _Body, B: Number, q: Number, v: Number) -> _Body:
    """A link on its parent: B_l = B_P T, derivatives by the product rule, T's own by T^k = T Ω_k."""
    T_PL = link.T @ link.law.transform(q)
    S, S_dot = link.law.subspace(q), link.law.subspace_rate(q, v)
    turn = twist_operator(S @ v)
    rate = parent.rate @ T_PL + B @ turn
    by = {k: B_k @ T_PL for k, B_k in parent.by.items()}
    by_rate = {k: parent.by_rate[k] @ T_PL + by[k] @ turn for k in by}
    for column, k in enumerate(link.v):
        own = twist_operator(S[:, column])
        by[k] = B @ own
        by_rate[k] = rate @ own + B @ twist_operator(S_dot[:, column])
    return _Body(B, rate, by, by_rate, inertia.pseudo(link.inertia))


def _rotor(rotor: Rotor, carrier: _Body, v: Number) -> list[_Body]:
    """A rotor turned by r q on its carrier, and the share of its inertia that its carrier counts already, taken off."""
    second = inertia.second_moments(rotor.inertia * (rotor.axis @ rotor.axis.T))
    I = inertia.pseudo(Inertia(ca.DM(1, 1), ca.DM(3, 1), second))
    spin = rotor.ratio * twist_operator(ca.vertcat(rotor.axis, ca.DM(3, 1)))
    rate = carrier.rate + carrier.B @ spin * v
    by, by_rate = dict(carrier.by), {k: carrier.by_rate[k] + B_k @ spin * v for k, B_k in carrier.by.items()}
    zero = ca.DM(4, 4)
    by[rotor.v] = by.get(rotor.v, zero) + carrier.B @ spin
    by_rate[rotor.v] = by_rate.get(rotor.v, zero) + rate @ spin
    return [_Body(carrier.B, rate, by, by_rate, I), _Body(carrier.B, carrier.rate, carrier.by, carrier.by_rate, -I)]


def _mass_matrix(tree: Tree, bodies: list[_Body]) -> Number:
    """a0 (nv×nv): Σ tr(B^i I B^kᵀ), each pair computed once."""
    M: dict[tuple[int, int], Number] = {}
    for body in bodies:
        weighted = {k: B_k @ body.I for k, B_k in body.by.items()}
        for i in body.by:
            for k in body.by:
                if i <= k:
                    M[i, k] = M.get((i, k), 0) + ca.dot(weighted[i], body.by[k])
    return entries.matrix(M | {(k, i): x for (i, k), x in M.items()}, tree.nv, tree.nv)


def _coriolis_matrix(tree: Tree, bodies: list[_Body]) -> Number:
    """C (nv×nv): C[k, i] = Σ tr(dB^i/dt I B^kᵀ)."""
    C: dict[tuple[int, int], Number] = {}
    for body in bodies:
        for i, rate in body.by_rate.items():
            weighted = rate @ body.I
            for k, B_k in body.by.items():
                C[k, i] = C.get((k, i), 0) + ca.dot(weighted, B_k)
    return entries.matrix(C, tree.nv, tree.nv)


def _gravity(tree: Tree, bodies: list[_Body]) -> Number:
    """a2 (nv,): −Σ γᵀ B^k (m r)."""
    out: list[Number] = [ca.DM(1, 1)] * tree.nv
    for body in bodies:
        for k, B_k in body.by.items():
            out[k] = out[k] - ca.dot(tree.gravity, (B_k @ body.I[:, 3])[:3])
    return ca.vertcat(ca.DM(0, 1), *out)


def _projected(tree: Tree, bodies: list[_Body], wrenches: tuple[Number | None, ...]) -> Number:
    """Generalised forces (nv,) of wrenches on the links: Σ tr(B^k Fᵀ), F = B [[½ n×, f], [0, 0]]."""
    out: list[Number] = [ca.DM(1, 1)] * tree.nv
    for body, wrench in zip(bodies, wrenches, strict=False):
        if wrench is not None:
            F = body.B @ twist_operator(ca.vertcat(0.5 * wrench[:3], wrench[3:]))
            for k, B_k in body.by.items():
                out[k] = out[k] + ca.dot(B_k, F)
    return ca.vertcat(ca.DM(0, 1), *out)
