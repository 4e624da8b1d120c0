"""Events: located to round-off by every method, reset, logged and bounded."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.kernels import Address, doubles
from cardan.errors import SolveError
from cardan.integration import (
    EITHER,
    FALLING,
    INVARIANT,
    METHODS,
    RISING,
    Events,
    Outcome,
    integrate,
)
from cardan.integration.ensemble import LaneFunctions, integrate_ensemble
from cardan.integration.events import EVENTS, RAPID, RESOLUTION, accumulation
from cardan.integration.loop.crossings import REACH, crosses_once, is_far, is_straight
from cardan.numerics.round_off import EPSILON
from tests.integration.fixed import observed_order
from tests.integration.problems import crossing_function, functions, hybrid, problem
from tests.native_kernels import native_kernel
from tests.selection import each

G, E = 9.81, 0.8
FALL = np.sqrt(2 / G)  # time of the first fall from 1 m
BOUNCES = FALL + 2 * FALL * np.cumsum([0.0, *(E**i for i in range(1, 100))])
LIMIT = FALL * (1 + 2 * E / (1 - E))  # where the bounces accumulate
ADAPTIVE = [name for name, info in METHODS.items() if not info.fixed_step]
FIRST_ORDER = ("semi_implicit_euler", "linearly_implicit_euler")
HIGH = [name for name in METHODS if name not in FIRST_ORDER]  # exact for parabolas


def clock(t, x, u, p):
    return ca.vertcat(1, 0), ca.SX(0, 1)


def settings(method, step=1e-2):
    return {"step": step} if METHODS[method].fixed_step else {}


def falling(t, x, u, p):
    return ca.vertcat(x[1], -G), ca.SX(0, 1)


def height(t, x, u, p):
    return x[0], None


def bounce(t, x, u, p, fired):
    return ca.vertcat(x[0], ca.if_else(fired[0] > 0, -E * x[1], x[1])), p + fired, 0


def bounce_at_zero(t, x, u, p, fired):
    return ca.vertcat(ca.if_else(fired[0] > 0, 0, x[0]), bounce(t, x, u, p, fired)[0][1]), p + fired, 0


def ball(until=10.0, g=height, reset=bounce, directions=(INVARIANT,), **given):
    span = {"a": [0.0], "b": [until], "times": np.linspace(0, until, 11)}
    return hybrid(falling, g, reset, [1.0, 0.0], p=[0.0], mode=(0, 1), directions=directions, **{**span, **given})


@each(
    "direction, reset",
    [(INVARIANT, bounce), (FALLING, bounce), (FALLING, bounce_at_zero), (EITHER, bounce), (EITHER, bounce_at_zero)],
)
@each("method", HIGH)
def test_a_ball_bounces_at_the_instants_of_the_closed_form_until_they_accumulate(method, direction, reset):
    """An edge may bounce within its round-off too, where it is seen on one side only."""
    run = integrate(ball(directions=[direction], reset=reset), method, **settings(method))
    assert run.outcome is Outcome.ZENO
    np.testing.assert_allclose(run.events.t[:60], BOUNCES[:60], rtol=0, atol=1e-12)  # 60 locations of some ulp each
    assert run.accumulation == pytest.approx(LIMIT, abs=1e-11)
    assert run.t_end == pytest.approx(LIMIT, abs=1e-11 if direction == INVARIANT else 1e-10)  # 100 bounces in round-off
    np.testing.assert_array_equal(run.events.after[:, 0], np.arange(1, len(run.events.t) + 1))
    np.testing.assert_array_equal(run.events.before[:, 0], np.arange(len(run.events.t)))
    kept = run.t < BOUNCES[-1]
    np.testing.assert_array_equal(run.modes[kept, 0], np.searchsorted(BOUNCES, run.t[kept]))


@each("method", [*METHODS, "auto"])
def test_the_state_after_an_event_is_that_of_the_closed_form(method):
    """x'' = −x from (1, 0); at x = 0.5, falling, the velocity is doubled."""

    def law(t, x, u, p):
        return ca.vertcat(x[1], -x[0]), ca.SX(0, 1)

    def double(t, x, u, p, fired):
        return ca.vertcat(x[0], x[1] * (1 + fired[0])), p, 0

    step = 1e-5 if method in FIRST_ORDER else 1e-3
    fixed = method != "auto" and METHODS[method].fixed_step
    one = hybrid(law, lambda t, x, u, p: (x[0] - 0.5, None), double, [1.0, 0.0], directions=[FALLING],
                 a=[0.0], b=[2.0], times=[2.0], rtol=1e-11, atol=1e-12)  # fmt: skip
    run = integrate(one, method, **({"step": step} if fixed else {}))
    t, s = np.arccos(0.5), 2.0 - np.arccos(0.5)
    expected = [0.5 * np.cos(s) - 2 * np.sin(t) * np.sin(s), -0.5 * np.sin(s) - 2 * np.sin(t) * np.cos(s)]
    tolerance = 1e-4 if method in FIRST_ORDER else 1e-9
    np.testing.assert_allclose(run.events.t, [t], rtol=0, atol=tolerance)
    np.testing.assert_allclose(run.x[-1], expected, rtol=0, atol=tolerance)


def test_the_order_of_a_fixed_step_method_survives_events():
    def law(t, x, u, p):
        return ca.vertcat(x[1], -ca.sin(x[0])), ca.SX(0, 1)

    def turn(t, x, u, p, fired):
        return ca.vertcat(x[0], x[1] - 0.5 * fired[0]), p, 0

    def final(method, **options):
        one = hybrid(law, lambda t, x, u, p: (x[0] - 0.3, None), turn, [1.0, 0.0], directions=[EITHER],
                     a=[0.0], b=[5.0], times=[5.0], rtol=1e-13, atol=1e-13)  # fmt: skip
        return integrate(one, method, **options).x[-1]

    exact = final("dop853")
    errors = np.array([np.abs(final("rk4", step=step) - exact).max() for step in (0.02, 0.01)])
    assert observed_order(errors) == pytest.approx(4, abs=0.3)


@each("method", ADAPTIVE)
def test_two_crossings_within_one_step_are_both_events(method):
    """The parabola dips below zero for 2e-3 s; the methods would cover the whole second in one step."""
    times = np.array([0.5 - 1e-3, 0.5 + 1e-3])
    one = hybrid(lambda t, x, u, p: (ca.vertcat(x[1], 2), ca.SX(0, 1)), height, None, [0.25 - 1e-6, -1.0],
                 directions=[EITHER], a=[0.0], b=[1.0], times=[0.0], first_step=1.0)  # fmt: skip
    run = integrate(one, method)
    np.testing.assert_allclose(run.events.t, times, rtol=0, atol=1e-12)


@each("method", ADAPTIVE)
def test_what_comes_back_within_the_step_after_its_event_is_found(method):
    """g = (t − 0.3)(t − 0.7)(t − 0.8): the step from 0.3 on would end beyond 0.8, with a sign as right after 0.3."""
    times = np.array([0.3, 0.7, 0.8])

    def rate(t, x, u, p):
        a, b, c = times
        return ca.vertcat((t - b) * (t - c) + (t - a) * (t - c) + (t - a) * (t - b), 0), ca.SX(0, 1)

    one = hybrid(rate, height, None, [-np.prod(times), 0.0],
                 directions=[EITHER], a=[0.0], b=[1.4], times=[0.0], first_step=1.4)  # fmt: skip
    run = integrate(one, method)
    np.testing.assert_allclose(run.events.t, times, rtol=0, atol=1e-12)


def test_after_a_jump_of_the_law_a_function_that_was_far_from_zero_is_looked_at_again():
    """g = 1 up to t = 1, then 1 − 10 s (1 − s)², s = t − 1: it passes zero twice in a step that ends far from zero."""

    def rate(t, x, u, p):
        s = t - 1
        return ca.vertcat(ca.if_else(t < 1, 0, -10 * (1 - s) * (1 - 3 * s)), 0), ca.SX(0, 1)

    one = hybrid(rate, height, None, [1.0, 0.0],
                 directions=[EITHER], a=[0.0, 1.0], b=[1.0, 2.0], times=[0.0])  # fmt: skip
    run = integrate(one, "rk4", step=1.0)
    np.testing.assert_allclose(run.events.t, 1 + np.sort(np.roots([-10, 20, -10, 1]))[:2], rtol=0, atol=1e-14)


@each("direction, count", [(RISING, 3), (FALLING, 3), (EITHER, 6)])
def test_directions(direction, count):
    def wave(t, x, u, p):
        return ca.vertcat(ca.cos(t), 0), ca.SX(0, 1)

    one = hybrid(wave, lambda t, x, u, p: (x[0] - 0.5, None), None, [0.0, 0.0],
                 directions=[direction], a=[0.0], b=[6 * np.pi], times=[0.0])  # fmt: skip
    turns = 2 * np.pi * np.arange(3)
    up, down = np.pi / 6 + turns, 5 * np.pi / 6 + turns
    expected = {RISING: up, FALLING: down, EITHER: np.sort([*up, *down])}[direction]
    run = integrate(one, "dop853")
    assert len(run.events.t) == count
    np.testing.assert_allclose(run.events.t, expected, rtol=0, atol=1e-8)  # tolerance of the steps


def test_events_at_one_instant_are_handled_together_and_in_order():
    """Both functions vanish at t = 0.5; the reset sees both, the third follows from it at the same instant."""

    def reset(t, x, u, p, fired):
        return x, p + fired[:2].T @ ca.DM([1, 10]) * (1 + fired[0] * fired[1]) + 100 * fired[2], 0

    def g(t, x, u, p):
        return ca.vertcat(0.5 - x[0], 1 - 2 * x[0], 20 - p[0]), None

    one = hybrid(clock, g, reset, [0.0, 0.0], p=[0.0], mode=(0, 1),
                 directions=[FALLING, FALLING, FALLING], a=[0.0], b=[1.0], times=[0.0, 1.0])  # fmt: skip
    run = integrate(one, "dop853")
    assert run.outcome is Outcome.COMPLETED
    np.testing.assert_array_equal(run.events.fired, [[True, True, False], [False, False, True]])
    np.testing.assert_array_equal(run.events.after[:, 0], [22.0, 122.0])
    np.testing.assert_allclose(run.events.t, 0.5, rtol=0, atol=1e-15)


@each("method", HIGH)
def test_a_relay_switches_at_the_instants_of_the_closed_form(method):
    """A thermostat: x' = p − x with p = 2 until x = 1.5, 0 until x = 0.5: periods of ln 3 each after the start."""

    def switch(t, x, u, p, fired):
        return x, ca.if_else(fired[0] > 0, 0, ca.if_else(fired[1] > 0, 2, p)), 0

    def limits(t, x, u, p):
        return ca.vertcat(1.5 - x, x - 0.5), None

    one = hybrid(lambda t, x, u, p: (p[0] - x, ca.SX(0, 1)), limits, switch, [0.0], p=[2.0],
                 mode=(0, 1), directions=[FALLING, FALLING], a=[0.0], b=[9.0],
                 times=np.linspace(0, 9, 10), rtol=1e-11, atol=1e-12)  # fmt: skip
    run = integrate(one, method, **settings(method, 1e-3))
    expected = np.log(4) + np.log(3) * np.arange(7)
    np.testing.assert_allclose(run.events.t, expected, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(run.events.after[:, 0], [0, 2, 0, 2, 0, 2, 0])


def test_an_event_can_end_the_run():
    def stop(t, x, u, p, fired):
        return x, p, fired[0]

    one = hybrid(
        falling, height, stop, [1.0, 0.0], directions=[FALLING], a=[0.0], b=[10.0], times=np.linspace(0, 10, 101)
    )
    run = integrate(one, "dop853")
    assert run.outcome is Outcome.STOPPED
    assert run.outcome.ok
    assert run.t_end == pytest.approx(FALL, abs=1e-15)
    assert run.x_end == pytest.approx([0, -G * FALL], abs=1e-14)
    assert run.t[-1] <= FALL


def test_of_jumps_at_one_instant_the_states_before_and_after_are_returned():
    """The bounce causes a second jump, and this one a third event that changes the mode alone."""

    def reset(t, x, u, p, fired):
        v = ca.if_else(fired[0] > 0, -E * x[1], ca.if_else(fired[1] > 0, 2 * x[1], x[1]))
        return ca.vertcat(x[0], v), p + fired.T @ ca.DM([1, 10, 100]), 0

    def g(t, x, u, p):
        return ca.vertcat(x[0], 0.5 - p[0], 5 - p[0]), None

    run = integrate(ball(1.0, gap=0.5, g=g, reset=reset, directions=[INVARIANT, FALLING, FALLING]), "dop853")
    assert [row.tolist() for row in run.events.fired] == np.eye(3, dtype=bool).tolist()
    (k,) = np.flatnonzero(np.diff(run.t) == 0)
    assert run.x[k + 1, 1] == pytest.approx(-2 * E * run.x[k, 1], rel=1e-15)
    assert run.modes[k : k + 2, 0].tolist() == [0.0, 111.0]


def test_switching_without_progress_of_time_is_chattering():
    """x' = −σ with σ the sign of x: both motions lead back to x = 0."""

    def turn(t, x, u, p, fired):
        return x, -p, 0

    one = hybrid(lambda t, x, u, p: (-p[0] + 0 * x, ca.SX(0, 1)), lambda t, x, u, p: (p[0] * x, None), turn, [1.0],
                 p=[1.0], mode=(0, 1), directions=[INVARIANT], a=[0.0], b=[3.0], times=[0.0, 0.5, 2.0])  # fmt: skip
    run = integrate(one, "dop853")
    assert run.outcome is Outcome.CHATTERING
    later = 4 * EPSILON  # at most, of each event than that before it: the accuracy of a root
    assert run.t_end == pytest.approx(1, abs=RAPID**2 * later)
    np.testing.assert_allclose(run.x, [[1.0], [0.5]], atol=1e-14)
    assert np.isnan(run.accumulation)


@each("method", METHODS)
def test_a_motion_that_slides_along_a_switching_is_chattering(method):
    """x' = 1 below x = 24 and −b above, at 0.002 s: the round-off of x passes in longer than that of the time.

    The intervals between the events are the round-off of x over its rate, some 10⁻¹⁴ s, where 1024 ε t is 5·10⁻¹⁶ s.
    """

    def law(t, x, u, p):
        return ca.if_else(p[0] > 0, p[1], -p[2]), ca.SX(0, 1)

    one = hybrid(law, lambda t, x, u, p: (p[0] * (24.0 - x), None), lambda t, x, u, p, fired: (x, -p[0], 0), [0.0],
                 p=[1.0, 0.0, 0.0], mode=(0, 1), directions=[INVARIANT], a=[0.0], b=[1.0], times=[0.0])  # fmt: skip
    for rise in np.geomspace(0.5, 200, 20):
        for fall in (0.7, 30, 90):
            start = 24.0 - 0.002 * rise
            run = integrate(one, method, x0=np.array([start]), p=np.array([1.0, rise, fall]), **settings(method, 1e-3))
            assert run.outcome is Outcome.CHATTERING
            one_more = np.spacing(24.0) / min(rise, fall)  # of each interval than that before it
            assert run.t_end == pytest.approx(0.002, abs=2 * RAPID**2 * one_more)
            doubled = 52 if method == "linearly_implicit_euler" else 0  # steps from round-off on, after each event
            assert run.statistics.steps < (4 + doubled) * RAPID


@each("rebound", [1e-14, 1e-3])
@each("direction, sign", [(FALLING, 1), (RISING, -1), (EITHER, 1)])
def test_an_event_is_made_again_only_if_its_reset_jumps_back_beyond_round_off(direction, sign, rebound):
    """v' = −1 from v = 1, thrown back once, to the velocity `rebound`, by the event at v = 0."""

    def law(t, x, u, p):
        return ca.vertcat(-sign, 0), ca.SX(0, 1)

    def throw(t, x, u, p, fired):
        return ca.vertcat(ca.if_else(x[1] == 0, p[0], x[0]), x[1] + 1), ca.SX(0, 1), 0

    one = hybrid(law, lambda t, x, u, p: (x[0], None), throw, [sign, 0.0], p=[0.0],
                 directions=[direction], a=[0.0], b=[2.0], times=[0.0])  # fmt: skip
    run = integrate(one, "dop853", p=np.array([sign * rebound]))
    np.testing.assert_allclose(
        run.events.t, [1.0] if rebound < RESOLUTION else [1.0, 1.0 + rebound], rtol=0, atol=1e-14
    )


@each("method", ["dop853", "tsit5"])
def test_an_event_that_begins_on_the_right_side_by_round_off_comes_once_it_is_on_the_other(method):
    """x'' = −x from (1, 0) with a switch at x = c; the reset looks at the side by itself, as laws of friction do.

    At the located instant x − c is round-off of either sign, which a sine makes larger here; where it is positive,
    there is nothing to be done yet.
    """

    def law(t, x, u, p):
        return ca.vertcat(x[1], -x[0]), ca.SX(0, 1)

    def side(t, x, u, p):
        return p[0] * (x[0] - p[1] + 1e-14 * ca.sin(1e16 * x[0])), None

    def look(t, x, u, p, fired):
        return x, ca.if_else(side(t, x, u, p)[0] < 0, -p[0], p[0]), 0

    one = hybrid(law, side, look, [1.0, 0.0], p=[1.0, 0.0], mode=(0, 1),
                 directions=[INVARIANT], a=[0.0], b=[4.0], times=[4.0], rtol=1e-10, atol=1e-12)  # fmt: skip
    for c in np.linspace(-0.9, 0.9, 100):
        run = integrate(one, method, p=np.array([1.0, c]))
        assert run.outcome is Outcome.COMPLETED
        passed = [t for t in (np.arccos(c), 2 * np.pi - np.arccos(c)) if t < 4]  # to the tolerance of the run
        assert np.abs(run.events.t[:, None] - passed).min(axis=1).max() < 1e-8
        assert run.events.after[-1, 0] == (-1) ** len(passed)


def test_the_log_of_events_is_bounded():
    one = hybrid(clock, lambda t, x, u, p: (ca.sin(1e4 * x[0]), None), None, [0.0, 0.0],
                 directions=[EITHER], a=[0.0], b=[100.0], times=[0.0], max_step=1e-4)  # fmt: skip
    run = integrate(one, "tsit5")
    assert run.outcome is Outcome.TOO_MANY_EVENTS
    assert len(run.events.t) == EVENTS


def test_ticks_reset_at_starts_of_segments():
    """A hold of x at multiples of 0.1 s: x' = m gives x growing by a tenth of itself at each."""
    ends = np.linspace(0, 1, 11)

    def hold(t, x, u, p, fired):
        return x, ca.if_else(fired[0] > 0, x[0], p[0]), 0

    one = hybrid(lambda t, x, u, p: (p[0] + 0 * x, ca.SX(0, 1)), None, hold, [1.0], p=[7.0], mode=(0, 1),
                 ticks=np.ones((10, 1)), a=ends[:-1], b=ends[1:], times=ends)  # fmt: skip
    run = integrate(one, "dop853")
    np.testing.assert_allclose(run.x[:, 0], 1.1 ** np.arange(11), rtol=1e-14)
    np.testing.assert_allclose(run.modes[:-1, 0], 1.1 ** np.arange(10), rtol=1e-14)
    assert not len(run.events.t)


def test_the_projection_acts_at_events():
    """A point on the unit circle; the event doubles its speed."""

    def turn(t, x, u, p):
        return ca.vertcat(-x[1], x[0]) * p[0], ca.SX(0, 1)

    def onto_circle(t, x, u, p):
        return x / ca.norm_2(x), ca.fabs(ca.norm_2(x) - 1)

    def faster(t, x, u, p, fired):
        return x, p + fired, 0

    one = hybrid(turn, height, faster, [1.0, 0.0], nq=2, p=[1.0], mode=(0, 1), project=onto_circle,
                 directions=[FALLING], a=[0.0], b=[3.0], times=np.linspace(0, 3, 31))  # fmt: skip
    run = integrate(one, "dop853")
    angle = np.where(run.t < np.pi / 2, run.t, np.pi / 2 + 2 * (run.t - np.pi / 2))
    np.testing.assert_allclose(run.x, np.stack([np.cos(angle), np.sin(angle)], axis=1), rtol=0, atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(run.x, axis=1), 1, rtol=0, atol=1e-10)
    assert run.events.t == pytest.approx([np.pi / 2], abs=1e-8)


BEADS = 5


def collide(inputs: Address, outputs: Address, work: Address) -> int:
    """Impacts of equal beads on a wire: neighbours that touch and approach exchange velocities, until none does."""
    row, out, again = doubles(inputs), doubles(outputs), 1
    for i in range(2 * BEADS + 1):
        out[i] = row[1 + i] if i < 2 * BEADS else 0.0
    while again == 1:
        again = 0
        for i in range(BEADS - 1):
            fired = row[1 + 2 * BEADS + i]
            left, right = out[BEADS + i], out[BEADS + i + 1]
            if (fired != 0.0 or row[2 + i] - row[1 + i] <= 1.0 + 1e-12) and left > right:
                out[BEADS + i], out[BEADS + i + 1] = right, left
                again = 1
    return 0


def test_a_reset_may_be_a_kernel_with_loops():
    """A row of beads of diameter 1 that touch; the first one hits it, and the last one leaves."""

    def law(t, x, u, p):
        return ca.vertcat(x[BEADS:], ca.SX(BEADS, 1)), ca.SX(0, 1)

    def gaps(t, x, u, p):
        return x[1:BEADS] - x[: BEADS - 1] - 1, None

    reset = native_kernel(collide, 1 + 2 * BEADS + BEADS - 1, 2 * BEADS + 1)
    x0 = [-3.0, 1.0, 2.0, 3.0, 4.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    one = hybrid(law, gaps, None, x0, nq=BEADS, directions=[INVARIANT] * (BEADS - 1), events={"reset": reset},
                 a=[0.0], b=[3.0], times=[0.0, 3.0])  # fmt: skip
    run = integrate(one, "dop853")
    assert run.outcome is Outcome.COMPLETED
    np.testing.assert_allclose(run.events.t, [1.5], rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.x[-1], [0, 1, 2, 3, 7, 0, 0, 0, 0, 2], rtol=0, atol=1e-13)


def test_events_that_never_happen_change_no_result():
    def law(t, x, u, p):
        return ca.vertcat(x[1], -ca.sin(x[0])), x[0] ** 2

    given = {"a": [0.0], "b": [9.0], "times": np.linspace(0, 9, 37)}
    with_them = hybrid(law, lambda t, x, u, p: (x[0] + 2, None), None, [1.0, 0.0], nw=1, directions=[EITHER], **given)
    for method in METHODS:
        a = integrate(with_them, method, **settings(method))
        b = integrate(problem(law, 1, [1.0, 0.0], nw=1, **given), method, **settings(method))
        np.testing.assert_array_equal(a.x, b.x)
        np.testing.assert_array_equal(a.w, b.w)


@each(
    "events, words",
    [
        (Events(directions=[7]), "directions must be"),
        (Events(mode=(0, 2)), r"the mode is p\[0:2\]"),
        (Events(ticks=np.ones((3, 1))), "ticks for"),
        (Events(tolerance=-1.0), "negative"),
        (Events(crossings=crossing_function(height, 2, 1), directions=[1, 1]), "crossings maps"),
    ],
)
def test_refusals(events, words):
    with pytest.raises(SolveError, match=words):
        ball(events={}) and replace(ball(), events=events)


def test_ticks_are_refused_in_lanes():
    one = replace(ball(), events=Events(ticks=np.ones((1, 1))))
    with pytest.raises(SolveError, match="ticks reset one"):
        integrate_ensemble(
            one, LaneFunctions(functions(falling, 1, 2, 0, 1, lanes=8)["rhs"]), np.zeros((1, 2)), step=0.1
        )


def test_intervals_that_do_not_shrink_accumulate_nowhere():
    assert np.isnan(accumulation(np.arange(10.0), 1e-12))
    assert np.isnan(accumulation(np.arange(3.0), 1e-12))
    assert accumulation(1 - 0.5 ** np.arange(40), 1e-12) == pytest.approx(1, abs=1e-14)


def test_a_cubic_that_is_nearly_straight_or_monotone_crosses_zero_once_at_most():
    """Sampled densely; a nearly straight one stays away from zero by 3/4 of its nearer end."""
    rng, counts = np.random.default_rng(5), {True: 0, False: 0}
    theta = np.linspace(0, 1, 201)
    for _ in range(6000):
        a, b, da, db = rng.normal(size=4)
        straight = a * b > 0 and is_straight(min(abs(a), abs(b)), b - a, da, db)
        if not crosses_once(a, b, da, db):
            assert not straight
            continue
        counts[straight] += 1
        cubic = a + theta * (da + theta * (3 * (b - a) - 2 * da - db + theta * (2 * (a - b) + da + db)))
        assert np.count_nonzero(np.diff(np.sign(cubic))) == (a * b < 0)
        if straight:
            assert (np.sign(a) * cubic).min() >= 0.75 * min(abs(a), abs(b)) * (1 - 1e-12)  # round-off of the cubic
    assert min(counts.values()) > 100


def test_a_cubic_with_ends_far_from_zero_keeps_its_sign():
    """Its start may be far with a third of its change; with less than that, it can cross if it ends near zero."""
    rng, theta, far, crosses = np.random.default_rng(6), np.linspace(0, 1, 201), 0, 0
    for _ in range(20000):
        a, b = rng.uniform(0, 1), 10 ** rng.uniform(-3, 0)
        da, db = rng.normal(size=2) * (3, b)
        if not is_far(b, db):
            continue
        cubic = a + theta * (da + theta * (3 * (b - a) - 2 * da - db + theta * (2 * (a - b) + da + db)))
        if is_far(a, da / REACH):
            assert cubic.min() >= -4 * EPSILON * np.abs([a, b, da, db]).sum()  # round-off of the cubic
            far += 1
        elif is_far(a, da / (2 * REACH)):
            crosses += cubic.min() < 0
    assert min(far, crosses) > 100


@each("method", ADAPTIVE)
def test_a_function_without_slopes_makes_its_event(method):
    """The length of (x, 0) has no derivative along its second entry."""

    def law(t, x, u, p):
        return ca.vertcat(ca.cos(t), 0), ca.SX(0, 1)

    def distance(t, x, u, p):
        return x[0] - 0.5 + ca.sqrt(x[1] * x[1]), None

    one = hybrid(law, distance, None, [0.0, 0.0], directions=[EITHER], a=[0.0], b=[3.0], times=[3.0])
    found = integrate(one, method).events.t
    np.testing.assert_allclose(found, [np.pi / 6, 5 * np.pi / 6], rtol=0, atol=1e-8)  # tolerance of the steps


@each("method", METHODS)
def test_a_function_that_leaves_zero_at_a_constant_rate_is_seen_to_turn_back(method):
    """x = t until t = 1, in steps that are exact; then x'' = −100, so that it is back at zero within one step."""

    def law(t, x, u, p):
        return ca.vertcat(x[1], ca.if_else(t < 1.0, 0.0, -100.0)), ca.SX(0, 1)

    one = hybrid(law, height, None, [0.0, 1.0], directions=[EITHER],
                 a=[0.0], b=[2.0], times=[2.0], max_step=0.25)  # fmt: skip
    run = integrate(one, method, **settings(method, 0.25))
    assert len(run.events.t) == 1
    assert 1.0 < run.events.t[0] < 1.5
