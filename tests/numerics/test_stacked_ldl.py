"""Factors at many instants against dense linear algebra: regular matrices, saddles, and unknowns that are left out."""

import numpy as np
import pytest

from cardan.numerics import stacked_ldl
from cardan.numerics.round_off import ROUND_OFF
from cardan.numerics.sparse_ldl import minimum_degree, saddle_order

SOLVED = 1e-11  # of a solve with condition numbers up to 1e4


def factors(A, order):
    """Of matrices (N, n, n)."""
    pattern = [set(np.flatnonzero(np.any(row != 0, axis=0)).tolist()) - {i} for i, row in enumerate(A.swapaxes(0, 1))]
    form = stacked_ldl.structure(pattern, order(pattern))
    values = np.zeros((len(form.slots), len(A)))
    for (i, j), slot in form.slots.items():
        values[slot] = A[:, i, j]
    return stacked_ldl.factor(form, values)


def banded(n, rng):
    """Positive matrices (5, n, n), each unknown coupled with the next and with the one after four others."""
    B = np.zeros((5, n, n))
    for k in range(n):
        B[:, k, k] = rng.uniform(1, 2, 5)
        for i in (k + 1, k + 5):
            if i < n:
                B[:, i, k] = rng.standard_normal(5)
    return B @ B.swapaxes(1, 2)


@pytest.mark.parametrize("n", [1, 2, 12])
def test_positive_matrices_are_solved(n):
    rng = np.random.default_rng(n)
    A, b = banded(n, rng), rng.standard_normal((n, 5))
    x = stacked_ldl.solve(factors(A, minimum_degree), b)
    np.testing.assert_allclose(np.einsum("nij,jn->in", A, x), b, rtol=0, atol=SOLVED)


def saddle(rng, dependent):
    """Matrices [[A, Jᵀ], [J, 0]] (5, 12, 12); the last row of J is the sum of the first two if `dependent`."""
    A, J = banded(8, rng), np.zeros((5, 4, 8))
    for k in range(4):
        J[:, k, 2 * k : 2 * k + 2] = rng.uniform(1, 2, (5, 2))
    if dependent:
        J[:, 3] = J[:, 0] + J[:, 1]
    return np.block([[A, J.swapaxes(1, 2)], [J, np.zeros((5, 4, 4))]])


def order(pattern):
    return saddle_order([row & set(range(8)) for row in pattern[:8]], [row & set(range(8)) for row in pattern[8:]])


@pytest.mark.parametrize("dependent", [False, True])
def test_consistent_saddles_are_solved_whether_rows_depend_on_others_or_not(dependent):
    rng = np.random.default_rng(4)
    A = saddle(rng, dependent)
    b = np.einsum("nij,jn->in", A, rng.standard_normal((12, 5)))
    found = factors(A, order)
    np.testing.assert_allclose(np.einsum("nij,jn->in", A, stacked_ldl.solve(found, b)), b, rtol=0, atol=SOLVED)
    left_out = np.sum(found.ratios <= ROUND_OFF, axis=0)
    assert left_out.tolist() == [dependent] * 5


def test_an_instant_that_is_not_a_number_spoils_no_other():
    rng = np.random.default_rng(6)
    A, b = banded(6, rng), rng.standard_normal((6, 5))
    whole = stacked_ldl.solve(factors(A, minimum_degree), b)
    A[2, 3, 3] = np.nan
    x = stacked_ldl.solve(factors(A, minimum_degree), b)
    np.testing.assert_array_equal(np.delete(x, 2, axis=1), np.delete(whole, 2, axis=1))
    assert np.isnan(x[:, 2]).any()


def test_unknowns_that_are_not_eliminated_stay_zero():
    A, b = banded(4, np.random.default_rng(7)), np.ones((4, 5))
    x = stacked_ldl.solve(factors(A, lambda pattern: [0, 1, 2]), b * [[1], [1], [1], [0]])
    assert not x[3].any()
    np.testing.assert_allclose(np.einsum("nij,jn->in", A[:, :3, :3], x[:3]), b[:3], rtol=0, atol=SOLVED)
