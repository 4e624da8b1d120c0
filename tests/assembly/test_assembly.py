"""Assembly: loops close from a guess on its branch, held values stay, and what cannot be is named with its cure."""

import numpy as np
import pytest

import cardan
from cardan.assembly.initial_values import held_velocities
from cardan.errors import AssemblyError, ModelError, ModelWarning
from cardan.system.system import build_system
from tests.analysis.examples import bar, bricard, chain, door, four_bar, hinge, planar_3rrr, triangle
from tests.selection import each, few

CLOSED = 1e-11  # ten times what assembly asks for, at coordinates of a few units


@each(
    "model", [four_bar(initial={"a": 0.7}), four_bar(planar="xy", initial={"a": 0.7}), bricard(), door(), planar_3rrr()]
)
def test_all_loops_close(model):
    assembly = cardan.assemble(model)
    assert assembly.residual <= CLOSED
    assert set(assembly.gaps) == {*cardan.mobility(model).cut, *model.constraints}


def test_plain_values_are_held_exactly_and_guesses_choose_the_branch():
    model = four_bar(planar="xy")
    up = cardan.assemble(model, {"a": 0.7, "b": {"guess": 0.5}, "d": {"guess": 1.5}})
    down = cardan.assemble(model, {"a": 0.7, "b": {"guess": -1.5}, "d": {"guess": -1.5}})
    assert up.q["a"] == down.q["a"] == 0.7
    assert up.positions["coupler.tip"][1] > 0 > down.positions["coupler.tip"][1]
    for one in (up, down):  # where the tips meet is at the rocker's length from its own hinge
        assert np.linalg.norm(one.positions["coupler.tip"] - [2, 0, 0]) == pytest.approx(1.5, abs=CLOSED)


def test_a_chain_keeps_what_it_is_given():
    assembly = cardan.assemble(chain(), {"elbow": 0.3, "elbow.v": 2.0})
    assert (assembly.q, assembly.v["elbow"], assembly.gaps, assembly.residual) == (
        {"shoulder": 0.0, "elbow": 0.3}, 2.0, {}, 0.0,
    )  # fmt: skip


def test_velocities_become_consistent_and_changes_are_reported():
    model = four_bar((1, 2, 1), 2.0, planar="xy")
    at = {"a": 0.9, "b": {"guess": -0.9}, "d": {"guess": 0.9}}
    kept = cardan.assemble(model, {**at, "a.v": 2.0})
    assert kept.v == pytest.approx({"a": 2.0, "b": -2.0, "d": 2.0}, abs=1e-10)  # a parallelogram
    assert kept.changed == ()
    forced = cardan.assemble(model, {**at, "a.v": 2.0, "d.v": 1.0})
    assert [name for name, _, _ in forced.changed] == ["a.v", "d.v"]
    assert [given for _, given, _ in forced.changed] == [2.0, 1.0]
    assert forced.v == pytest.approx({"a": 1.5, "b": -1.5, "d": 1.5}, abs=1e-10)  # each gives in as much


def test_parameters_of_the_call_take_part():
    model = four_bar(planar="xy", parameters={"free": 1})
    assert cardan.assemble(model, {"a": 0.7}, {"free": 2}).residual <= CLOSED
    with pytest.raises(ModelError, match="fre"):
        cardan.assemble(model, parameters={"fre": 2})


def test_a_loop_that_cannot_close_is_named_with_gap_and_nearest_configuration():
    with pytest.raises(AssemblyError, match=r"'top' does not close the loop of mount, a, b: .* gap of 1 m") as caught:
        cardan.assemble(triangle(span=3.0))
    error = caught.value
    assert (error.owner, error.gap) == ("top", pytest.approx(1.0, abs=1e-6))  # two bars of 1 m over 3 m, in line
    assert np.cos([error.values["a"], error.values["b"]]) == pytest.approx([1, -1], abs=1e-6)
    assert "check the lengths" in str(error)


def test_a_direction_that_cannot_close_has_its_gap_in_radians():
    bodies = {"one": bar(1), "two": bar(1)}
    joints = {
        "a": hinge("ground", "one", "z"),
        "weld": {"type": "prismatic", "parent": "ground", "child": "two", "axis": "x"},
        "tilted": {"type": "revolute", "parent": "one.turned", "child": "two", "axis": "z"},
    }
    bodies["one"]["markers"]["turned"] = {"position": [0, 0, 0], "rpy": [0.5, 0, 0]}
    with pytest.raises(AssemblyError, match=r"'tilted' does not close .* rad is left \(moment about"):
        cardan.assemble(cardan.Model(bodies=bodies, joints=joints))


