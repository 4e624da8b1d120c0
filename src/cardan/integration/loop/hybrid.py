"""The loop over steps with events: a step is cut at the first event within it, the state is projected and reset there.

A problem without events runs in `advance`, which knows none of this. The first step that meets an event is taken again
up to it, with the method's own order; the event is then located once more on a step that ends beside it.
"""

from __future__ import annotations

from cardan.codegen.kernels import Kernel, doubles
from cardan.integration.events import EITHER, FALLING, INVARIANT, NOTED, RISING
from cardan.integration.loop.crossings import (
    EXPECTED,
    detect,
    happens,
    is_clear,
    measure,
    note_signs,
    stays_calm,
    stays_clear,
)
from cardan.integration.loop.evaluation import copy, smallest_step
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.output import extend_to, log
from cardan.integration.loop.projection import settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.integration.loop.reset import fire, keep_modes, round_off_of_instants, store_step
from cardan.integration.loop.stepping import RETREAT, accept, begin, move_to_end, next_segment, plan, record, reject
from cardan.integration.outcome import Outcome

RUNNING = int(Outcome.RUNNING)


def hybrid_kernel_of(method: type[MethodRecord]) -> Kernel:
    """Return `advance_hybrid` for one kind of method, compiled or read from the cache at its first call."""
    return Kernel(advance_hybrid, (method, ProblemRecord, RunRecord))


def advance_hybrid(method: MethodRecord, problem: ProblemRecord, run: RunRecord, budget: int) -> int:
    """Try up to `budget` steps of a problem with events; else as `advance`."""
    status = steps_hybrid(method, problem, run, budget)
    keep_modes(problem, run)
    return status


def steps_hybrid(method: MethodRecord, problem: ProblemRecord, run: RunRecord, budget: int) -> int:
    """Try up to `budget` steps; return as `advance_hybrid`."""
    run.calm, run.end_rates = 0, run.K + BYTES * method.end_row * problem.stride
    if run.started == 0:
        status = begin_hybrid(method, problem, run)
        if status != Outcome.RUNNING:
            return status
    for _ in range(budget):
        status = step_hybrid(method, problem, run)
        if status != Outcome.RUNNING:
            return status
    return Outcome.RUNNING


