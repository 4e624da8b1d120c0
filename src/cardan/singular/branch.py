"""What a run through closed loops is worth: how far to trust it, and whether its early end is the mechanism's own.

The functions judge steps; here the whole motion is judged, in the language of mechanisms.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

import numpy as np

from cardan.integration import Log, Outcome, Solution
from cardan.results.status import Status
from cardan.singular.closure import Closure
from cardan.singular.passages import minima
from cardan.singular.singularity import HERE
from cardan.singular.step_log import FAR, Course

__all__ = ["first_event", "judged"]

APART = 5e-3  # drift |Φ|, in coordinates [m, rad], beyond which a mechanism is not assembled
NEAR = 0.3  # of the largest distance to a singular position: what happens so near may be its doing
OPEN = 0.03  # drift over the squared distance from which on both branches are the same mechanism (Newton–Kantorovich)
BENT = 0.3  # change of the velocities, over their size, beyond what the accelerations beside it explain
KICKED = 0.01  # the same where drift leaves the branch open: the motion may stay on it and still not be the same
WIDE = 3.0  # times the least distance: as far from the bend between two branches they have parted
EXACTLY = 1e-6  # of the turnover: energy that a passage may make, however tight the tolerance
LOOSELY = 1e-3  # the same, however loose
FIXED = 5e-6  # the same for fixed steps, which promise nothing: what they usually make is allowed besides
PUSH = 100.0  # tolerances of a step: what a passage in some ten steps can make of the turnover
USUAL = 10.0  # times the median of the rates at which a run makes energy elsewhere
CLEAN = 1e-6  # drift of a state that a dead end is looked for from [m, rad]
PROBES = (1e-3, 1e-2, 1e-1)  # steps along the velocity [m, rad] that must all fail where nothing leads on
AHEAD = 3.0  # times the step that failed: where it ends at the last position of all, the next one does not
PARTS = 64  # of a step that fails: small enough to follow any motion whose step was of sense at all

FAILED = (
    Outcome.STEP_TOO_SMALL,
    Outcome.NON_FINITE,
    Outcome.CONSTRAINTS_LOST,
    Outcome.BRANCH_LOST,
    Outcome.SINGULAR,
    Outcome.TOO_MANY_STEPS,
)


class _Event(NamedTuple):
    t: float  # from then on the run is worth nothing [s]
    outcome: Outcome
    ahead: float  # time within which it happens [s]


def judged(
    solution: Solution, course: Course, *, projected: bool, rtol: float, step: float | None
) -> tuple[Solution, Status]:
    """The solution, cut where it stops being a motion through the loops, and the status that it has.

    Parameters
    ----------
    solution : of a mechanism with closed loops.
    course : the log of its steps.
    projected : whether states were brought back onto the constraints.
    rtol : relative tolerance of a step; infinite where steps are fixed.
    step : of a method without error control [s].
    """
    event = first_event(solution.log, course, projected=projected, rtol=rtol)
    if not projected:
        returned = _apart(Course(course.functions, solution.t, solution.x, solution.w, course.p))
        event = min([*returned, *([] if event is None else [event])], default=None)
    if event is None or (projected and event.t + event.ahead >= solution.t_end):
        solution, status = _ended(solution, course, step)
        if event is None or status is not None:
            return solution, status or Status[solution.outcome.name]
    solution, status = _ended(_cut(solution, course, event), course, event.ahead)
    return solution, status or Status[solution.outcome.name]


def first_event(log: Log, course: Course, *, projected: bool, rtol: float) -> _Event | None:
    """The first place where a motion stops being one of the mechanism, whatever the integrator thought of it.

    Parameters
    ----------
    log, course : of its steps.
    projected : whether states were brought back onto the constraints.
    rtol : relative tolerance of a step; infinite where steps are fixed.
    """
    if not len(course.t) or not course.functions.system.choice.kept:
        return None
    told = _turned(log, course) if projected else (*_apart(course), *_pushed(course, rtol))
    return min([*told, *_bent(course, projected)], default=None)


def _ended(solution: Solution, course: Course, ahead: float | None) -> tuple[Solution, Status | None]:
    """The solution, and the status that says so where it is the mechanism that has ended it."""
    status = _end(solution, course, ahead) if solution.outcome in FAILED else None
    return (solution, None) if status is None else (solution._replace(worst=None), status)


def _cut(solution: Solution, course: Course, event: _Event) -> Solution:
    """The solution until an event."""
    last = max(int(np.searchsorted(course.t, event.t, "right")) - 1, 0)
    kept = solution.t <= course.t[last]
    return solution._replace(
        t=solution.t[kept],
        x=solution.x[kept],
        w=solution.w[kept],
        outcome=event.outcome,
        t_end=float(course.t[last]),
        x_end=course.x[last],
        worst=None,
    )


def _turned(log: Log, course: Course) -> Iterator[_Event]:
    """The projection that turned the velocities, if that was near a singular position."""
    if isfinite(log.jump) and len(course.t) > 1:
        t, r = course.samples
        until = _following(course, log.jump)
        if np.min(r[(t >= log.jump) & (t <= until)], initial=np.inf) < NEAR * np.max(r):
            yield _Event(log.jump, Outcome.BRANCH_LOST, until - log.jump)


def _following(course: Course, t: float) -> float:
    """The end of the step after the one that starts at t."""
    return float(course.t[min(int(np.searchsorted(course.t, t, "right")) + 1, len(course.t) - 1)])


def _apart(course: Course) -> Iterator[_Event]:
    """Where drift has grown so large that the mechanism is not assembled any more."""
    lost = np.flatnonzero(~(course.drift <= APART))
    if lost.size:
        t = float(course.t[max(lost[0] - 1, 0)])
        yield _Event(t, Outcome.CONSTRAINTS_LOST, _following(course, t) - t)


def _pushed(course: Course, rtol: float) -> Iterator[_Event]:
    """Where energy came from nowhere while near a singular position: drift pushes there without bound.

    What the method makes of the energy elsewhere is allowed here as well.
    """
    if len(course.t) < 2:
        return
    (t, r), (lacking, turnover) = course.samples, course.energies
    near = np.zeros(len(course.t) - 1, dtype=bool)
    near[np.clip(np.searchsorted(course.t, t[r < NEAR * np.max(r)], "right") - 1, 0, len(near) - 1)] = True
    rates = np.abs(np.diff(lacking)) / np.diff(course.t)
    usual = float(np.median(rates[~near])) if not near.all() else 0.0
    few = min(max(EXACTLY, PUSH * rtol), LOOSELY) if isfinite(rtol) else FIXED
    change = np.diff(np.concatenate([[0], near.astype(int), [0]]))
    for a, b in zip(np.flatnonzero(change > 0), np.flatnonzero(change < 0), strict=True):
        here = slice(a, b + 1)
        allowed = few * turnover[here] + USUAL * usual * (course.t[here] - course.t[a])
        pushed = np.flatnonzero(~(np.abs(lacking[here] - lacking[a]) <= allowed))
        if pushed.size:
            first = a + int(pushed[0])
            t_a, t_b = float(course.t[first - 1]), float(course.t[first])
            yield _Event(t_a, Outcome.BRANCH_LOST, _following(course, t_b) - t_a)


def _bent(course: Course, projected: bool) -> Iterator[_Event]:
    """Where the velocities turn in no time at a position that is singular, or that only drift keeps from being so."""
    if len(course.t) < 3:
        return
    open_to_both = () if projected else _nearly(course)
    astray = () if projected else _open(course)
    for places, allowed in ((_singular(course), BENT), (open_to_both, KICKED), (astray, BENT)):
        for a, b in places:
            if _bend(course, a, b) <= allowed:
                continue
            t_a, t_b = float(course.t[a]), float(course.t[b])
            yield _Event(t_a, Outcome.BRANCH_LOST, _following(course, t_b) - t_a)


def _singular(course: Course) -> Iterator[tuple[int, int]]:
    """Steps' ends before and behind those that are singular; a motion that starts so has nothing to turn from."""
    inside = course.r < HERE * course.r.max()
    if not inside.any():
        return
    change = np.diff(np.concatenate([[0], inside.astype(int), [0]]))
    for first, last in zip(np.flatnonzero(change > 0), np.flatnonzero(change < 0), strict=True):
        if first > 1:
            yield int(first) - 1, min(int(last), len(inside) - 1)


