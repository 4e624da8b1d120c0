"""Attitudes of spherical and free joints among the initial values, in files, in calls and on the command line."""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.model import Attitude, Guess, Model
from cardan.model.initial import covered, updated
from tests.selection import each

TURN = "40 deg"
HALF = np.deg2rad(20)
WAYS = {
    "rpy": {"rpy": [TURN, 0, 0]},
    "axis_angle": {"axis_angle": {"axis": [2, 0, 0], "angle": TURN}},
    "quaternion": {"quaternion": [3 * np.cos(HALF), 3 * np.sin(HALF), 0, 0]},
    "rotation": {
        "rotation": [[1, 0, 0], [0, "cos(40*pi/180)", "-sin(40*pi/180)"], [0, "sin(40*pi/180)", "cos(40*pi/180)"]]
    },
    "parameter": {"rpy": ["phi", 0, 0]},
}
BODY = {"mass": 1, "inertia": [0.1, 0.2, 0.25], "com": [0, 0, -0.3]}


def model(kind: str = "spherical", initial: object = None) -> Model:
    """A body on one joint `b`, and a hinged one on `h`."""
    joints = {
        "b": {"type": kind, "parent": "ground", "child": "a"},
        "h": {"type": "revolute", "parent": "ground", "child": "c", "axis": "x"},
    }
    return Model(parameters={"phi": TURN, "L": "1 m"}, bodies={"a": BODY, "c": BODY}, joints=joints, initial=initial)


def quaternion(found: cardan.Assembly) -> list[float]:
    """The coordinates of the joint's axes."""
    return [found.q[f"b.q{letter}"] for letter in "wxyz"]


@each("way", WAYS)
@each("kind", ["spherical", "free"])
@each("guessed", [False, True])
def test_every_way_to_write_an_attitude_turns_the_body(way, kind, guessed):
    given = {"b": {"guess": WAYS[way]} if guessed else WAYS[way]}
    expected = pytest.approx([np.cos(HALF), np.sin(HALF), 0, 0], abs=1e-15)
    assert quaternion(cardan.assemble(model(kind, given))) == expected
    assert quaternion(cardan.assemble(model(kind), given)) == expected
    run = cardan.simulate(model(kind), times=[0, 0.01], initial=given)
    turned = run["a.orientation"].values[0]
    assert turned == pytest.approx([np.cos(HALF), np.sin(HALF), 0, 0], abs=1e-15)


def test_an_attitude_has_the_convention_of_markers():
    rpy = ["10 deg", "20 deg", "30 deg"]
    R = np.array(Attitude(rpy=rpy).resolved(lambda scalar: scalar.value).orientation())
    run = cardan.simulate(model(), times=[0, 0.01], initial={"b": {"rpy": rpy}})
    com = run["a.com.position"].values[0]
    np.testing.assert_allclose(com, R @ [0, 0, -0.3], atol=1e-15)


def test_files_keep_attitudes():
    written = model("free", {"b": {"position": ["L", 0, 0], "rpy": [0, 0, "phi"]}})
    assert loads(dump(written)) == written
    guess = model("free", {"b": Guess(guess=Attitude(rpy=[0, 0, 1]))})
    assert loads(dump(guess)) == guess


def test_values_of_a_call_replace_those_of_the_same_coordinates():
    own = model("free", {"b": {"position": ["L", 2, 3], "rpy": [TURN, 0, 0]}})
    start = cardan.assemble(own).q
    moved = cardan.assemble(own, {"b.x": 5}).q
    assert moved == {**start, "b.x": 5.0}
    assert cardan.assemble(own, {"b": {"position": [0, 0, 0]}}).q == {**start, "b.x": 0.0, "b.y": 0.0, "b.z": 0.0}
    turned = cardan.assemble(own, {"b": {"rpy": [0, 0, 0]}}).q
    assert turned == {**start, "b.qw": 1.0, "b.qx": 0.0}
    assert cardan.assemble(model("spherical", {"b.qw": 0, "b.qx": 1}), {"b": {"rpy": [0, 0, 0]}}).q["b.qw"] == 1.0
    setup = cardan.prepare(own, times=[0, 0.01], initial={"b": {"rpy": [0, 0, 0]}})
    np.testing.assert_array_equal(setup.run(initial={"b.x": 7}).x[0, :7], [7, 2, 3, 1, 0, 0, 0])


