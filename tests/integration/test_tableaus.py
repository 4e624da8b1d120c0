"""Coefficients satisfy the equations that define their methods, to the digits in which they are published."""

from __future__ import annotations

import numpy as np
import pytest

from cardan.integration import tableaus
from tests.selection import each

DIGITS = 1e-13  # sums of a dozen numbers up to 10², given in double precision
EXPLICIT = [tableaus.rk4, tableaus.tsit5, tableaus.dop853]
ALL = [*EXPLICIT, tableaus.rodas5p]


@each("make", EXPLICIT)
def test_stages_are_consistent(make):
    tableau = make()
    np.testing.assert_allclose(tableau.A.sum(axis=1), tableau.c, rtol=0, atol=DIGITS)
    assert not np.triu(tableau.A).any()


@each("make", EXPLICIT)
def test_weights_integrate_polynomials_up_to_the_order(make):
    tableau = make()
    b, c = tableau.A[tableau.last], tableau.c
    for power in range(tableau.order):
        assert b @ c**power == pytest.approx(1 / (power + 1), abs=DIGITS)


@each("make", EXPLICIT)
def test_error_weights_vanish_on_constants(make):
    np.testing.assert_allclose(make().E.sum(axis=1), 0, rtol=0, atol=DIGITS)


@each("make", ALL)
def test_continuous_extension_ends_with_the_weights_of_the_step(make):
    tableau = make()
    weights = tableau.b if isinstance(tableau, tableaus.RosenbrockTableau) else tableau.A[tableau.last]
    np.testing.assert_array_equal(tableau.dense[0], weights)


@each("make", [tableaus.tsit5, tableaus.dop853])
@each("theta", [0.1, 0.37, 0.9])
def test_continuous_extension_integrates_polynomials(make, theta):
    tableau = make()
    beta = np.cumprod([theta if row % 2 == 0 else 1 - theta for row in range(len(tableau.dense))])
    weights = beta @ tableau.dense
    for power in range(4):
        assert weights @ tableau.c**power == pytest.approx(theta ** (power + 1) / (power + 1), abs=1e-12)


def test_rosenbrock_form_without_matrix_products_belongs_to_its_abscissae():
    """α = A Γ and γ_i = Σ Γ_ij with Γ = (I/γ − C)⁻¹ (Hairer & Wanner 1996, IV.7)."""
    tableau = tableaus.rodas5p()
    gamma = np.linalg.inv(np.eye(8) / tableau.gamma - tableau.C)
    np.testing.assert_allclose((tableau.A @ gamma).sum(axis=1), tableau.c, rtol=0, atol=DIGITS)
    np.testing.assert_allclose(gamma.sum(axis=1), tableau.d, rtol=0, atol=DIGITS)
    assert (tableau.b @ gamma).sum() == pytest.approx(1, abs=DIGITS)


def test_dop853_is_the_published_one():
    ours = tableaus.dop853()
    theirs = pytest.importorskip("scipy.integrate._ivp.dop853_coefficients")
    np.testing.assert_array_equal(ours.A, theirs.A)
    np.testing.assert_array_equal(ours.dense[3:], theirs.D)
    np.testing.assert_allclose(ours.E[:, :13], [theirs.E5, theirs.E3], rtol=0, atol=2e-16)
