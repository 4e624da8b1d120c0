"""Parameters: derived ones follow overrides, circles and unknown names are reported together."""

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.quantities.parameters import dimensions, resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import METRE
from tests.selection import each


def define(**texts):
    return {name: Scalar.read(text) for name, text in texts.items()}


def issues(call, *arguments):
    with pytest.raises(ModelError) as error:
        call(*arguments)
    return [(issue.key, issue.fault, issue.cure) for issue in error.value.issues]


MODEL = define(half="L/2", L="700 mm", m="2 kg", I="m*L**2/12")


def test_values_stand_in_the_order_of_definition():
    values = resolve(MODEL)
    assert list(values) == ["half", "L", "m", "I"]
    assert values["I"] == pytest.approx(2 * 0.49 / 12, rel=1e-15)


def test_derived_parameters_follow_overrides():
    assert resolve(MODEL, {"L": "1 m"})["half"] == 0.5
    assert resolve(MODEL, {"L": "2*m"})["half"] == 2.0
    assert resolve(MODEL, {"half": 3})["L"] == 0.7


def test_arrays_make_sweeps():
    values = resolve(MODEL, {"L": np.array([1.0, 2.0]), "m": [1, 2]})
    assert list(values["half"]) == [0.5, 1.0]
    assert values["I"] == pytest.approx([1 / 12, 8 / 12], rel=1e-15)


def test_unknown_overrides_are_reported_together():
    assert issues(resolve, MODEL, {"l": 1, "m": "3 m", "half": "2 ^ 3", "I": [[1], [1, 2]]}) == [
        ("l", "there is no parameter 'l'", "did you mean 'L'?"),
        ("m", "'3 m' is a length, but the model says 2 kg", "write a mass"),
        ("half", "in '2 ^ 3', at character 3: the character '^' has no meaning here", 'write "**" for a power'),
        ("I", "[[1], [1, 2]] is not an array of numbers", "give numbers in SI units"),
    ]


def test_circles_and_undefined_names_are_reported_together():
    circular = define(a="b", b="c + 1", c="a*x", s="s")
    assert issues(resolve, circular) == [
        ("a", "the definition is circular: a → b → c → a", "give one of them a value of its own"),
        ("c", "the name 'x' is not defined", "known: a, b, s"),
        ("s", "the definition is circular: s → s", "give one of them a value of its own"),
    ]


def test_a_long_chain_of_definitions_needs_no_recursion():
    chain = define(p0=1, **{f"p{i}": f"p{i - 1} + 1" for i in range(3000, 0, -1)})
    assert resolve(chain)["p3000"] == 3001


@each("override", [0, [1.0, 0.0], float("nan"), [np.nan]])
def test_values_are_finite(override):
    found = issues(resolve, define(a=1, b="1/a"), {"a": override})
    assert "nan" in found[-1][1] or "inf" in found[-1][1] or "not finite everywhere" in found[-1][1]


def test_dimensions_follow_definitions():
    assert dimensions(MODEL)["half"] is None  # L/2: the bare 2 may be anything
    assert dimensions(define(a="2 m", b="-a"))["b"] == METRE
    assert issues(dimensions, define(a="2 m", b="3 kg", c="a + b", d="c")) == [
        ("c", "'+' joins a length and a mass", "both have to be of the same kind")
    ]
