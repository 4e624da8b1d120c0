"""A run warns where it gains or loses more energy than its method explains, and only there."""

import re
import warnings

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelWarning
from cardan.simulation.checks.energy_check import VISIBLE, is_doubtful
from cardan.simulation.phases import integrate_phases

BALANCE = "the energy balance is off by"


def warnings_of(model, **options):
    """The run and the texts of its warnings about energy."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = cardan.simulate(model, **options)
    return run, [str(w.message) for w in caught if issubclass(w.category, ModelWarning) and BALANCE in str(w.message)]


def spatial_slider_crank():
    """A crank that drives a slider across its plane: spherical joint and universal joint; no forces."""
    rod = {
        "mass": 0.5,
        "com": [0.15, 0, 0],
        "inertia": [4e-4, 4e-3, 4e-3],
        "markers": {"end": {"position": [0.3, 0, 0]}},
    }
    crank = {
        "mass": 0.12,
        "com": [0, 0, 0.04],
        "inertia": [1e-4, 1e-4, 1e-5],
        "markers": {"pin": {"position": [0, 0, 0.08]}},
    }
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={
            "base": {"markers": {"axle": {"position": [0, 0.1, 0.12]}}},
            "crank": crank,
            "rod": rod,
            "slider": {"mass": 2.0, "inertia": [1e-4, 1e-4, 1e-4]},
        },
        joints={
            "frame": {"type": "fixed", "parent": "ground", "child": "base"},
            "crank": {"type": "revolute", "parent": "base.axle", "child": "crank", "axis": "x"},
            "ball": {"type": "spherical", "parent": "crank.pin", "child": "rod"},
            "slide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
            "cross": {"type": "universal", "parent": "slider", "child": "rod.end", "axes": ["z", "y"], "cut": True},
        },
        initial={"crank": 0, "crank.v": 6.0, "slide": {"guess": 0.2}},
    )


def test_energy_lost_by_coarse_steps_is_said_with_its_amount_and_a_cure():
    model = cardan.load("four_bar")
    run, (text,) = warnings_of(model, until=3.0, method="semi_implicit_euler", step=0.01)
    report = run.report
    assert report.relative_energy_error > VISIBLE
    lost, share, turned, explained = map(float, re.findall(r"[0-9.e+-]*[0-9]", text)[:4])
    assert (lost, turned) == (
        pytest.approx(report.energy_error, rel=1e-3),
        pytest.approx(report.energy_scale, rel=1e-3),
    )
    assert (share, explained) == (pytest.approx(lost / turned, rel=0.1), pytest.approx(VISIBLE * turned, rel=0.1))
    assert "smaller step than 0.01 s" in text
    assert 'method="dop853"' in text
    run, texts = warnings_of(model, until=3.0, method="rk4", step=0.001)  # a step that resolves the motion
    assert run.report.relative_energy_error < VISIBLE
    assert not texts


@each("name", ["four_bar", "heavy_top", "car_axis", "spring_pendulum", "overhead_crane", "planar_3rrr"])
@each("options", [{}, {"method": "tsit5", "rtol": 1e-5}, {"method": "rodas5p", "rtol": 1e-4}])
def test_runs_that_keep_to_their_tolerances_do_not_warn(name, options):
    _, texts = warnings_of(cardan.load(name), until=2.0, **options)
    assert not texts


@each("angle", [0.0, 1e-12, 1e-9, 1e-6])
def test_rest_and_motions_as_small_as_atol_do_not_warn(angle):
    """Energies of 1e-18 J are wrong by any factor if positions are wrong by atol."""
    _, texts = warnings_of(cardan.load("compound_pendulum"), until=20.0, initial={"pendulum": angle})
    assert not texts
    _, texts = warnings_of(
        cardan.load("planar_manipulator"), until=0.01, motors="none"
    )  # it hangs: rest up to round-off
    assert not texts


@each("method, rtol", [("dop853", 1e-8), ("tsit5", 1e-6), ("rk4", None)])
@each("factor, doubtful", [(0.5, False), (2.0, True)])
def test_the_bound_is_two_rtol_per_step_of_the_energies(method, rtol, factor, doubtful):
    """Shown on a run whose works are changed by a known amount; with fixed steps the bound is one per cent."""
    options = {"step": 1e-3} if rtol is None else {"rtol": rtol}
    setup = cardan.prepare(cardan.load("spring_pendulum"), until=2.0, method=method, **options)
    conditions, functions = setup.conditions, setup.task.functions
    solution = integrate_phases(conditions, setup.task, setup.start.x, progress=None, watch=None)
    report = setup.run().report
    share = VISIBLE if rtol is None else 2 * solution.statistics.steps * rtol
    w = solution.w.copy()
    w[-1, 0] += factor * share * report.energy_scale
    changed = solution._replace(w=w)
    assert is_doubtful(functions, changed, conditions.p, conditions.settings) is doubtful
    assert np.isfinite(report.energy_scale)


def test_a_spatial_linkage_that_loses_its_energy_says_so():
    model = spatial_slider_crank()
    run, texts = warnings_of(model, until=5.0, method="semi_implicit_euler", step="5 ms")
    assert run.ok
    assert bool(texts) is (run.report.relative_energy_error > VISIBLE)
    assert texts
    assert not warnings_of(model, until=5.0)[1]


def test_a_run_without_projection_is_advised_to_take_it():
    model, options = cardan.load("four_bar"), {"method": "rk4", "step": 0.03, "stabilization": "baumgarte"}
    run, texts = warnings_of(model, until=1.0, **options)
    assert run.ok
    assert 'stabilization="projection"' in texts[0]


def test_a_mechanism_that_friction_holds_is_not_doubted():
    """Velocities of round-off, 1e-15 rad/s, under an effort of 1 N m: less than what atol makes of the work."""
    joints = {
        "A": {"type": "revolute", "parent": "ground", "child": "a", "axis": "z"},
        "B": {"type": "revolute", "parent": "ground", "child": "b", "axis": "z", "friction": {"effort": "1 N*m"}},
    }
    bodies = {name: {"inertia": [J, J, J]} for name, J in (("a", 0.02), ("b", 0.03))}
    same = {"same": {"type": "coupler", "terms": {"A": 1, "B": -1}}}
    model = cardan.Model(gravity=[0, 0, 0], bodies=bodies, joints=joints, constraints=same, inputs={"A": 0.99})
    run, texts = warnings_of(model, until=1.0)
    assert run.ok
    assert not texts
    assert run.report.relative_energy_error < 1e-3
