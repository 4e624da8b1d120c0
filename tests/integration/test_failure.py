"""Runs that cannot be completed: the status says why and where, and the part computed is returned."""

from __future__ import annotations

import _thread
import signal
import threading
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from cardan.integration import Outcome, integrate
from cardan.integration import driver as module
from cardan.results import Status
from tests.integration.problems import problem, van_der_pol, wave_problem
from tests.selection import each

SPAN = {"a": [0.0], "b": [4.0], "times": np.linspace(0, 4, 401)}


def blow_up(t, x, u, p):
    """q̇ = 1, v̇ = v²: v = 1/(1 − t) leaves every bound at t = 1."""
    return ca.vertcat(1, x[1] ** 2), x[0]


def wall(t, x, u, p):
    """q̇ = 1, v̇ = √(2 − q), which is no number beyond q = 2."""
    return ca.vertcat(1, ca.sqrt(2 - x[0])), x[0]


@each("method", ["tsit5", "dop853", "rodas5p"])
@each("law, x0, end", [(blow_up, [0.0, 1.0], 1.0), (wall, [0.0, 0.0], 2.0)])
def test_the_part_before_a_singularity_is_returned(method, law, x0, end):
    run = integrate(problem(law, 1, x0, nw=1, **SPAN), method)
    assert run.outcome in (Outcome.STEP_TOO_SMALL, Outcome.NON_FINITE)
    assert run.t_end == pytest.approx(end, abs=1e-4)  # within a few tolerances of the singularity
    assert run.worst == 1
    assert len(run.t) == np.searchsorted(SPAN["times"], run.t_end, side="right")
    assert np.isfinite(run.x).all()
    np.testing.assert_allclose(run.x[:, 0], run.t, rtol=1e-9)
    assert (
        Status[run.outcome.name].describe(run.t_end, "swing.v").startswith(run.outcome.name.lower().replace("_", " "))
    )


def test_derivatives_that_are_no_numbers_at_the_start():
    run = integrate(problem(wall, 1, [3.0, 0.0], nw=1, **SPAN))
    assert run.outcome is Outcome.NON_FINITE
    assert run.t_end == 0
    assert run.worst == 1
    np.testing.assert_array_equal(run.x, [[3.0, 0.0]])


def dry(t, x, u, p):
    """q̇ = v, v̇ = sin t − 2 sign v: the velocity comes to rest, where its derivative has no value."""
    return ca.vertcat(x[1], ca.sin(t) - 2 * ca.sign(x[1])), x[0]


def test_steps_without_progress_end_a_run_soon():
    run = integrate(problem(dry, 1, [0.0, 1.0], nw=1, **SPAN))
    assert run.outcome is Outcome.TOO_MANY_STEPS
    # the methods are compared, and the count begins anew, each time the steps have doubled: last before 2 PATROL
    assert run.statistics.steps + run.statistics.rejected <= 3 * module.PATROL
    assert run.t_end == pytest.approx(0.5825, abs=0.001)  # where v = 2 − cos t − 2 t is zero; 8e-4 s are patrolled


@pytest.fixture
def _interruptible():
    """Ctrl-C raises KeyboardInterrupt, also where the tests run in the background of a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c_returns_what_was_computed():
    endless = problem(van_der_pol, 1, [2.0, 0.0], nw=1, p=[1.0], times=np.linspace(0, 1e7, 101), a=[0.0], b=[1e7])
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    run = integrate(endless, "rk4", step=1e-3)
    timer.join()
    assert run.outcome is Outcome.INTERRUPTED
    assert 0 < run.t_end < 1e7
    assert run.statistics.wall < 5
    assert run.worst is None


def test_interrupt_in_the_progress_callback():
    def stop(fraction):
        raise KeyboardInterrupt

    assert integrate(wave_problem([4.0]), "rk4", step=1e-5, progress=stop).outcome is Outcome.INTERRUPTED


def test_interrupt_while_the_tangent_is_compiled():
    def stop():
        raise KeyboardInterrupt

    given = problem(van_der_pol, 1, [2.0, 0.0], nw=1, p=[1000.0], times=[0.0, 2e3], a=[0.0], b=[2e3])
    run = integrate(replace(given, tangent=stop))
    assert run.outcome is Outcome.INTERRUPTED
    assert run.t_end > 0
    np.testing.assert_array_equal(run.x, [[2.0, 0.0]])


def test_an_error_in_the_progress_callback_is_the_callers():
    def fail(fraction):
        raise RuntimeError("bar")

    with pytest.raises(RuntimeError, match="bar"):
        integrate(wave_problem([4.0]), progress=fail)


def test_constraints_that_cannot_be_met():
    def never(t, x, u, p):
        return x, ca.if_else(t < 1, 0, 1)

    run = integrate(problem(blow_up, 1, [0.0, 0.1], nw=1, project=never, **SPAN))
    assert run.outcome is Outcome.CONSTRAINTS_LOST
    assert run.t_end == pytest.approx(1, abs=1e-9)


def test_jacobian_without_a_solution():
    def infinite(t, x, u, p):
        return ca.vertcat(x[1], ca.sqrt(x[0])), x[0]

    run = integrate(problem(infinite, 1, [0.0, 0.0], nw=1, **SPAN), "rodas5p")
    assert run.outcome is Outcome.SINGULAR
    assert run.t_end == 0


def test_every_status_says_what_to_try():
    for status in Status:
        assert bool(status.advice) != status.ok
        assert "t = 1.5 s" in status.describe(1.5)
    assert "decided by swing.v" in Status.NON_FINITE.describe(1.5, "swing.v")
    assert "swing.v" not in Status.COMPLETED.describe(1.5, "swing.v")
    assert Status.COMPLETED.ok
    assert not Status.INTERRUPTED.ok


def test_every_end_of_an_integration_has_a_status():
    ends = set(Outcome) - {Outcome.RUNNING, Outcome.STIFF, Outcome.EVENT}
    assert {outcome.name for outcome in ends} < set(Status.__members__)
