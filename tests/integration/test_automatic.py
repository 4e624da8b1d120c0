"""The method that a run chooses by itself: the cheaper one goes on, and equal calls take equal steps."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from cardan.integration import Outcome, driver, integrate
from cardan.integration.automatic import TRIAL
from tests.integration.problems import problem, tangent, van_der_pol
from tests.selection import each

TIMES = np.linspace(0, 5, 51)


def decay(rate, frequency=1.0):
    """A state that follows cos ωt with a rate, beside an oscillator of the same frequency."""

    def law(t, x, u, p):
        return ca.vertcat(x[1], -(frequency**2) * x[0], -rate * (x[2] - x[0])), 0 * x[0]

    return law


def follower(rate, frequency=1.0, times=TIMES, **given):
    fields = {"nw": 1, "times": times, "a": [0.0], "b": [float(times[-1])], "rtol": 1e-8, "atol": 1e-10}
    return problem(decay(rate, frequency), 1, [1.0, 0.0, 1.0], **{**fields, **given})


@each("rtol", [1e-5, 1e-8])
@each("rate", [1e3, 1e5])
def test_a_step_longer_than_the_fastest_decay_leads_to_the_stiff_method(rtol, rate):
    given = follower(rate, rtol=rtol, atol=rtol)
    run = integrate(given)
    named = {name: integrate(given, name) for name in ("tsit5", "dop853", "rodas5p")}
    assert run.method == "rodas5p"
    assert run.statistics.stiff
    assert run.statistics.jacobians <= named["rodas5p"].statistics.jacobians + TRIAL
    explicit = run.statistics.steps - run.statistics.jacobians
    assert explicit < 3 * TRIAL < 0.1 * min(named[name].statistics.steps for name in ("tsit5", "dop853"))
    np.testing.assert_allclose(run.x, named["rodas5p"].x, rtol=0, atol=1e2 * rtol)


def test_a_fast_oscillation_is_not_stiff():
    """Order 8 takes steps of more than 1/ω at a loose tolerance; the stiff method would have to follow it as well."""
    times = np.linspace(0, 200, 3)
    run = integrate(follower(0.5, 10.0, times, rtol=1e-4, atol=1e-4))
    assert run.statistics.steps * 1.5 < 10.0 * times[-1]
    assert not run.statistics.stiff
    assert run.statistics.jacobians == 0


def test_where_the_stiff_method_fails_the_explicit_one_goes_on():
    given, (t, x) = follower(1e3), (ca.SX.sym("t"), ca.SX.sym("x", 3))
    nowhere = ca.sqrt(-1 - x[0] ** 2)  # NaN
    broken = tangent(ca.SX.ones(4, 1) * nowhere, [t, x, ca.SX(0, 1), ca.SX(0, 1)])
    run = integrate(replace(given, tangent=broken))
    assert run.outcome is Outcome.COMPLETED
    assert run.method == "dop853"
    np.testing.assert_allclose(run.x, integrate(given, "dop853").x, rtol=0, atol=1e-6)
    assert integrate(replace(given, tangent=broken), "rodas5p").outcome is Outcome.SINGULAR


def test_without_a_tangent_the_explicit_method_goes_on():
    run = integrate(replace(follower(1e3), tangent=None))
    assert run.outcome is Outcome.COMPLETED
    assert run.method == "dop853"


def test_equal_calls_take_equal_steps_whatever_a_call_of_the_kernel_takes(monkeypatch):
    given = problem(
        van_der_pol, 1, [2.0, 0.0], nw=1, p=[1000.0], times=[0.0, 900.0, 2000.0], a=[0.0], b=[2000.0], rtol=1e-5
    )
    run = integrate(given)
    monkeypatch.setattr(driver, "FIRST_BUDGET", 7)
    monkeypatch.setattr(driver, "CALL_TIME", 0.0)
    again = integrate(given)
    np.testing.assert_array_equal(run.x, again.x)
    untimed = {"wall": 0.0, "preparation": 0.0}
    assert run.statistics._replace(**untimed) == again.statistics._replace(**untimed)
