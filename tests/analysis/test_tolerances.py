"""Tolerances of yes-or-no answers: what lies a factor of three to either side is decided as each of them says.

Each case has a known size, so that a tolerance that is changed, or compared with another quantity, is seen.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import cardan
from cardan.analysis import identifiability
from cardan.errors import ModelError
from cardan.system.inertia_check import SINGULAR, smallest_inertia

BESIDE = (1 / 3, 3.0)


def carts(m: float) -> dict[str, object]:
    """Two carts one after another on a rail, of masses m and 1: M = [[1 + m, 1], [1, 1]]."""
    rail = {"type": "prismatic", "axis": "x"}
    return {
        "bodies": {"first": {"mass": m}, "second": {"mass": 1}},
        "joints": {
            "one": {**rail, "parent": "ground", "child": "first"},
            "two": {**rail, "parent": "first", "child": "second"},
        },
    }


@pytest.mark.parametrize("m", [1e-3, 1e-6, 1e-9])
def test_the_smallest_inertia_of_two_carts(m):
    """Scaled to a unit diagonal, the smaller eigenvalue is 1 - 1/√(1 + m), about m/2."""
    size, direction = smallest_inertia(np.array([[1 + m, 1], [1, 1]]))
    assert size == pytest.approx(1 - 1 / np.sqrt(1 + m), rel=1e-15 / m * 10, abs=1e-15)
    assert direction[0] * direction[1] < 0  # they move against each other


@pytest.mark.parametrize("factor", BESIDE)
def test_a_cart_without_mass_is_refused_and_a_light_one_is_not(factor):
    model = cardan.Model(**carts(2 * factor * SINGULAR))
    if factor < 1:
        with pytest.raises(ModelError, match="mass matrix is singular"):
            cardan.simulate(model, 0.1)
    else:
        assert cardan.simulate(model, 0.1, initial={"one.v": 1}).ok


def test_what_counts_as_no_inertia_is_some_hundred_roundoffs():
    assert 100 < SINGULAR / np.finfo(float).eps < 1000


@pytest.mark.parametrize("factor", BESIDE)
def test_a_column_counts_as_independent_by_what_is_left_of_it(factor):
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.normal(size=(12, 3)))
    own = factor * 1e-9  # a thousand times the round-off of a stacked regressor
    mixed = np.sqrt(1 - own**2) * (0.6 * basis[:, 0] + 0.8 * basis[:, 1]) + own * basis[:, 2]
    columns = np.column_stack([basis[:, 0], basis[:, 1], mixed])
    assert identifiability._independent(columns, [0, 1, 2]) == ([0, 1, 2] if factor > 1 else [0, 1])


@pytest.mark.parametrize("factor", BESIDE)
def test_a_term_is_left_out_where_its_factor_is_roundoff(factor):
    factors = SimpleNamespace(
        kept=[0], shown=np.array([0, 1, 2]), here=np.array([[1.0, 5.0, factor * 5e-7]]), words=lambda row, column: "f"
    )
    found = identifiability._combination(0, factors, ("a", "b", "c"), np.ones(3))
    assert set(found.terms) == ({"a", "b", "c"} if factor > 1 else {"a", "b"})  # 1e-7 of the largest factor


@pytest.mark.parametrize("factor", BESIDE)
def test_a_factor_is_a_product_of_parameters_only_where_it_equals_one(factor):
    off = 1 + factor * 1e-6
    factors = object.__new__(identifiability._Factors)
    factors.here, factors.moved = np.array([[0.5]]), [({}, np.array([[0.6 * off]]))]
    factors.monomials = [("l1", 0.5, [0.6])]
    assert factors.words(0, 0) == ("0.5" if factor > 1 else "l1")
