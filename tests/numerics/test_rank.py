"""Ranks: what is independent, what is mapped to zero, and least squares without full rank."""

import numpy as np
import pytest

from cardan.numerics.rank import (
    damped_least_squares,
    independent_rows,
    least_squares,
    most_independent_rows,
    null_space,
    stacked_least_squares,
)
from tests.selection import each

ROUND_OFF = 1e-12  # some thousand round-offs of numbers of size 1


@pytest.fixture
def deficient():
    rng = np.random.default_rng(3)
    return rng.standard_normal((6, 4)) @ rng.standard_normal((4, 9))


def test_independent_rows_are_as_many_as_the_rank(deficient):
    kept = independent_rows(deficient)
    assert len(kept) == np.linalg.matrix_rank(deficient[list(kept)]) == 4
    assert independent_rows(deficient * np.geomspace(1e-3, 1e3, 6)[:, None]) == kept  # units of rows do not matter
    assert independent_rows(np.zeros((2, 3))) == ()


def test_the_most_independent_rows_are_the_first_ones_far_from_the_span_of_others():
    rows = np.array([[1.0, 0, 0], [1, 1e-5, 0], [0.6, 0.8, 0], [0, 0, 1e-3]])
    assert most_independent_rows([rows], 3) == (0, 2, 3)
    assert most_independent_rows([rows, rows[:, [1, 0, 2]]], 2) == (0, 2)


def test_null_space_is_orthonormal_and_whole(deficient):
    N = null_space(deficient)
    assert N.shape == (9, 5)
    assert np.abs(deficient @ N).max() < ROUND_OFF * np.abs(deficient).max() * 10
    assert pytest.approx(np.eye(5), abs=ROUND_OFF) == N.T @ N


@each("A", [np.zeros((0, 3)), np.zeros((2, 3)), np.full((2, 3), 1e-17)])
def test_nothing_and_round_off_bind_nothing(A):
    assert null_space(A).shape == (3, 3)


def test_least_squares_are_shortest(deficient):
    b = deficient @ np.ones(9)
    x = least_squares(deficient, b)
    assert deficient @ x == pytest.approx(b, abs=1e-10)
    assert np.abs(null_space(deficient).T @ x).max() < 1e-10
    assert least_squares(np.zeros((0, 3)), np.zeros(0)) == pytest.approx(np.zeros(3))


def test_damping_satisfies_its_normal_equations(deficient):
    b = np.arange(6.0)
    x = damped_least_squares(deficient, b, 0.3)
    assert deficient.T @ (deficient @ x - b) + 0.3 * x == pytest.approx(np.zeros(9), abs=1e-9)
    assert damped_least_squares(deficient, b, 0.0) == pytest.approx(least_squares(deficient, b))


def test_stacked_systems_are_solved_like_each_alone(deficient):
    """The third one has rank 2 of 3: the shortest solution is taken."""
    rng = np.random.default_rng(4)
    A, b = rng.standard_normal((4, 6, 3)), rng.standard_normal((4, 6, 2))
    A[2, :, 2] = A[2, :, 0] - A[2, :, 1]
    expected = [np.linalg.lstsq(one, side, rcond=1e-10)[0] for one, side in zip(A, b, strict=True)]
    np.testing.assert_allclose(stacked_least_squares(A, b), expected, rtol=0, atol=100 * ROUND_OFF)


def test_blocks_that_share_no_unknown_are_solved_like_the_whole():
    """Rows and columns in any order, blocks of two sizes, one that loses rank, one without a right side."""
    rng = np.random.default_rng(5)
    A, b = np.zeros((3, 16, 8)), np.zeros((3, 16, 2))
    for k, (rows, columns) in enumerate([((0, 5), (0, 2)), ((5, 10), (2, 4)), ((10, 13), (4, 6)), ((13, 16), (6, 8))]):
        A[:, slice(*rows), slice(*columns)] = rng.standard_normal((3, rows[1] - rows[0], 2))
        b[:, slice(*rows)] = rng.standard_normal((3, rows[1] - rows[0], 2)) * (k < 3)
    A[1, 5:10, 3] = A[1, 5:10, 2]
    rows, columns = rng.permutation(16), rng.permutation(8)
    A, b = A[:, rows][:, :, columns] + 1e-18 * rng.standard_normal((3, 16, 8)), b[:, rows]
    expected = [np.linalg.lstsq(one, side, rcond=1e-10)[0] for one, side in zip(A, b, strict=True)]
    np.testing.assert_allclose(stacked_least_squares(A, b), expected, rtol=0, atol=100 * ROUND_OFF)


def test_stacked_systems_without_unknowns_have_no_solution_to_give():
    assert stacked_least_squares(np.ones((4, 6, 0)), np.ones((4, 6, 2))).shape == (4, 0, 2)
