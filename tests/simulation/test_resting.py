"""What rests under a changing force moves when it has to: no state tells the steps of the force."""

import numpy as np
import pytest
from tests.selection import each

import cardan

WAVES = "a*sin(w*t) + b*sin(w2*t)"


def block(**joint):
    return cardan.Model(
        name="block",
        planar="xz",
        parameters={"a": 2, "b": 3.5, "w": 9, "w2": 1.7, "c": 0},
        bodies={"block": {"mass": 1}},
        joints={"s": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x", **joint}},
        inputs={"s": f"c + {WAVES}"},
    )


@each("w, w2", [(9.0, 1.7), (5.0, 0.6), (30.0, 1.0), (3.0, 4.0), (61.0, 0.7)])
def test_every_breakaway_is_found(w, w2):
    """The force passes 4.9 N in short peaks of two waves: friction never holds more, and short steps change nothing."""
    model, values = block(friction={"effort": 4.9}), {"w": w, "w2": w2}
    run = cardan.simulate(model, until=10, parameters=values)
    short = cardan.simulate(model, until=10, parameters=values, max_step=0.01)
    held = run.array("s.sticking") == 1
    assert np.abs(run.array("s.friction"))[held].max() <= 4.9 * (1 + 1e-9)  # instants of events are known to round-off
    assert len(run.events) == len(short.events) > 0
    assert run.array("s.q")[-1] == pytest.approx(short.array("s.q")[-1], abs=1e-8)  # rtol of both runs


def test_a_stop_never_pulls():
    values = {"a": 2.0, "b": 1.5, "c": -3.0}
    model = block(limits={"lower": 0})
    run, short = (cardan.simulate(model, until=10, parameters=values, **more) for more in ({}, {"max_step": 0.005}))
    assert run.array("s.stop_force").min() > -1e-9
    assert len(run.events) == len(short.events) > 0
    assert run.array("s.impact_heat")[-1] == pytest.approx(short.array("s.impact_heat")[-1], rel=1e-6)
