"""Gears keep the contract of constraints, and roll: points of two wheels that touch have one velocity."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.model.constraints.gear import Gear
from tests.contracts.constraint_contract import ConstraintContract
from tests.selection import each


class TestGear(ConstraintContract):
    sample = Gear(kind="rack", joints=("spin", "slide"), radius="a", offset="0.1 m")
    rows, units = (1, 1), ("N",)


WHEEL = {"mass": 1, "inertia": [0.1, 0.1, 0.02]}
MODULE = 0.01  # pitch diameter per tooth of the wheels [m]


def gearbox(kind, axes=("z", "z", "z"), joints=("one", "two"), **keys):
    """Wheels on the ground, which turn about axes through the origin, and a slide."""
    turning = {
        name: {"type": "revolute", "parent": "ground", "child": f"{name}_wheel", "axis": axis}
        for name, axis in zip(("one", "two", "three"), axes, strict=True)
    }
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}
    return cardan.Model(
        gravity=[0, 0, 0],
        parameters={"z2": 60},
        bodies={**{f"{name}_wheel": WHEEL for name in turning}, "block": {"mass": 2}},
        joints={**turning, "slide": slide},
        constraints={"mesh": {"type": "gear", "kind": kind, "joints": list(joints), **keys}},
    )


def rates(model, **given):
    return cardan.assemble(model, {f"{name}.v": v for name, v in given.items()}).v


def test_external_wheels_touch_between_their_centres():
    v = rates(gearbox("external", teeth=[20, "z2"]), one=6.0)
    r1, r2 = 20 * MODULE / 2, 60 * MODULE / 2
    at_contact = np.cross([0, 0, v["one"]], [r1, 0, 0]), np.cross([0, 0, v["two"]], [-r2, 0, 0])
    np.testing.assert_allclose(*at_contact, atol=1e-14)


def test_internal_wheels_touch_on_one_side_of_both_centres():
    v = rates(gearbox("internal", teeth=[20, "z2"]), one=6.0)
    r1, r2 = 20 * MODULE / 2, 60 * MODULE / 2
    at_contact = np.cross([0, 0, v["one"]], [r1, 0, 0]), np.cross([0, 0, v["two"]], [r2, 0, 0])
    np.testing.assert_allclose(*at_contact, atol=1e-14)


def test_bevel_wheels_touch_along_a_line_through_the_common_point_of_their_axes():
    """Both axes point away from that point; the line has the distances r1 and r2 from them."""
    v = rates(gearbox("bevel", axes=("x", "y", "z"), teeth=[20, "z2"]), one=6.0)
    line = np.array([60, 20, 0])  # r2 away from y, r1 away from x
    at_contact = np.cross([v["one"], 0, 0], line), np.cross([0, v["two"], 0], line)
    np.testing.assert_allclose(*at_contact, atol=1e-12)


@each("sun, ring", [(6.0, 0.0), (0.0, 2.0), (3.0, -1.0)])
def test_planets_roll_on_sun_and_ring(sun, ring):
    """A planet touches both; its centre, which the carrier moves, has the mean of the two velocities."""
    model = gearbox("planetary", teeth=[20, "z2"], carrier="three")
    v = rates(model, one=sun, two=ring)
    assert (v["one"], v["two"]) == pytest.approx((sun, ring), abs=1e-14)
    r_sun, r_ring = 20 * MODULE / 2, 60 * MODULE / 2
    assert v["three"] * (r_sun + r_ring) / 2 == pytest.approx((sun * r_sun + ring * r_ring) / 2, abs=1e-14)


@each("size", [{"radius": "50 mm"}, {"module": "5 mm", "teeth": 20}])
def test_a_rack_follows_the_rim_of_its_pinion(size):
    v = rates(gearbox("rack", joints=("one", "slide"), **size), one=6.0)
    assert v["slide"] == pytest.approx(0.05 * 6, abs=1e-14)


def test_the_force_of_a_gear_is_the_torque_on_its_first_joint():
    """A torque of 3 N m on the first wheel: (I1 + I2 / i²) α1 = 3, and the gear brakes it by 3 − I1 α1."""
    model = gearbox("external", teeth=[20, "z2"]).replace(inputs={"one": 3})
    run = cardan.simulate(model, times=[0, 0.5], motors="none")
    alpha = 3 / (0.02 + 0.02 / 9)
    np.testing.assert_allclose(run["one.a"], alpha, rtol=1e-9)
    np.testing.assert_allclose(run["mesh.force"], 0.02 * alpha - 3, rtol=1e-9)
    np.testing.assert_allclose(run["two.q"], -run["one.q"] / 3, atol=1e-12)
    assert run["mesh.force"].attrs["units"] == "N*m"


def test_the_offset_is_where_teeth_mesh():
    model = gearbox("external", teeth=[20, "z2"], offset="10 deg")
    assert cardan.assemble(model, {"two": "20 deg"}).q["one"] == pytest.approx(np.deg2rad(10 - 60), abs=1e-12)


PAIR = {"kind": "external", "teeth": [20, 60]}


@each(
    "keys, key, fault, cure",
    [
        ({"kind": "worm", "teeth": [1, 40]}, ".kind", "'worm' is not possible here", "'external'"),
        (PAIR | {"teeth": [20]}, ".teeth", "1 numbers of teeth are given for two wheels", "order of joints"),
        (PAIR | {"teeth": [20, 0]}, ".teeth[1]", "0 is out of range: a number of teeth is positive", "20"),
        (PAIR | {"teeth": [20, "z2/7"]}, ".teeth[1]", "a wheel with 8.57143 teeth", "a coupler"),
        (PAIR | {"teeth": [20, "3 mm"]}, ".teeth[1]", "'3 mm' is a length", "a number of teeth"),
        (PAIR | {"radius": 1}, ".radius", "only a rack has a radius", "numbers of teeth"),
        (PAIR | {"carrier": "three"}, ".carrier", "gears of kind external have no carrier", "planetary"),
        (PAIR | {"offset": "2 mm"}, ".offset", "'2 mm' is a length, but an angle", "30 deg"),
        (PAIR | {"kind": "planetary"}, "", "the carrier is missing", "carrier: JOINT"),
        (PAIR | {"kind": "planetary", "teeth": [60, 20], "carrier": "three"}, ".teeth", "the ring 20", "has more"),
        (PAIR | {"kind": "planetary", "carrier": "tree"}, ".carrier", "no coordinate 'tree'", "did you mean 'three'"),
        (PAIR | {"kind": "internal", "teeth": ["z2", 60]}, ".teeth", "both wheels have 60 teeth", "fewer"),
        (PAIR | {"joints": ("one", "tow")}, ".joints[1]", "there is no coordinate 'tow'", "did you mean 'two'?"),
        (PAIR | {"joints": ("one", "one")}, ".joints[1]", "'one' stands here a second time", "of its own"),
        (PAIR | {"joints": ("one", "slide")}, ".joints[1]", "'slide' has the unit m", "a joint that turns"),
        (PAIR | {"joints": ("one",)}, ".joints", "entry 2 is missing", "add it"),
        ({"kind": "rack", "radius": 1}, ".joints[1]", "'two' has the unit rad", "a joint that slides"),
        ({"kind": "rack", "joints": ("one", "slide")}, "", "size of the pinion", "either radius, or module"),
        ({"kind": "rack", "joints": ("one", "slide"), "radius": 1, "teeth": 9}, "", "size of the pinion", "either"),
        ({"kind": "rack", "joints": ("one", "slide"), "radius": 0}, ".radius", "the radius is 0", "positive"),
        (
            {"kind": "rack", "joints": ("one", "slide"), "radius": 1, "carrier": "two"},
            ".carrier",
            "rack has no",
            "leave",
        ),
    ],
)
def test_gears_that_cannot_be(keys, key, fault, cure):
    with pytest.raises(ModelError) as error:
        gearbox(**keys)
    issue = error.value.issues[0]
    assert issue.key == f"constraints.mesh{key}"
    assert fault in issue.fault
    assert cure in issue.cure


def test_wheels_on_different_bodies_are_refused():
    """The angle of a planet is that relative to its carrier; the equation would not know."""
    model = gearbox("external", teeth=[20, "z2"])
    planet = model.joints["two"].replace(parent="three_wheel")
    with pytest.raises(
        ModelError, match=r"do not turn on one body: 'one' on 'ground', 'two' on 'three_wheel'\n.*a coupler"
    ):
        model.replace(joints={**model.joints, "two": planet})
