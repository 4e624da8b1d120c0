"""Powers of runs whose friction or stops follow from loads and accelerations, against results of these runs.

Tolerances: sources and dampers are products of results, equal but for round-off of least squares; heat is integrated,
and its rate a central difference over 2h, with an error of about h² times its third derivative.
"""

from dataclasses import replace

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.selection import few
from tests.truths.rubbing_mechanisms import BALL, one_body
from tests.truths.test_friction_of_closing_joints import slider_crank

ROUND_OFF = 1e-9
FINE = {"rtol": 1e-10, "atol": 1e-12}
H = 1e-4  # s


def powers_of_friction(flow, name):
    """Sum over the sources of friction of a joint or constraint [W]."""
    ends = ("friction", "force_source", "moment_source")
    return sum(power for bond, power in flow.powers.items() if bond.split(" > ")[0] in {f"{name}.{x}" for x in ends})


def heating(run, name, k):
    """Rate of the heat of friction at the k-th instant [W]."""
    t, heat = run.t, run.array(f"{name}.heat")
    return (heat[k + 1] - heat[k - 1]) / (t[k + 1] - t[k - 1])


def test_friction_of_a_thread_takes_its_power_from_the_hand():
    run = cardan.simulate(cardan.load("screw_press"), until=0.6)
    flow = cardan.power_flow(run, at=0.5)
    k = int(np.argmin(np.abs(run.t - flow.t)))
    v, a, friction = (run.array(f"turn.{what}")[k] for what in ("v", "a", "friction"))
    expected = {
        "turn.effort > turn.rate": -25 * v,
        "turn.friction > turn.rate": friction * v,
        "turn.rate > turn.difference": (friction - 25) * v,
        "spindle.spin > spindle.inertia": 0.6 * a * v,
        "spindle.spin > spindle.gyration": 0,  # it turns about one axis
    }
    found = {name: flow.powers[name] for name in expected}
    assert found == pytest.approx(expected, rel=ROUND_OFF, abs=ROUND_OFF * 511)
    assert friction * v < -28


@pytest.mark.parametrize("cut", few(["pin", "slide", "wrist"], 1))
def test_a_damper_of_a_loop_has_its_power_beside_friction_under_loads(cut):
    pin, guide = {"coefficient": 0.1, "radius": 0.02}, {"coefficient": 0.1}
    laws = {"crank": pin, "pin": pin, "wrist": pin, "slide": guide}
    damped = "crank" if cut == "slide" else "slide"
    model = slider_crank(cut, laws, push="40")
    model = model.replace(joints={**model.joints, damped: model.joints[damped].replace(damping=3)})
    run = cardan.simulate(model, times=0.2 + H * np.arange(3), **FINE)
    flow = cardan.power_flow(run, at=0.2 + H)
    v = run.array(f"{damped}.v")[1]
    assert flow.powers[f"{damped}.rate > {damped}.damper"] == pytest.approx(3 * v**2, rel=ROUND_OFF)
    for name in laws:
        assert powers_of_friction(flow, name) == pytest.approx(-heating(run, name, 1), rel=1e-5)


@pytest.mark.parametrize("law", [{"coefficient": 0.2}, {"coefficient": 0.2, "regularize": 0.3, "viscous": 0.1}])
def test_balls_have_the_power_of_their_heat(law):
    spun = {f"joint.w{axis}": speed for axis, speed in zip("xyz", (1.5, -2.0, 3.0), strict=True)}
    ball = one_body({"type": "spherical", "friction": {**law, "radius": 0.05}}, BALL, initial=spun)
    run = cardan.simulate(ball, times=0.1 + H * np.arange(3), **FINE)
    flow = cardan.power_flow(run, at=0.1 + H)
    lost = heating(run, "joint", 1)
    assert lost > 0.01
    assert powers_of_friction(flow, "joint") == pytest.approx(-lost, rel=1e-5)


