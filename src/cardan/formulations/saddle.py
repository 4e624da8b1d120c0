"""Accelerations under constraints: one sparse symmetric system in v̇ and −λ, factorised in a static order.

[[M, Φqᵀ], [Φq, 0]] (v̇, −λ) = (τ − h, γ).   Source: Haug 1989, eq. 11.3.6; order: docs/decisions
"""

from collections.abc import Sequence

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.numerics import sparse_ldl


@dataclass(frozen=True)
class Saddle:
    """Factors of the system, for several right-hand sides."""

    A: Number  # matrix of v̇ and −λ
    factors: sparse_ldl.Factor  # factors of the matrix of v̇ and −λ, in its static order
    n: int  # velocities
    c: int  # constraints, redundant ones included
    kept: tuple[int, ...]  # indices of the constraints that are solved


def saddle(
    M: Number, Phi_q: Number, kept: Sequence[int], damped: Sequence[float] = (), lost: Sequence[float] = ()
) -> Saddle:
    """Factors for the mass matrix M (n×n) and the rows `kept` of Φq (c×n), which have full rank."""
    J = Phi_q[list(kept), :] if kept else ca.DM(0, M.shape[0])
    A = ca.vertcat(ca.horzcat(M, J.T), ca.horzcat(J, ca.DM(len(kept), len(kept))))
    order = sparse_ldl.saddle_order(sparse_ldl.neighbours(M), _columns(J))
    small, none = ({M.shape[0] + i: size for i, size in enumerate(sizes)} for sizes in (damped, lost))
    return Saddle(A, sparse_ldl.factor(A, order, small, lost=none), M.shape[0], Phi_q.shape[0], tuple(kept))


def solve(system: Saddle, f: Number, gamma: Number, *, refined: bool = False) -> tuple[Number, Number]:
    """(v̇, λ): M v̇ = f + Φqᵀ λ and Φq v̇ = γ; λ (c,) is zero where a row was left out."""
    rows = gamma[list(system.kept), :] if system.kept else ca.DM(0, f.shape[1])
    b = ca.vertcat(f, rows)
    x = sparse_ldl.solve(system.factors, b)
    if refined:
        x = x + sparse_ldl.solve(system.factors, b - system.A @ x)
    lam = [ca.DM(1, f.shape[1])] * system.c
    for i, row in enumerate(system.kept):
        lam[row] = -x[system.n + i, :]
    return x[: system.n, :], ca.vertcat(ca.DM(0, f.shape[1]), *lam)


def _columns(J: Number) -> list[set[int]]:
    """Coordinates that each row of J touches."""
    out: list[set[int]] = [set() for _ in range(J.shape[0])]
    for i, j in zip(*ca.SX(J).sparsity().get_triplet(), strict=True):
        out[i].add(j)
    return out
