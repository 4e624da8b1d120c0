"""Many trajectories side by side are the trajectories one by one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

from cardan.codegen.kernels import address_of, kernel
from cardan.codegen.kernels.memory import View, fields
from cardan.errors import SolveError
from cardan.integration import METHODS, Outcome, integrate
from cardan.integration.ensemble import LaneFunctions, _widened, integrate_ensemble
from cardan.integration.loop.blocks import rewind
from cardan.integration.loop.records import RunRecord, make_problem_record
from cardan.integration.loop.run_memory import make_run_memory
from cardan.integration.rosenbrock_lanes import LanesRosenbrockMethod, invert_each, solve_each
from tests.integration.problems import lane_functions, problem

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


@pytest.mark.parametrize(
    ("method", "step", "tolerance"),
    [
        ("rk4", 0.01, 1e-13),  # the same operations; sine may differ in the last digit between lanes and scalar code
        ("semi_implicit_euler", 0.01, 1e-13),
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


def test_quadratures_that_lanes_leave_out_are_not_returned():
    """Nor do they act back on the states, in lanes and in the one trajectory that goes on alone."""

    def wall(t, x, u, p):
        return ca.vertcat(1, ca.sqrt(p[0] - x[0])), x[0]

    def only_states(t, x, u, p):
        return wall(t, x, u, p)[0], ca.SX(0, 1)

    one = problem(wall, 1, [0.0, 0.0], nw=1, p=[9.0], times=TIMES, a=[0.0], b=[3.0])
    limits = np.array([[9.0], [2.0], [9.0]])
    whole, short = (
        integrate_ensemble(one, lane_functions(law, 1, 2, 0, 1), np.zeros((3, 2)), p=limits, method="dop853")
        for law in (wall, only_states)
    )
    assert short.w.shape == (3, 11, 0)
    assert short.lowest.shape == (3, 2)
    np.testing.assert_array_equal(short.codes, whole.codes)
    np.testing.assert_allclose(short.x, whole.x, rtol=0, atol=1e-14)  # the same steps
    np.testing.assert_array_equal(short.highest, whole.highest[:, :2])


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


def test_a_block_finds_the_memory_of_a_fresh_run():
    """Whatever a run has left in its record and its memory is gone when the next block begins."""
    fresh, used = make_run_memory(ONE, 8, 64), make_run_memory(ONE, 8, 64)
    cleared = (used.record["T"] - used.record["x"]) // 8
    numbers = [name for name, kind in fields(RunRecord).items() if kind != "Address"]
    for name in numbers:
        used.record[name] = 7
    for name in ("x", "K", "input", "g", "side", "noise"):
        used.array(name)[...] = 7.0
    blocks = SimpleNamespace(t0=fresh.record["t"], h=fresh.record["h"], patience=np.inf, cleared=cleared)
    rewind(View(used.record), blocks)
    assert {name: used.record[name] for name in numbers} == {name: fresh.record[name] for name in numbers}
    for name in ("x_new", "K", "input", "g", "side", "noise"):
        assert not used.array(name).any()


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


def test_the_stiff_method_side_by_side_gives_the_bits_of_python():
    values = {"c0": INPUTS[0], "times": np.array([0.0, 0.5])}
    wide = _widened(replace(ONE, rtol=1e-5, atol=1e-5, **values), LANES)
    wide = replace(wide, x0=STARTS[:8].T.ravel(), p=PARAMETERS[:8].T.ravel(), c0=np.tile(INPUTS[0], 8))
    results = []
    for interpret in (False, True):
        stepper = METHODS["rodas5p"].make(wide)
        memory = make_run_memory(wide, stepper.rows, max(wide.rhs.n_work, LANES.tangent.n_work))
        run = stepper.kernel.interpret if interpret else stepper.kernel
        assert run(stepper.method, make_problem_record(wide), memory.record, 10) == Outcome.RUNNING
        assert memory.record["steps"] + memory.record["rejected"] == 10
        results.append(memory.x.copy())
    np.testing.assert_array_equal(*results)


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


def solve_once(method: LanesRosenbrockMethod, budget: int) -> int:
    if not invert_each(method, 0.25):
        return 1
    solve_each(method, method.f_t)
    return 0


def linear_systems(seed, n=6):
    """Records of eight Jacobians (8, n, n), whose systems need other row exchanges, and right-hand sides (8, n)."""
    rng = np.random.default_rng(seed)
    one = problem(mixed, 1, np.zeros(3), nw=1, p=np.zeros(9), times=[1.0], a=[0.0], b=[1.0])
    stepper = METHODS["rodas5p"].make(_widened(one, lane_functions(mixed, 1, 3, 0, 9)))
    J, right = rng.normal(size=(8, n, n)), rng.normal(size=(8, n))
    arrays = {"J": J.T.copy(), "f_t": right.T.copy()}  # columns, rows, lanes; rows, lanes
    arrays |= {
        "inverse": np.zeros((n, n, 8)),
        "pivots": np.zeros((n * n, 8)),
        "exchanged": np.zeros((n * n, 2)),
        "slopes": np.zeros((n, 8)),
    }
    record = stepper.method
    for name, array in arrays.items():
        record[name] = address_of(array)
    record["n"] = record["size"] = n
    return record, arrays, J, right, stepper


@pytest.mark.parametrize("seed", range(5))
def test_each_lane_solves_its_own_linear_system(seed):
    """Against LAPACK; a residual of round-off, n ε |A| |x|, times a growth of some ten."""
    record, arrays, J, right, _keep = linear_systems(seed)
    assert kernel(LanesRosenbrockMethod)(solve_once)(record, 0) == 0
    assert record["exchanges"] > 0
    for lane in range(8):
        A = 0.25 * np.eye(6) - J[lane]
        size = 6 * 2.2e-16 * np.abs(np.linalg.inv(A)).sum(axis=1).max() * np.abs(right[lane]).max()
        np.testing.assert_allclose(
            arrays["f_t"][:, lane], np.linalg.solve(A, right[lane]), rtol=0, atol=100 * size * np.abs(A).max()
        )


def test_a_singular_system_in_one_lane_is_noticed():
    record, arrays, _J, _right, _keep = linear_systems(1)
    arrays["J"][:, :, 3] = 0.25 * np.eye(6)
    assert kernel(LanesRosenbrockMethod)(solve_once)(record, 0) == 1


@pytest.mark.parametrize("method", ["tsit5", "dop853", "rodas5p"])
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
