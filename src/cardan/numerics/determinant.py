"""Determinant of a matrix of expressions by elimination: n³/3 operations, where expansion by minors takes n!.

Source: Golub & Van Loan 2013, *Matrix Computations*, §3.2 (Gaussian elimination without pivoting)
"""

from typing import Any

import casadi as ca


def determinant(A: Any) -> Any:
    """Determinant of `A`: the product of its pivots, in the order of its rows.

    It is 0 where a pivot is exactly zero. So it is for matrices in which the row of such a pivot is zero from there on:
    semidefinite ones, and those that differ from them by rows of the identity.
    """
    U, out = ca.densify(ca.SX(A)), ca.SX(1)
    for k in range(U.shape[0]):
        pivot = U[k, k]
        out *= pivot
        inverse = ca.if_else(pivot != 0, 1 / ca.if_else(pivot != 0, pivot, 1), 0)
        for i in range(k + 1, U.shape[0]):
            U[i, k + 1 :] -= U[i, k] * inverse * U[k, k + 1 :]
    return out
