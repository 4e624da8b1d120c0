"""The records of kernels: a problem and a run as flat records of numbers and addresses of arrays.

A kernel receives a record as one pointer and reads its fields by name. It returns to Python after a budget of steps and
is called again; everything that it must remember between two calls is in `RunRecord`, so the size of the budget cannot
change a result.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import LINE, Address, Cells, address_of, fill
from cardan.frozen import dataclass
from cardan.integration.events import EVENTS, Events
from cardan.integration.problem import Problem

BYTES = 8  # of a double; every array of a run begins with a line and fills its last one


class ProblemRecord:
    """An initial value problem as a kernel reads it; a kernel never writes it.

    Several trajectories may run side by side: every array then is [entry][lane], and every size counts all lanes.
    """

    rhs: Address  # (t, x, u, p) → (dx, dw)
    velocity: Address  # (t, x, u, p) → qdot
    project: Address  # (t, x, u, p) → (x moved towards the constraints, residual, nearness)
    width: int  # trajectories side by side
    nq: int
    nv: int
    n: int  # states x, which the derivatives depend on
    judged: int  # entries of (x, w) whose error decides the step
    size: int  # states and quadratures, (x, w)
    stride: int  # size of K in whole cache lines
    m: int
    segments: int
    begin: Address  # (segments,) start of each segment of the input [s]
    end: Address  # (segments,) its end [s]
    first: Address  # (segments,) the first instant whose input is that of the segment, just after its start [s]
    last: Address  # (segments,) the last instant whose input is that of the segment, just before its end [s]
    c0: Address  # (segments, m) input at its start
    c1: Address  # (segments, m) slope of the input there [1/s]
    c2: Address  # (segments, m) half of its second derivative there [1/s²]
    c3: Address  # (segments, m) a sixth of its third derivative [1/s³]
    t_end: float  # end of the last segment [s]
    instants: int
    times: Address  # (instants,) requested instants [s]
    gap: float  # ends of steps are returned too if they are this far from the instant before; infinite: never [s]
    rows: int  # room for instants that are returned
    log_gap: float  # least distance of the ends of steps in the log [s]
    log_rows: int  # room in the log
    rtol: float
    atol: Address  # (judged,) the most that the run's own can be
    follows: int  # 1 where the run's own is less for states that have stayed below 1
    max_step: float  # [s]
    project_tolerance: float
    crossings: Address  # (t, x, u, p, s), dx → (g, dg/dt, how near); 0: none
    complementarity: Address  # (t, x, u, p, fired, y) → (H, c, lo, hi) of each problem; 0: none
    problems: int  # number of complementarity problems of an event
    unknowns: int  # unknowns of each
    reset: Address  # (t, x, u, p, fired, y) → (x, m, whether the run ends, events for the log); 0: none
    returned_events: int  # number of these events; 0: those that have fired
    crossed: int  # number of crossing functions, of all lanes
    ticked: int  # number of ticks
    ticks: Address  # (segments, ticked) 1 where the start of a segment is such an event
    directions: Address  # (crossed,)
    kept: Address  # (crossed,) 1 for crossings whose events are logged, or NOTED
    mode: int  # place of the mode in the input row of the native functions
    nm: int  # its size
    after: int  # place behind p in that row
    event_tolerance: float  # [s]
    event_rows: int  # room in the log of events


class RunRecord:
    """The progress of a run, which a kernel writes."""

    t: float  # time reached [s]
    h: float  # next step; without error control the step that the user gave [s]
    h_free: float  # next step before it was cut to land on the end of a segment [s]
    error: float  # error norm of the last step tried [-]
    error_old: float  # error norm of the last step accepted [-]
    started: int  # 1 once the first derivative is known
    fresh: int  # 1 if what the method computes at the start of a step is known at t
    segment: int  # segment of the input that t lies in
    requested: int  # requested instants written so far
    outputs: int  # instants written so far
    steps: int  # accepted
    rejected: int
    evaluations: int  # calls of the right-hand side
    jacobians: int  # Jacobians
    attempts: int  # rejections since the last accepted step
    worst: int  # state that decided the last rejection, −1: none
    stiff: int  # 1 once the problem was found stiff
    decay: float  # rate of the fastest decay seen, which fades from step to step; of an explicit method [1/s]
    known: float  # rate of the fastest decay seen in the run [1/s]
    continued: int  # 1 where the stages are there that only the continuous extension of a step needs
    stiff_hints: int  # steps longer than the fastest decay in a row
    patience: float  # a stiff problem is handed over where more than this many steps remain
    jumped: int  # 1 once a projection has turned the velocities
    t_jump: float  # start of the step where it did so first [s]
    turn: float  # largest turn of the velocities by a projection in this step [-]
    nearness: float  # distance of x from a singular position, as `project` returns it [-]
    nearness_new: float  # the same for the state that was projected last [-]
    logged: int  # ends of steps in the log
    part: int  # fixed step: 1 and 2 are the parts of one that is divided, 3 one that doubles, 0 a whole one
    substep: int  # fixed step: steps taken in this segment
    substeps: int  # fixed step: steps that make up this segment
    theta: float  # event within the step at hand, as a fraction of it [-]
    cut: float  # instant at which the next step ends, because an event was found there; in the past: none [s]
    aimed: int  # 1 once a step was cut short for the event that comes
    shortened: int  # 1 where the step at hand ends at `cut`
    settled: int  # 1 where the crossing functions at t are known, and no jump came after
    unfollowed: int  # number, from 1, of the function whose event no whole step has followed yet; 0: none
    clear: int  # 1 where the signs of all crossing functions at t are known, and no event is there or ahead
    reach: float  # longest step at whose start all functions are far from zero; 0: not known [s]
    calm: int  # 0: values decide whether the next step has an event; 1, 2: `near` does; 1: nothing to prepare either
    near: int  # address of a number from the crossing functions: positive or NaN unless |dg/dt| ≤ s g for all of them
    t_g: float  # instant at which the crossing functions have the values `g` [s]
    searched: int  # 1 where the step at hand was searched for events
    extended: int  # 1 where the rows of the continuous extension are there: those of K, and `powers`
    measured: int  # 1 where the correction of the continuous extension is there
    events: int  # events in the log
    rows_with_mode: int  # instants that are returned whose mode is written
    logged_with_mode: int  # ends of steps in the log whose mode is written
    inserted: int  # instants that are returned because of events
    rapid: int  # events in a row without progress of time
    t_event: float  # the last event [s]
    moved: float  # furthest that the projection has moved an instant of this step, in errors allowed [-]
    project_lanes: int  # address of `project` for several states, each entry a row of `lanes`; 0: none
    lanes: int  # number of these states
    end_rates: int  # address of the row of K with the derivative at the end of the step
    x: Address  # (size,) state and quadratures at t
    x_new: Address  # (size,) at the end of the step
    x_stage: Address  # (size,) argument of a stage
    atol: Address  # (judged,) absolute tolerance of the step at hand
    errors: Address  # (2, stride) errors of a step
    K: Address  # (stages, stride)
    weights: Address  # (stages,) of the continuous extension at one instant
    input: Address  # (width + n + m + k,) t, x, u, p of a native call
    output: Address  # (n + 2 width,) result of `project` or `velocity`
    work: Address  # scratch of the native functions
    powers: Address  # (stages + 1, stride) the continuous extension of a step as rows that powers of θ multiply
    lane_rows: Address  # (lanes, stride) states and quadratures at requested instants, before their projection
    lane_input: Address  # (1 + n + m + k, lanes) t, x, u, p
    lane_output: Address  # (n + 2, lanes) result of `project_lanes`
    lane_closed: Address  # (LINE,) 1 for lanes that have converged; four lanes stand there twice
    T: Address  # (rows,) instants that are returned [s]
    X: Address  # (rows, n) states at these
    W: Address  # (rows, size − n) quadratures at these
    x_out: Address  # (size,) state and quadratures at one of these while it is worked out
    x_free: Address  # (n,) a state before its projection
    log_t: Address  # (log_rows,) ends of steps [s]
    log_x: Address  # (log_rows, size) states and quadratures there
    log_nearness: Address  # (log_rows,) distances of these states from a singular position [-]
    g: Address  # (2 crossed + width,) crossing functions and their rates at t, and one number for calm steps
    g_new: Address  # the same at the end of the step
    g_low: Address  # the same at the start of a part of the step
    g_at: Address  # the same at its end
    g_try: Address  # at another one
    side: Address  # (crossed,) last sign of each function that was not zero; half where it is only expected
    side_new: Address  # (crossed,) the same at the end of the step
    noise: Address  # (crossed,) size below which the sign of a function is not known, just after its event
    noise_new: Address  # (crossed,) the same at the end of the step
    roots: Address  # (crossed,) where it crosses zero
    h_after: Address  # (crossed,) step that followed the first whole one after its last event; 0: no event yet [s]
    fired: Address  # (crossed + ticked,) 1 for the events of an instant
    landing: Address  # (n + nm + 1 + returned_events,) result of the reset
    pairs: Address  # (problems, unknowns (unknowns + 3)) complementarity problems of an event
    pivots: Address  # (unknowns (unknowns + 3),) scratch for their solution
    modes: Address  # (rows, nm) mode at the instants that are returned
    log_modes: Address  # (log_rows, nm) mode at the ends of steps
    event_t: Address  # (event_rows,) [s]
    event_fired: Address  # (event_rows, crossed)
    event_before: Address  # (event_rows, nm)
    event_after: Address  # (event_rows, nm)


def make_problem_record(problem: Problem, c0: NDArray[np.float64] | None = None) -> Cells:
    """Return the numbers of `problem` for a kernel."""
    if problem not in _MADE:
        _MADE[problem] = _made(problem)
    if c0 is None:
        return _MADE[problem]
    record = _MADE[problem].copy()
    record["c0"] = address_of(c0)
    return record


_MADE: WeakKeyDictionary[Problem, Cells] = WeakKeyDictionary()
"""Records of problems; they hold the addresses of their arrays and last as long."""

_KEPT: WeakKeyDictionary[Problem, dict[str, NDArray[np.float64]]] = WeakKeyDictionary()
"""Arrays of events whose addresses stand in the records of problems."""


def _made(problem: Problem) -> Cells:
    return fill(
        ProblemRecord,
        rhs=problem.rhs.address,
        velocity=problem.velocity.address if problem.velocity is not None else 0,
        project=problem.project.address if problem.project is not None else 0,
        width=problem.width,
        nq=problem.nq * problem.width,
        nv=problem.nv * problem.width,
        n=problem.n * problem.width,
        judged=np.size(problem.atol),
        size=(problem.n + problem.nw) * problem.width,
        stride=whole_lines((problem.n + problem.nw) * problem.width),
        m=problem.m * problem.width,
        segments=problem.a.size,
        begin=problem.a,
        end=problem.b,
        instants=problem.times.size,
        follows=int(problem.follows),
        **{name: getattr(problem, name) for name in _SAME},
        **_events(problem),
    )


_SAME = (
    *("first", "last", "c0", "c1", "c2", "c3", "t_end", "times", "gap", "rows", "log_gap", "log_rows"),
    *("rtol", "atol", "max_step", "project_tolerance"),
)
"""Fields that a record has from its problem as they are."""


@dataclass(frozen=True)
class EventSizes:
    """Sizes of what the events of a problem need."""

    k: int = 0  # crossing functions, of all lanes
    r: int = 0  # ticks
    nm: int = 0  # mode, of all lanes
    rows: int = 0  # room in the log of events
    problems: int = 0  # complementarity problems of an event
    unknowns: int = 0  # unknowns of each
    returned_events: int = 0  # events that the reset returns for the log

    @staticmethod
    def of(problem: Problem) -> EventSizes:
        """The sizes of `problem`, all zero where it has no events."""
        events = problem.events
        if events is None:
            return EventSizes()
        return EventSizes(
            events.k * problem.width,
            events.r,
            events.nm * problem.width,
            EVENTS,
            *events.unknowns,
            events.returned_events,
        )

    @property
    def behind(self) -> int:
        """Numbers behind p in the input row of the reset."""
        return self.k + self.r + self.problems * self.unknowns


def _events(problem: Problem) -> dict[str, Any]:
    """The fields of the record that describe the events of a problem."""
    events, sizes, width = problem.events or Events(), EventSizes.of(problem), problem.width
    kept = np.ones(events.k) if events.kept is None else np.array(events.kept, float)
    ticks = np.zeros((problem.a.size, 0)) if events.ticks is None else np.array(events.ticks, float)
    arrays = {
        "ticks": np.ascontiguousarray(ticks),
        "directions": np.repeat(np.array(events.directions, float), width),
        "kept": np.repeat(kept, width),
    }
    _KEPT[problem] = arrays
    return {
        "crossings": 0 if events.crossings is None else events.crossings.address,
        "complementarity": 0 if events.complementarity is None else events.complementarity.address,
        "problems": sizes.problems,
        "unknowns": sizes.unknowns,
        "reset": 0 if events.reset is None else events.reset.address,
        "returned_events": sizes.returned_events,
        "crossed": sizes.k,
        "ticked": sizes.r,
        **arrays,
        "mode": place_of_mode(problem),
        "nm": sizes.nm,
        "after": width * (1 + problem.n + problem.m) + problem.p.size,
        "event_tolerance": events.tolerance,
        "event_rows": sizes.rows,
    }


def place_of_mode(problem: Problem) -> int:
    """Place of the mode in the input row of the native functions."""
    first = 0 if problem.events is None else problem.events.mode[0]
    return problem.width * (1 + problem.n + problem.m + first)


def whole_lines(size: int) -> int:
    """Return `size` doubles, or those that fill the last of their lines too."""
    return -(-size // LINE) * LINE
