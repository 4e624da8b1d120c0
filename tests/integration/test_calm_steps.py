"""Calm steps: steps far from all events, whose ends the crossing functions judge themselves."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.kernels import doubles
from cardan.integration import EITHER, FALLING, METHODS, Outcome, integrate
from cardan.integration.ensemble import LaneFunctions, integrate_ensemble
from cardan.integration.loop.crossings import REACH
from cardan.integration.loop.hybrid import hybrid_kernel_of
from cardan.integration.loop.records import make_problem_record
from cardan.integration.loop.run_memory import make_run_memory
from cardan.numerics.round_off import EPSILON
from cardan.simulation.hybrid import event_functions
from tests.integration.problems import crossing_function, functions, hybrid

OMEGA, STEP = 3.0, 5e-3


def swinging(t, x, u, p):
    """A mass on a spring; the mode p is its rest position."""
    return ca.vertcat(x[1], -(OMEGA**2) * (x[0] - p[0])), ca.SX(0, 1)


def pushed(t, x, u, p, fired):
    """The first event moves the rest position to and fro."""
    return x, ca.if_else(fired[0] > 0, -p, p), 0


def heights(count):
    return lambda t, x, u, p: (ca.vertcat(x[0] - 0.6, x[0] + 0.7)[:count], None)


def progress(method, count, budget, longest=0.02):
    """Memory of a run after each call of its kernel, which takes up to so many steps."""
    span = {"a": [0.0, 4.0], "b": [4.0, 9.0], "times": [9.0], "log_gap": 1e-4, "max_step": longest}
    one = hybrid(swinging, heights(count), pushed, [0.1, 2.0], p=[0.05], mode=(0, 1),
                 directions=[EITHER, FALLING][:count], **span)  # fmt: skip
    stepper, kernel = METHODS[method].make(one), hybrid_kernel_of(METHODS[method].record)
    memory, status = make_run_memory(one, stepper.rows, 200), Outcome.RUNNING
    memory.record["h"] = STEP
    while status == Outcome.RUNNING:
        status = kernel(stepper.method, make_problem_record(one), memory.record, budget)
        yield memory, stepper.method["last"] >= 0
    assert status == Outcome.COMPLETED


@pytest.mark.parametrize("count", [1, 3])
def test_functions_are_near_unless_each_is_far(count):
    """They are far where |ġ| ≤ s g for each; one without a value is not."""
    t, u, p, x, dx = (ca.SX.sym(name, n) for name, n in (("t", 1), ("u", 0), ("p", 0), ("x", count), ("dx", count)))
    made, rng, found = event_functions.crossing_function([t, x, u, p], dx, x, dx), np.random.default_rng(3), []
    for _ in range(300):
        g, rate, s = rng.normal(size=(3, count)) * np.array([[2.0], [0.5], [1.0]])
        far = all(abs(rate) <= s * g)
        assert (float(made(0, g, [], [], s, rate)[2]) <= 0) == far
        found.append(far)
        for lost in ((np.nan * g, rate), (g, np.nan * rate)):
            assert not float(made(0, lost[0], [], [], s, lost[1])[2]) <= 0
    assert 3 < sum(found) < 297
    assert float(made(0, 0 * g, [], [], s, 0 * rate)[2]) <= 0  # at rest at zero


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_calm_steps_give_the_same_run_as_steps_that_are_prepared_one_by_one(method, count):
    """A call of the kernel prepares its first step: with a budget of one none is calm."""
    *_, (wary, _) = progress(method, count, 1)
    *_, (calm, _) = progress(method, count, 10**6)
    logged, events = wary.record["logged"], wary.record["events"]
    assert events > 5
    assert (calm.record["logged"], calm.record["events"]) == (logged, events)
    for name, size in (("log_t", logged), ("log_x", logged), ("event_t", events), ("event_fired", events)):
        np.testing.assert_array_equal(calm.array(name)[:size], wary.array(name)[:size])


@pytest.mark.parametrize("longest", [0.02, np.inf])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_calm_steps_are_no_longer_than_the_step_for_which_functions_are_known_to_be_far(method, count, longest):
    """|g| ≥ H |ġ| at the end of each step that was judged to be calm, up to four roundings; the step was at most H.

    With error control the second step may be longer than the first by more than REACH.
    """
    calm = 0
    for calls, (memory, knows_its_end) in enumerate(progress(method, count, 2, longest)):  # noqa: B007
        record = memory.record
        assert record["calm"] in (0, 1 if knows_its_end else 2)
        if record["calm"] and doubles(record["near"])[0] <= 0:
            h, (q, v) = record["reach"], memory.x
            gaps = abs(q - np.array([0.6, -0.7])[:count])
            before, after = memory.array("log_t")[record["logged"] - 2 :][:2]
            begins = abs(after - before - h / REACH) < 1e-9  # the step is the one that has set H
            assert (gaps * (1 + 4 * EPSILON) >= (h / REACH if begins else h) * abs(v)).all()
            assert after - before <= h
            calm += 1
    assert calm > calls / 3 or longest == np.inf


@pytest.mark.parametrize("method", ["tsit5", "rk4"])
def test_a_run_whose_derivative_was_lost_between_two_calls_computes_it_again(method):
    """As where another method goes on."""
    *_, (whole, _) = progress(method, 2, 10**6)
    found = 0
    for memory, _ in progress(method, 2, 7):
        found += memory.record["calm"]
        memory.record["fresh"] = 0
        memory.array("K")[...] = np.nan
    assert found > 10
    np.testing.assert_array_equal(memory.x, whole.x)


def test_runs_side_by_side_make_their_own_events_where_the_first_has_none():
    starts = np.stack([np.linspace(0.1, 1.5, 16), np.zeros(16)], axis=1)  # the first ones never reach 0.6
    span = {"a": [0.0], "b": [4.0], "times": np.linspace(0, 4, 9)}
    one = hybrid(swinging, heights(1), pushed, starts[0], p=[0.05], mode=(0, 1), directions=[EITHER], **span)
    lanes = LaneFunctions(
        functions(swinging, 1, 2, 0, 1, lanes=8)["rhs"], crossings=crossing_function(heights(1), 2, 1, lanes=8)
    )
    together = integrate_ensemble(one, lanes, starts, method="rk4", step=STEP)
    for k, x0 in enumerate(starts):
        alone = integrate(replace(one, x0=x0), "rk4", step=STEP)
        assert (len(alone.events.t) > 0) == (x0[0] > 0.6)
        np.testing.assert_allclose(together.x[k], alone.x, rtol=0, atol=1e-12)  # round-off of 800 steps
