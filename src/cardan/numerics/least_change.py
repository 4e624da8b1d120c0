"""The least change of an under-determined system: min Σ dx_k²/w_k under J dx = r, by sparse or dense elimination.

dx = W Jᵀ (J W Jᵀ)⁻¹ r.   Source: Golub & Van Loan 2013, §5.6 (minimum-norm solution by normal equations)
"""

from typing import Any

import casadi as ca
import numpy as np

from cardan.numerics import sparse_ldl
from cardan.numerics.entries import column
from cardan.numerics.round_off import SINGULAR

Number = Any  # casadi.SX or casadi.DM
SMALL = 1.0  # square of a row below which its ratio is taken to SMALL: round-off in place of zeros is no equation
DEPENDENT = SINGULAR  # ratio of a row that depends on others: so a distance of 3e-7


def least_change(J: Number, w: Number, r: Number, mu: Number = 0) -> tuple[Number, Number]:
    """(dx, ratios): the change (n,), and of every row how independent it is (c,).

    A ratio is the square of the row's distance from the span of rows before it over its own, or over SMALL if that is
    larger: 0 where it depends on them or vanishes. Rows with a ratio up to DEPENDENT are left out; they hold as well
    if the equations are consistent.

    Example
    -------
    >>> dx, ratios = least_change(ca.DM([[1, 1], [2, 2]]), ca.DM([1, 3]), ca.DM([4, 8]))
    >>> dx.full().ravel().tolist(), ratios.full().ravel().tolist()
    ([1.0, 3.0], [1.0, 0.0])
    """
    A = J @ ca.diag(w) @ J.T + ca.diag(mu * ca.DM.ones(J.shape[0], 1))
    sizes = {k: ca.fmax(A[k, k], SMALL) for k in range(A.shape[0])}
    order = sparse_ldl.minimum_degree(sparse_ldl.neighbours(A))
    factors = sparse_ldl.factor(A, order, least={k: DEPENDENT * size for k, size in sizes.items()})
    ratios = [factors.D[k] / size for k, size in sizes.items()]
    return w * (J.T @ sparse_ldl.solve(factors, r)), column(ratios)


def dense_least_change(J: np.ndarray, w: np.ndarray, r: np.ndarray, mu: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(dx, ratios) as of `least_change`, computed for numbers in the order of the rows.

    Example
    -------
    >>> dx, ratios = dense_least_change(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([1.0, 3.0]), np.array([4.0, 8.0]))
    >>> dx.tolist(), ratios.tolist()
    ([1.0, 3.0], [1.0, 0.0])
    """
    A = (J * w) @ J.T + mu * np.eye(len(J))
    sizes = np.maximum(np.diag(A), SMALL)
    ratios, y = np.zeros(len(J)), np.array(r, dtype=float)
    for k in range(len(J)):
        ratios[k] = A[k, k] / sizes[k]
        taken = not ratios[k] <= DEPENDENT  # a NaN is
        column = A[k + 1 :, k] / A[k, k] if taken else np.zeros(len(J) - k - 1)
        A[k + 1 :, k + 1 :] -= np.outer(column, A[k, k + 1 :])
        y[k + 1 :] -= column * y[k]
        y[k] = y[k] / A[k, k] if taken else 0.0
        A[k + 1 :, k] = column
    for k in reversed(range(len(J))):
        y[k] -= A[k + 1 :, k] @ y[k + 1 :]
    return w * (J.T @ y), ratios
