"""Units of gains, weights, shares, limits and given efforts of programs and motions."""

import pytest

import cardan
from cardan.errors import ModelError
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import read_unit
from tests.selection import each


def digging(**more):
    line = {"type": "program", "expression": "scoop.x - scoop.y - a", "by": ["phi1", "phi2"], **more}
    return cardan.load("digging_machine").replace(constraints={"line": line})


def arm(realize):
    """Two joints keep one height of a motion."""
    motion = {"value": "-0.5", "by": ["phi1", "phi2"], "realize": realize}
    return cardan.load("digging_machine").replace(constraints={}, motions={"scoop.y": motion})


def test_a_unit_may_begin_with_one_over():
    assert (Scalar.read("100 1/s^2").value, Scalar.read("5 1/ms").value) == (100, 5000)
    assert read_unit("1/s") == read_unit("s^-1")
    for text in ("100 1/x", "2 1*s"):
        with pytest.raises(ModelError):
            Scalar.read(text)


def test_gains_with_units_are_those_without():
    runs = [
        cardan.simulate(digging(feedback=gains), until=0.05)
        for gains in ({"kp": 100, "kd": 20}, {"kp": "100 1/s^2", "kd": "20 1/s"})
    ]
    assert runs[0].x.tolist() == runs[1].x.tolist()


@each(
    "more, place, fault",
    [
        ({"feedback": {"kp": "100 N/m"}}, "feedback.kp", "a stiffness, but a gain in 1/s^2 is needed"),
        ({"feedback": {"kp": 100, "kd": "20 kg"}}, "feedback.kd", "a mass, but a gain in 1/s is needed"),
        ({"feedback": {"kp": -100}}, "feedback.kp", "-100 is out of range"),
        ({"realize": {"share": {"phi1": "1 N*m", "phi2": 1}}}, "realize.share.phi1", "a number without unit is needed"),
        ({"realize": {"weights": {"phi1": "1 kg"}}}, "realize.weights.phi1", "a weight without unit is needed"),
        (
            {"realize": {"weights": {"phi1": 0}}},
            "realize.weights.phi1",
            "0 is out of range: a weight without unit is positive",
        ),
        (
            {"realize": {"limits": {"phi1": -1}}},
            "realize.limits.phi1",
            "-1 is out of range: a limit in N*m is positive",
        ),
        ({"realize": {"limits": {"phi1": 0}}}, "realize.limits.phi1", "0 is out of range: a limit in N*m is positive"),
        ({"realize": {"limits": {"phi1": "10 N"}}}, "realize.limits.phi1", "a force, but a limit in N*m is needed"),
        ({"realize": {"given": {"phi1": "10 kg"}}}, "realize.given.phi1", "a mass, but a value in N*m is needed"),
    ],
)
def test_wrong_units_and_values_are_refused(more, place, fault):
    with pytest.raises(ModelError) as error:
        digging(**more)
    (issue,) = error.value.issues
    assert issue.key == f"constraints.line.{place}"
    assert fault in issue.fault
    if "realize" in more:
        with pytest.raises(ModelError) as error:
            arm(more["realize"])
        assert fault in error.value.issues[0].fault


def test_a_relation_of_velocities_has_a_gain_of_its_own():
    rolling = {"expression": None, "velocity": "scoop.vx - scoop.vy", "feedback": {"kp": "20 1/s"}}
    assert digging(**rolling).constraints["line"].gains[0].value == 20
    with pytest.raises(ModelError, match="a gain in 1/s is needed"):
        digging(**{**rolling, "feedback": {"kp": "100 1/s^2"}})


@each("way", [cardan.simulate, cardan.prepare])
def test_steady_motors_belong_to_kinetostatics(way):
    with pytest.raises(ModelError, match="motors='steady' is not possible"):
        way(cardan.load("slider_crank"), until=0.1, motors="steady")
