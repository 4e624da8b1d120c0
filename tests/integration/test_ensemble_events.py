"""Trajectories of a block that meets an event go on by themselves from the last step of the block."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from cardan.codegen import native
from cardan.integration import EITHER, FALLING, INVARIANT, METHODS, Events, Outcome, integrate
from cardan.integration.ensemble import LaneFunctions, integrate_ensemble
from cardan.numerics.round_off import EPSILON
from cardan.simulation.hybrid import event_functions
from tests.integration.problems import crossing_function, functions, hybrid, problem
from tests.selection import each

G = 9.81
CLOSE = {"rtol": 0, "atol": 1e-6}  # other steps, both within rtol 1e-8 a step; some hundred steps
TIMES = np.linspace(0, 3, 31)
SPAN = {"a": [0.0, 1.0], "b": [1.0, 3.0], "times": TIMES}


def settings(method, step=1e-2):
    return {"method": method, "step": step if METHODS[method].fixed_step else None}


def swinging(t, x, u, p):
    """A pendulum with the length p; the work is ∫ v dt."""
    return ca.vertcat(x[1], -G / p[0] * ca.sin(x[0])), x[1]


def passes(t, x, u, p):
    return x[0] - 0.1, None


def halve(t, x, u, p, fired):
    return ca.vertcat(x[0], x[1] * (1 - 0.5 * fired[0])), ca.SX(0, 1), 0


def lanes_of(law, crossings, n, k, nw=0, nq=1):
    made = functions(law, nq, n, 0, k, lanes=8)
    return LaneFunctions(
        made["rhs"], made["velocity"], made["tangent"](), crossings=crossing_function(crossings, n, k, lanes=8)
    )


PENDULUM = hybrid(swinging, passes, halve, [0.0, 0.0], nw=1, p=[1.0], directions=[FALLING], **SPAN)
LANES = lanes_of(swinging, passes, 2, 1)
LENGTHS = np.concatenate([np.geomspace(0.5, 50, 11), [30.0] * 5])[:, None]  # the second block: no event before 1.9 s
STARTS = np.tile([0.5, 0.0], (16, 1))
STARTS[3] = [0.1 + 1e-9, -1.0]  # an event in the first step


@each("gap", [np.inf, 0.01])
@each("method", METHODS)
def test_what_goes_on_is_the_single_run(method, gap):
    """Instants, quadratures and events; an event in the first step of a block, late ones in the other block."""
    one = replace(PENDULUM, gap=gap, log_gap=gap)
    # methods of order 1 agree only where they take the same steps
    close = {"rtol": 0, "atol": 1e-9} if method == "semi_implicit_euler" else CLOSE
    runs = integrate_ensemble(one, LANES, STARTS, p=LENGTHS, **settings(method))
    assert set(runs.outcomes) == {Outcome.COMPLETED}
    for k in range(16):
        alone = integrate(replace(one, x0=STARTS[k], p=LENGTHS[k]), **settings(method))
        rows = np.searchsorted(alone.t, TIMES)
        np.testing.assert_allclose(runs.x[k], alone.x[rows], **close)
        np.testing.assert_allclose(runs.w[k], alone.w[rows], **close)
        if k in runs.alone:
            np.testing.assert_allclose(runs.alone[k].events.t, alone.events.t, **close)
            np.testing.assert_allclose(runs.alone[k].x_end, alone.x_end, **close)
        else:
            assert not alone.events.t.size
    assert set(runs.alone) == set(range(16))  # both blocks have met an event, the second one late
    first = [integrate(replace(one, x0=STARTS[k], p=LENGTHS[k]), **settings(method)).events.t for k in range(16)]
    assert np.ptp([t[0] for t in first[:8] if t.size]) > 0.3  # in different steps


@each("method", ["tsit5", "dop853", "rodas5p", "rk4"])
def test_instants_of_falls_are_exact(method):
    """√(2h/g), by methods that are exact for parabolas; the round-off of some hundred steps."""

    def falling(t, x, u, p):
        return ca.vertcat(x[1], -G), ca.SX(0, 1)

    def ends(t, x, u, p, fired):
        return x, ca.SX(0, 1), fired[0]

    def height(t, x, u, p):
        return x[0], None

    one = hybrid(falling, height, ends, [0.0, 0.0], directions=[INVARIANT], **SPAN)
    made = functions(falling, 1, 2, lanes=8)
    lanes = LaneFunctions(made["rhs"], tangent=made["tangent"](), crossings=crossing_function(height, 2, 0, lanes=8))
    starts = np.stack([np.linspace(0.4, 44, 8), np.zeros(8)], axis=1)
    runs = integrate_ensemble(one, lanes, starts, **settings(method))
    exact = np.sqrt(2 * starts[:, 0] / G)
    assert [o is Outcome.STOPPED for o in runs.outcomes] == (exact < 3).tolist()
    assert runs.ok.all()
    np.testing.assert_allclose(runs.t_end, np.minimum(exact, 3), rtol=1000 * EPSILON)
    np.testing.assert_array_equal(np.isnan(runs.x[:, :, 0]), runs.t_end[:, None] < TIMES)
    np.testing.assert_allclose(runs.lowest[:, 1], -G * np.minimum(exact, 3), atol=0.1 * G)  # instants are 0.1 s apart
    for k, run in runs.alone.items():
        np.testing.assert_allclose(run.x_end[1], -G * runs.t_end[k], rtol=1000 * EPSILON)


def test_an_event_that_a_jump_of_the_input_makes_is_made_once_in_each_run():
    """g = x − u passes zero where u jumps, for some of the runs: the sides before the jump are known afterwards."""

    def moving(t, x, u, p):
        return p[0] + 0 * x[0], ca.SX(0, 1)

    t, x, u, p, dx, fired = (ca.SX.sym(name) for name in ("t", "x", "u", "p", "dx", "fired"))

    def crossings(lanes):
        return native(event_functions.crossing_function([t, x, u, p], dx, x - u, dx), lanes=lanes, apart=True)

    reset = native(ca.Function("reset", [t, x, u, p, fired], [x + 10 * fired, ca.SX(0, 1), ca.SX(0)]))
    events = Events(crossings=crossings(0), reset=reset, directions=[EITHER])
    jump = {"c0": [[-1.0], [1.5]], "a": [0.0, 1.0], "b": [1.0, 3.0]}
    one = problem(moving, 1, [0.0], m=1, p=[1.0], events=events, times=[0.0, 0.9, 1.1, 3.0], **jump)
    lanes = LaneFunctions(functions(moving, 1, 1, 1, 1, lanes=8)["rhs"], crossings=crossings(8))
    rates = np.array([0.4, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    runs = integrate_ensemble(one, lanes, np.zeros((8, 1)), p=rates[:, None], method="dop853")
    beyond = rates < 1.5  # below u after the jump: the jump itself is the event, there is no other
    assert set(runs.alone) == set(range(8))
    for k, run in runs.alone.items():
        np.testing.assert_array_equal(run.events.t, [1.0] if beyond[k] else [])
    np.testing.assert_allclose(runs.x[:, -1, 0], 3 * rates + 10 * beyond, rtol=1e-14)


def test_without_lanes_each_trajectory_is_the_single_run_to_the_bit():
    runs = integrate_ensemble(PENDULUM, None, STARTS, p=LENGTHS, method="auto", threads=2)
    for k, x0 in enumerate(STARTS):
        alone = integrate(replace(PENDULUM, x0=x0, p=LENGTHS[k]))
        np.testing.assert_array_equal(runs.x[k], alone.x)
        np.testing.assert_array_equal(runs.w[k], alone.w)
