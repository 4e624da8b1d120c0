"""The loop over steps with events: a step is cut at the first event within it, the state is projected and reset there.

A problem without events runs in `advance`, which knows none of this. The first step that meets an event is taken again
up to it, with the method's own order; the event is then located once more on a step that ends beside it.
"""

from __future__ import annotations

from cardan.codegen.kernels import Kernel, call, doubles
from cardan.integration.events import EITHER, FALLING, INVARIANT, RAPID, RESOLUTION, RISING
from cardan.integration.loop.complementarity import balance
from cardan.integration.loop.crossings import (
    detect,
    happens,
    is_clear,
    measure,
    measure_end,
    stays_clear,
)
from cardan.integration.loop.evaluation import copy, load, smallest_step
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.output import extend_to, log, put
from cardan.integration.loop.projection import settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.integration.loop.stepping import RETREAT, accept, begin, move_to_end, next_segment, plan, record, reject
from cardan.integration.outcome import Outcome
from cardan.numerics.round_off import EPSILON

__all__ = [
    "advance_hybrid",
    "begin_hybrid",
    "commit",
    "cut_short",
    "detect_after_jump",
    "finish",
    "finish_clear",
    "fire",
    "goes_astray",
    "hybrid_kernel_of",
    "keep_event",
    "keep_modes",
    "make_events",
    "plan_cut",
    "restore_step",
    "returns_event",
    "search_step",
    "start_segment",
    "start_step",
    "state_at_event",
    "step_hybrid",
    "store_step",
]

RUNNING = int(Outcome.RUNNING)


def hybrid_kernel_of(method: type[MethodRecord]) -> Kernel:
    """Return `advance_hybrid` for one kind of method, compiled or read from the cache at its first call.

    Parameters
    ----------
    method : type
        Class of the method's record.
    """
    return Kernel(advance_hybrid, (method, ProblemRecord, RunRecord))


def advance_hybrid(method: MethodRecord, problem: ProblemRecord, run: RunRecord, budget: int) -> int:
    """Try up to `budget` steps of a problem with events; else as `advance`.

    Parameters
    ----------
    method : MethodRecord
    problem : ProblemRecord
    run : RunRecord
        Changed in place; holds all that a later call needs to go on.
    budget : int
        Steps to try, rejected ones included.
    """
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
    keep_modes(problem, run)
    if status != Outcome.RUNNING:
        return status
    run.fresh = 0
    return start_step(method, problem, run)


