"""What happens at an event: the reset of state and mode, the log of events, and the instants that are returned.

Source: docs/decisions/0015-hybrid-runs.md.
"""

from __future__ import annotations

from cardan.codegen.kernels import call, doubles
from cardan.integration.events import NOTED, RAPID, RESOLUTION
from cardan.integration.loop.complementarity import balance
from cardan.integration.loop.evaluation import copy, load, smallest_step
from cardan.integration.loop.output import put
from cardan.integration.loop.projection import settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.integration.outcome import Outcome
from cardan.numerics.round_off import EPSILON


def fire(problem: ProblemRecord, run: RunRecord) -> int:
    """Reset state and mode as the events in `fired` say; return Outcome.RUNNING, or why the run ends."""
    n, k, nm, moved, any_crossing, unseen, acts = problem.n, problem.crossed, problem.nm, 0, 0, 0, 0
    x, landing, fired, side = doubles(run.x), doubles(run.landing), doubles(run.fired), doubles(run.side)
    mode, noted = run.input + BYTES * problem.mode, doubles(problem.kept)
    run.fresh, run.settled, run.clear = 0, 0, 0
    keep_modes(problem, run)
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
            restore_step(problem, run, j)
        if fired[j] != 0.0 and abs(side[j]) < 1.0:
            unseen = 1  # round-off since its last event: it has been seen on no side, or not on that where it should be
        if fired[j] != 0.0 and noted[j] != NOTED:
            acts = 1
    kept = keep_event(problem, run)
    returns_event(problem, run, moved, kept)
    quiet = unseen == 1 and moved == 0 and nm > 0 and acts == 1
    if quiet:
        call(problem.rhs, run.input, run.errors, run.work)
    copy(run.landing, run.x, n)
    copy(run.landing + BYTES * n, mode, nm)
    if quiet and is_continuous(problem, run):
        widen(problem, run)
        return Outcome.RUNNING
    if moved == 1 and problem.project != 0 and not settle(problem, run, run.t, run.x):
        return Outcome.CONSTRAINTS_LOST
    if landing[n + nm] != 0.0:
        return Outcome.STOPPED
    if kept == -1:
        return Outcome.TOO_MANY_EVENTS
    if any_crossing == 1 and acts == 0 and unseen == 1:
        widen(problem, run)
    if acts == 0:
        return Outcome.RUNNING
    run.rapid = run.rapid + 1 if unseen == 1 or run.t - run.t_event <= round_off_of_instants(problem, run) else 0
    run.t_event = run.t
    return Outcome.CHATTERING if run.rapid >= RAPID else Outcome.RUNNING


def is_continuous(problem: ProblemRecord, run: RunRecord) -> bool:
    """Whether f in the new mode is that in the old one, in `errors`, up to atol over the rest of the run."""
    before, after, atol = doubles(run.errors), doubles(run.errors + BYTES * problem.stride), doubles(run.atol)
    call(problem.rhs, run.input, run.errors + BYTES * problem.stride, run.work)
    for i in range(min(problem.n, problem.judged)):
        if not abs(after[i] - before[i]) * (problem.t_end - run.t) <= atol[i]:
            return False
    return True


def widen(problem: ProblemRecord, run: RunRecord) -> None:
    """Double the round-off of the switchings that have fired: on both sides of them the law is the same there.

    So a motion that comes to rest at a kink of its law, where each step changes the sign of what is left of it, ends in
    a band within which the mode stays. A jump of the law, such as that of dry friction, never passes as continuous.
    """
    fired, kept, noise = doubles(run.fired), doubles(problem.kept), doubles(run.noise)
    for j in range(problem.crossed):
        if fired[j] != 0.0 and kept[j] != 1.0:
            noise[j] = 2.0 * noise[j]


def round_off_of_instants(problem: ProblemRecord, run: RunRecord) -> float:
    """Return the round-off of instants of events at t [s]: events nearer than this make no progress in time."""
    return RESOLUTION * max(abs(run.t), EPSILON * problem.t_end)


def keep_event(problem: ProblemRecord, run: RunRecord) -> int:
    """Append the events of this instant to the log, if it keeps one of them; return 1 then, −1 if there is no room."""
    k, nm, wanted, e = problem.crossed, problem.nm, 0, run.events
    has_room = 2 * e < problem.event_rows
    source = run.landing + BYTES * (problem.n + nm + 1) if problem.returned_events > 0 else run.fired
    fired, kept = doubles(source), doubles(problem.kept)
    for j in range(k):
        if fired[j] != 0.0 and (kept[j] == 1.0 or (kept[j] == NOTED and has_room)):
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

    With a finite `gap` the state before a jump is returned as well, but not at the start; of several jumps at one
    instant only the state before the first and that after the last, because those between last no time. `moved` is 1
    where there is a jump, `kept` positive where the log has kept the event.
    """
    T, row, nm = doubles(run.T), run.outputs - 1, problem.nm
    now = run.t - smallest_step(problem, run.t)
    paired = problem.gap < problem.t_end and row >= 1 and T[max(row - 1, 0)] >= now  # by a jump at this instant
    between = problem.gap < problem.t_end and (moved == 1 or kept > 0) and row >= 0 and T[0] < now
    if between and run.started == 1 and run.inserted + 2 <= 2 * problem.event_rows:
        if row < 0 or T[max(row, 0)] < now:
            put(problem, run, run.t, run.x)
            copy(run.input + BYTES * problem.mode, run.modes + BYTES * (run.outputs - 1) * nm, nm)
            run.inserted += 1
        if moved == 1 and not paired:
            put(problem, run, run.t, run.x)
            run.inserted += 1
        row = run.outputs - 1
    first = 1
    whole = problem.gap >= problem.t_end or not (moved == 1 or paired)
    while row >= 0 and (first == 1 or whole) and T[max(row, 0)] >= now:
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
    """Write the mode beside the states that were returned, and beside those logged, since it was called last.

    That is before the mode changes, and before the kernel returns.
    """
    nm, mode = problem.nm, run.input + BYTES * problem.mode
    if nm == 0:
        return
    for row in range(run.rows_with_mode, run.outputs):
        copy(mode, run.modes + BYTES * row * nm, nm)
    for row in range(run.logged_with_mode, run.logged):
        copy(mode, run.log_modes + BYTES * row * nm, nm)
    run.rows_with_mode, run.logged_with_mode = run.outputs, run.logged


def restore_step(problem: ProblemRecord, run: RunRecord, j: int) -> None:
    """Choose the step after an event of function `j`: the one that served after its last event.

    What is to come is more like what followed the same event before than like what went before this one: sliding, say,
    takes other steps than sticking. A step that served near t = 0 may be too short to move a later instant.
    """
    h = doubles(run.h_after)[j]
    run.h = max(h, smallest_step(problem, run.t)) if h > 0.0 else run.h
    run.unfollowed = j + 1


def store_step(run: RunRecord) -> None:
    """Store the next step, if the one just taken is the first whole one after an event."""
    if run.unfollowed > 0:
        doubles(run.h_after)[run.unfollowed - 1] = run.h
        run.unfollowed = 0
