"""Scalars: numbers, quantities and expressions, exactly as written."""

import copy
import math
import pickle

import numpy as np
import pytest
from pydantic import TypeAdapter

import cardan
from cardan.errors import ModelError
from cardan.model.quantities.fields import (
    Angle,
    Anything,
    Direction,
    Lead,
    Length,
    Mass,
    Resistance,
    TorsionalStiffness,
)
from cardan.model.quantities.scalar import Scalar
from tests.selection import each


@each(
    "source, value",
    [
        (2, 2.0),
        (-1.5, -1.5),
        (np.float64(0.25), 0.25),
        (np.int64(3), 3.0),
        ("3", 3.0),
        ("-2.5e-3", -0.0025),
        ("25 mm", 0.025),
        ("700 mm", 0.7),
        ("2 Ω", 2.0),
        ("1.5e3 µm", 1.5e-3),
        ("10V", 10.0),
        ("-90 deg", -math.pi / 2),
        ("1500 rpm", 50 * math.pi),
        ("9.81 m/s^2", 9.81),
        ("1e3 N*m/rad", 1000.0),
        ("30 °", math.pi / 6),
        ("100 %", 1.0),
        ("pi/2", math.pi / 2),
        ("1/24", 1 / 24),
    ],
)
def test_what_names_nothing_has_a_value(source, value):
    scalar = Scalar.read(source)
    assert scalar.value == value
    assert scalar.expression is None
    assert scalar.source == source
    assert type(scalar.source) in (int, float, str)
    assert scalar.evaluate({}.__getitem__) == scalar.value


def test_what_names_something_has_an_expression():
    scalar = Scalar.read("2*m + k.v")
    assert scalar.value is None
    assert scalar.names == {"m", "k.v"}
    assert scalar.evaluate({"m": 1.5, "k.v": 1.0}.__getitem__) == 4.0
    assert str(scalar) == "2*m + k.v"


def test_scalars_are_equal_when_written_alike():
    assert Scalar.read("2*m") == Scalar.read("2*m") != Scalar.read("m*2")
    assert hash(Scalar.read(2)) == hash(Scalar.read(2.0))
    assert Scalar.read("25 mm") != Scalar.read(0.025)
    scalar = Scalar.read("2*m")
    assert pickle.loads(pickle.dumps(scalar)) == copy.deepcopy(scalar) == scalar


@each("source", [float("nan"), float("inf"), 10**400, "1e308*10", "1/0", "0/0", "log(-1)", "1e400 m"])
def test_numbers_are_finite(source):
    with pytest.raises(ModelError, match=r"' is (nan|inf|-inf)\n|too large|^(nan|inf) is not a finite number") as error:
        Scalar.read(source)
    assert error.value.issues[0].cure in ("write a finite number", "")


@each("source", [True, None, [1], {"a": 1}, b"1", 1j])
def test_nothing_else_is_a_number(source):
    with pytest.raises(ModelError, match="is not a number") as error:
        Scalar.read(source)
    assert '"25 mm"' in error.value.issues[0].cure


def test_a_long_source_is_shortened_in_messages():
    with pytest.raises(ModelError) as error:
        Scalar.read([1] * 1000)
    assert len(str(error.value)) < 200


def read(annotation, source):
    return TypeAdapter(annotation).validate_python(source)


def refusal(annotation, source):
    with pytest.raises(ValueError, match="error") as error:
        read(annotation, source)
    return error.value.errors()[0]["ctx"]["error"].issues[0]


def test_a_quantity_has_the_dimension_of_its_field():
    issue = refusal(Length, "10 V")
    assert issue.fault == "'10 V' is a voltage, but a length is needed here"
    assert issue.cure == 'write a length, such as "25 mm"'
    assert read(TorsionalStiffness, "2 N*m").value == 2
    assert read(Angle, "30 deg").value == pytest.approx(math.pi / 6)
    assert read(Anything, "10 V").value == 10
    assert read(Length, "L/2").kind.word == "a length"


def test_a_lead_is_per_turn_already():
    assert read(Lead, "5 mm").value == 0.005
    issue = refusal(Lead, "5 mm/turn")
    assert issue.fault == "'5 mm/turn' has an angle in its unit"
    assert issue.cure == 'write a length per turn, such as "5 mm"'


@each(
    "annotation, source, fault",
    [
        (Mass, -1, "-1 is out of range: a mass is zero or positive"),
        (Mass, "-20 g", "-20 g = -0.02 is out of range: a mass is zero or positive"),
        (Resistance, 0, "0 is out of range: a resistance is positive"),
    ],
)
def test_values_are_in_range(annotation, source, fault):
    issue = refusal(annotation, source)
    assert issue.fault == fault
    assert issue.cure.startswith("write ")


def test_directions_are_letters_or_vectors():
    assert [entry.value for entry in read(Direction, "-y")] == [0, -1, 0]
    assert [entry.value for entry in read(Direction, [0, "1/2", 0])] == [0, 0.5, 0]
    assert "is not a direction" in refusal(Direction, "w").fault
    with pytest.raises(ValueError, match="valid tuple"):
        read(Direction, 3)
    issue = refusal(Direction, [0, "0 mm", 0.0])
    assert issue.fault == "the direction has length 0"
    assert issue.cure == "give a non-zero vector, such as [0, 0, 1]"


@each(
    "text, part",
    [
        ("j + 10**400", r"10 \*\* 400 .* inf"),
        ("1/0*j", "1 / 0 .* inf"),
        ("9**9**9*j", r"9 \*\* 3.8742e\+08 .* inf"),
        ("(-1)**0.5*j", r"\(-1\) \*\* 0.5 .* nan"),
        ("mod(1,0)*j", r"mod\(1, 0\) .* nan"),
        ("exp(1000)*j", r"exp\(1000\) .* inf"),
        ("if(j > 0, 1/0, 2)", "1 / 0 .* inf"),
    ],
)
def test_a_part_without_names_needs_a_finite_value(text, part):
    with pytest.raises(ModelError, match=f"the part {part}"):
        Scalar.read(text)


def test_a_part_without_a_finite_value_is_refused_at_its_place():
    slide = {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}
    parts = {"bodies": {"box": {"mass": 1}}, "joints": {"j": slide}}
    for section in ({"outputs": {"y": "1/0*j"}}, {"constraints": {"c": {"type": "expression", "expression": "1/0*j"}}}):
        with pytest.raises(ModelError, match=rf"{next(iter(section))}\..*the part 1 / 0"):
            cardan.Model(**parts, **section)
