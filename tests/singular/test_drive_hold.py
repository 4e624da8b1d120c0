"""Drives that lose their hold during a run: the status names the drive, its motion and the position."""

from math import pi

import numpy as np
import pytest

import cardan
from tests.selection import each

START = 0.5  # angle of the crank at the start [rad]


def crane(**more):
    """A load on a rod of 1 m below a trolley."""
    load = {"mass": 1, "com": [0, 0, -1], "markers": {"hook": {"position": [0, 0, -1]}}}
    swing = {"type": "revolute", "parent": "trolley", "child": "load", "axis": [0, -1, 0]}
    return cardan.Model(
        planar="xz",
        bodies={"trolley": {"mass": 2}, "load": load},
        joints={"travel": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"}, "swing": swing},
        initial={"swing": {"guess": 1.0}},
        **more,
    )


@each("settings, error", [({}, 1e-3), ({"method": "rk4", "step": 0.001}, 2e-3)])
def test_a_trolley_cannot_lift_its_load_past_the_horizontal(settings, error):
    """The height −0.6 + 0.8 t of the load is that of the trolley at 0.75 s; there the rod is horizontal."""
    model = crane(motions={"load.hook.z": {"value": "-0.6 + 0.8*t", "by": ["travel"]}})
    run = cardan.simulate(model, until=1.4, **settings)
    assert run.status == "drive_lost"
    assert run.t[-1] == pytest.approx(0.75, abs=error)
    assert "effort of travel does not move 'load.hook.z'" in run.message
    assert "swing = 1.571 rad" in run.message
    assert len(run) > 100


def test_feedback_loses_its_hold_there_too():
    line = {"type": "program", "expression": "load.hook.z + 0.6 - 0.8*t", "by": ["travel"]}
    model = crane(constraints={"line": {**line, "feedback": {"kp": 100, "kd": 20}}})
    run = cardan.simulate(model, until=1.4, initial={"swing": float(np.arccos(0.6)), "swing.v": 1.0})
    assert run.status == "drive_lost"
    assert "effort of travel does not move 'line'" in run.message


def test_a_slider_cannot_drive_its_crank_through_the_dead_centre():
    motions = {"crank": {"value": f"{START} + 2*pi*t", "by": ["slide"]}}
    model, times = cardan.load("slider_crank"), np.linspace(0, 1, 201)
    loads = cardan.kinetostatics(model, times, motions=motions, motors="none")
    assert loads.status == "drive_lost"
    dead = (pi - START) / (2 * pi)
    assert f"at t = {dead:.5f}" in loads.message
    assert "effort of slide does not move 'crank'" in loads.message
    assert loads.t.tolist() == times[times < dead].tolist()  # the earlier part is whole
    before = cardan.kinetostatics(model, times[times < dead], motions=motions, motors="none")
    assert before.ok
    assert before.array("slide.effort") == pytest.approx(loads.array("slide.effort"), rel=1e-9)


def test_drives_that_keep_their_hold_are_no_event():
    model = crane(motions={"load.hook.z": {"value": "-0.6 + 0.2*t", "by": ["travel"]}})
    assert cardan.simulate(model, until=1.0).ok


@each("realize", ["minimum_norm", "ideal", {"limits": {"phi1": 200, "phi2": 200}}])
@pytest.mark.filterwarnings("ignore:the effort on")
def test_links_without_mass_have_no_inertia_where_they_are_stretched_out(realize):
    model = cardan.load("digging_machine_minimum_norm")
    line = model.constraints["line"].replace(realize=realize)
    run = cardan.simulate(model.replace(constraints={"line": line}), until=1.5)
    assert run.status == "drive_lost"
    assert "no inertia along phi1 and phi2" in run.message
    assert "phi2 = 3.142 rad" in run.message
    assert "'line'" in run.message


@each(
    "expression, realize, time, lost",
    [
        ("x - 2*t*y", {"share": {"x": 1, "y": 1}}, 0.5, "the efforts of x, y, in these proportions, do not move 'law'"),
        ("x - (1 - t)*y", {"zero": ["x"]}, 1.0, "the effort of y does not move 'law'"),
        ("x - (1 - t)*y", {"given": {"x": 0.5}}, 1.0, "the effort of y does not move 'law'"),
    ],
)
def test_drives_lose_their_hold_by_the_rule_that_shares_the_efforts(expression, realize, time, lost):
    """Two equal masses: τ on both moves x − 2 t y by (1 − 2 t) τ, τ on y alone moves x − (1 − t) y by (t − 1) τ.

    The effort on x alone moves both relations at all times.
    """
    law = {"type": "program", "expression": expression, "by": ["x", "y"], "realize": realize}
    slide = {"type": "prismatic", "parent": "ground", "axis": "x"}
    model = cardan.Model(
        bodies={"a": {"mass": 1}, "b": {"mass": 1}},
        joints={"x": {**slide, "child": "a"}, "y": {**slide, "child": "b"}},
        constraints={"law": law},
        initial={"x": 0, "y": 0, "y.v": 1},
    )
    run = cardan.simulate(model, until=2 * time)
    assert run.status == "drive_lost"
    assert run.t[-1] == pytest.approx(time, abs=2e-3 * time)
    assert lost in run.message
    assert "choose another realize:" in run.message
