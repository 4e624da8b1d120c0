"""Joints that stick and move only together, where friction follows loads, beside stops by impact.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over some ten events.
"""

import numpy as np
import pytest

import cardan
from tests.truths.test_load_friction_of_one_freedom import CASES, FINE, INERTIAS, L1, L2, MASSES, slider_crank, speeds

pytestmark = pytest.mark.exhaustive

START = np.radians(40)
JOINTS = ("crank", "pin", "wrist", "slide")
EFFORTS = {name: {"effort": effort} for name, effort in zip(JOINTS, (0.2, 0.1, 0.1, 1.0), strict=True)}
LOAD, PLAY = 0.4, 0.05


def carrying(laws):
    """A slider-crank in a horizontal plane that rubs in all joints; on its slider a block moves between two stops."""
    model = slider_crank(laws, {"crank": START}, parameters={"e": 0.5}).replace(gravity=[0, 0, 0])
    limits = {"lower": -PLAY, "upper": PLAY, "restitution": "e"}
    load = {"type": "prismatic", "parent": "slider", "child": "load", "axis": "x", "limits": limits}
    bodies = {**model.bodies, "load": {"mass": LOAD, "inertia": [0, 0, 0.01]}}
    return model.replace(bodies=bodies, joints={**model.joints, "load": load})


def simulate(model, until, **more):
    run = cardan.simulate(model, until=until, method="dop853", **more, **FINE)
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    return run


def inertia(q):
    """Mass of the slider-crank along the angle of its crank [kg m²]."""
    rates = speeds(q, 1.0)
    turn, forward = rates[1] + 1, rates[3]
    lean = np.arcsin(-L1 * np.sin(q) / L2)
    at_pin = L1 * np.array([-np.sin(q), np.cos(q)])
    centre = at_pin + L2 / 2 * turn * np.array([-np.sin(lean), np.cos(lean)])
    m1, m2, m3 = MASSES
    return m1 * L1**2 / 4 + INERTIAS[0] + m2 * centre @ centre + INERTIAS[1] * turn**2 + m3 * forward**2


@pytest.mark.parametrize("initial", [{"crank.v": 4.0}, {"load.v": 2.0}])
def test_an_impact_sets_joints_that_hold_each_other_under_loads_in_motion(initial):
    """The impulse P of the first impact: I Δω = −P dx/dφ on the crank, m Δv = P on the block; Δv' = −(1 + e) v'."""
    run = simulate(carrying(CASES["mixed"][0]), 1.5, initial=initial)
    met = next(event for event in run.events if event.did.startswith("meets"))
    after = int(np.searchsorted(run.t, met.t, side="right")) - 1
    before = after - 1
    assert run.t[before] == run.t[after] == met.t
    q = run["crank.q"].values[after]
    w, v = run["crank.v"].values[[before, after]], run["load.v"].values[[before, after]]
    forward = speeds(q, 1.0)[3]
    assert v[1] == pytest.approx(-0.5 * v[0], abs=1e-9)
    whole = v + forward * w
    assert inertia(q) * (w[1] - w[0]) == pytest.approx(-LOAD * (whole[1] - whole[0]) * forward, abs=1e-9)
    if "load.v" in initial:
        assert w[0] == 0
        assert {(event.name, event.t) for event in run.events if event.name in JOINTS} >= {(k, met.t) for k in JOINTS}
    assert [run[f"{name}.sticking"].values[-1] for name in JOINTS] == [1] * 4


def test_a_ball_that_bounces_elsewhere_changes_nothing():
    laws, *_ = CASES["mixed"]
    alone = slider_crank(laws, {"crank": START, "crank.v": 4.0})
    drop = {"type": "prismatic", "parent": "ground", "child": "ball", "axis": "y"}
    drop |= {"limits": {"lower": -1, "restitution": 0.8}}
    both = alone.replace(bodies={**alone.bodies, "ball": {"mass": 1}}, joints={**alone.joints, "drop": drop})
    one, two = simulate(alone, 2.0), simulate(both, 2.0)
    own = [event for event in two.events if event.name in JOINTS]
    assert [(event.name, event.did) for event in one.events] == [(event.name, event.did) for event in own]
    np.testing.assert_allclose([event.t for event in one.events], [event.t for event in own], rtol=0, atol=1e-8)
    assert two["crank.q"].values[-1] == pytest.approx(one["crank.q"].values[-1], abs=1e-8)
    first = np.sqrt(2 / 9.81)
    met = [event.t for event in two.events if event.name == "drop"]
    assert met[:3] == pytest.approx([first, first * 2.6, first * (2.6 + 1.28)], abs=1e-9)
