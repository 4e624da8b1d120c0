"""Step control: the end of the next step, its length, acceptance and rejection.

Source: Hairer, Nørsett & Wanner I (1993), II.4; Hairer & Wanner II (1996), IV.2 (PI control); the codes dopri5.f and
dop853.f.
"""

from __future__ import annotations

import math

from cardan.codegen.kernels import Address, doubles, inlined
from cardan.integration.loop.evaluation import copy, evaluate, is_finite, smallest_step, square
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.output import emit, emit_start, log
from cardan.integration.loop.projection import approach
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.integration.outcome import Outcome
from cardan.numerics.round_off import EPSILON, ROUND_OFF_OF_SUM

STRETCH = 1.01  # ratio of the rest of a segment to a step below which the step covers the rest (dopri5.f)
ERROR_FLOOR = 1e-4  # least error that the PI controller remembers [allowed error]; an accidental 0 must not brake it
FIRST_PART = 0.38  # first part of a divided fixed step: at the golden section no stage coincides with one of the whole
TRIES = 4  # rejections after which a step is accepted whatever its continuous extension is
RETREAT = 0.25  # factor of the step after a failure without an error estimate
FAST_STEP = 1e-6  # first step if state or derivative vanish [s] (Hairer, Nørsett & Wanner I, II.4)


def scale(rtol: float, atol: float, x: float, x_new: float) -> float:
    """Return the error allowed in one state between `x` and `x_new`, atol + rtol max(|x|, |x_new|)."""
    return atol + rtol * max(abs(x), abs(x_new))


