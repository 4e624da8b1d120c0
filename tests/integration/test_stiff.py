"""Stiff problems: Rodas5P, and how `auto` finds its way there."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy import integrate as scipy_integrate

from cardan.integration import Outcome, integrate
from tests.integration.problems import problem, van_der_pol


def robertson(t, x, u, p):
    """Three reactions with rates from 0.04 to 3e7 (Hairer & Wanner 1996, IV.1, eq. (1.4))."""
    slow, fast, third = 0.04 * x[0], 3e7 * x[1] ** 2, 1e4 * x[1] * x[2]
    return ca.vertcat(third - slow, slow - third - fast, fast), x[0]


def reference(law, x0, times, p=()):
    """Return the solution of SciPy's Radau IIA at tight tolerances, with the exact Jacobian."""
    x, t = ca.SX.sym("x", len(x0)), ca.SX.sym("t")
    dx, _ = law(t, x, [], *([p[0]] if p else [None]))
    f = ca.Function("f", [x], [dx])
    J = ca.Function("J", [x], [ca.densify(ca.jacobian(dx, x))])
    run = scipy_integrate.solve_ivp(
        lambda t, x: np.array(f(x)).ravel(), (0, times[-1]), x0, method="Radau", jac=lambda t, x: np.array(J(x)),
        rtol=1e-10, atol=1e-13, t_eval=times,
    )  # fmt: skip
    return run.y.T


def test_robertson():
    times = np.array([0.4, 4, 40, 400, 4000])
    given = problem(robertson, 3, [1.0, 0.0, 0.0], nw=1, times=times, a=[0.0], b=[4000.0], rtol=1e-9, atol=1e-13)
    run = integrate(given, "rodas5p")
    assert run.outcome is Outcome.COMPLETED
    np.testing.assert_allclose(run.x, reference(robertson, [1, 0, 0], times), rtol=1e-7)  # 1e-9 a step, some 1e2 steps
    np.testing.assert_allclose(run.x.sum(axis=1), 1, rtol=0, atol=1e-12)  # a linear invariant is kept to round-off
    assert run.statistics.steps < 500


def oscillator(**given):
    times = np.linspace(0, 2000, 21)
    fields = {"nw": 1, "p": [1000.0], "times": times, "a": [0.0], "b": [2000.0], "rtol": 1e-8, "atol": 1e-10}
    return problem(van_der_pol, 1, [2.0, 0.0], **{**fields, **given})


def test_auto_switches_to_the_stiff_method_and_no_sooner():
    run = integrate(oscillator())
    assert run.outcome is Outcome.COMPLETED
    assert run.method == "rodas5p"
    assert run.statistics.stiff
    stiff = integrate(oscillator(), "rodas5p")
    # Two runs at rtol 1e-8; the phase of the oscillator magnifies a jump's error by some 1e2.
    np.testing.assert_allclose(run.x[:, 0], stiff.x[:, 0], rtol=0, atol=1e-5)
    np.testing.assert_allclose(run.w, stiff.w, rtol=1e-6)
    short = integrate(oscillator(times=[1e-2], b=[1e-2]))
    assert short.method == "dop853"


@pytest.mark.exhaustive
def test_van_der_pol():
    times = np.array([100.0, 400.0, 800.0, 820.0, 900.0])  # the first relaxation is at t = 807
    run = integrate(oscillator(times=times, b=[900.0], rtol=1e-9, atol=1e-11), "rodas5p")
    expected = reference(van_der_pol, [2, 0], times, p=[1000.0])
    np.testing.assert_allclose(run.x[:, 0], expected[:, 0], rtol=0, atol=1e-6)  # as above, at rtol 1e-9


def test_an_explicit_method_reports_that_a_problem_is_stiff():
    run = integrate(oscillator(times=[5.0], b=[5.0]), "tsit5")
    assert run.outcome is Outcome.COMPLETED
    assert run.statistics.stiff
    assert run.statistics.jacobians == 0


def test_a_smooth_problem_is_not_called_stiff():
    calm = integrate(oscillator(p=[0.1], times=[50.0], b=[50.0]))
    assert not calm.statistics.stiff


def test_inputs_that_change_in_time_keep_the_order_of_the_stiff_method():
    """A stiff follower of a ramp: its lag is the slope over the stiffness, exactly."""

    def follower(t, x, u, p):
        return -1e6 * (x[0] - u[0]), 0 * x[0]

    segments = {"a": [0.0, 1.0], "b": [1.0, 2.0], "c0": [[0.0], [1.0]], "c1": [[1.0], [-1.0]]}
    times = [0.5, 1.0, 1.5, 2.0]
    given = problem(follower, 1, [-1e-6], nw=1, m=1, times=times, rtol=1e-11, atol=1e-11, **segments)
    run = integrate(given, "rodas5p")
    # The continuous extension has coefficients up to 80, which multiply what a stiff step leaves of the tolerance.
    np.testing.assert_allclose(run.x[:, 0], [0.5 - 1e-6, 1 - 1e-6, 0.5 + 1e-6, 1e-6], rtol=0, atol=1e-8)
    assert run.statistics.steps < 200