def _nearly(course: Course) -> Iterator[tuple[int, int]]:
    """Steps' ends before and behind the minima of the distance that drift explains, where two branches have parted."""
    (t, r), ends = course.samples, course.r
    for dip in minima(r):
        around = slice(max(dip - 4, 0), dip + 5)
        least = float(np.min(r[around]))
        a = max(int(np.searchsorted(course.t, t[dip], "right")) - 1, 1)
        b = min(a + 1, len(course.t) - 1)
        while a > 1 and ends[a] < WIDE * least:
            a -= 1
        while b < len(ends) - 1 and ends[b] < WIDE * least:
            b += 1
        if a < b and least < NEAR / WIDE * np.max(r) and np.max(course.drift[a : b + 1]) > OPEN * least**2:
            yield a, b


def _open(course: Course) -> Iterator[tuple[int, int]]:
    """Ends of the steps in which drift leaves both branches open, whether a minimum of the distance is there or not."""
    r = course.r
    either = course.drift > OPEN * r**2
    for k in np.flatnonzero(either[:-1] | either[1:]):
        if k > 0 and min(r[k], r[k + 1]) < NEAR * np.max(r):
            yield int(k), int(k) + 1


def _bend(course: Course, a: int, b: int) -> float:
    """Change of the velocities from the steps' ends a to b that accelerations beside them do not explain [-]."""
    t, v = course.t, course.v
    slopes = [(v[k + 1] - v[k]) / (t[k + 1] - t[k]) for k in (a - 1, b) if k + 1 < len(t)]
    expected = np.mean(slopes, axis=0) * (t[b] - t[a])
    size = max(float(np.linalg.norm(v[a])), float(np.linalg.norm(v[b])), 1e-300)
    return float(np.linalg.norm(v[b] - v[a] - expected)) / size


