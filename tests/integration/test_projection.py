"""Projection: every state that comes back lies on the constraints, between steps, too."""

from __future__ import annotations

import casadi as ca
import numpy as np

from cardan.integration import METHODS, integrate
from tests.integration.problems import functions, problem
from tests.selection import each

RATE = np.array([0.3, -1.1, 0.7])
TIMES = np.linspace(0, 10, 57)
MANY = np.linspace(0, 10, 1001)  # several in each step


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


def run(method, project, h=0.02, **given):
    step = h if METHODS[method].fixed_step else None
    fields = {"times": TIMES, "a": [0.0], "b": [10.0], **given}
    made = problem(turning, 4, [1.0, 0, 0, 0], nw=1, project=project, **fields)
    return integrate(made, method, step=step)


@each("method", METHODS)
@each("project", [normalise, newton])
def test_unit_length_at_every_instant(method, project):
    result = run(method, project, rtol=1e-5, atol=1e-5)
    length = np.linalg.norm(result.x, axis=1)
    np.testing.assert_allclose(length, 1, rtol=0, atol=1e-10)  # the default project_tolerance


@each("method", ["tsit5", "dop853", "rodas5p"])
def test_projection_does_not_spoil_the_accuracy(method):
    np.testing.assert_allclose(run(method, normalise).x, exact(TIMES), rtol=0, atol=1e-6)  # rtol 1e-8, some 1e2 steps


@each("method", ["tsit5", "dop853", "rodas5p"])
def test_without_it_the_length_drifts(method):
    drift = np.abs(np.linalg.norm(run(method, None, rtol=1e-5, atol=1e-5).x, axis=1) - 1).max()
    assert drift > 1e-9


def wide(project, m=0):
    """Makes `project` for eight states side by side, and counts the instants it was asked for."""
    made = functions(turning, 4, 4, m, project=project, lanes=8)["project"]
    asked = []
    return (lambda count: asked.append(count) or made), asked


@each("method", METHODS)
@each("project", [normalise, newton])
def test_instants_side_by_side_are_those_one_by_one(method, project):
    """Tolerances are coarse, so that `newton` has to repeat its step; few instants are left for the last lanes.

    Each lane gets the steps that its instant gets alone: the two programs differ in which products they fuse.
    """
    make, asked = wide(project)
    given = {"h": 0.1, "rtol": 1e-4, "atol": 1e-4, "times": MANY}
    alone, together = run(method, project, **given), run(method, project, **given, project_lanes=make)
    assert asked == [len(MANY)]
    np.testing.assert_allclose(together.x, alone.x, rtol=0, atol=1e-15)  # round-off of some products of numbers below 1
    np.testing.assert_allclose(together.w, alone.w, rtol=0, atol=1e-13)
    assert together.statistics.steps == alone.statistics.steps


def test_inputs_of_every_instant_reach_its_lane():
    """The length is that of an input, which has a kink within the run."""

    def follow(t, x, u, p):
        return x * u / ca.norm_2(x), ca.fabs(ca.norm_2(x) - u)

    made = functions(turning, 4, 4, 1, project=follow, lanes=8)["project"]
    pieces = {"a": [0.0, 4.0], "b": [4.0, 10.0], "c0": [[1.0], [5.0]], "c1": [[1.0], [-0.5]]}
    given = {"nw": 1, "m": 1, "project": follow, "times": MANY, "rtol": 1e-4, "atol": 1e-4, **pieces}
    alone = integrate(problem(turning, 4, [1.0, 0, 0, 0], **given), "dop853")
    result = integrate(problem(turning, 4, [1.0, 0, 0, 0], project_lanes=lambda _: made, **given), "dop853")
    length = np.interp(MANY, [0.0, 4.0, 10.0], [1.0, 5.0, 2.0])
    np.testing.assert_allclose(np.linalg.norm(result.x, axis=1), length, rtol=0, atol=1e-10)
    assert result.statistics.steps == alone.statistics.steps  # a step with a wrong instant would be tried again
    assert result.statistics.rejected == alone.statistics.rejected