@pytest.mark.parametrize("joint", few("ABCD", 2))
@pytest.mark.parametrize(("axis", "angle"), [("x", 90), ([0.5, 0, 1], 26.6), ([0, 0.05, 1], 2.86)])
def test_a_wrong_axis_in_space_is_named_and_no_held_coordinate_is_blamed(joint, axis, angle):
    model = cardan.load("four_bar_spatial")  # some of these close in one position, in which nothing can move
    wrong = model.replace(joints=dict(model.joints) | {joint: model.joints[joint].replace(axis=axis)})
    with pytest.raises(
        AssemblyError, match=f"'C' does not close the loop of A, D, B.*\n.*axis of '{joint}' is {angle}"
    ):
        cardan.assemble(wrong)


def slider_crank_in_space(**axes):
    """Three hinges about z and a slider along x that closes the loop."""
    ends = {"A": ("ground", "crank"), "B": ("crank.tip", "rod"), "C": ("rod.tip", "slider"), "D": ("ground", "slider")}
    joints = {name: {"type": "revolute", "parent": a, "child": b, "axis": "z"} for name, (a, b) in ends.items()}
    joints["D"] |= {"type": "prismatic", "axis": "x", "cut": True}
    for name, axis in axes.items():
        joints[name]["axis"] = axis
    bodies = {"crank": bar(0.3), "rod": bar(0.9), "slider": {"mass": 1, "inertia": [1, 1, 1]}}
    return cardan.Model(bodies=bodies, joints=joints, initial={"A": 1.0, "B": {"guess": -1.3}})


def test_a_wrong_axis_is_named_when_a_slider_closes_the_loop():
    assert cardan.assemble(slider_crank_in_space()).residual <= CLOSED
    with pytest.raises(AssemblyError, match=r"axis of 'B' is 45 deg off those of C and A, which are parallel"):
        cardan.assemble(slider_crank_in_space(B=[1, 0, 1]))


def test_equations_that_contradict_each_other_are_named_together():
    two = {"near": 1.0, "far": 1.4}
    rods = {name: {"type": "distance", "child": "two.tip", "length": length} for name, length in two.items()}
    bodies, joints = chain().bodies, chain().joints
    with pytest.raises(AssemblyError, match=r"'far'.*against 'near'|'near'.*against 'far'"):
        cardan.assemble(cardan.Model(bodies=bodies, joints=joints, constraints=rods))


def test_a_held_coordinate_too_many_is_named_with_the_value_it_would_have():
    model = four_bar(planar="xy")
    right = cardan.assemble(model, {"a": 0.7, "d": {"guess": 1.5}}).q["d"]
    with pytest.raises(AssemblyError, match=r"held coordinate 'd' over-determines .* while a is held") as caught:
        cardan.assemble(model, {"a": 0.7, "d": 1.5})
    assert caught.value.owner == "d"
    assert caught.value.values["d"] == pytest.approx(right, abs=1e-9)
    assert "guess" in str(caught.value)


def test_a_held_coordinate_out_of_reach_is_named_alone():
    with pytest.raises(AssemblyError, match=r"held coordinate 'a' over-determines the mechanism: a = 3 cannot be kept"):
        cardan.assemble(triangle(), {"a": 3.0})


def test_several_held_too_many_are_named_together():
    with pytest.raises(AssemblyError, match=r"held coordinates a, b over-determine .*\n.*make guesses"):
        cardan.assemble(triangle(), {"a": 3.0, "b": 0.1})


def test_several_held_too_many_are_named_with_the_motions_beside_them():
    bar = {"mass": 1, "com": [0.25, 0, 0], "inertia": [0, 0.1, 0.1], "markers": {"end": {"position": [0.5, 0, 0]}}}
    model = cardan.Model(
        planar="xy",
        bodies={"one": bar, "two": bar},
        joints={
            "a": {"type": "revolute", "parent": "ground", "child": "one", "axis": "z"},
            "b": {"type": "revolute", "parent": "one.end", "child": "two", "axis": "z"},
        },
        motions={"two.end.position": {"value": [0.6, 0.1], "by": ["a", "b"]}},
        initial={"a": 0.3, "b": -0.2},
    )
    words = (
        r"held coordinates a, b over-determine the mechanism beside the motions 'two.end.position'\n.*that is left free"
    )
    with pytest.raises(AssemblyError, match=words):
        cardan.simulate(model, 0.1)


