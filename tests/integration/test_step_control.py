"""The formulas of step control, each against its own formula; the kernels' functions run here in plain Python."""

from __future__ import annotations

from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.kernels import address_of
from cardan.codegen.kernels.memory import View
from cardan.integration import METHODS, explicit, integrate, rosenbrock, tableaus
from cardan.integration.loop.output import differentiate, expand, extend_to, measure_correction
from cardan.integration.loop.records import make_problem_record
from cardan.integration.loop.run_memory import make_run_memory
from cardan.integration.loop.stepping import ERROR_FLOOR, choose_next, plan
from cardan.integration.outcome import Outcome
from tests.integration.problems import problem, wave_problem
from tests.selection import each

CONTROLLERS = {
    name: make().controller
    for name, make in {"tsit5": tableaus.tsit5, "dop853": tableaus.dop853, "rodas5p": tableaus.rodas5p}.items()
}
ROUND_OFF = 1e-14  # relative: sums of some ten terms


def accepted(controller, error, error_old, h=0.1, h_free=0.1, attempts=0):
    """The record of a run after an accepted step."""
    run = SimpleNamespace(h=h, h_free=h_free, error=error, error_old=error_old, attempts=attempts)
    choose_next(SimpleNamespace(**vars(controller)), run, h)
    return run


@each("controller", CONTROLLERS.values())
@each("error", [1e-12, 1e-5, 0.01, 0.3, 1.0])
@each("error_old", [ERROR_FLOOR, 0.02, 1.0])
def test_the_next_step_follows_both_errors(controller, error, error_old):
    """h safety err^−α err_old^β, its factor between shrink and grow."""
    factor = controller.safety * max(error, 1e-10) ** -controller.alpha * error_old**controller.beta
    expected = 0.1 * min(controller.grow, max(controller.shrink, factor))
    run = accepted(controller, error, error_old)
    assert run.h == pytest.approx(expected, rel=ROUND_OFF)
    assert run.error_old == max(error, ERROR_FLOOR)


def stepped(made, stepper):
    """Records of a problem and of a run of one of its methods, with random stages, as plain Python sees them."""
    memory = make_run_memory(made, stepper.rows, 64)
    rng = np.random.default_rng(7)
    memory.array("atol")[:2] = made.atol
    for name in ("x", "x_new", "K"):
        memory.array(name)[:] = rng.normal(size=memory.array(name).shape)
    return View(stepper.method), View(make_problem_record(made)), View(memory.record), memory


ATOL = np.array([1e-3, 2e-2])


@each("name", ["tsit5", "dop853"])
def test_the_error_of_explicit_steps(name):
    """h Σe0² / √((Σe0² + 0.01 Σe1²) n), every e over its allowed error; quadratures do not count."""
    tableau, h = getattr(tableaus, name)(), 0.2
    made = wave_problem([0.0], atol=ATOL, rtol=0.05)
    stepper = explicit.make_stepper(tableau)
    method, record, run, memory = stepped(made, stepper)
    K = np.array(memory.array("K"))[:, :2]
    x, x_new = memory.x[:2], memory.array("x_new")[:2]
    allowed = ATOL + 0.05 * np.maximum(np.abs(x), np.abs(x_new))
    used = tableau.last + tableau.error_uses_last
    main, second = (np.sum((row[:used] @ K[:used] / allowed) ** 2) for row in tableau.E)
    expected = h * main / np.sqrt((main + 0.01 * second) * 2)
    assert explicit.error_norm(method, record, run, h) == pytest.approx(expected, rel=ROUND_OFF * 100)
    assert memory.record["worst"] == np.argmax(np.abs(tableau.E[0, :used] @ K[:used]) / allowed)


def test_the_error_of_rosenbrock_steps():
    """√(Σ(e/allowed)² / n) with e = Σ E_i k_i."""
    made = wave_problem([0.0], atol=ATOL, rtol=0.05)
    stepper = rosenbrock.make_stepper(tableaus.rodas5p(), made)
    method, record, run, memory = stepped(made, stepper)
    x, x_new = memory.x[:2], memory.array("x_new")[:2]
    allowed = ATOL + 0.05 * np.maximum(np.abs(x), np.abs(x_new))
    E, K = tableaus.rodas5p().E, np.array(memory.array("K"))[:, :2]
    expected = np.sqrt(np.mean((E @ K[: E.size] / allowed) ** 2))
    assert rosenbrock.error_norm(method, record, run) == pytest.approx(expected, rel=ROUND_OFF * 100)


@each("projected", [False, True])
@each("name", METHODS)
def test_the_slope_of_the_continuous_extension(name, projected):
    """Against central differences of the extension of random stages; their error is some 1e-6² times a third slope."""
    made, h, d = wave_problem([0.0]), 0.2, 1e-6
    method, record, run, memory = stepped(made, METHODS[name].make(made))
    record.project = int(projected)
    scale = 1.0 if method.increments else h
    measure_correction(method, record, run, scale)
    expand(method, record, run, scale)
    for theta in (0.1, 0.5, 0.8):
        ends = []
        for place in (theta - d, theta + d):
            extend_to(method, record, run, place, 1.0, 1, run.x_stage)
            ends.append(memory.array("x_stage")[:3].copy())
        differentiate(method, record, run, theta, h, run.errors)
        found, size = memory.array("errors")[0, :3], np.abs(memory.array("K")).max()
        np.testing.assert_allclose(found, (ends[1] - ends[0]) / (2 * d * h), rtol=0, atol=1e-8 * size / h)  # ε/d


