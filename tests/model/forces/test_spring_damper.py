"""The spring and damper between two points, or along an axis, keeps the contract of forces."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.model.forces.spring_damper import SpringDamper
from tests.contracts.force_contract import ENDS, ForceContract


class TestSpringDamper(ForceContract):
    sample = SpringDamper(**ENDS, stiffness=20, damping=3, rest_length="0.4 m")


class TestSpringDamperOnAnAxis(ForceContract):
    sample = SpringDamper(**ENDS, stiffness=20, damping=3, rest_length="0.4 m", axis=[2, 1, 0])


def through(**keys):
    """A mass on a slide, whose spring it passes at length zero."""
    spring = {"type": "spring_damper", "child": "mass", "stiffness": 30, **keys}
    return cardan.Model(
        gravity=[0, 0, 0],
        planar="xy",
        bodies={"mass": {"mass": 1.2}},
        joints={"x": {"type": "prismatic", "parent": "ground", "child": "mass", "axis": "x"}},
        forces={"spring": spring},
        initial={"x": 0.5},
    )


def test_on_an_axis_the_length_has_a_sign_and_passes_zero():
    """A damped oscillator about its rest length of −0.1 m, in closed form."""
    k, d, m, rest = 30, 0.5, 1.2, -0.1
    model = through(axis="x", damping=d, rest_length=rest)
    run = cardan.simulate(model, times=np.linspace(0, 2, 21), rtol=1e-10, atol=1e-12)
    t, decay = run["x.q"].time.values, d / (2 * m)
    w = np.sqrt(k / m - decay**2)
    expected = rest + 0.6 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    np.testing.assert_allclose(run["x.q"], expected, rtol=0, atol=1e-8)  # 100 × the relative tolerance
    assert run["x.q"].min() < -0.3


def test_the_opposite_axis_is_the_opposite_length():
    ends = [float(cardan.simulate(through(axis=a, rest_length=r), times=[0, 1])["x.q"][-1]) for a, r in AXES]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


AXES = (("x", 0.2), ("-x", -0.2))


def test_in_a_planar_model_the_axis_lies_in_the_plane():
    with pytest.raises(ModelError, match=r"forces.spring.axis: the axis does not lie in the plane xy"):
        through(axis="z")


def test_on_an_axis_a_damper_that_turns_as_a_whole_gives_no_force():
    """Its length is that along an axis of the parent, which turns with it."""
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"disc": {"mass": 1, "inertia": [1, 1, 1]}, "pin": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={
            "hinge": {"type": "revolute", "parent": "ground", "child": "disc", "axis": [1, 2, 3]},
            "glue": {"type": "fixed", "parent": {"body": "disc", "position": [0.3, -0.4, 0.2]}, "child": "pin"},
        },
        forces={"damper": {"type": "spring_damper", "parent": "disc", "child": "pin", "damping": 5, "axis": [2, 1, 0]}},
        initial={"hinge": 0.4, "hinge.v": 3},
    )
    run = cardan.simulate(model, times=[0.0])
    np.testing.assert_allclose(run["damper.force"], 0, rtol=0, atol=1e-14)
