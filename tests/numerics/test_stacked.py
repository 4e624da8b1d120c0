"""Sparse matrices at many instants against dense ones."""

import numpy as np
import pytest

from cardan.numerics.stacked import Entries


@pytest.fixture
def A():
    """Four matrices (3, 5), one row without entries; entries in no order."""
    rows, columns = np.array([2, 0, 2, 0, 2]), np.array([1, 4, 0, 0, 3])
    return Entries(rows, columns, np.random.default_rng(2).standard_normal((4, 5)), (3, 5))


def test_products_are_those_of_the_dense_matrices(A):
    x, y = np.random.default_rng(3).standard_normal((4, 5)), np.ones((4, 3))
    np.testing.assert_allclose(A.times(x), np.einsum("nij,nj->ni", A.dense(), x), rtol=0, atol=1e-14)  # round-off
    np.testing.assert_allclose(A.T.times(y), np.einsum("nij,ni->nj", A.dense(), y), rtol=0, atol=1e-14)
    none = Entries(A.rows[:0], A.columns[:0], A.values[:, :0], A.shape)
    assert not none.times(x).any()


def test_rows_and_instants_are_chosen(A):
    which = np.array([False, True, True])
    np.testing.assert_array_equal(A.chosen(which).dense(), A.dense()[:, which])
    np.testing.assert_array_equal(A.at(slice(1, 3)).dense(), A.dense()[1:3])


def test_only_what_is_round_off_at_all_instants_is_no_entry(A):
    A.values[:, 1] = 1e-16
    A.values[:3, 2] = 0.0
    A.values[0, 3] = np.nan
    assert A.significant().rows.tolist() == [2, 2, 0, 2]