def test_one_held_coordinate_of_a_joint_leaves_its_others_free():
    assembly = cardan.assemble(
        planar_3rrr(), {"platform.x": 0.05, "platform.y": {"guess": 0.3}, "platform.rz": {"guess": 0.1}}
    )
    assert assembly.q["platform.x"] == 0.05
    assert assembly.residual <= CLOSED


def test_a_quaternion_is_held_and_released_as_a_whole():
    bodies = {"ball": bar(1)}
    joints = {"pivot": {"type": "spherical", "parent": "ground", "child": "ball"}}
    rod = {"rod": {"type": "distance", "parent": "ground", "child": "ball.tip", "length": 2}}
    with pytest.raises(AssemblyError, match="'rod' does not close"):
        cardan.assemble(cardan.Model(bodies=bodies, joints=joints, constraints=rod))
    height = {"level": {"type": "expression", "expression": "ball.tip.z - 0.3"}}
    model = cardan.Model(bodies=bodies, joints=joints, constraints=height)
    assert cardan.assemble(model).positions["ball.tip"][2] == pytest.approx(0.3, abs=CLOSED)
    with pytest.raises(AssemblyError, match=r"'pivot' over-determines .* pivot\.q[wxyz] = "):
        cardan.assemble(model, {"pivot.qw": 1.0})


def test_a_run_of_what_cannot_move_says_so_and_what_to_change():
    with pytest.warns(
        ModelWarning, match=r"cannot move.*top; the run shows its loads at rest; .*leave one of them out"
    ):
        run = cardan.simulate(triangle(), until=1.0)
    assert run.ok


@each("kind, turns", [("spherical", [1, 2, 3]), ("free", [4, 5, 6])])
def test_an_attitude_is_held_as_a_whole(kind, turns):
    joints = {
        "slide": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
        "ball": {"type": kind, "parent": "cart", "child": "top"},
    }
    bodies = {name: {"mass": 1, "inertia": [1, 1, 1]} for name in ("cart", "top")}
    system = build_system(cardan.Model(bodies=bodies, joints=joints), "none")
    assert held_velocities(system, {f"ball.{part}.q" for part in ("qw", "qx", "qy", "qz")}) == turns
    assert held_velocities(system, {"slide.q"}) == [0]


def test_a_body_that_is_fixed_twice_hangs_on_both_alike():
    joints = {name: {"type": "fixed", "parent": "ground", "child": "plate"} for name in ("front", "back")}
    model = cardan.Model(bodies={"plate": {"mass": 1, "inertia": [1, 1, 1]}}, joints=joints)
    report = cardan.mobility(model)
    assert (report.degrees_of_freedom, report.cut, len(report.redundant)) == (0, ("back",), 6)
    with pytest.warns(ModelWarning, match="cannot move: all joints that carry its bodies are fixed"):
        run = cardan.simulate(model, times=[0.0])
    for name in ("front", "back"):
        assert run[f"{name}.reaction_force"].values[0, 2] == pytest.approx(9.81 / 2)
        assert run[f"{name}.reaction_force"].attrs["unique"] == "no, no, no"


def test_what_has_no_freedom_but_follows_time_may_run():
    driven = {"pace": {"type": "expression", "expression": "a - 0.7 - 2*t"}}
    model = four_bar(
        (1, 2, 1), 2.0, planar="xy", constraints=driven, initial={"b": {"guess": -0.7}, "d": {"guess": 0.7}}
    )
    run = cardan.simulate(model, times=[0, 0.25, 0.5])
    assert run.ok
    assert run.array("a.q") == pytest.approx([0.7, 1.2, 1.7], abs=1e-7)
    assert run.array("d.q") == pytest.approx([0.7, 1.2, 1.7], abs=1e-7)


def test_equations_that_no_velocities_satisfy_are_named():
    paces = {
        name: {"type": "expression", "expression": f"shoulder - {rate}*t"} for name, rate in (("slow", 1), ("fast", 2))
    }
    model = cardan.Model(bodies=chain().bodies, joints=chain().joints, constraints=paces)
    with pytest.raises(AssemblyError, match="no velocities satisfy 'slow', 'fast' together") as caught:
        cardan.assemble(model)
    assert caught.value.owner == "slow"


@each("equation", ["(shoulder - 0.4)**2", "(shoulder - 0.4)**2 + elbow**2"])
def test_an_equation_that_only_touches_zero_is_refused(equation):
    """No force is needed or possible where its derivatives vanish; the run would go its own way."""
    model = chain().replace(constraints={"stop": {"type": "expression", "expression": equation}})
    with pytest.raises(AssemblyError, match=r"'stop' cannot be enforced.*\n.*not its square"):
        cardan.simulate(model, until=1.0)