def _end(solution: Solution, course: Course, ahead: float | None) -> Status | None:
    """Whether the mechanism itself ends the motion, and how; None: it could go on, or goes too far to tell."""
    closure, t, x = Closure(course.functions, course.p), solution.t_end, solution.x_end
    tree = course.functions.system.tree
    q, v = x[: tree.nq], x[tree.nq : tree.nq + tree.nv]
    if len(course.t) and np.max(np.abs(closure.at(t, q)[0]), initial=0.0) > CLEAN:
        clean = np.flatnonzero((course.drift < CLEAN) & (course.t <= t))
        if not clean.size:
            return None
        ahead = (ahead or 0.0) + t - course.t[clean[-1]]
        t, q, v = float(course.t[clean[-1]]), course.q[clean[-1]], course.v[clean[-1]]
    speed = float(np.max(np.abs(v), initial=0.0))
    if not speed > 0 or not np.isfinite(x).all() or AHEAD * (ahead or 0.0) * speed > PARTS * FAR:
        return None
    probed = any(closure.leads_on(t, q, v, probe / speed)[2] for probe in PROBES)
    if probed and (ahead is None or _passes(closure, t, q, v, AHEAD * ahead)):
        return None
    moves = np.max(np.abs(closure.at(t, q)[2]), initial=0.0) > 0
    return Status.DEAD_END if moves else Status.LOCKED


def _passes(closure: Closure, t: float, q: np.ndarray, v: np.ndarray, span: float) -> bool:
    """Whether a motion that coasts through the loops gets through a time span, in small parts."""
    for k in range(PARTS):
        q, v, on = closure.leads_on(t + k * span / PARTS, q, v, span / PARTS)
        if not on:
            return False
    return True
