"""Runs beyond the position and velocity limits of joints: one line for each, and none for runs within them."""

import re
import warnings

import pytest

import cardan
from cardan.errors import ModelError, ModelWarning


def falling(**limits):
    """A mass on a vertical slide, from rest: z = −g t²/2 and v = −g t."""
    slide = {"type": "prismatic", "parent": "ground", "child": "mass", "axis": "z", **limits}
    return cardan.Model(bodies={"mass": {"mass": 1}}, joints={"slide": slide})


def told(model):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", ModelWarning)
        cardan.simulate(model, until=1)
    return [str(one.message) for one in found]


def test_a_run_beyond_its_limits_warns_with_the_furthest_value():
    position, velocity = told(falling(position_limits=["-4 m", 0], velocity_limit="9.8 m/s"))
    assert position.startswith("the run leaves the position_limits of slide (-4.905 at t = 1 s); ")
    assert velocity.startswith("the run leaves the velocity_limit of slide (-9.81 at t = 1 s); ")
    assert told(falling(position_limits=[-4.91, 0], velocity_limit=9.82)) == []


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        ({"position_limits": [1, 0]}, "joints.slide.position_limits: the lower limit 1 is above the upper one, 0"),
        ({"velocity_limit": 0}, "joints.slide.velocity_limit: velocity_limit is 0"),
        ({"velocity_limit": "3 rad"}, "joints.slide.velocity_limit"),
        ({"position_limits": ["3 s", 4]}, "joints.slide.position_limits[0]"),
        ({"position_limits": [3]}, "joints.slide.position_limits"),
    ],
)
def test_wrong_limits_are_refused(limits, fault):
    with pytest.raises(ModelError, match=re.escape(fault)):
        falling(**limits)


def test_joints_of_several_motions_have_no_such_limits():
    with pytest.raises(ModelError, match="a joint with 6 motions has no velocity_limit"):
        cardan.Model(
            bodies={"a": {"mass": 1}},
            joints={"j": {"type": "free", "parent": "ground", "child": "a", "velocity_limit": 1}},
        )
