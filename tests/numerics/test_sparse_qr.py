"""Static sparse Householder factors against LAPACK, on random sparse matrices.

Source: Golub & Van Loan 2013, §5.3.7: errors of least squares by Householder are round-off times the squared condition
"""

import casadi as ca
import numpy as np
import pytest

from cardan.numerics.sparse_qr import factor, solve
from tests.selection import each


def random_sparse(seed):
    """A tall or square matrix of full rank with two thirds of its entries zero, and a right-hand side."""
    rng = np.random.default_rng(seed)
    c = int(rng.integers(1, 9))
    r = c + int(rng.integers(0, 4))
    A = np.where(rng.random((r, c)) < 0.35, rng.normal(size=(r, c)), 0.0)
    A[rng.permutation(r)[:c], np.arange(c)] += 3.0
    return A, rng.normal(size=r)


@each("seed", range(20))
def test_least_squares_are_those_of_lapack(seed):
    A, b = random_sparse(seed)
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    close = 1e-14 * np.linalg.cond(A) ** 2 * max(1.0, np.abs(expected).max())
    sparse = ca.sparsify(ca.DM(A))
    assert np.array(solve(factor(sparse), ca.DM(b))).ravel() == pytest.approx(expected, abs=close)
    symbols = ca.SX.sym("A", sparse.sparsity())
    program = ca.Function("program", [symbols], [solve(factor(symbols), ca.SX(b))])
    assert np.array(program(sparse)).ravel() == pytest.approx(expected, abs=close)


def test_a_column_that_vanishes_gives_no_number():
    """Unknowns that nothing determines are NaN or infinite: they must stay visible."""
    A = ca.DM(ca.Sparsity.dense(2, 2), [0.0, 0.0, 1.0, 1.0])
    assert not np.isfinite(np.array(solve(factor(A), ca.DM([1.0, 1.0])))).all()


def test_columns_that_depend_on_each_other_give_no_number():
    """A third column that is the sum of two others up to round-off: its pivot is no number to divide by."""
    A = np.array([[0.3, 1.1, 0.0], [0.7, -0.4, 0.0], [0.1, 0.9, 0.0], [-0.6, 0.2, 0.0]])
    A[:, 2] = A[:, 0] + A[:, 1]
    assert not np.isfinite(np.array(solve(factor(ca.DM(A)), ca.DM([1.0, 2.0, 3.0, 4.0])))).any()
