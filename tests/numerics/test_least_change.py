"""Least changes against dense linear algebra, and how dependent rows are told."""

import casadi as ca
import numpy as np

from cardan.numerics.least_change import DEPENDENT, dense_least_change, least_change
from tests.selection import each


def chain_of_rows(seed):
    """A sparse J (6, 9) whose neighbouring rows overlap."""
    rng, J = np.random.default_rng(seed), np.zeros((6, 9))
    for i in range(6):
        J[i, i : i + 4] = rng.uniform(0.5, 1.5, 4)
    return J


@each("seed", range(4))
def test_the_change_is_that_of_the_pseudo_inverse(seed):
    J, rng = chain_of_rows(seed), np.random.default_rng(seed)
    w, r = rng.uniform(0.5, 2, 9), rng.normal(size=6)
    dx, ratios = least_change(ca.sparsify(ca.DM(J)), ca.DM(w), ca.DM(r))
    scaled = J * np.sqrt(w)  # dx = √W (J √W)⁺ r
    expected = np.sqrt(w) * (np.linalg.pinv(scaled) @ r)
    error = 1e-15 * 100 * np.linalg.cond(scaled) ** 2  # normal equations square the condition
    np.testing.assert_allclose(np.array(dx).ravel(), expected, rtol=0, atol=error * np.abs(expected).max())
    assert np.all(np.array(ratios) > 1e-8)


def test_what_has_no_weight_is_not_changed():
    J = chain_of_rows(0)
    w = np.ones(9)
    w[[2, 5]] = 0
    dx, _ = least_change(ca.sparsify(ca.DM(J)), ca.DM(w), ca.DM.ones(6))
    assert dx[2] == 0
    assert dx[5] == 0
    np.testing.assert_allclose(J @ np.array(dx).ravel(), 1, rtol=0, atol=1e-12)  # 100 ε κ², κ² = 1e2


def test_dependent_and_vanishing_rows_have_no_ratio():
    independent = np.array([[1.0, 0, 0], [0, 1, 1]])
    for row in ([1.0, 1, 1], [0.0, 0, 0], [1e-17, 0, 1e-17]):
        J = ca.sparsify(ca.DM(np.vstack([independent, row])))
        ratios = np.array(least_change(J, ca.DM.ones(3), ca.DM.ones(3))[1]).ravel()
        assert np.min(ratios) < 1e-14


def test_equations_that_follow_from_others_are_met_with_them():
    """Also where one of them comes first in the order of elimination, or has no entries at all."""
    J, rng = chain_of_rows(1), np.random.default_rng(1)
    J = np.vstack([J[0] + J[1], J, 0 * J[0], 3 * J[5]])
    r = J @ rng.normal(size=9)
    dx, ratios = least_change(ca.sparsify(ca.DM(J)), ca.DM.ones(9), ca.DM(r))
    np.testing.assert_allclose(
        np.array(dx).ravel(), np.linalg.pinv(J) @ r, rtol=0, atol=1e-11
    )  # normal equations: κ² = 1e3
    assert np.sum(np.array(ratios) <= DEPENDENT) == 3


def test_nothing_asked_for_changes_nothing():
    dx, ratios = least_change(ca.DM(0, 3), ca.DM.ones(3), ca.DM(0, 1))
    assert dx.shape == (3, 1)
    assert ratios.shape == (0, 1)
    assert float(ca.norm_inf(ca.densify(dx))) == 0


@each("mu", [0.0, 0.1])
def test_dense_elimination_gives_the_same_change(mu):
    J, rng = chain_of_rows(1), np.random.default_rng(1)
    J = np.vstack([J[0] + J[1], J, 0 * J[0], 3 * J[5]])
    w, r = rng.uniform(0.5, 2, 9), J @ rng.normal(size=9)
    w[3] = 0
    sparse = least_change(ca.sparsify(ca.DM(J)), ca.DM(w), ca.DM(r), mu)
    dense = dense_least_change(J, w, r, mu)
    np.testing.assert_allclose(dense[0], np.array(sparse[0]).ravel(), rtol=0, atol=1e-11)  # as above
    if not mu:
        assert np.sum(dense[1] <= DEPENDENT) == np.sum(np.array(sparse[1]) <= DEPENDENT) == 3
