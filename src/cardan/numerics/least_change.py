"""The least change of an under-determined system: min Σ dx_k²/w_k under J dx = r, without dense matrices.

dx = W Jᵀ (J W Jᵀ)⁻¹ r.   Source: Golub & Van Loan 2013, §5.6 (minimum-norm solution by normal equations)
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from cardan.numerics import sparse_ldl
from cardan.numerics.entries import column

__all__ = ["DEPENDENT", "least_change"]

Number = Any  # casadi.SX or casadi.DM
SMALL = 1.0  # square of a row below which its ratio is taken to SMALL: round-off in place of zeros is no equation
DEPENDENT = 1e-13  # ratio of a row that depends on others: a thousand round-offs, so a distance of 3e-7


def least_change(J: Number, w: Number, r: Number, mu: Number = 0) -> tuple[Number, Number]:
    """(dx, ratios): the change (n,), and of every row how independent it is (c,).

    A ratio is the square of the row's distance from the span of rows before it over its own, or over SMALL if that is
    larger: 0 where it depends on them or vanishes. Rows with a ratio up to DEPENDENT are left out; they hold as well
    if the equations are consistent.

    Parameters
    ----------
    J : sparse matrix (c, n).
    w : weights (n,); an entry of weight 0 is not changed.
    r : right-hand side (c,).
    mu : μ ≥ 0: the smaller change W Jᵀ (J W Jᵀ + μ E)⁻¹ r of Levenberg's method.

    Example
    -------
    >>> dx, ratios = least_change(ca.DM([[1, 1], [2, 2]]), ca.DM([1, 3]), ca.DM([4, 8]))
    >>> dx.full().ravel().tolist(), ratios.full().ravel().tolist()
    ([1.0, 3.0], [1.0, 0.0])
    """
    A = J @ ca.diag(w) @ J.T + mu * ca.DM.eye(J.shape[0])
    sizes = {k: ca.fmax(A[k, k], SMALL) for k in range(A.shape[0])}
    order = sparse_ldl.minimum_degree(sparse_ldl.neighbours(A))
    factors = sparse_ldl.factor(A, order, least={k: DEPENDENT * size for k, size in sizes.items()})
    ratios = [factors.D[k] / size for k, size in sizes.items()]
    return w * (J.T @ sparse_ldl.solve(factors, r)), column(ratios)
