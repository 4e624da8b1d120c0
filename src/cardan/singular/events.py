"""Events that end a motion: the run leaves its branch, its loops open, or the mechanism cannot move any further.

At the distance r from a singular position, a state with the drift δ belongs to one branch of motion only as long as δ
is small compared with r². A projected state has no drift; but a projection that changes its velocities moves it to
another branch. A failed run has met a dead end of its mechanism if no closed positions follow along its velocities.

Source: Newton–Kantorovich: Ortega & Rheinboldt 2000, §12.6
"""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import NamedTuple

import numpy as np

from cardan.integration import Outcome, Solution
from cardan.numerics.largest import largest
from cardan.results.status import Status
from cardan.singular.closed_loops import ClosedLoops
from cardan.singular.step_log import StepLog, distance
from cardan.singular.tolerances import APART, ITERATIONS, NEAR, OPEN, SPACING
from cardan.singular.words import position_in_words
from cardan.system.drives import acting_rows


class Event(NamedTuple):
    """The end of the valid part of a run."""

    t: float  # last valid instant [s]
    status: Status  # reason why the motion ends there
    cause: str = ""  # text that explains the reason, with a cure; empty if nothing more is known


NO_FAILURE = (
    Outcome.COMPLETED,
    Outcome.INTERRUPTED,
    Outcome.STOPPED,
    Outcome.CHATTERING,
    Outcome.ZENO,
    Outcome.TOO_MANY_EVENTS,
)
"""Ends of a run that have other reasons than its branch of motion."""


def check(log: StepLog, solution: Solution | None = None, step: float | None = None) -> Event | None:
    """The event that ends a motion; None if the run is valid so far, or if only the integration method failed."""
    events = [] if not len(log.t) or not log.functions.system.choice.kept else list(_left_branch(log, solution))
    event = min(events, default=None)
    if solution is None or (event is None and solution.outcome in NO_FAILURE):
        return event
    t = solution.t_end if event is None else event.t
    failed = next(iter(log.t[log.t > t].tolist()), solution.t_end)
    return _dead_end(log.until(t), failed + (step or 0.0)) or event


def _left_branch(log: StepLog, solution: Solution | None) -> Iterator[Event]:
    """The events at which a run leaves its branch of motion, or its loops open."""
    if log.projected:
        yield from _turned(log)
        return
    lost = np.flatnonzero(~(log.drift <= np.minimum(APART, OPEN * log.r**2)))
    if lost.size:
        k = int(lost[0])
        status = Status.BRANCH_LOST if log.drift[k] <= APART else Status.CONSTRAINTS_LOST
        yield Event(float(log.t[max(k - 1, 0)]), status)
    if solution is not None and len(solution.t):  # instants between steps drift further than their ends
        open_loops = np.flatnonzero(~(replace(log, log=log.log._replace(t=solution.t, x=solution.x)).drift <= APART))
        if open_loops.size:
            yield Event(float(solution.t[max(open_loops[0] - 1, 0)]), Status.CONSTRAINTS_LOST)


def _turned(log: StepLog) -> Iterator[Event]:
    """The event of a step whose projection has changed the velocities near a singular position."""
    if isfinite(log.log.jump) and len(log.t) > 1:
        t, r = distance(log)
        until = log.t[min(int(np.searchsorted(log.t, log.log.jump, "right")) + 1, len(log.t) - 1)]
        if np.min(r[(t >= log.log.jump) & (t <= until)], initial=np.inf) < NEAR * np.max(r):
            yield Event(log.log.jump, Status.BRANCH_LOST)


def _dead_end(log: StepLog, failed: float) -> Event | None:
    """Return the event of a dead end: the loops cannot close up to the instant at which the run `failed`.

    None if they close up to there, or if the distance is too long for a reliable answer.
    """
    if not len(log.t):
        return None
    loops, t = ClosedLoops(log.functions, log.p), float(log.t[-1])
    q, v = loops.closed(t, log.q[-1])[0], log.v[-1]
    speed = largest(v)
    if not speed > 0:
        return None
    span = failed - t + SPACING / speed
    parts = 16 + int(np.ceil(span * speed / SPACING))
    if parts > 2 * ITERATIONS:
        return None
    for k in range(parts):
        q, v, goes_on = loops.advanced(t + k * span / parts, q, v, span / parts)
        if not goes_on:
            driven = largest(loops.at(t, q)[2]) > 0
            return Event(t, Status.DEAD_END, _beyond_reach(log, loops)) if driven else Event(t, Status.LOCKED)
    return None


def _beyond_reach(log: StepLog, loops: ClosedLoops) -> str:
    """Text that names what prescribes the motion beyond a dead end, and the position there.

    At the end of the reach a combination u of the equations no longer changes with the position, uᵀ Φq = 0, but with
    time, uᵀ Φt ≠ 0: its parts are what cannot be followed.
    """
    tree = log.functions.system.tree
    _, Phi_q, Phi_t = loops.at(float(log.t[-1]), log.q[-1])
    rows = sorted({*log.functions.system.choice.kept, *acting_rows(tree, log.functions.equations)})
    parts = np.abs(np.linalg.svd(Phi_q[rows])[0][:, -1] * Phi_t[rows])
    names = dict.fromkeys(loops.owners[rows[k]] for k in np.flatnonzero(parts > NEAR * largest(parts)))
    if not names:
        return ""
    return (
        f"the loops cannot follow {' and '.join(map(repr, names))} beyond the position "
        f"{position_in_words(tree, log.q[-1])}, and no position nearby closes them; prescribe less, change a length, "
        "or end the run before"
    )
