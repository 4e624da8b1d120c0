"""Accuracy, instants, segments, budgets: what a run returns when all goes well."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy import integrate as scipy_integrate

from cardan.errors import SolveError
from cardan.integration import integrate
from cardan.integration.methods import METHODS
from tests.integration.problems import problem, wave_problem, wave_solution
from tests.selection import each

ADAPTIVE = [name for name, info in METHODS.items() if not info.fixed_step]
TIMES = np.linspace(0, 4, 41)


def test_no_instants_is_a_run_to_the_end():
    run = integrate(wave_problem([]), "dop853")
    assert run.x.shape == (0, 2)
    assert run.x_end == pytest.approx(wave_solution(4.0)[0], abs=1e-6)


def ramp(t, x, u, p):
    """Constant and ramped acceleration: polynomials that methods of order 3 follow without error."""
    return ca.vertcat(x[1], u[0]), x[1]


def ramp_problem(times, *, jump):
    """Return a mass pushed by 1 until t = `jump`, and by 2 − (t − jump) after it."""
    given = {"a": [0.0, jump], "b": [jump, 3.0], "c0": [[1.0], [2.0]], "c1": [[0.0], [-1.0]]}
    return problem(ramp, 1, [0.0, 0.0], nw=1, m=1, times=times, **given)


def ramp_solution(t, jump):
    s = np.maximum(t - jump, 0)
    before = np.minimum(t, jump)
    v = before + 2 * s - s**2 / 2
    q = before**2 / 2 + jump * s + s**2 - s**3 / 6
    return np.stack([q, v], axis=-1)


@each("method", ["tsit5", "dop853", "rk4", "rodas5p"])
@each("jump", [0.1, 1 / 3, 2.9])
def test_inputs_that_jump_are_stepped_to_and_not_over(method, jump):
    times = np.sort(np.append(np.linspace(0, 3, 31), jump))
    run = integrate(ramp_problem(times, jump=jump), method, step=0.07 if method == "rk4" else None)
    # Round-off of some hundred steps on numbers up to 6.
    np.testing.assert_allclose(run.x, ramp_solution(times, jump), rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.w[:, 0], run.x[:, 0], rtol=0, atol=1e-13)


def test_fixed_steps_divide_each_segment_evenly():
    run = integrate(ramp_problem([3.0], jump=1.0), "rk4", step=0.3)
    assert run.statistics.steps == 4 + 7
    exact = integrate(ramp_problem([3.0], jump=1.0), "rk4", step=0.1)
    assert exact.statistics.steps == 10 + 20


def test_longest_step_is_kept():
    run = integrate(wave_problem(TIMES, max_step=0.01), "tsit5")
    assert run.statistics.steps >= 400


def test_first_step_is_taken_as_given():
    assert (
        integrate(wave_problem([4.0], first_step=1e-9)).statistics.steps
        > integrate(wave_problem([4.0])).statistics.steps
    )


def test_a_system_at_rest_stays_there():
    run = integrate(problem(ramp, 1, [0.0, 0.0], nw=1, m=1, times=[1.0], a=[0.0], b=[1.0]))
    np.testing.assert_array_equal(run.x, 0)
    assert run.statistics.steps < 20


def test_a_system_without_states_still_integrates_works():
    law = lambda t, x, u, p: (ca.SX(0, 1), t * t)  # noqa: E731
    for method in ADAPTIVE:
        run = integrate(problem(law, 0, [], nw=1, times=[3.0], a=[0.0], b=[3.0]), method)
        assert run.w[0, 0] == pytest.approx(9, rel=1e-14)


@each("rtol, method", [(1e-4, "tsit5"), (1e-8, "dop853")])
def test_auto_chooses_by_tolerance(rtol, method):
    assert integrate(wave_problem(TIMES, rtol=rtol)).method == method


def test_progress_rises_to_one():
    seen = []
    integrate(wave_problem(TIMES), "rk4", step=1e-5, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert len(seen) > 1


def test_against_scipy():
    def pendulum(t, x, u, p):
        return ca.vertcat(x[1], -9.81 * ca.sin(x[0]) - 0.1 * x[1] + ca.sin(3 * t)), x[1] ** 2

    run = integrate(problem(pendulum, 1, [2.0, 0.0], nw=1, times=TIMES, a=[0.0], b=[4.0], rtol=1e-11, atol=1e-13))
    peer = scipy_integrate.solve_ivp(
        lambda t, x: [x[1], -9.81 * np.sin(x[0]) - 0.1 * x[1] + np.sin(3 * t), x[1] ** 2],
        (0, 4), [2, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=TIMES,
    )  # fmt: skip
    np.testing.assert_allclose(
        np.hstack([run.x, run.w]), peer.y.T, rtol=0, atol=1e-8
    )  # 1e-11 a step, some 1e2 steps, growth


def test_an_unknown_method_is_refused():
    with pytest.raises(SolveError, match="did you mean 'rk4'"):
        integrate(wave_problem(TIMES), "rk5")
