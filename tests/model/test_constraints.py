"""Constraints and closing joints that cannot be are refused at the gate, with the key and what to write."""

import pytest

from cardan.errors import ModelError
from cardan.model import Model
from tests.selection import each

BODIES = {"a": {"mass": 1, "markers": {"tip": {"position": [1, 0, 0]}}}, "b": {"mass": 1}}
JOINTS = {
    "x": {"type": "revolute", "parent": "ground", "child": "a", "axis": "z"},
    "y": {"type": "revolute", "parent": "a.tip", "child": "b", "axis": "z"},
}


def closing(**joint):
    """A joint that closes a loop from b to the ground."""
    return {"joints": {**JOINTS, "last": {"parent": "ground", "child": "b", "cut": True, **joint}}}


def bound(**constraint):
    return {"constraints": {"c": constraint}}


WRONG = [
    (bound(type="belt"), "constraints.c.type", "no constraint type 'belt'", "known: distance, coupler"),
    (bound(type="distance", child="a", length=0), "constraints.c.length", "length of the rod is 0", "spherical"),
    (bound(type="distance", child="a", length="-1 m"), "constraints.c.length", "length of the rod is -1", "greater"),
    (bound(type="distance", child="q", length=1), "constraints.c.child", "no body 'q'", "known"),
    (bound(type="distance", parent="a", child="a.tip", length=1), "constraints.c.child", "with itself", "another body"),
    (bound(type="coupler", terms={}), "constraints.c.terms", "couples nothing", "a factor by coordinate"),
    (bound(type="coupler", terms={"x": 0, "y": "1 - 1"}), "constraints.c.terms", "all factors are 0", "not 0"),
    (bound(type="coupler", terms={"z": 1}), "constraints.c.terms.z", "no coordinate 'z'", "known: x, y"),
    (
        bound(type="coupler", terms={"x": "30 mm", "y": "1 s"}),
        "constraints.c.terms.y",
        "the term is a time, that of 'x' a length",
        "of one kind",
    ),
    (
        bound(type="coupler", terms={"x": 1, "y": "r"}, offset="2 kg") | {"parameters": {"r": "0.3 m"}},
        "constraints.c.offset",
        "the offset is a mass, that of 'y' a length",
        "of one kind",
    ),
    (
        bound(type="coupler", terms={"x": "r + T", "y": "r"}) | {"parameters": {"r": "0.3 m", "T": "2 s"}},
        "constraints.c.terms.x",
        "'+' joins",
        "same kind",
    ),
    (
        bound(type="coupler", terms={"x": 1, "y": 2}, offset="0.1*t"),
        "constraints.c.offset",
        "names 't'",
        "expression may",
    ),
    (bound(type="distance", child="a", length="1 + t"), "constraints.c.length", "names 't'", "expression may"),
    (bound(type="point_on_line", child="a", axis=[0, 0, 0]), "constraints.c.axis", "length 0", "non-zero"),
    (bound(type="point_on_curve", child="a", equations=[]), "constraints.c.equations", "no equation", "x**2"),
    (bound(type="point_on_curve", child="a", equations=["w - 1"]), "constraints.c.equations[0]", "'w'", "known: t, x"),
    (bound(type="expression"), "constraints.c", "either expression or velocity", "keep the one"),
    (bound(type="expression", expression="x", velocity="x.v"), "constraints.c", "either expression or", "keep the one"),
    (bound(type="expression", expression="x - q"), "constraints.c.expression", "'q', which is nothing", "known"),
    (closing(type="screw", axis="z", lead=0), "joints.last.lead", "closes a loop needs a lead", "revolute"),
    (closing(type="spherical") | {"planar": "xy"}, "joints.last", "spherical leaves the plane xy", "planar out"),
    (closing(type="revolute", axis="x") | {"planar": "xy"}, "joints.last", "right angles to the plane", "planar out"),
    (
        closing(type="prismatic", axis="x") | {"inputs": {"last": 1}},
        "inputs.last",
        "takes the input 'last'",
        "closes a",
    ),
]


@each("changes, key, fault, cure", WRONG)
def test_what_cannot_be_is_refused(changes, key, fault, cure):
    with pytest.raises(ModelError) as error:
        Model(**{"bodies": BODIES, "joints": JOINTS, **changes})
    issues = {issue.key: issue for issue in error.value.issues}
    assert key in issues
    assert fault in issues[key].fault
    assert cure in issues[key].cure


@each("terms", [{"x": "30 mm", "y": -1}, {"x": 2, "y": "1 deg/rad"}, {"x": "r", "y": "0.5*r"}])
def test_bare_numbers_go_with_any_unit(terms):
    Model(bodies=BODIES, joints=JOINTS, parameters={"r": "0.3 m"}, **bound(type="coupler", terms=terms))


def test_a_closing_joint_has_no_coordinate_of_its_own():
    model = Model(bodies=BODIES, **closing(type="revolute", axis="z"))
    with pytest.raises(ModelError, match="last"):
        model.replace(outputs={"angle": "last"})
