"""Principle of compatibility: A q̈ = Q + Q⁰ − Q* + R, with reactions R found apart from the motion.

A comes from the transmission matrices t of the bodies, 4×4, and their derivatives: a_ij = Σ tr(∂_i t I ∂_j tᵀ) with the
pseudo-inertia I; Q⁰_i = ½ q̇ᵀ ∂_iA q̇ and Q* = Σ ∂_iA q̇ q̇_i are the forces of inertia at q̈ = 0. Reactions keep
f q̈ + f0 = 0 if F R + F0 = 0, F = f A⁻¹, F0 = F (Q + Q⁰ − Q*) + f0; ideal ones do no work in virtual displacements,
D R = 0. Then D A q̈ = D (Q + Q⁰ − Q*) is the equation of motion without reactions.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, eqs. 4–14; signs corrected in docs/errata.md
"""

from collections.abc import Sequence

import casadi as ca

from cardan.formulations import applied
from cardan.formulations.generalised_forces import applied_forces, potential_forces
from cardan.formulations.rotors import rotor_coriolis, rotor_mass
from cardan.formulations.terms import Terms
from cardan.frozen import dataclass, replace
from cardan.kinematics.motion import Motion, coordinate_rate, motion
from cardan.kinematics.tree import Number, Tree
from cardan.numerics import entries
from cardan.spatial import inertia


@dataclass(frozen=True)
class Compatibility:
    """Reactions of r constraints f q̈ + f0 = 0 over n velocities, k = n − r of them independent."""

    F: Number  # f A⁻¹ (r, n)
    F0: Number  # F (Q + Q⁰ − Q*) + f0 (r,)
    D: Number  # accelerations per independent acceleration, transposed (k, n)
    R: Number  # generalised reactions (n,) [N, N m]
    a: Number  # accelerations A⁻¹ (Q + Q⁰ − Q* + R) (n,)


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms with A for M, and C v = Q* − Q⁰ by Christoffel's symbols."""
    symbols = motion(tree, ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), t=state.t, z=state.z)
    symbols = replace(symbols, reactions=state.reactions)
    found = (*_inertia(tree, symbols), potential_forces(tree, symbols), applied_forces(tree, symbols))
    x, value = ca.vertcat(symbols.q, symbols.v), ca.vertcat(state.q, state.v)
    out = [ca.substitute(ca.SX(one), x, value) for one in found]
    M, C, g, Q = out if ca.symvar(ca.veccat(*out)) else [ca.evalf(one) for one in out]
    M, C = M + rotor_mass(tree, state), C + rotor_coriolis(tree, state)
    return Terms(M=M, C=C, D=applied.damping(tree), g=g, Q=Q, B=applied.input_matrix(tree))


def transmission_derivatives(tree: Tree, s: Motion) -> list[list[Number]]:
    """∂_i t (4×4) of every body (first index) along every velocity (second)."""
    along = ca.jacobian(coordinate_rate(tree, s.q, s.v), s.v)
    return [[_reshaped(ca.jtimes(ca.vec(t), s.q, along[:, i])) for i in range(tree.nv)] for t in map(ca.SX, s.T_WL)]


def _inertia(tree: Tree, s: Motion) -> tuple[Number, Number]:
    """A and the matrix C with C q̇ = Q* − Q⁰, rotors left out: C[k, i] = Σ tr(d/dt(∂_i t) I ∂_k tᵀ)."""
    rate = coordinate_rate(tree, s.q, s.v)
    A: dict[tuple[int, int], Number] = {}
    C: dict[tuple[int, int], Number] = {}
    for link, derivatives in zip(tree.links, transmission_derivatives(tree, s), strict=True):
        I = inertia.pseudo(link.inertia)
        moving = [k for k, dt in enumerate(derivatives) if ca.sparsify(dt).nnz()]
        for i in moving:
            weighted = derivatives[i] @ I
            turning = _reshaped(ca.jtimes(ca.vec(derivatives[i]), s.q, rate)) @ I
            for k in moving:
                A[i, k] = A.get((i, k), 0) + ca.dot(weighted, derivatives[k])
                C[k, i] = C.get((k, i), 0) + ca.dot(turning, derivatives[k])
    return entries.matrix(A, tree.nv, tree.nv), entries.matrix(C, tree.nv, tree.nv)


def _reshaped(column: Number) -> Number:
    return ca.reshape(column, 4, 4)


def inertia_forces(A: Number, q: Number, v: Number) -> tuple[list[Number], Number, Number]:
    """∂_iA for every coordinate, Q⁰ (n,) and Q* (n,) of eq. 8, for coordinates whose rates are the velocities."""
    n = v.shape[0]
    slopes = [ca.reshape(ca.jacobian(ca.vec(ca.densify(ca.SX(A))), q[i]), n, n) for i in range(n)]
    Q0 = ca.vertcat(*(0.5 * v.T @ slope @ v for slope in slopes))
    return slopes, Q0, sum((slope @ v * v[i] for i, slope in enumerate(slopes)), ca.SX(n, 1))


def allowed(f: Number, independent: Sequence[int]) -> Number:
    """D (k, n): row σ holds the accelerations q̈ per unit of the σ-th independent one, eqs. 11–12."""
    n = f.shape[1]
    dependent = [j for j in range(n) if j not in independent]
    rows: list[Number] = [ca.DM(1, len(independent))] * n
    others = -ca.solve(ca.densify(f[:, dependent]), ca.densify(f[:, list(independent)])) if dependent else None
    for place, j in enumerate(dependent):
        assert others is not None
        rows[j] = others[place, :]
    for place, j in enumerate(independent):
        rows[j] = ca.DM.eye(len(independent))[place, :]
    return ca.vertcat(*rows).T


def compatibility(A: Number, force: Number, f: Number, f0: Number, independent: Sequence[int]) -> Compatibility:
    """Reactions of ideal constraints from F R + F0 = 0 and D R = 0, and the accelerations under them (eqs. 6, 9–11)."""
    F = ca.solve(ca.densify(A), ca.densify(f).T).T
    F0 = F @ force + f0
    D = allowed(f, independent)
    unit = ca.diag(1 / ca.sqrt(ca.sum2(F**2)))  # rows of F at unit length, beside those of D
    R = ca.solve(ca.densify(ca.vertcat(unit @ F, D)), ca.densify(ca.vertcat(-unit @ F0, ca.DM(D.shape[0], 1))))
    return Compatibility(F, F0, D, R, ca.solve(ca.densify(A), ca.densify(force + R)))


def reduced_accelerations(A: Number, force: Number, f: Number, f0: Number, independent: Sequence[int]) -> Number:
    """q̈ (n,) from D A q̈ = D (Q + Q⁰ − Q*) and f q̈ + f0 = 0 (eqs. 4, 14)."""
    D = allowed(f, independent)
    return ca.solve(ca.densify(ca.vertcat(D @ A, f)), ca.densify(ca.vertcat(D @ force, -f0)))
