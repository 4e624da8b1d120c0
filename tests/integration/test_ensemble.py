"""Many trajectories side by side are the trajectories one by one."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

from cardan.errors import SolveError
from cardan.integration import Outcome, integrate
from cardan.integration.ensemble import LaneFunctions, integrate_ensemble
from tests.integration.problems import lane_functions, problem
from tests.selection import each

TIMES = np.linspace(0, 3, 11)
SEGMENTS = {
    "a": [0.0, 1.3],
    "b": [1.3, 3.0],
    "c0": [[0.5], [-0.5]],
    "c1": [[0.1], [0.0]],
    "c2": [[0.0], [0.3]],
    "c3": [[-0.2], [0.1]],
}


def pendulum(t, x, u, p):
    return ca.vertcat(x[1], -p[0] * ca.sin(x[0]) + u[0]), u[0] * x[1]


ONE = problem(pendulum, 1, [0.0, 0.0], nw=1, m=1, p=[9.81], times=TIMES, **SEGMENTS)
LANES = lane_functions(pendulum, 1, 2, 1, 1)
RNG = np.random.default_rng(5)
STARTS = RNG.normal(size=(19, 2))  # two full blocks of eight and one that is not
PARAMETERS = RNG.uniform(1, 10, (19, 1))
INPUTS = RNG.normal(size=(19, 2, 1))


@each(
    "method, step, tolerance",
    [
        ("rk4", 0.01, 1e-13),  # the same operations; sine may differ in the last digit between lanes and scalar code
        ("semi_implicit_euler", 0.01, 1e-13),
        ("linearly_implicit_euler", 0.01, 1e-13),
        ("dop853", None, 1e-6),  # other steps, both within rtol 1e-8 a step
        ("tsit5", None, 1e-5),
        ("rodas5p", None, 1e-6),
    ],
)
def test_lanes_are_single_runs(method, step, tolerance):
    runs = integrate_ensemble(ONE, LANES, STARTS, p=PARAMETERS, c0=INPUTS, method=method, step=step)
    assert set(runs.outcomes) == {Outcome.COMPLETED}
    np.testing.assert_array_equal(runs.t_end, 3.0)
    for row in (0, 7, 8, 18):
        single = integrate(replace(ONE, x0=STARTS[row], p=PARAMETERS[row], c0=INPUTS[row]), method, step=step)
        np.testing.assert_allclose(runs.x[row], single.x, rtol=0, atol=tolerance)
        np.testing.assert_allclose(runs.w[row], single.w, rtol=0, atol=tolerance)


def test_number_of_threads_changes_no_bit(monkeypatch):
    one = integrate_ensemble(ONE, LANES, STARTS, step=0.01, threads=1)
    monkeypatch.setenv("CARDAN_NUM_THREADS", "3")
    several = integrate_ensemble(ONE, LANES, STARTS, step=0.01)
    np.testing.assert_array_equal(one.x, several.x)


def test_a_trajectory_that_fails_takes_no_other_with_it():
    def wall(t, x, u, p):
        return ca.vertcat(1, ca.sqrt(p[0] - x[0])), x[0]

    one = problem(wall, 1, [0.0, 0.0], nw=1, p=[9.0], times=TIMES, a=[0.0], b=[3.0])
    limits = np.array([[9.0], [2.0], [9.0]])
    runs = integrate_ensemble(one, lane_functions(wall, 1, 2, 0, 1), np.zeros((3, 2)), p=limits, step=0.01)
    assert runs.outcomes == (Outcome.COMPLETED, Outcome.NON_FINITE, Outcome.COMPLETED)
    assert runs.t_end[1] == pytest.approx(2, abs=0.0101)
    assert np.isfinite(runs.x[[0, 2]]).all()
    np.testing.assert_array_equal(np.isnan(runs.x[1, :, 0]), runs.t_end[1] < TIMES)


def test_an_empty_ensemble():
    assert integrate_ensemble(ONE, LANES, np.zeros((0, 2)), step=0.1).x.shape == (0, 11, 2)


def test_constraints_hold_in_every_lane():
    def turn(t, x, u, p):
        return ca.vertcat(-x[1], x[0]) * p[0], 0 * t

    def onto_circle(t, x, u, p):
        return x / ca.norm_2(x), ca.fabs(ca.norm_2(x) - 1)

    from tests.integration.problems import functions

    one = problem(turn, 2, [1.0, 0.0], nw=1, p=[1.0], project=onto_circle, times=TIMES, a=[0.0], b=[3.0])
    made = functions(turn, 2, 2, 0, 1, project=onto_circle, lanes=8)
    lanes = LaneFunctions(made["rhs"], project=made["project"])
    runs = integrate_ensemble(one, lanes, np.tile([1.0, 0.0], (8, 1)), p=np.arange(8.0)[:, None], step=0.1)
    np.testing.assert_allclose(np.linalg.norm(runs.x, axis=2), 1, rtol=0, atol=1e-10)  # the default project_tolerance


def test_refusals():
    with pytest.raises(SolveError, match='"rodas5p" needs the tangent of several trajectories'):
        integrate_ensemble(ONE, replace(LANES, tangent=None), STARTS, method="rodas5p")
    four = replace(lane_functions(pendulum, 1, 2, 1, 1, lanes=4), tangent=LANES.tangent)
    with pytest.raises(SolveError, match="4 trajectories side by side, 8 in its tangent; both must be 8"):
        integrate_ensemble(ONE, four, STARTS, method="rodas5p")
    with pytest.raises(SolveError, match=r"p has shape \(3, 1\)"):
        integrate_ensemble(ONE, LANES, STARTS, p=PARAMETERS[:3], step=0.1)


def mixed(t, x, u, p):
    """x' = A x with the entries of A as parameters; the work is ∫ x₀ dt."""
    return ca.reshape(p, 3, 3).T @ x, x[0]