@pytest.mark.parametrize("by", ["friction", "stop"])
def test_a_joint_that_is_held_takes_no_power_and_changes_none(by):
    """A carriage at rest under a pendulum with a damper: its powers are those on a fixed pivot."""
    held = {"friction": {"effort": 1e3}} if by == "friction" else {"limits": {"lower": 0}}
    joints = {
        "rail": {"type": "prismatic", "parent": "ground", "child": "carriage", "axis": "x", **held},
        "swing": {"type": "revolute", "parent": "carriage", "child": "arm", "axis": "y", "damping": 0.2},
    }
    arm = {"mass": 1, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.1]}
    model = cardan.Model(
        gravity=[0, 0, -9.81],
        bodies={"carriage": {"mass": 2}, "arm": arm},
        joints=joints,
        forces={"push": {"type": "force", "child": "carriage", "value": [-100, 0, 0]}},
        initial={"rail": 0, "swing": 0.5},
    )
    run = cardan.simulate(model, times=[0, 0.1, 0.2])
    flow = cardan.power_flow(run, at=0.1)
    assert flow.powers["swing.rate > swing.damper"] == pytest.approx(0.2 * run.array("swing.v")[1] ** 2, rel=ROUND_OFF)
    assert flow.powers[f"rail.{by} > rail.rate"] == 0
    fall = -9.81 * 0.5 * np.sin(run.array("swing.q")[1]) * run.array("swing.v")[1]
    assert flow.powers["arm.weight > arm.velocity"] == pytest.approx(fall, rel=ROUND_OFF)


def test_drives_overcome_friction_of_kinetostatics():
    model = slider_crank("wrist", {"slide": {"coefficient": 0.2}, "crank": {"effort": 3.0}})
    run = cardan.kinetostatics(model, [0.0, 0.1, 0.2], motions={"crank": "0.3 + 2*t"})
    flow = cardan.power_flow(run, at=0.1)
    v, drive, friction = (run.array(f"crank.{what}")[1] for what in ("v", "effort", "friction"))
    assert flow.powers["crank.drive > crank.rate"] == pytest.approx(drive * v, rel=ROUND_OFF)
    assert flow.powers["crank.friction > crank.rate"] == pytest.approx(friction * v, rel=ROUND_OFF)
    lost = run.array("slide.friction")[1] * run.array("slide.v")[1]
    assert powers_of_friction(flow, "slide") == pytest.approx(lost, rel=ROUND_OFF)
    assert lost < 0


def test_graphs_without_a_run_name_what_they_leave_out():
    model = slider_crank("wrist", {"slide": {"coefficient": 0.2}, "crank": {"effort": 3.0}})
    assert cardan.bond_graph(model).left_out == (
        "Not in the graph: friction that follows the load of its joint (slide).",
    )
    assert "(slide)." in repr(cardan.bond_graph(model))
    moved = slider_crank("wrist", {"crank": {"effort": 3.0, "prescribed": True}})
    moved = moved.replace(initial={}, motions={"crank": "t"})
    assert "takes its sign from a motion (crank)" in cardan.bond_graph(moved).left_out[0]
    assert cardan.power_flow(cardan.simulate(model, until=0.1), at=0).graph.left_out == ()


def test_results_that_do_not_balance_or_are_missing_are_refused():
    run = cardan.simulate(cardan.load("screw_press"), until=0.2)
    wrong = replace(run, evaluate=lambda names: {name: 1.01 * y for name, y in run.evaluate(names).items()})
    with pytest.raises(ModelError, match=r"the results of the run do not balance at t = 0\.1 s, at '.*'"):
        cardan.power_flow(wrong, at=0.1)
    lost = replace(run, evaluate=lambda names: {name: np.nan * y for name, y in run.evaluate(names).items()})
    with pytest.raises(ModelError, match=r"do not balance at t = 0\.1 s"):
        cardan.power_flow(lost, at=0.1)
    few = replace(run, channels={name: run.channels[name] for name in run.names if name != "turn.friction"})
    with pytest.raises(ModelError, match=r"the run has no result 'turn.friction'"):
        cardan.power_flow(few, at=0.1)