def begin_hybrid(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Make the ticks of the start, begin as `begin` does, and measure the crossing functions."""
    status = RUNNING
    if start_segment(problem, run, 0) == 1:
        status = fire(problem, run)
    if status == Outcome.RUNNING:
        status = begin(method, problem, run)
    if status != Outcome.RUNNING:
        return status
    side, kept, directions = doubles(run.side), doubles(problem.kept), doubles(problem.directions)
    for j in range(problem.crossed):
        if kept[j] == NOTED and directions[j] == RISING:
            side[j] = -1.0  # what begins beyond a limit reaches it at the start
    run.fresh = 0
    return start_step(method, problem, run)


def step_hybrid(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Try one step; return Outcome.RUNNING where the run goes on, else how it ends."""
    if run.calm == 1:
        t_new = plan(method, problem, run)
        if method.adaptive != 0 and t_new - run.t > run.reach:
            run.calm = 0
    else:
        status = prepare(method, problem, run)
        if status != Outcome.RUNNING:
            return status
        t_new = plan(method, problem, run)
        if run.clear == 0:
            t_new = plan_cut(run, t_new)
        if t_new - run.t > run.reach:
            run.calm = 0
    h, reason = t_new - run.t, method.attempt(problem, run, t_new)
    if reason != Outcome.RUNNING:
        return reject(method, run, smallest_step(problem, run.t), h, reason)
    if not stays_calm(problem, run) and not stays_clear(method, problem, run, t_new):
        return search_step(method, problem, run, t_new)
    return finish_clear(method, problem, run, t_new)


def prepare(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Compute what a step needs at its start; return Outcome.RUNNING, or how events of a jump end the run."""
    if run.fresh == 1:
        return Outcome.RUNNING
    if run.settled == 0:
        return start_step(method, problem, run)
    method.start(problem, run)
    run.fresh = 1
    return Outcome.RUNNING


def plan_cut(run: RunRecord, t_new: float) -> float:
    """Return the end of a step that is planned to `t_new`: the instant of the event ahead, if it comes before."""
    run.shortened = run.aimed == 1 and run.cut > run.t and run.cut < t_new
    return run.cut if run.shortened == 1 else t_new


def finish_clear(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
    """Write the outputs of a step without events and move to its end."""
    reason, status = record(method, problem, run, t_new, t_new), RUNNING
    if reason != Outcome.RUNNING:
        run.reach, run.calm = 0.0, 0  # it is that of the end
        return reject(method, run, smallest_step(problem, run.t), t_new - run.t, reason)
    move_to_end(method, problem, run, t_new)
    if t_new >= doubles(problem.end)[run.segment]:
        status = next_segment(method, problem, run)
        if status == Outcome.RUNNING and start_segment(problem, run, run.segment) == 1:
            return make_events(problem, run, 0, status)
    if status == Outcome.RUNNING and method.hands_over(problem, run):
        return Outcome.STIFF
    return status


def search_step(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
    """Search a step for events; finish it, or begin it again, shorter, where there is one."""
    run.clear, found, status = 0, detect(method, problem, run, t_new), RUNNING
    if found == 1 and problem.width > 1:
        return Outcome.EVENT
    h = t_new - run.t
    if found == 1 and run.aimed == 0 and run.theta > 0.0 and (1.0 - run.theta) * h > smallest_step(problem, t_new):
        run.aimed, run.cut = 1, run.t + run.theta * h
        run.rejected += 1
    elif found == 1 and is_false_event(method, problem, run, h):
        status = reject(method, run, smallest_step(problem, run.t), h, Outcome.CONSTRAINTS_LOST)
    else:
        status = finish(method, problem, run, t_new, found)
    run.extended, run.measured, run.searched, run.shortened = 0, 0, 0, 0
    return status


def is_false_event(method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float) -> bool:
    """Return whether functions with events in a step h that began at the last `cut` move away from zero at its start.

    The step up to this cut had no event. The extension of a longer one may begin with another slope than the motion,
    and so find events that do not exist, at a stop, say, that a joint is slowly leaving: the step is too long.
    """
    too_short = method.adaptive == 0 or RETREAT * h <= smallest_step(problem, run.t)
    if run.shortened == 1 or run.t < run.cut or run.theta <= 0.0 or too_short:
        return False
    k, g, fired, directions = problem.crossed, doubles(run.g), doubles(run.fired), doubles(problem.directions)
    for j in range(k):
        rate, direction = g[k + j], int(directions[j])
        towards = rate > 0.0 if direction == RISING else (g[j] * rate < 0.0 if direction == EITHER else rate < 0.0)
        if fired[j] != 0.0 and (towards or rate == 0.0):
            return False
    return True


def finish(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float, found: int) -> int:
    """Write the outputs of a step and move to its end, or to the event that was `found` in it."""
    t, h, stop, whole = run.t, t_new - run.t, t_new, run.shortened == 0
    if found == 1 and t_new - (t + run.theta * h) > smallest_step(problem, t_new):
        stop = t + run.theta * h
        if not state_at_event(method, problem, run, stop):
            run.aimed = 0
            return reject(method, run, smallest_step(problem, t), h, Outcome.CONSTRAINTS_LOST)
    reason = record(method, problem, run, t_new, stop)
    if reason != Outcome.RUNNING:
        return reject(method, run, smallest_step(problem, t), h, reason)
    segment, status = run.segment, RUNNING
    if whole and stop == t_new:
        status = accept(method, problem, run, t_new)
        store_step(run)
        run.aimed = run.aimed if found == 1 or run.t <= run.cut else 0
    else:
        cut_short(problem, run, stop)
    commit(problem, run)
    ticked = 0
    if run.segment > segment:
        ticked = start_segment(problem, run, run.segment)
    if found == 1 or ticked == 1:
        return make_events(problem, run, found, status)
    if status == Outcome.RUNNING and whole and method.hands_over(problem, run):
        return Outcome.STIFF
    return status


def commit(problem: ProblemRecord, run: RunRecord) -> None:
    """Make the crossing functions at the end of a step that was looked at closer those at its start."""
    k, old = problem.crossed, run.g
    run.g, run.g_new, run.t_g = run.g_new, old, run.t
    if run.searched == 1:
        copy(run.side_new, run.side, k)
        copy(run.noise_new, run.noise, k)
    else:
        note_signs(problem, run.g, run.side, run.noise)
        fired = doubles(run.fired)
        for j in range(k):
            fired[j] = 0.0
    run.clear = is_clear(problem, run)


def make_events(problem: ProblemRecord, run: RunRecord, found: int, status: int) -> int:
    """Make the events of this instant; return how the run ends, `status` where they do not end it.

    `found` is 1 if there are crossings among them.
    """
    g, fired, noise = doubles(run.g_try), doubles(run.fired), doubles(run.noise)
    if found == 1:
        run.aimed, run.cut = 0, run.t
        measure(problem, run, run.t, run.x, run.K, run.g_try)
        for j in range(problem.crossed):
            if fired[j] != 0.0:
                noise[j] = abs(g[j])
    reason = fire(problem, run)
    return status if reason == Outcome.RUNNING else reason


def state_at_event(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t: float) -> bool:
    """Write the state at `theta` of the step, at t, into x_new; return whether its projection converged."""
    extend_to(method, problem, run, run.theta, 1.0, 1, run.x_stage)
    copy(run.x_stage, run.x_new, problem.size)
    return settle(problem, run, t, run.x_new)


def cut_short(problem: ProblemRecord, run: RunRecord, t: float) -> None:
    """Move to the end t of a step that an event has cut; the length of the next one stays."""
    run.nearness = run.nearness_new
    copy(run.x_new, run.x, problem.size)
    run.t = t
    run.fresh = 0
    run.steps += 1
    run.attempts = 0
    log(problem, run)


def start_segment(problem: ProblemRecord, run: RunRecord, s: int) -> int:
    """Begin segment `s`: mark the ticks at its start as fired; return 1 if there are any, else 0."""
    fired, ticks, found = doubles(run.fired + BYTES * problem.crossed), doubles(problem.ticks), 0
    for i in range(problem.ticked):
        fired[i] = ticks[s * problem.ticked + i]
        if fired[i] != 0.0:
            found = 1
    run.settled, run.clear, run.reach, run.calm = 0, 0, 0.0, 0
    return found


def start_step(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Begin a step after a jump: compute what the method needs, measure the crossings, make the events of the jump."""
    status, going = RUNNING, 1
    while going == 1:
        method.start(problem, run)
        run.fresh, run.settled, going = 1, 1, 0
        if problem.crossed > 0:
            measure(problem, run, run.t, run.x, run.K + BYTES * method.first_row * problem.stride, run.g)
            run.t_g = run.t
            copy(run.side, run.side_new, problem.crossed)
            copy(run.noise, run.noise_new, problem.crossed)
            going = detect_after_jump(problem, run)
        if going == 1 and problem.width > 1:
            copy(run.side_new, run.side, problem.crossed)  # as before the jump: each trajectory looks again by itself
            copy(run.noise_new, run.noise, problem.crossed)
            return Outcome.EVENT
        if going == 1:
            status = fire(problem, run)
            going = 1 if status == Outcome.RUNNING else 0
    return status


def detect_after_jump(problem: ProblemRecord, run: RunRecord) -> int:
    """Note the sides of the crossing functions after a jump, and set `fired` to the events that it causes.

    Return 1 if there are any, else 0. What an edge's own event does to its function is no event of it. Where round-off
    of the reset has put the function back before zero, so that it would cross again at once, this is noise. A function
    that the reset turns round at zero is expected on the side that it came from: if it is next seen on the other one,
    it has been back within its noise, and this is its next event. Where the reset has not changed the mode although the
    function of an invariant is negative, the next event is where it is twice as large.
    """
    found, k, g, side = 0, problem.crossed, doubles(run.g), doubles(run.side)
    noise, fired, directions = doubles(run.noise), doubles(run.fired), doubles(problem.directions)
    for j in range(problem.crossed):
        direction, just = int(directions[j]), fired[j] != 0.0
        fired[j] = 0.0
        if just:
            if direction == INVARIANT:
                side[j] = 0.0
            elif direction == RISING:
                side[j] = 1.0
            elif direction == FALLING:
                side[j] = -1.0
            elif direction == EITHER:
                side[j] = -side[j]
            if direction == INVARIANT and g[j] < 0.0:
                noise[j] = 2.0 * noise[j]
            speed = side[j] * g[k + j]  # away from zero, on this side
            if abs(g[j]) <= max(noise[j], round_off_of_instants(problem, run) * abs(speed)):
                if speed < 0.0 or side[j] * g[j] < 0.0:
                    noise[j] = max(noise[j], abs(g[j]))
                if speed < 0.0:
                    side[j] = EXPECTED * -side[j]
        if abs(g[j]) > noise[j] and happens(direction, side[j], g[j]) and (direction == INVARIANT or not just):
            fired[j], found = 1.0, 1
    note_signs(problem, run.g, run.side, run.noise)
    for i in range(problem.ticked):
        fired[problem.crossed + i] = 0.0
    run.clear = is_clear(problem, run)
    return found
