"""Friction of the two pins of a universal joint against the equations of one body and of two shafts, by hand.

Tolerances: runs at rtol 1e-11 and atol 1e-13, SciPy at 1e-12 and 1e-14, over some seconds: 1e-8 of values of order 1.
"""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.truths.rubbing_mechanisms import BALL, one_body

FINE = {"rtol": 1e-11, "atol": 1e-13}


def test_a_body_on_a_universal_joint_holds_at_rest_and_breaks_away_about_one_pin():
    """Each pin holds up to 0.5 N m; a force t along y, 0.4 m below, turns the first one at 1.25 s."""
    body = {"mass": 1, "inertia": [0.1, 0.1, 0.1], "markers": {"foot": {"position": [0, 0, -0.4]}}}
    pull = {"type": "force", "child": "body.foot", "value": [0, "t", 0]}
    joint = {"type": "universal", "axes": ["x", "y"], "friction": {"effort": 0.5}}
    run = cardan.simulate(one_body(joint, body, forces={"pull": pull}), until=1.5, **FINE)
    assert [(event.name, event.did) for event in run.events] == [("joint.r1", "slides forwards")]
    assert run.events[0].t == pytest.approx(1.25, abs=1e-9)
    np.testing.assert_array_equal(run.array("joint.r2.q"), 0)


# two shafts at an angle, the second one in a bearing that lets it slide and tilt: nothing is held twice

ANGLE, FAR = 0.6, 0.5
A2 = np.array([np.sin(ANGLE), 0, np.cos(ANGLE)])
I1, I2, DRIVE, DRAG = 0.02, 0.03, 1.5, 0.12


def shafts(law):
    """Hooke's joint between two shafts without weight."""
    markers = {"far": {"position": list(FAR * A2)}}
    pins = {"parent": "first", "child": "second", "axes": ["y", [-np.cos(ANGLE), 0, np.sin(ANGLE)]]}
    turn = np.outer(A2, A2) * I2 + 0.02 * (np.eye(3) - np.outer(A2, A2))
    joints = {
        "bearing": {"type": "revolute", "parent": "ground", "child": "first", "axis": "z"},
        "hooke": {"type": "universal", **pins, "friction": law},
    }
    inertia = [turn[0, 0], turn[1, 1], turn[2, 2], turn[0, 1], turn[0, 2], turn[1, 2]]
    return cardan.Model(
        gravity=[0, 0, 0],
        ground={"markers": {"far": {"position": list(FAR * A2)}}},
        bodies={
            "first": {"mass": 1, "inertia": [0.1, 0.1, I1]},
            "second": {"mass": 1, "inertia": [float(x) for x in inertia], "markers": markers},
        },
        joints=joints,
        constraints={
            "support": {"type": "point_on_line", "parent": "ground.far", "child": "second.far", "axis": list(A2)}
        },
        forces={
            "drive": {"type": "torque", "child": "first", "value": [0, 0, DRIVE]},
            "drag": {"type": "torque", "child": "second", "value": [f"-{DRAG}*second.w{k}" for k in "xyz"]},
        },
    )


@pytest.mark.exhaustive
def test_pins_of_a_shaft_line_that_follow_their_load_stick_together():
    """At rest both use the same part of what they could hold; nothing creeps."""
    run = cardan.simulate(shafts({"coefficient": 0.15, "radius": 0.02, "length": 0.06}), until=0.5)
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-6
    rests = run["hooke.r1.sticking"].values == 1
    parts = [np.abs(run[f"hooke.{pin}.friction"] / run[f"hooke.{pin}.friction_limit"]).values for pin in ("r1", "r2")]
    np.testing.assert_allclose(parts[0][rests], parts[1][rests], atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "friction", "words"),
    [
        ("universal", {"coefficient": 0.1, "radius": "10 mm"}, "type universal needs a length"),
        ("universal", {"coefficient": 0.1, "length": "50 mm"}, "type universal needs a radius"),
        ("universal", {"effort": 1, "length": "50 mm"}, "with a given effort has no length"),
        ("universal", {"effort": "1 N"}, "a torque"),
        (
            "free",
            {"effort": 1},
            "in a joint of type free nothing touches.*\n.*a planar joint, or a constraint of type point_on",
        ),
        ("fixed", {"effort": 1}, "type fixed does not move, so that nothing rubs"),
    ],
)
def test_what_such_joints_cannot_have_is_refused(kind, friction, words):
    joint = {"type": kind, "parent": "ground", "child": "body", "friction": friction}
    joint |= {"axes": ["x", "y"]} if kind == "universal" else {}
    with pytest.raises(ModelError, match=words):
        cardan.Model(bodies={"body": BALL}, joints={"joint": joint})
