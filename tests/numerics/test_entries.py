"""Matrices put together entry by entry."""

import casadi as ca
import numpy as np

from cardan.numerics.entries import column, matrix


def test_entries_stand_where_they_belong_and_the_rest_is_structurally_zero():
    A = matrix({(0, 1): ca.DM(2), (1, 0): ca.DM(3)}, 2, 3)
    np.testing.assert_array_equal(np.array(A), [[0, 2, 0], [3, 0, 0]])
    assert A.nnz() == 2


def test_empty_matrices_keep_their_shape():
    assert matrix({}, 0, 3).shape == (0, 3)
    assert matrix({}, 2, 0).shape == (2, 0)
    assert column([]).shape == (0, 1)


def test_symbols_and_numbers_mix():
    x = ca.SX.sym("x")
    assert column([x, ca.DM(1, 1), ca.DM(2)]).nnz() == 2
