"""The log of singular positions: each one that is passed, none that is not, and it is kept in files."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.results import load_run, save_run
from cardan.singular.passages import Hermite
from tests.selection import each
from tests.truths.flat_mechanisms import (
    SPEED,
    START,
    flat_slider_crank,
    parallelogram,
    three_cranks,
)
from tests.truths.four_bars import four_bars

METHODS = [
    {"method": "dop853"},
    {"method": "tsit5"},
    {"method": "rodas5p"},
    {"method": "rk4", "step": 1e-3},
    {"method": "semi_implicit_euler", "step": 1e-3},
]
WAYS = [method | {"embed": embed} for method in METHODS for embed in (True, False)]
every_method = pytest.mark.parametrize("options", METHODS, ids=lambda options: options["method"])
every_way = pytest.mark.parametrize("options", WAYS, ids=lambda options: f"{options['method']}-{options['embed']}")
"""A straight branch also with its loops as equations, which are singular in line."""


@every_way
def test_parallelogram(options):
    """No weight: both cranks turn at constant speed; their angles are kπ where all links are in line."""
    times = np.linspace(0, 5, 101)
    run = cardan.simulate(parallelogram(speed=2.0, angle=0.5), times=times, **options)
    assert run.ok, run.message
    q = run.array("A.q")
    np.testing.assert_allclose(run.array("D.q"), q, rtol=0, atol=1e-12)  # round-off: they stay on their branch
    np.testing.assert_allclose(q[-1], 10.5, rtol=0, atol=1e-7)  # rtol 1e-8, 10 rad
    np.testing.assert_allclose(q, 0.5 + 2 * times, rtol=0, atol=2e-5)  # within steps longer than half a turn
    expected = (np.arange(1, 4) * np.pi - 0.5) / 2
    np.testing.assert_allclose([passage.t for passage in run.passages], expected, rtol=0, atol=1e-6)  # also within
    assert {(passage.lost, passage.owners) for passage in run.passages} == {(1, ("C",))}
    assert all(passage.smallest < 1e-4 * passage.usual for passage in run.passages)


def test_no_passage_is_missed_in_a_thousand_turns():
    """Steps grow until one has hundreds of turns."""
    run = cardan.simulate(parallelogram(2.0, 0.5), until=3000.0)
    turned = 2 * np.array([passage.t for passage in run.passages]) + 0.5
    np.testing.assert_allclose(
        turned, np.pi * np.arange(1, 1911), rtol=0, atol=1e-6
    )  # round-off of Hermite's polynomial


@each("method", ["dop853", "tsit5", "rodas5p"])
@each("speed, angle", [(2.0, 0.0), (3.0, 0.7), (40.0, 0.2)])
@each("embed", [True, False])
def test_no_passage_is_missed_between_long_steps(method, speed, angle, embed):
    """Nothing accelerates, so that a step can be longer than half a turn and the dips of the distance lie within."""
    run = cardan.simulate(parallelogram(speed=speed, angle=angle), until=40 / speed, method=method, embed=embed)
    assert run.ok, run.message
    turned = speed * np.array([passage.t for passage in run.passages]) + angle
    expected = np.arange(np.ceil(angle / np.pi), (40 + angle) / np.pi) * np.pi
    # tolerances 1e-8 over 40 rad; the derivatives of equations that are singular in line are only known to 1e-16/r²
    close = 2e-5 if method == "rodas5p" and not embed else 1e-6
    np.testing.assert_allclose(turned, expected, rtol=0, atol=close)


@every_way
@each("planar, angle", [(True, 0.5), (False, 0.0)])
def test_three_cranks(options, planar, angle):
    """Equations are redundant everywhere, and more of them depend on each other in line, where the run may start."""
    times = np.linspace(0, 5, 51)
    run = cardan.simulate(three_cranks(angle, 2.0, planar), times=times, **options)
    assert run.ok, run.message
    for crank in ("A", "D", "E"):
        q = run.array(f"{crank}.q")
        np.testing.assert_allclose(q[-1], angle + 10, rtol=0, atol=1e-6)  # rtol 1e-8, 10 rad
        np.testing.assert_allclose(q, angle + 2 * times, rtol=0, atol=2e-5)  # within steps longer than half a turn
    expected = (np.arange(np.ceil(angle / np.pi), 4) * np.pi - angle) / 2
    np.testing.assert_allclose([passage.t for passage in run.passages], expected, rtol=0, atol=1e-6)  # as of the ends


@every_method
def test_a_driven_slider_crank_follows_through(options):
    times = np.linspace(0, 1, 41)
    run = cardan.simulate(flat_slider_crank(driven=True), times=times, **options)
    np.testing.assert_allclose(
        run.array("slide.q"), 2 * np.cos(START + SPEED * times), rtol=0, atol=1e-10
    )  # all kinematics
    expected = (np.pi / 2 + np.arange(2) * np.pi - START) / SPEED
    np.testing.assert_allclose([passage.t for passage in run.passages], expected, rtol=0, atol=1e-8)


@each("n", [1, 2, 12])
def test_all_loops_of_the_four_bars_pass_at_once(n):
    factor = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81
    level = lambda t, y: np.cos(y[0])  # noqa: E731
    known = solve_ivp(
        lambda t, y: [y[1], factor * np.sin(y[0])], (0, 3), [0, 1], "DOP853", events=level, rtol=1e-12, atol=1e-13
    )
    run = cardan.simulate(four_bars(n), times=[3.0], method="dop853")
    np.testing.assert_allclose([passage.t for passage in run.passages], known.t_events[0], rtol=0, atol=1e-6)
    assert {passage.lost for passage in run.passages} == {n}
    assert {passage.owners for passage in run.passages} == {tuple(f"B{k + 1}" for k in range(n))}


def test_a_motion_that_starts_flat_says_so():
    run = cardan.simulate(parallelogram(speed=1.0, angle=0.0), until=1)
    assert run.ok, run.message
    assert [passage.t for passage in run.passages] == [0.0]
    np.testing.assert_allclose(run.array("D.q"), run.t, rtol=0, atol=1e-7)


@each("name", ["slider_crank", "planar_3rrr", "four_bar", "four_bar_spatial", "door_two_hinges"])
def test_regular_and_redundant_mechanisms_pass_none(name):
    """Loops of constant rank, redundant ones among them."""
    for stabilization in ("projection", "baumgarte", "none"):
        run = cardan.simulate(cardan.load(name), until=1, stabilization=stabilization)
        assert run.ok, run.message
        assert run.passages == ()


@pytest.mark.parametrize("extension", [".nc", ".csv", ".parquet"])
def test_passages_are_kept_in_files(tmp_path, extension):
    run = cardan.simulate(parallelogram(), until=3)
    back = load_run(save_run(run, tmp_path / f"run{extension}"))
    assert back.passages == run.passages
    assert len(back.passages) == 2
    assert back.report == run.report
    assert back.status is run.status


def test_the_rate_of_the_constraints_is_reported():
    """What nothing holds drifts: Φ̈ = 0 leaves an error in Φ̇ that Φ collects."""
    held = cardan.simulate(cardan.load("slider_crank"), until=1, method="tsit5", rtol=1e-3, atol=1e-5)
    free = cardan.simulate(
        cardan.load("slider_crank"), until=1, method="tsit5", rtol=1e-3, atol=1e-5, stabilization="none"
    )
    assert held.report.constraint_rate < 1e-9
    assert 1e-8 < free.report.constraint_rate < 1e-2
    assert free.report.constraint_violation > 10 * held.report.constraint_violation
    assert cardan.simulate(cardan.load("compound_pendulum"), until=0.1).report.constraint_rate == 0


def test_interpolant_is_exact_for_degree_seven():
    rng = np.random.default_rng(1)
    coefficients, t = rng.standard_normal((3, 8)), np.sort(rng.uniform(0, 1, (3, 4)), axis=1)
    values = np.array([np.polyval(c, z) for c, z in zip(coefficients, t, strict=True)])[..., None]
    slopes = np.array([np.polyval(np.polyder(c), z) for c, z in zip(coefficients, t, strict=True)])[..., None]
    at = np.array([0.2, 0.5, 0.9])
    expected = [np.polyval(c, z) for c, z in zip(coefficients, at, strict=True)]
    np.testing.assert_allclose(Hermite.through(t, values, slopes)(at)[:, 0], expected, rtol=1e-6)  # close nodes


def test_fixed_steps_are_not_held_to_a_tolerance_that_nobody_asked_for():
    """Crank and rocker near a change point, a + d = b + c − 1 cm: without projection as right as steps of 1 ms are."""
    model, given = cardan.load("four_bar"), {"parameters": {"d": 1.09}, "times": np.linspace(0, 3, 301)}
    known = cardan.simulate(model, rtol=1e-10, atol=1e-12, **given)
    run = cardan.simulate(model, method="rk4", step=1e-3, stabilization="none", **given)
    assert run.ok, run.message
    # drift of 7e-6 m over the distance to the change point, and it is magnified with each turn: 4e-4 rad were seen
    np.testing.assert_allclose(run.array("A.q"), known.array("A.q"), atol=2e-3)


def test_the_only_equation_vanishes():
    """A massless rod in place of the slider-crank's: its one equation has no slope where slider and pivot meet."""
    whole = flat_slider_crank()
    rod = {"type": "distance", "parent": "crank.tip", "child": "slider", "length": 1}
    model = whole.replace(
        bodies={name: whole.bodies[name] for name in ("crank", "slider")},
        joints={name: whole.joints[name] for name in ("crank", "slide")},
        constraints={"rod": rod},
        initial={"crank": START, "crank.v": SPEED, "slide": {"guess": 1.9}},
    )
    run = cardan.simulate(model, until=0.5)
    (passage,) = run.passages
    assert (passage.lost, passage.owners) == (1, ("rod",))
    assert np.interp(passage.t, run.t, run.array("crank.q")) == pytest.approx(
        np.pi / 2, rel=0, abs=1e-5
    )  # of 1001 rows
    folded = model.replace(initial={"crank": np.pi / 2, "slide": {"guess": 0}})
    (branch,) = cardan.mobility(folded).singularities
    assert (branch.kind, branch.lost) == ("branch", 1)
    met = [found.where for found in cardan.singular_positions(model, "slider").sets if found.kind == "branch"]
    assert met
    np.testing.assert_allclose([abs(where["crank"]) for where in met], np.pi / 2, rtol=0, atol=1e-8)  # of Φ at 1e-16
