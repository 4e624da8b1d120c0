"""Projection: every state that comes back lies on the constraints, between steps, too."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from cardan.integration import METHODS, integrate
from tests.integration.problems import problem

RATE = np.array([0.3, -1.1, 0.7])
TIMES = np.linspace(0, 10, 57)


def turning(t, x, u, p):
    """Quaternion of a body that turns at a constant rate, q̇ = ½ q ∘ ω."""
    w, v = x[0], x[1:4]
    rate = ca.DM(RATE)
    return 0.5 * ca.vertcat(-ca.dot(v, rate), w * rate + ca.cross(v, rate)), 0 * t


def normalise(t, x, u, p):
    size = ca.norm_2(x)
    return x / size, ca.fabs(size - 1)


def newton(t, x, u, p):
    """One step of Newton's method on |q|² = 1: several are needed from afar."""
    violation = (ca.dot(x, x) - 1) / 2
    return x - x * violation / ca.dot(x, x), ca.fabs(violation)


def exact(t):
    half = np.linalg.norm(RATE) * t / 2
    axis = RATE / np.linalg.norm(RATE)
    return np.column_stack([np.cos(half), np.sin(half)[:, None] * axis])


def run(method, project, **given):
    step = 0.02 if METHODS[method].fixed_step else None
    fields = {"times": TIMES, "a": [0.0], "b": [10.0], **given}
    made = problem(turning, 4, [1.0, 0, 0, 0], nw=1, project=project, **fields)
    return integrate(made, method, step=step)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("project", [normalise, newton])
def test_unit_length_at_every_instant(method, project):
    result = run(method, project, rtol=1e-5, atol=1e-5)
    length = np.linalg.norm(result.x, axis=1)
    np.testing.assert_allclose(length, 1, rtol=0, atol=1e-10)  # the default project_tolerance


@pytest.mark.parametrize("method", ["tsit5", "dop853", "rodas5p"])
def test_projection_does_not_spoil_the_accuracy(method):
    np.testing.assert_allclose(run(method, normalise).x, exact(TIMES), rtol=0, atol=1e-6)  # rtol 1e-8, some 1e2 steps


@pytest.mark.parametrize("method", ["tsit5", "dop853", "rodas5p"])
def test_without_it_the_length_drifts(method):
    drift = np.abs(np.linalg.norm(run(method, None, rtol=1e-5, atol=1e-5).x, axis=1) - 1).max()
    assert drift > 1e-9


def test_it_costs_no_evaluation_of_a_method_that_can_wait_for_the_end_of_the_step():
    free, held = run("dop853", None, times=[10.0]), run("dop853", normalise, times=[10.0])
    per_step = [r.statistics.evaluations / (r.statistics.steps + r.statistics.rejected) for r in (free, held)]
    assert per_step[1] == pytest.approx(per_step[0], abs=0.5)