def rods(size, closing):
    """Two cranks of 1.5 and 2 lengths, 3 apart, and a rod of 2.6 lengths or a joined body that binds them."""
    end = {"mass": 1, "inertia": [0, 0, size**2]}
    rod = {"rod": {"type": "distance", "parent": "left.tip", "child": "right.tip", "length": 2.6 * size}}
    hinge = {"type": "revolute", "axis": "z"}
    joints = {
        "left": hinge | {"parent": "ground", "child": "left"},
        "base": {"type": "fixed", "parent": "ground", "child": "base"},
        "right": hinge | {"parent": "base.at", "child": "right"},
    }
    bodies = {
        "left": end | {"markers": {"tip": {"position": [1.5 * size, 0, 0]}}},
        "right": end | {"markers": {"tip": {"position": [2 * size, 0, 0]}}},
        "base": {"markers": {"at": {"position": [3 * size, 0, 0]}}},
    }
    if closing == "joint":
        bodies |= {"coupler": {"mass": 0, "markers": {"tip": {"position": [2.6 * size, 0, 0]}}}}
        joints |= {
            "pin": hinge | {"parent": "left.tip", "child": "coupler"},
            "end": hinge | {"parent": "coupler.tip", "child": "right.tip", "cut": True},
        }
    return cardan.Model(
        planar="xy",
        gravity=[0, -9.81 * size, 0],
        bodies=bodies,
        joints=joints,
        constraints=rod if closing == "rod" else {},
        initial={"left": 1.0, "right": {"guess": 1.4}, **({"pin": {"guess": -0.9}} if closing == "joint" else {})},
    )


@each("closing", ["rod", "joint"])
def test_the_size_of_a_mechanism_does_not_matter_or_is_refused(closing):
    """With gravity in proportion it moves alike, to the absolute tolerances of its loops; never without its rod."""
    least = {"rod": 3e-4, "joint": 1e-6}[closing]
    angle = cardan.simulate(rods(1.0, closing), times=[0.0, 1.0], motors="none").array("right.q")
    for size in (1e-2, 1e-3, least):
        run = cardan.simulate(rods(size, closing), times=[0.0, 1.0], motors="none")
        np.testing.assert_allclose(run.array("right.q"), angle, rtol=0, atol=1e-3)  # 1e-10 m² of the rod's 7e-7 m²
    for size in (1e-5, 1e-6) if closing == "rod" else (1e-8, 1e-9):
        with pytest.raises(AssemblyError, match=r"as small as round-off.*\n.*a larger unit of length"):
            cardan.simulate(rods(size, closing), until=1.0, motors="none")


def test_a_constraint_that_holds_anyway_is_no_fault():
    """All its equations are redundant, and nothing binds the slide."""
    slot = {"slot": {"type": "point_on_line", "child": "cart", "axis": "x"}}
    slide = {"x": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}}
    model = cardan.Model(bodies={"cart": {"mass": 2}}, joints=slide, constraints=slot, initial={"x.v": 1.0})
    run = cardan.simulate(model, times=[0.0, 0.5])
    assert run.array("x.q")[-1] == pytest.approx(0.5, abs=1e-12)
    shared = run.array("slot.force") + run.array("x.reaction_force")
    assert shared[-1] == pytest.approx([0, 0, 2 * 9.81], abs=1e-12)
    assert run.array("slot.force")[-1] == pytest.approx([0, 0, 9.81], abs=1e-12)  # half each: the least squares


@each("size", [1.0, 1e2, 1e4])
def test_long_rods_close_as_short_ones_do(size):
    def crank(length):
        return {"mass": 1, "inertia": [1, 1, 1], "markers": {"tip": {"position": [length * size, 0, 0]}}}

    hinge = {"type": "revolute", "parent": "ground", "axis": "z"}
    model = cardan.Model(
        planar="xy",
        bodies={"base": {"markers": {"D": {"position": [2 * size, 0, 0]}}}, "left": crank(1), "right": crank(1.7)},
        joints={
            "base": {"type": "fixed", "parent": "ground", "child": "base"},
            "A": hinge | {"child": "left"},
            "D": hinge | {"parent": "base.D", "child": "right"},
        },
        constraints={"rod": {"type": "distance", "parent": "left.tip", "child": "right.tip", "length": 1.9 * size}},
        initial={"D": {"guess": 1.5}},
    )
    for a in np.linspace(0.1, 2, 20):
        d = cardan.assemble(model, {"A": float(a)}).q["D"]
        apart = 2 + 1.7 * np.exp(1j * d) - np.exp(1j * a)
        assert abs(apart) == pytest.approx(1.9, rel=1e-13)  # round-off