@each("t, h, goal", [(0.0, 0.3, 0.3), (0.0, 0.9, 0.5), (0.8, 0.199, 1.0), (0.8, 0.19, 0.99), (0.0, 0.495, 0.495)])
def test_a_step_ends_within_its_segment(t, h, goal):
    """max_step bounds a step; one that leaves less than 1 % of itself goes to the end of the segment."""
    begin, end = np.array([0.0]), np.array([1.0])
    record = SimpleNamespace(begin=address_of(begin), end=address_of(end), max_step=0.5)
    run = SimpleNamespace(segment=0, t=t, h=h, h_free=0.0)
    assert plan(SimpleNamespace(adaptive=1), record, run) == pytest.approx(goal, rel=ROUND_OFF)
    assert run.h_free == min(h, 0.5)


@each("method", METHODS)
def test_a_run_keeps_the_step_in_which_its_velocities_jump(method):
    """A point at 1 m/s whose velocity the projection reverses from x = 0.5 m on."""

    def bounce(t, x, u, p):
        return ca.vertcat(x[0], ca.if_else(x[0] > 0.5, -ca.fabs(x[1]), x[1])), ca.SX(0)

    step = {"step": 0.0101} if METHODS[method].fixed_step else {}
    made = problem(
        lambda t, x, u, p: (ca.vertcat(x[1], 0 * t), 0 * t),
        1,
        [0.0, 1.0],
        nw=1,
        project=bounce,
        a=[0.0],
        b=[1.0],
        times=[1.0],
        log_gap=1e-3,
        **({} if step else {"max_step": 0.0101}),
    )
    log = integrate(made, method, **step).log
    start = int(np.flatnonzero(log.x[:, 1] < 0)[0]) - 1  # the last state with the old velocity
    assert log.jump == log.t[start]
    assert log.x[start, 0] <= 0.5 < log.x[start, 0] + (log.t[start + 1] - log.t[start])


@each("stretch", [0.9995, 1.0, 1.0005])
def test_a_step_at_which_the_estimate_vanishes_is_not_taken_for_good(stretch):
    """x' = λ x by DOP853 with a first step of h λ = −5.654 leaves a quarter of x, with an estimate of zero."""
    rate = 5.654330700283361 / 0.01  # zero of the estimate: root of its polynomial [1/s]
    given = problem(
        lambda t, x, u, p: (-rate * x, 0 * x),
        0,
        [1.0],
        nw=1,
        times=[0.01, 0.05],
        a=[0.0],
        b=[0.05],
        first_step=0.01 * stretch,
    )
    run = integrate(given, "dop853")
    assert run.outcome is Outcome.COMPLETED
    # rtol 1e-8 a step, some ten steps; output within them ten times as much
    np.testing.assert_allclose(run.x[:, 0], np.exp(-rate * run.t), rtol=0, atol=1e-6)


def stages_of(tableau, z):
    """What the stages of a step make of x' = λ x from x = 1, h λ = z."""
    k = np.zeros(len(tableau.A))
    for s in range(len(k)):
        k[s] = 1 + z * (tableau.A[s, :s] @ k[:s])
    return k


def between_the_ends(tableau, z):
    """The continuous extension of that step at 201 places, and the decay itself."""
    theta = np.linspace(0, 1, 201)
    beta = np.cumprod([theta if row % 2 == 0 else 1 - theta for row in range(len(tableau.dense))], axis=0)
    return 1 + z * beta.T @ (tableau.dense @ stages_of(tableau, z)), np.exp(z * theta)


def test_dop853_trusts_its_estimate_as_far_as_that_grows():
    """There it is larger than the error, and the extension stays within ±x; half a unit further neither is so."""
    tableau, decays = tableaus.dop853(), tableaus.trusted_decays(tableaus.dop853())

    def estimate(z):
        main, second = (abs(z * (row @ stages_of(tableau, z))) for row in np.pad(tableau.E, ((0, 0), (0, 3)))[:, :16])
        return main, main**2 / np.hypot(main, 0.1 * second)

    lengths = np.linspace(0.5, decays.longest, 40)
    assert (np.diff([estimate(-length)[0] for length in lengths]) > 0).all()
    assert estimate(-decays.longest - 1e-3)[0] < estimate(-decays.longest)[0]
    for z in -lengths:
        extension, exact = between_the_ends(tableau, z)
        assert abs(stages_of(tableau, z)[tableau.last] - np.exp(z)) < estimate(z)[1]
        assert np.max(np.abs(extension)) < 1 + 1e-12
    z = -decays.longest
    extension, exact = between_the_ends(tableau, z)
    assert decays.visible == pytest.approx(
        abs(tableau.W[0] @ stages_of(tableau, z)) / np.max(np.abs(extension - exact)), rel=1e-2
    )
    extension, exact = between_the_ends(tableau, -5.5)
    assert np.max(np.abs(extension)) > 3
    assert abs(stages_of(tableau, -5.5)[tableau.last] - np.exp(-5.5)) > 5 * estimate(-5.5)[1]