def step_hybrid(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Try one step; return Outcome.RUNNING where the run goes on, else how it ends."""
    if run.clear == 0 and run.settled == 0:
        status = start_step(method, problem, run)
        if status != Outcome.RUNNING:
            return status
    elif run.fresh == 0:
        method.start(problem, run)
        run.fresh = 1
    t_new = plan(method, problem, run)
    if run.clear == 0:
        t_new = plan_cut(run, t_new)
    reason = method.attempt(problem, run, t_new)
    if reason != Outcome.RUNNING:
        return reject(method, run, smallest_step(problem, run.t), t_new - run.t, reason)
    if problem.crossed > 0 if run.clear == 0 else not stays_clear(method, problem, run, t_new - run.t):
        return search_step(method, problem, run, t_new)
    return finish_clear(method, problem, run, t_new)


def plan_cut(run: RunRecord, t_new: float) -> float:
    """Return the end of a step that is planned to `t_new`: the instant of the event ahead, if it comes before."""
    run.shortened = run.aimed == 1 and run.cut > run.t and run.cut < t_new
    return run.cut if run.shortened == 1 else t_new


def finish_clear(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
    """Write the outputs of a step without events and move to its end."""
    reason, old, status = record(method, problem, run, t_new, t_new), run.g, RUNNING
    if reason != Outcome.RUNNING:
        return reject(method, run, smallest_step(problem, run.t), t_new - run.t, reason)
    move_to_end(method, problem, run, t_new)
    run.g, run.g_new = run.g_new, old
    if problem.nm > 0:
        keep_modes(problem, run)
    if t_new >= doubles(problem.end)[run.segment]:
        status = next_segment(method, problem, run)
        if status == Outcome.RUNNING and start_segment(problem, run, run.segment) == 1:
            return make_events(problem, run, 0, status)
    if status == Outcome.RUNNING and method.hands_over(problem, run):
        return Outcome.STIFF
    return status


def search_step(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
    """Search a step for events; finish it, or begin it again, shorter, where there is one."""
    if run.clear == 0:
        measure_end(method, problem, run)
    run.clear, found, status = 0, detect(method, problem, run, t_new), RUNNING
    if found == 1 and problem.width > 1:
        return Outcome.EVENT
    h = t_new - run.t
    if found == 1 and run.aimed == 0 and run.theta > 0.0 and run.theta < 1.0:
        run.aimed, run.cut = 1, run.t + run.theta * h
        run.rejected += 1
    elif found == 1 and goes_astray(method, problem, run, h):
        status = reject(method, run, smallest_step(problem, run.t), h, Outcome.CONSTRAINTS_LOST)
    else:
        status = finish(method, problem, run, t_new, found)
    run.extended, run.measured, run.searched, run.shortened = 0, 0, 0, 0
    return status


def goes_astray(method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float) -> bool:
    """Tell whether functions with events in a step h that began at the last `cut` move away from zero at its start.

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
    if problem.nm > 0:
        keep_modes(problem, run)
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
    run.g, run.g_new = run.g_new, old
    if run.searched == 1:
        copy(run.side_new, run.side, k)
        copy(run.noise_new, run.noise, k)
    else:
        g, side, noise, fired = doubles(run.g), doubles(run.side), doubles(run.noise), doubles(run.fired)
        for j in range(k):
            fired[j] = 0.0
            if abs(g[j]) > noise[j]:
                side[j], noise[j] = 1.0 if g[j] > 0.0 else -1.0, 0.0
    run.clear = is_clear(problem, run)


def restore_step(run: RunRecord, j: int) -> None:
    """Choose the step after an event of function `j`: the one that served after its last event.

    What is to come is more like what followed the same event before than like what went before this one: sliding, say,
    takes other steps than sticking.
    """
    h = doubles(run.h_after)[j]
    run.h = h if h > 0.0 else run.h
    run.unfollowed = j + 1


def store_step(run: RunRecord) -> None:
    """Store the next step, if the one just taken is the first whole one after an event."""
    if run.unfollowed > 0:
        doubles(run.h_after)[run.unfollowed - 1] = run.h
        run.unfollowed = 0


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
                noise[j] = 2.0 * abs(g[j])
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
    run.settled, run.clear = 0, 0
    return found


def start_step(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Begin a step: compute what the method needs, measure the crossings, make the events that a jump has caused."""
    status, going = RUNNING, 1
    while going == 1:
        method.start(problem, run)
        run.fresh, run.settled, going = 1, 1, 0
        if problem.crossed > 0:
            measure(problem, run, run.t, run.x, run.K + BYTES * method.first_row * problem.stride, run.g)
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

    Return 1 if there are any, else 0. What an edge's own event does to its function is no event of it.
    """
    found, g, side = 0, doubles(run.g), doubles(run.side)
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
        if abs(g[j]) > noise[j]:
            if happens(direction, side[j], g[j]) and (direction == INVARIANT or not just):
                fired[j], found = 1.0, 1
            side[j] = 1.0 if g[j] > 0.0 else -1.0
            noise[j] = 0.0
    for i in range(problem.ticked):
        fired[problem.crossed + i] = 0.0
    run.clear = is_clear(problem, run)
    return found


def fire(problem: ProblemRecord, run: RunRecord) -> int:
    """Reset state and mode as the events in `fired` say; return Outcome.RUNNING, or why the run ends."""
    n, k, nm, moved, any_crossing = problem.n, problem.crossed, problem.nm, 0, 0
    x, landing, fired = doubles(run.x), doubles(run.landing), doubles(run.fired)
    mode = run.input + BYTES * problem.mode
    run.fresh, run.settled, run.clear = 0, 0, 0
    load(problem, run, run.t, run.x)
    copy(run.fired, run.input + BYTES * problem.after, k + problem.ticked)
    landing[n + nm] = 0.0
    copy(run.x, run.landing, n)
    copy(mode, run.landing + BYTES * n, nm)
    if problem.problems > 0:
        balance(problem, run)
    if problem.reset != 0:
        call(problem.reset, run.input, run.landing, run.work)
    for i in range(n):
        if landing[i] != x[i]:
            moved = 1
    for j in range(k):
        if fired[j] != 0.0 and any_crossing == 0:
            any_crossing = 1
            restore_step(run, j)
    kept = keep_event(problem, run)
    returns_event(problem, run, moved, kept)
    copy(run.landing, run.x, n)
    copy(run.landing + BYTES * n, mode, nm)
    if moved == 1 and problem.project != 0 and not settle(problem, run, run.t, run.x):
        return Outcome.CONSTRAINTS_LOST
    if landing[n + nm] != 0.0:
        return Outcome.STOPPED
    if kept == -1:
        return Outcome.TOO_MANY_EVENTS
    if any_crossing == 0:
        return Outcome.RUNNING
    now = RESOLUTION * max(abs(run.t), EPSILON * problem.t_end)
    run.rapid = run.rapid + 1 if run.t - run.t_event <= now else 0
    run.t_event = run.t
    return Outcome.CHATTERING if run.rapid >= RAPID else Outcome.RUNNING


def keep_event(problem: ProblemRecord, run: RunRecord) -> int:
    """Append the events of this instant to the log, if it keeps one of them; return 1 then, −1 if there is no room."""
    k, nm, wanted, e = problem.crossed, problem.nm, 0, run.events
    source = run.landing + BYTES * (problem.n + nm + 1) if problem.told > 0 else run.fired
    fired, kept = doubles(source), doubles(problem.kept)
    for j in range(k):
        if fired[j] != 0.0 and kept[j] != 0.0:
            wanted = 1
    if wanted == 0:
        return 0
    if e >= problem.event_rows:
        return -1
    doubles(run.event_t)[e] = run.t
    copy(source, run.event_fired + BYTES * e * k, k)
    copy(run.input + BYTES * problem.mode, run.event_before + BYTES * e * nm, nm)
    copy(run.landing + BYTES * problem.n, run.event_after + BYTES * e * nm, nm)
    run.events = e + 1
    return 1


def returns_event(problem: ProblemRecord, run: RunRecord, moved: int, kept: int) -> None:
    """Return the state after the reset, which `landing` holds, as an instant of the run; add it to the log of steps.

    With a finite `gap` the state before a jump is returned as well, but not at the start; `moved` is 1 where there is
    one, `kept` positive where the log has kept the event.
    """
    T, row, nm = doubles(run.T), run.outputs - 1, problem.nm
    now = run.t - smallest_step(problem, run.t)
    between = problem.gap < problem.t_end and (moved == 1 or kept > 0) and row >= 0 and T[0] < now
    if between and run.started == 1 and run.inserted + 2 <= 2 * problem.event_rows:
        if row < 0 or T[max(row, 0)] < now:
            put(problem, run, run.t, run.x)
            copy(run.input + BYTES * problem.mode, run.modes + BYTES * (run.outputs - 1) * nm, nm)
            run.inserted += 1
        if moved == 1:
            put(problem, run, run.t, run.x)
            run.inserted += 1
        row = run.outputs - 1
    first = 1
    while row >= 0 and (first == 1 or moved == 0 or problem.gap >= problem.t_end) and T[max(row, 0)] >= now:
        copy(run.landing, run.X + BYTES * row * problem.n, problem.n)
        copy(run.landing + BYTES * problem.n, run.modes + BYTES * row * nm, nm)
        if run.requested == 0 or T[row] != doubles(problem.times)[run.requested - 1]:
            T[row] = run.t  # the end of a step just before the event
        row, first = row - 1, 0
    run.rows_with_mode = run.outputs
    if run.logged > 0 and doubles(run.log_t)[run.logged - 1] == run.t:
        row = run.logged - 1
        copy(run.landing, run.log_x + BYTES * row * problem.size, problem.n)
        copy(run.landing + BYTES * problem.n, run.log_modes + BYTES * row * problem.nm, problem.nm)


def keep_modes(problem: ProblemRecord, run: RunRecord) -> None:
    """Write the mode beside the states that were returned, and beside those logged, since it was called last."""
    nm, mode = problem.nm, run.input + BYTES * problem.mode
    for row in range(run.rows_with_mode, run.outputs):
        copy(mode, run.modes + BYTES * row * nm, nm)
    for row in range(run.logged_with_mode, run.logged):
        copy(mode, run.log_modes + BYTES * row * nm, nm)
    run.rows_with_mode, run.logged_with_mode = run.outputs, run.logged
