"""Numbers with which a mechanism creates energy, or that are probably degrees, in files and calls."""

from __future__ import annotations

import pytest

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.model import Model
from tests.selection import each

JOINTS = {
    "revolute": {"type": "revolute", "axis": "z"},
    "prismatic": {"type": "prismatic", "axis": "z"},
    "cylindrical": {"type": "cylindrical", "axis": "z"},
}


def model(kind: str = "revolute", initial: object = None, **numbers: object) -> Model:
    """A body on a joint `j` with these numbers."""
    joint = {**JOINTS[kind], "parent": "ground", "child": "a", **numbers}
    body = {"mass": 1, "inertia": [0.1, 0.2, 0.25]}
    return Model(parameters={"k": 1, "d": 1}, bodies={"a": body}, joints={"j": joint}, initial=initial)


@each("kind", JOINTS)
def test_a_negative_damping_is_refused(kind):
    with pytest.raises(ModelError, match=r"joints\.j\.damping.*damping is zero or positive"):
        model(kind, damping=-1)
    driven = model(kind, damping="d")
    with pytest.raises(ModelError, match=r"joints\.j\.damping"):
        cardan.simulate(driven, 1.0, parameters={"d": -2})
    n = len(driven.joints["j"].velocities)
    with pytest.raises(ModelError, match=r"joints\.j\.damping"):
        cardan.compile(driven).bias([0] * n, [0] * n, parameters={"d": -2})


def test_each_damping_of_a_joint_is_checked():
    with pytest.raises(ModelError, match=r"damping\[1\].*torsional damping is zero or positive"):
        model("cylindrical", damping=[1, "-1 N*m*s"])


def test_the_damping_of_a_force_is_refused_too():
    force = {"type": "spring_damper", "child": "a", "stiffness": 1, "damping": -1}
    with pytest.raises(ModelError, match=r"forces\.f\.damping"):
        Model(
            bodies={"a": {"mass": 1}},
            joints={"j": {"type": "free", "parent": "ground", "child": "a"}},
            forces={"f": force},
        )


def test_a_negative_stiffness_warns():
    with pytest.warns(ModelWarning, match=r"joints\.j\.stiffness: the stiffness -5 is negative.*away from its rest"):
        model(stiffness=-5)
    own = model(stiffness="k")
    with pytest.warns(ModelWarning, match="the stiffness -3 is negative"):
        cardan.simulate(own, 0.1, parameters={"k": -3})


@each("value", [{"guess": 60}, {"guess": 62.5}, 60, -90.0])
def test_an_angle_beyond_a_turn_without_unit_warns(value):
    expected = r"initial\.j(\.q)?: the angle .* turns; did you mean -?[\d.]+ deg\?; write .* deg\" or"
    with pytest.warns(ModelWarning, match=expected):
        model(initial={"j": value})
    with pytest.warns(ModelWarning, match=expected):
        cardan.simulate(model(), 0.1, initial={"j": value})
    with pytest.warns(ModelWarning, match=expected):
        cardan.assemble(model(), {"j.q": value})


@pytest.mark.filterwarnings("error")
@each("value", ["60 rad", "60 deg", 6, 312.4567, {"guess": "400 deg"}])
def test_other_angles_do_not_warn(value):
    cardan.simulate(model(initial={"j": value}), 0.1, initial={"j": value})


@pytest.mark.filterwarnings("error")
def test_a_shift_may_be_long():
    cardan.assemble(model("prismatic", {"j": 60}), {"j": {"guess": 80}})


@each("turned", [{"rpy": [0, 0, 90]}, {"axis_angle": {"axis": "z", "angle": -45.0}}, {"rpy": [0, "90 deg", 180]}])
def test_degrees_without_their_unit_warn_where_they_place_a_frame(turned):
    """90 rad are 14 turns and 117°: the mechanism would stand somewhere else, and nothing would say so."""
    with pytest.warns(ModelWarning, match=r"joints\.j\.parent\..* turns; did you mean -?\d+ deg\?; write"):
        model(parent={"body": "ground", **turned})


def test_degrees_in_a_table_of_denavit_and_hartenberg_warn():
    with pytest.warns(ModelWarning, match=r"joints\.q1\.child\.rpy\[0\]: the angle -90 is taken as radians"):
        cardan.from_dh([{"a": 0.4, "alpha": 90}, {"a": 0.3, "mass": 1}])


@pytest.mark.filterwarnings("error")
def test_other_turns_of_frames_do_not_warn():
    model(parent={"body": "ground", "rpy": [6, 312.4567, "90 rad"], "position": [90, 0, 0]})
