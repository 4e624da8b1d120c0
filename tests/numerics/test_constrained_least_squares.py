"""Least squares under equations against the null space, dense and instant by instant."""

import numpy as np
import pytest

from cardan.numerics.constrained_least_squares import constrained_least_squares
from cardan.numerics.rank import null_space
from cardan.numerics.stacked import Entries

COUNT = 6
ROUND_OFF = 1e-11  # of a few hundred operations with numbers up to 10 and condition numbers up to 1e3


def entries(A):
    """A stack of matrices as sparse ones."""
    rows, columns = np.nonzero(np.any(A != 0, axis=0))
    return Entries(rows, columns, A[:, rows, columns], A.shape[1:])


@pytest.fixture
def problem():
    """W (14, 9) and J (5, 9) with neighbours coupled; the last equation of J depends on others."""
    rng = np.random.default_rng(8)
    W, J = np.zeros((COUNT, 14, 9)), np.zeros((COUNT, 5, 9))
    for i in range(14):
        W[:, i, [i % 9, (i + 1) % 9]] = rng.uniform(1, 2, (COUNT, 2)) * [1, 3]
    for i in range(4):
        J[:, i, 2 * i : 2 * i + 2] = rng.standard_normal((COUNT, 2))
    J[:, 4] = J[:, 0] - 2 * J[:, 3]
    return W, rng.standard_normal((COUNT, 14)), J


def expected(W, w, J):
    N = null_space(J)
    return N @ np.linalg.lstsq(W @ N, -w, rcond=None)[0]


def test_solutions_are_those_in_the_null_space(problem):
    W, w, J = problem
    x, sure = constrained_least_squares(entries(W), w, entries(J), 4)
    assert sure.all()
    np.testing.assert_allclose(x, [expected(*one) for one in zip(W, w, J, strict=True)], rtol=0, atol=ROUND_OFF)


def test_where_rank_is_lost_or_nearly_so_it_says_so(problem):
    W, w, J = problem
    J[1, 1] = 0
    J[2, 1] *= 1e-5  # units of an equation do not matter
    J[3, 2] = J[3, 0] + 1e-5 * J[3, 2]
    W[4, :, 8] = W[4, :, 7]
    W[4, :, 7] = 0
    x, sure = constrained_least_squares(entries(W), w, entries(J), 4)
    assert sure.tolist() == [True, False, True, False, False, True]
    for k in np.flatnonzero(sure):
        scaled = J[k] / np.linalg.norm(J[k], axis=1, keepdims=True)
        np.testing.assert_allclose(x[k], expected(W[k], w[k], scaled), rtol=0, atol=ROUND_OFF)


def test_nothing_asked_for_is_zero(problem):
    W, w, J = problem
    x, sure = constrained_least_squares(entries(W), 0 * w, entries(J), 4)
    assert sure.all()
    assert not x.any()