def begin(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Write the outputs at the start, the first derivative into K[0], and choose the first step."""
    atol, most = doubles(run.atol), doubles(problem.atol)
    for i in range(problem.judged):
        atol[i] = min(most[i], ROUND_OFF_OF_SUM) if problem.follows != 0 and i < problem.n else most[i]
    emit_start(problem, run)
    evaluate(problem, run, run.t, run.x, 0)
    follow(problem, run, run.x, 1.0)
    follow(problem, run, run.K, problem.t_end - run.t)  # what they would reach at their first rates
    if not is_finite(problem, run, 0):
        return Outcome.NON_FINITE
    if run.h == 0.0:
        run.h = first_step(problem, run, method.order)
    if method.adaptive == 0:
        divide_segment(problem, run)
    run.error_old = ERROR_FLOOR
    run.started = 1
    run.fresh = method.last >= 0
    if problem.project != 0:
        approach(problem, run, run.t, run.x)
        run.nearness = run.nearness_new
    log(problem, run)
    return Outcome.RUNNING


def follow(problem: ProblemRecord, run: RunRecord, values: Address, factor: float) -> None:
    """Raise the absolute tolerances of a run where they follow what its states reach: in `values` times `factor`.

    They are `atol` of the problem for states of size 1 and more, and less in proportion to the largest position or
    velocity so far, or to the largest of the other states. One of these alone is no measure: where it should stay zero,
    it consists of what round-off and projection leave of the others.
    """
    if problem.follows != 0:
        mechanical = problem.nq + problem.nv
        for lane in range(problem.width):
            raise_to(problem, run, values, factor, lane, mechanical)
            raise_to(problem, run, values, factor, mechanical + lane, problem.n)


def raise_to(problem: ProblemRecord, run: RunRecord, values: Address, factor: float, first: int, end: int) -> None:
    """Raise the tolerances from `first` to `end`, of one lane, by the largest of these `values` times `factor`."""
    x, atol, most, reach, i = doubles(values), doubles(run.atol), doubles(problem.atol), 0.0, first
    while i < end:
        if factor * abs(x[i]) > reach:  # a step that is rejected may have left NaN
            reach = factor * abs(x[i])
        i += problem.width
    i = first
    while i < end:
        atol[i] = max(atol[i], most[i] * min(1.0, reach))
        i += problem.width


def first_step(problem: ProblemRecord, run: RunRecord, order: int) -> float:
    """Return a step from |x|, |f| and a difference of f (Hairer, Nørsett & Wanner I, II.4, "starting step size").

    `order` is that of the method.
    """
    n, longest = problem.n, min(problem.max_step, problem.t_end - run.t)
    x, x_new, atol = doubles(run.x), doubles(run.x_new), doubles(run.atol)
    f, f_new = doubles(run.K), doubles(run.K + BYTES * problem.stride)
    size_x, size_f, size_df = 0.0, 0.0, 0.0
    for i in range(n):
        allowed = scale(problem.rtol, atol[i], x[i], x[i])
        size_x += square(x[i] / allowed)
        size_f += square(f[i] / allowed)
    h = FAST_STEP if min(size_x, size_f) < 1e-10 * max(1, n) else 0.01 * math.sqrt(size_x / size_f)
    h = min(h, longest)
    for i in range(n):
        x_new[i] = x[i] + h * f[i]
    evaluate(problem, run, run.t + h, run.x_new, 1)
    for i in range(n):
        size_df += square((f_new[i] - f[i]) / (h * scale(problem.rtol, atol[i], x[i], x[i])))
    if not math.isfinite(size_df):
        return h
    slope = math.sqrt(max(size_f, size_df) / max(1, n))
    guess = max(FAST_STEP, 1e-3 * h) if slope <= 1e-15 else (0.01 / slope) ** (1.0 / order)
    return min(100.0 * h, guess, longest)


def divide_segment(problem: ProblemRecord, run: RunRecord) -> None:
    """Divide the current segment into equal steps no longer than h."""
    s = run.segment
    ratio = (doubles(problem.end)[s] - doubles(problem.begin)[s]) / run.h
    # A segment that is a whole number of steps up to the round-off of its ends is not given one step more.
    run.substeps = max(1, math.ceil(ratio - max(1e-9, 8.0 * EPSILON * ratio)))
    run.substep = 0


@inlined
def plan(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> float:
    """Return the instant where the next step ends, never beyond the current segment."""
    begin, end = doubles(problem.begin)[run.segment], doubles(problem.end)[run.segment]
    if method.adaptive == 0:
        taken = run.substep + 1
        goal = end if taken == run.substeps else begin + (end - begin) * (taken / run.substeps)
        if run.part == 1:
            return run.t + FIRST_PART * (goal - run.t)
        return grown(problem, run, goal) if method.grows != 0 else goal
    h = min(run.h, problem.max_step)
    run.h_free = h
    return end if run.t + STRETCH * h >= end else run.t + h


def grown(problem: ProblemRecord, run: RunRecord, goal: float) -> float:
    """Return the end of a fixed step to `goal`, or of one that is as long as all those since an event together.

    A contact begins without stiffness: the Jacobian at the start of a step into it says little of its end, unless the
    step is no longer than the contact has lasted.
    """
    h = max(run.t - run.t_event, smallest_step(problem, goal))
    run.part = 3 if run.t + STRETCH * h < goal else 0
    return run.t + h if run.part == 3 else goal


def reject(method: MethodRecord, run: RunRecord, smallest: float, h: float, reason: int) -> int:
    """Shorten the step h for another try; return Outcome.RUNNING, or the `reason` where it falls below `smallest`.

    A fixed step is taken again, once, in two parts, when its projection has turned the velocities to another branch.
    """
    run.turn = 0.0
    if method.adaptive == 0 and reason != Outcome.BRANCH_LOST:
        return reason
    run.rejected += 1
    run.attempts += 1
    if method.adaptive == 0:
        run.part = 1
        return Outcome.RUNNING
    factor = RETREAT
    if reason == Outcome.STEP_TOO_SMALL:
        factor = max(method.shrink, method.safety * run.error**-method.alpha)
    run.h = h * factor
    return reason if run.h < smallest else Outcome.RUNNING


def record(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float, stop: float) -> int:
    """Write the outputs of the step to `t_new` up to `stop`, where an event ends it.

    Return Outcome.RUNNING; or Outcome.BRANCH_LOST, with no output, if the continuous extension violates the
    constraints: one of its stages lies near a singular position, where accelerations are unbounded. A shorter step has
    other stages.
    """
    requested, outputs = run.requested, run.outputs
    if run.extended == 0 and requested < problem.instants and doubles(problem.times)[requested] < stop:
        method.extend(problem, run, t_new)
    sound = emit(method, problem, run, stop, t_new - run.t, run.measured)
    if sound or method.adaptive == 0 or run.attempts >= TRIES:
        return Outcome.RUNNING
    run.requested, run.outputs = requested, outputs
    return Outcome.BRANCH_LOST


def accept(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
    """Move to the end of the step and choose the next one; return Outcome.COMPLETED where it ends the run."""
    move_to_end(method, problem, run, t_new)
    if t_new < doubles(problem.end)[run.segment]:
        return Outcome.RUNNING
    return next_segment(method, problem, run)


def move_to_end(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> None:
    """Make the end of the step the state of the run, and choose the length of the next step."""
    run.nearness = run.nearness_new
    if method.adaptive != 0:
        choose_next(method, run, t_new - run.t)
    copy(run.x_new, run.x, problem.size)
    run.t = t_new
    run.fresh = method.last >= 0
    if run.fresh == 1:
        copy(run.K + BYTES * method.last * problem.stride, run.K, problem.size)
    run.steps += 1
    run.substep += 1 if run.part == 0 or run.part == 2 else 0
    run.part = 2 if run.part == 1 else 0
    log(problem, run)
    run.attempts = 0


def next_segment(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Go on to the next segment of the input; return Outcome.COMPLETED where there is none."""
    if run.segment + 1 == problem.segments:
        return Outcome.COMPLETED
    run.segment += 1
    run.fresh = 0  # the input may jump between segments
    if method.adaptive == 0:
        divide_segment(problem, run)
    return Outcome.RUNNING


def choose_next(method: MethodRecord, run: RunRecord, h: float) -> None:
    """Set the next step after a step h that was accepted."""
    error = max(run.error, 1e-10)  # the factor is at its upper limit long before
    factor = method.safety * error**-method.alpha * run.error_old**method.beta
    factor = min(method.grow, max(method.shrink, factor))
    if run.attempts > 0:
        factor = min(factor, 1.0)
    run.h = h * factor
    if h < run.h_free and factor >= 1.0:  # the step was cut by the end of a segment
        run.h = max(run.h, run.h_free)
    run.error_old = max(error, ERROR_FLOOR)
