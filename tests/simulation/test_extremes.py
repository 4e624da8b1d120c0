"""Extremes of a run are those of the motion, not of its instants."""

import math
import pickle

import numpy as np
import pytest
from tests.selection import each

import cardan

PENDULUM = "compound_pendulum"


def test_the_peak_current_of_the_crane():
    """Between two instants 5 ms apart; the truth is from Rodas5P with rtol 1e-11 and steps of 0.05 ms."""
    run = cardan.simulate(cardan.load("overhead_crane"))
    smallest, largest = run.extremes(["drive.current"])["drive.current"]
    assert smallest == 0
    assert largest == pytest.approx(8.43700525, rel=1e-7)  # ten times the tolerance of a step
    assert run.array("drive.current").max() < 8.43  # what the instants show
    assert run.array("drive.current")[0] == 0


@each("options", [{}, {"method": "tsit5"}, {"method": "rodas5p"}, {"method": "rk4", "step": 0.01}])
def test_amplitudes_of_a_pendulum_do_not_depend_on_its_instants(options):
    """The angle returns to its start; a hundred times as many instants show the speed at the bottom."""
    model = cardan.load(PENDULUM)
    run = cardan.simulate(model, until=7.3, initial={"pendulum": 1.0}, **options)
    (low, high), (back, forth) = run.extremes().values()
    assert (float(low), float(high)) == (pytest.approx(-1.0, rel=1e-6), pytest.approx(1.0, rel=1e-6))
    fine = cardan.simulate(model, initial={"pendulum": 1.0}, times=np.linspace(0, 2, 200_001), rtol=1e-11, atol=1e-12)
    assert float(back) == pytest.approx(-float(forth), rel=1e-6)
    assert float(forth) == pytest.approx(np.abs(fine.array("pendulum.v")).max(), rel=1e-6)


def test_a_kink_is_not_smoothed():
    """The speed grows until the force turns, and that instant is met exactly."""
    block = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 2}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
        inputs={"rail": "if(t < 0.3017, 3, -6)"},
    )
    run = cardan.simulate(block, 1.0, motors="none")
    assert run.extremes(["rail.v"])["rail.v"][1] == pytest.approx(1.5 * 0.3017, rel=1e-12)


@each("method", ["dop853", "tsit5", "rodas5p"])
def test_a_peak_just_after_an_event(method):
    """A block that a unit force drives into a spring: v² = 1 + 1/k at the most, though v is less at the next instant.

    From rest 0.5 m before the spring it comes there with 1 m/s, and gains speed up to x = 1/k, where forces balance.
    """
    block = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 1}},
        joints={
            "rail": {
                "type": "prismatic",
                "parent": "ground",
                "child": "block",
                "axis": "x",
                "limits": {"upper": 0, "stiffness": 3000, "damping": 0},
            }
        },
        inputs={"rail": 1},
        initial={"rail": -0.5},
    )
    run = cardan.simulate(block, 1.2, method=method)
    assert run.array("rail.v").max() == pytest.approx(1.0, abs=1e-6)  # the instants show the speed at the event
    # rtol 1e-8 in each of some ten steps; the parabola through instants 0.0014 rad of the oscillation apart errs less
    assert run.extremes(["rail.v"])["rail.v"][1] == pytest.approx(math.sqrt(1 + 1 / 3000), abs=1e-7)
    swept = cardan.sweep(block, 1.2, inputs={"rail": [1.0, 1.001]}, outputs=["max(rail.v)"], method=method)
    assert swept["max(rail.v)"].values[0] == pytest.approx(math.sqrt(1 + 1 / 3000), abs=1e-7)


@each("name", [PENDULUM, "overhead_crane", "slider_crank"])
def test_the_number_of_returned_instants_never_changes_an_extreme(name):
    """Not in a single digit; works have extremes too."""
    model = cardan.load(name)
    whole = cardan.simulate(model, 1.0)
    names = [*whole.state_names, "work.input", *(f"{body}.position" for body in model.bodies)]
    wanted = whole.extremes(names)
    for times in ([0.0, 1.0], np.linspace(0, 1, 21), np.linspace(0, 1, 3001)):
        run = cardan.simulate(model, times=times)
        assert len(run) == len(times)
        found = run.extremes(names)
        for key, extent in wanted.items():
            assert np.array_equal(found[key], extent)
            assert np.array_equal(found[key].t_largest, extent.t_largest)
    assert pickle.loads(pickle.dumps(run)).extremes(["work.input"])["work.input"][1] == run.array("work.input").max()


def test_the_instants_of_extremes():
    """x = sin(2 t): its peak at π/4, between two instants; a parabola finds it to its step over 128, squared."""
    joints = {"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x", "stiffness": 4}}
    block = cardan.Model(gravity=[0, 0, 0], bodies={"block": {"mass": 1}}, joints=joints, initial={"rail.v": 2})
    extent = cardan.simulate(block, 3.0).extremes(["rail.q"])["rail.q"]
    assert (float(extent.t_largest), float(extent.t_smallest)) == (
        pytest.approx(math.pi / 4, abs=1e-6),
        pytest.approx(3 * math.pi / 4, abs=1e-6),
    )


def test_both_sides_of_a_jump_count():
    """A ramp of force that falls from 3 t to −1 N: the acceleration reaches 1.5 t1 just before, and is −0.5 after."""
    t1 = 0.3017
    block = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 2}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
        parameters={"t1": t1},
        inputs={"rail": "if(t < t1, 3*t, -1)"},
        outputs={"a": "rail.a"},
    )
    run = cardan.simulate(block, 1.0, motors="none")
    assert run.array("a").max() == pytest.approx(1.5 * t1, rel=1e-12)  # the record has both rows
    assert run.extremes(["a"])["a"] == (pytest.approx(-0.5, rel=1e-12), pytest.approx(1.5 * t1, rel=1e-12))
    swept = cardan.sweep(block, 1.0, parameters={"t1": [0.3017, 0.41]}, outputs=["max(a)", "a"], times=[0.0, 1.0])
    assert swept["max(a)"].values == pytest.approx([1.5 * 0.3017, 1.5 * 0.41], rel=1e-12)


def test_files_and_pickles_have_the_extremes_of_their_instants():
    model = cardan.load(PENDULUM)
    whole = cardan.simulate(model, 1.0, initial={"pendulum": 1.0})
    again = pickle.loads(pickle.dumps(whole))
    assert again.extremes()["pendulum.q"] == (whole.array("pendulum.q").min(), whole.array("pendulum.q").max())
    with pytest.raises(KeyError, match=r"pendulum\.q"):
        whole.extremes(["pendulum.s"])
