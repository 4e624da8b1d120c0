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

    def solve(self, f: Number, gamma: Number, *, refined: bool = False) -> tuple[Number, Number]:
        """(v̇, λ): M v̇ = f + Φqᵀ λ and Φq v̇ = γ; λ (c,) is zero where a row was left out."""
        rows = gamma[list(self.kept), :] if self.kept else ca.DM(0, f.shape[1])
        b = ca.vertcat(f, rows)
        x = sparse_ldl.solve(self.factors, b)
        if refined:
            x = x + sparse_ldl.solve(self.factors, b - self.A @ x)
        lam = [ca.DM(1, f.shape[1])] * self.c
        for i, row in enumerate(self.kept):
            lam[row] = -x[self.n + i, :]
        return x[: self.n, :], ca.vertcat(ca.DM(0, f.shape[1]), *lam)

    @property
    def pivots(self) -> dict[int, Number]:
        """Pivot of each equation that is solved, by its index."""
        return {row: self.factors.D[self.n + i] for i, row in enumerate(self.kept)}

    @property
    def sizes(self) -> dict[int, Number]:
        """Squared length of each of their rows in the metric of M⁻¹, by its index."""
        M, J = self.A[: self.n, : self.n], self.A[self.n :, : self.n]
        factors = sparse_ldl.factor(M, sparse_ldl.minimum_degree(sparse_ldl.neighbours(M)))
        return (
            dict(zip(self.kept, ca.vertsplit(sparse_ldl.inverse_sizes(factors, J)), strict=True)) if self.kept else {}
        )


def saddle(
    M: Number, Phi_q: Number, kept: Sequence[int], damped: Sequence[float] = (), lost: Sequence[float] = ()
) -> Saddle:
    """Factors for the mass matrix M (n×n) and the rows `kept` of Φq (c×n), which have full rank."""
    J = Phi_q[list(kept), :] if kept else ca.DM(0, M.shape[0])
    A = ca.vertcat(ca.horzcat(M, J.T), ca.horzcat(J, ca.DM(len(kept), len(kept))))
    order = sparse_ldl.saddle_order(sparse_ldl.neighbours(M), columns(J))
    small, none = ({M.shape[0] + i: size for i, size in enumerate(sizes)} for sizes in (damped, lost))
    return Saddle(A, sparse_ldl.factor(A, order, small, lost=none), M.shape[0], Phi_q.shape[0], tuple(kept))


def weighted(M: Number, J: Number, alpha: float) -> Number:
    """M + α JᵀJ (n×n)."""
    return M + alpha * (J.T @ J) if alpha else M


def columns(J: Number) -> list[set[int]]:
    """Coordinates that each row of J touches."""
    out: list[set[int]] = [set() for _ in range(J.shape[0])]
    for i, j in zip(*ca.SX(J).sparsity().get_triplet(), strict=True):
        out[i].add(j)
    return out
