"""Mobility of mechanisms whose degrees of freedom, redundancy and singular positions textbooks tell."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.selection import each
from tests.truths.flat_mechanisms import flat_slider_crank, three_cranks

from .examples import bricard, chain, door, four_bar, planar_3rrr, triangle

IN_LINE = {"a": 0.0}


def _slider_crank():
    return cardan.load("slider_crank")


@each(
    "model, initial, grubler, freedom, redundant",
    [
        (_slider_crank(), {}, 1, 1, 0),
        (four_bar(planar="xy"), {"a": 0.7}, 1, 1, 0),
        (four_bar(), {"a": 0.7}, -2, 1, 3),
        (bricard(), {}, 0, 1, 1),
        (door(), {}, -4, 1, 5),
        (door(hinges=3), {}, -9, 1, 10),
        (planar_3rrr(), {}, 3, 3, 0),
        (chain(), {}, 2, 2, 0),
        (triangle(), {}, 0, 0, 0),
        (triangle(planar=None), {}, -3, 0, 3),
    ],
)
def test_freedoms_by_grubler_and_by_rank(model, initial, grubler, freedom, redundant):
    report = cardan.mobility(model, initial)
    assert (report.grubler, report.degrees_of_freedom, len(report.redundant)) == (grubler, freedom, redundant)
    assert report.instantaneous == freedom
    assert not report.singular
    assert report.singularities == ()
    assert bool(report.advice) == (freedom == 0)


def test_redundant_constraints_are_named_by_joint_and_component():
    names = {str(entry) for entry in cardan.mobility(four_bar(), {"a": 0.7}).redundant}
    assert names == {"c: force along z", "c: moment about x", "c: moment about y"}


def test_a_hinge_too_many_is_redundant_in_all_it_does():
    names = {str(entry) for entry in cardan.mobility(door()).redundant}
    forces = {f"high: force along {axis}" for axis in "xyz"}
    assert names == {*forces, "high: moment about x", "high: moment about y"}


def test_a_direction_along_no_axis_of_the_world_is_written_out():
    tilted = {"type": "revolute", "axis": [0.6, 0, 0.8]}
    joints = {
        "mount": {"type": "fixed", "parent": "ground", "child": "frame"},
        "one": {**tilted, "parent": "frame", "child": "door"},
        "two": {**tilted, "parent": "frame.up", "child": "door.up"},
    }
    up = {"up": {"position": [0.6, 0, 0.8]}}
    model = cardan.Model(
        bodies={"frame": {"mass": 1, "markers": up}, "door": {"mass": 1, "inertia": [1, 1, 1], "markers": up}},
        joints=joints,
    )
    moments = [entry.component for entry in cardan.mobility(model).redundant if "moment" in entry.component]
    assert len(moments) == 2
    for words in moments:
        axis = (
            np.array([float(x) for x in words.partition("(")[2].rstrip(")").split(",")])
            if "(" in words
            else np.array([0, 1, 0])
        )
        assert axis @ [0.6, 0, 0.8] == pytest.approx(0, abs=5e-3)  # three digits are printed


def test_a_redundant_universal_joint_names_the_axis_of_its_cross():
    cross = {"type": "universal", "axes": ["x", "y"]}
    bodies = {name: {"mass": 1, "inertia": [1, 1, 1]} for name in ("frame", "block")}
    joints = {
        "mount": {"type": "fixed", "parent": "ground", "child": "frame"},
        "one": {**cross, "parent": "frame", "child": "block"},
        "two": {**cross, "parent": "frame", "child": "block"},
    }
    assert "two: moment about z" in map(str, cardan.mobility(cardan.Model(bodies=bodies, joints=joints)).redundant)


def test_a_redundant_constraint_keeps_its_own_words():
    rods = {name: {"type": "distance", "child": "two.tip", "length": 1.2} for name in ("rod", "twin")}
    model = cardan.Model(bodies=chain().bodies, joints=chain().joints, constraints=rods)
    assert [str(entry) for entry in cardan.mobility(model).redundant] == ["twin: force along the rod"]


def test_loops_are_told_by_the_joint_that_closes_them():
    report = cardan.mobility(four_bar(), {"a": 0.7})
    assert report.cut == ("c",)
    assert set(report.loops["c"]) == {"mount", "a", "b", "d"}


@each("planar", ["xy", None])
def test_a_parallelogram_in_line_is_singular_and_nothing_is_redundant_in_it(planar):
    """Its branches, parallelogram and antiparallelogram, meet there: two motions, one degree of freedom."""
    model = four_bar((1, 2, 1), 2.0, planar=planar)
    there, away = cardan.mobility(model, IN_LINE), cardan.mobility(model, {"a": 0.5, "b": {"guess": -0.5}})
    assert (there.degrees_of_freedom, there.instantaneous, there.singular) == (1, 2, True)
    assert (away.degrees_of_freedom, away.instantaneous, away.singular) == (1, 1, False)
    assert len(there.redundant) == len(away.redundant) == (0 if planar else 3)
    (branch,) = there.singularities
    assert branch.kind == "branch"
    assert branch.smallest < 1e-9 < 0.1 < min(branch.neighbours)
    assert branch.condition > 1e9
    assert "branches" in branch.meaning


def test_an_output_that_does_not_exist_is_refused_with_the_nearest_name():
    with pytest.raises(ModelError, match="slide"):
        cardan.mobility(_slider_crank(), output=["slid"])


@each("angle", [1.0, 0.3, -2.0, 0.0])
@each("planar", [True, False])
def test_a_third_crank_is_redundant_wherever_it_stands(planar, angle):
    """Positions around the one given are found near it, not in line, where the rank is another one."""
    report = cardan.mobility(three_cranks(angle, 0.0, planar))
    assert (report.degrees_of_freedom, report.grubler) == (1, 0 if planar else -6)
    assert len(report.redundant) == (1 if planar else 7)
    assert report.singular == (angle == 0.0)
    assert report.instantaneous == (2 if angle == 0.0 else 1)


def test_a_drive_that_follows_time_leaves_no_freedom_and_yet_moves():
    report = cardan.mobility(flat_slider_crank(driven=True))
    assert (report.degrees_of_freedom, report.prescribed, report.advice) == (0, True, "")
    assert not cardan.mobility(flat_slider_crank()).prescribed


def test_an_equation_that_grows_without_limit_where_it_does_not_hold_still_binds():
    bar = {"mass": 1, "inertia": [0, 0, 1]}
    hinges = {
        name: {"type": "revolute", "parent": "ground", "child": body, "axis": "z"}
        for name, body in (("A", "left"), ("B", "right"))
    }
    gear = {"type": "expression", "expression": "exp(40*A) - exp(40*B)"}
    model = cardan.Model(bodies={"left": bar, "right": bar}, joints=hinges, constraints={"gear": gear})
    assert cardan.mobility(model).degrees_of_freedom == 1


def test_velocities_in_an_equation_are_not_time():
    bar = {"mass": 1, "inertia": [1, 1, 1]}
    slide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}
    held = {"type": "expression", "velocity": "x.v"}
    model = cardan.Model(bodies={"cart": bar}, joints={"x": slide}, constraints={"held": held})
    assert not cardan.mobility(model).prescribed