def test_the_stiff_method_solves_a_linear_system_of_its_own_in_each_lane():
    """Against exp(A t); rates from 1 to 1e5 per second along random directions take other pivots in every lane."""
    rng = np.random.default_rng(11)
    directions = [rng.normal(size=(3, 3)) for _ in range(13)]
    systems = np.array([V @ np.diag([-1.0, -30.0, -1e5]) @ np.linalg.inv(V) for V in directions])
    starts, times = rng.normal(size=(13, 3)), np.array([0.3, 1.0])
    one = problem(mixed, 1, np.zeros(3), nw=1, p=np.zeros(9), times=times, a=[0.0], b=[1.0])
    runs = integrate_ensemble(
        one, lane_functions(mixed, 1, 3, 0, 9), starts, p=systems.reshape(13, 9), method="rodas5p"
    )
    assert set(runs.outcomes) == {Outcome.COMPLETED}
    for row, A in enumerate(systems):
        exact = np.array([expm(A * t) @ starts[row] for t in times])
        works = np.array([(np.linalg.inv(A) @ (x - starts[row]))[0] for x in exact])
        size = np.abs(directions[row]).max() * np.abs(np.linalg.inv(directions[row])).max() * np.abs(starts[row]).max()
        np.testing.assert_allclose(runs.x[row], exact, rtol=0, atol=1e-6 * size)  # 1e-8 a step, some hundred steps
        np.testing.assert_allclose(runs.w[row, :, 0], works, rtol=0, atol=1e-6 * size)


def test_a_pivot_of_zero_in_one_lane_leaves_the_others_alone():
    """Rates without bound at the start of the sixth trajectory; it alone fails."""

    def pole(t, x, u, p):
        return ca.vertcat(1, x[1] / (p[0] - x[0])), x[0]

    one = problem(pole, 1, [0.0, 1.0], nw=1, p=[9.0], times=TIMES, a=[0.0], b=[3.0])
    limits = np.full((8, 1), 9.0)
    limits[5] = 0.0
    runs = integrate_ensemble(
        one, lane_functions(pole, 1, 2, 0, 1), np.tile([0.0, 1.0], (8, 1)), p=limits, method="rodas5p"
    )
    assert [outcome.ok for outcome in runs.outcomes] == [True] * 5 + [False] + [True] * 2
    np.testing.assert_allclose(runs.x[0, -1, 1], 9 / (9 - 3), rtol=1e-7)


@each("method", ["tsit5", "dop853", "rodas5p"])
def test_each_trajectory_keeps_to_the_tolerance_by_itself(method):
    """One trajectory that moves fast beside seven at rest takes the steps that it takes alone."""
    starts = np.zeros((8, 2))
    starts[3, 1] = 6.0
    inputs = np.zeros((8, 2, 1))
    none = np.zeros((2, 1))
    still = replace(ONE, c1=none, c2=none, c3=none, p=np.array([9.81]), first_step=1e-3)
    runs = integrate_ensemble(still, LANES, starts, c0=inputs, method=method)
    alone = integrate(replace(still, x0=starts[3], c0=inputs[3]), method)
    np.testing.assert_allclose(runs.x[3], alone.x, rtol=0, atol=1e-11)  # the same steps, other round-off
    np.testing.assert_array_equal(runs.x[0], 0.0)


def test_ends_of_steps_between_the_instants_count_for_extremes_alone():
    times = np.array([0.0, 1.0, 3.0])
    close = replace(ONE, times=times, gap=0.02)
    runs = integrate_ensemble(close, LANES, STARTS[:8], p=PARAMETERS[:8], c0=INPUTS[:8], method="dop853")
    for row in (0, 5):
        own = {"x0": STARTS[row], "p": PARAMETERS[row], "c0": INPUTS[row]}
        single = integrate(replace(ONE, times=times, **own), "dop853")
        np.testing.assert_allclose(runs.x[row], single.x, rtol=0, atol=1e-6)  # other steps, both within rtol 1e-8
        fine = integrate(replace(ONE, times=np.linspace(0, 3, 3001), **own), "dop853")
        found = np.concatenate([runs.lowest[row, :2], runs.highest[row, :2]])
        exact = np.concatenate([fine.x.min(axis=0), fine.x.max(axis=0)])
        size = np.abs(fine.x).max()
        assert np.abs(found - exact).max() < 0.05 * size  # of a wave between ends of steps
        assert np.abs(found - exact).max() < np.abs(np.concatenate([single.x.min(0), single.x.max(0)]) - exact).max()
