"""Tolerances of yes-or-no answers: what lies a factor of three to either side is decided as each of them says.

Each case has a known size, so that a tolerance that is changed, or compared with another quantity, is seen.
"""

import pytest

import cardan
from cardan.errors import ModelError
from cardan.numerics.round_off import SINGULAR
from tests.selection import each

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


@each("factor", BESIDE)
def test_a_cart_without_mass_is_refused_and_a_light_one_is_not(factor):
    model = cardan.Model(**carts(2 * factor * SINGULAR))
    if factor < 1:
        with pytest.raises(ModelError, match="mass matrix is singular"):
            cardan.simulate(model, 0.1)
    else:
        assert cardan.simulate(model, 0.1, initial={"one.v": 1}).ok