def test_a_velocity_has_the_name_of_its_result_too():
    spinning = model("free", {"b.wz.v": 1})
    assert cardan.assemble(spinning).v["b.wz"] == 1.0
    assert cardan.assemble(spinning, {"b.wz": 2}).v["b.wz"] == 2.0
    assert cardan.assemble(model("free", {"b.wz": 2}), {"b.wz.v": 3}).v["b.wz"] == 3.0
    with pytest.raises(ModelError, match=r"'b\.wz\.v' and 'b\.wz' are the same"):
        model("free", {"b.wz": 1, "b.wz.v": 1})
    assert model("free", {"b.wz.v": "1 rad/s"}).initial["b.wz.v"].value == 1.0
    with pytest.raises(ModelError, match=r"initial\.b\.wz\.v: '1 m' is a length"):
        model("free", {"b.wz.v": "1 m"})


def test_what_an_entry_covers():
    assert covered("swing.q", 1) == ("swing",)
    assert covered("b", {"rpy": [0, 0, 0]}) == ("b.qw", "b.qx", "b.qy", "b.qz")
    assert updated({"b": Guess(guess=Attitude(position=[1, 2, 3]))}, {"b.x": 0}, model("free").joints).keys() == {
        "b.x",
        "b.y",
        "b.z",
    }


def test_a_sweep_varies_an_attitude_by_a_parameter():
    own = model("spherical", {"b": {"rpy": ["phi", 0, 0]}})
    found = cardan.sweep(own, 0.01, parameters={"phi": ["10 deg", "20 deg"]}, outputs=["b.qx.q"])
    np.testing.assert_allclose(found["b.qx.q"].values[:, 0], np.sin(np.deg2rad([5, 10])), rtol=1e-14)


@each(
    "given, message",
    [
        ({"b": {"position": [1, 0, 0]}}, "'b' turns about a point, so it has no position"),
        ({"b": {"rpy": None}}, "the attitude is empty"),
        ({"b": {}}, r"neither a guess nor an attitude\n.*write \{guess: 40 deg\} or"),
        ({"h": {"rpy": [0, 0, 1]}}, r"'h' has no attitude: it is not a spherical or free joint\n.*write it for b"),
        ({"b": {"rpy": [0, 0, 0]}, "b.qw": 1}, "are the same"),
        ({"b": {"rpy": ["1 m", 0, 0]}}, "'1 m' is a length, but an angle"),
        ({"b": {"axis_angle": {"axis": [0, 0, 0], "angle": 1}}}, "direction has length 0"),
        ({"b": {"quaternion": [0, 0, 0, 0]}}, "quaternion has length 0"),
        ({"b": {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}, "a reflection"),
        ({"b": {"rpy": [0, 0, "nowhere"]}}, "'nowhere'"),
        ({"b": {"rpy": [0, 0, "L"]}}, "'L' is a length, but an angle"),
        ({"b": 1}, "'b'\n.*'b' has b.qw, b.qx, b.qy, b.qz, b.wx, b.wy, b.wz"),
        ({"b.v": 1}, "'b.v'\n.*'b' has b.qw, b.qx, b.qy, b.qz, b.wx, b.wy, b.wz"),
    ],
)
def test_wrong_attitudes_are_refused_in_files_and_calls(given, message):
    with pytest.raises(ModelError, match=message):
        model(initial=given)
    with pytest.raises(ModelError, match=message):
        cardan.assemble(model(), given)
