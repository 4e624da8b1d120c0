"""Problem → solution: choose the method, call its kernel for some steps at a time, and end the run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import Cells
from cardan.errors import SolveError
from cardan.frozen import dataclass, field, replace
from cardan.integration.automatic import AUTO, Automatic
from cardan.integration.events import RAPID, RESOLUTION, EventLog, accumulation
from cardan.integration.loop.advance import Stepper
from cardan.integration.loop.continuation import BlockLane, go_on
from cardan.integration.loop.hybrid import hybrid_kernel_of
from cardan.integration.loop.records import make_problem_record
from cardan.integration.loop.run_memory import Room, RunMemory, make_run_memory
from cardan.integration.methods import MethodInfo, find_method
from cardan.integration.outcome import Outcome
from cardan.integration.problem import NativeFunction, Problem
from cardan.integration.rosenbrock import jacobian_length
from cardan.integration.solution import Log, Solution, Statistics
from cardan.integration.tableaus import dop853

Array = NDArray[np.float64]
Progress = Callable[[float], None]
Watch = Callable[[Log], Outcome | None]

MAX_STEPS = 10_000_000  # limit of steps tried with error control: half a minute of a small mechanism
PATROL = 200_000  # steps tried between two checks of progress: half a second of a small mechanism
PROGRESS = 1e-4  # least progress in PATROL steps [time span]: at less, MAX_STEPS would cover 0.5 % of the run
MOST_STEPS = PATROL / PROGRESS  # fixed steps of a run that makes this progress

ROWS = dop853().c.size  # stages of the method with the most
GROWN = 1.5  # ratio of the steps tried at two calls of `watch`: all calls together cost three times the last one
FIRST_BUDGET = 500  # steps of the first call of a kernel
CALL_TIME = 0.05  # intended duration of a call [s]: short enough for Ctrl-C, long against the cost of the call


def integrate(
    problem: Problem,
    method: str = "auto",
    *,
    x0: Array | None = None,
    p: Array | None = None,
    c0: Array | None = None,
    step: float | None = None,
    max_steps: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
    begun: BlockLane | None = None,
    room: Room | None = None,
    longest: float = math.inf,
) -> Solution:
    """Return the solution of an initial value problem at its instants; its steps may take `longest` [s]."""
    started = time.perf_counter()
    choice = Automatic(problem) if method == AUTO else None
    info = find_method(method) if choice is None else choice.method
    _check(problem, info, step)
    limit, callbacks = _limit(info, max_steps), _Callbacks(progress, watch, longest)
    run = _start(problem, info, _Values(x0, p, c0), step, 0 if choice is None else ROWS, room)
    if begun is not None:
        go_on(begun, run.memory, problem)
    if choice is None:
        outcome = _drive(run, limit, callbacks)
    else:
        run, outcome = _drive_automatically(run, choice, limit, callbacks)
    running = callbacks.clock.running
    return _solution(run, outcome, running, time.perf_counter() - started - running)


class _Values(NamedTuple):
    """Values in place of the problem's; None: those of the problem."""

    x0: Array | None = None  # (n,)
    p: Array | None = None  # (k,)
    c0: Array | None = None  # (S, m)


@dataclass
class _Clock:
    """The time that the steps of a run have taken."""

    running: float = 0.0  # [s]


@dataclass(frozen=True)
class _Callbacks:
    """The callbacks of a run, and its clock."""

    progress: Progress | None
    watch: Watch | None
    longest: float  # time that the steps may take [s]
    clock: _Clock = field(default_factory=_Clock)


@dataclass(frozen=True)
class _Run:
    """A kernel, its records, and the arrays whose addresses these contain."""

    problem: Problem
    values: _Values
    method: MethodInfo
    stepper: Stepper
    record: Cells  # record cells of the problem
    memory: RunMemory
    lends: bool  # whether later runs use the same memory


def _check(problem: Problem, method: MethodInfo, step: float | None) -> None:
    if method.fixed_step and (step is None or not 0 < step < math.inf):
        raise SolveError(f'method "{method.name}" takes fixed steps; give a positive step, in seconds')
    if not method.fixed_step and step is not None:
        raise SolveError(f'method "{method.name}" chooses its steps; leave step out, or bound them with max_step')
    if method.needs and getattr(problem, method.needs) is None:
        fault = f'method "{method.name}" needs the function "{method.needs}" of the problem'
        raise SolveError(f"{fault}, and there is none")


def _limit(method: MethodInfo, max_steps: int | None) -> float:
    if max_steps is not None:
        return max_steps
    return math.inf if method.fixed_step else MAX_STEPS


def _start(
    problem: Problem, method: MethodInfo, values: _Values, step: float | None, rows: int, room: Room | None
) -> _Run:
    """A run at its start, with memory for at least `rows` stages."""
    stepper = _stepper(problem, method)
    functions = (problem.rhs, problem.velocity, problem.project, *_of_events(problem))
    n_work = max(f.n_work for f in functions if f is not None)
    lanes = None if problem.project_lanes is None else problem.project_lanes(problem.times.size)
    memory = make_run_memory(problem, max(stepper.rows, rows), n_work, values.x0, values.p, lanes, room)
    memory.record["h"] = problem.first_step if step is None else step
    return _Run(problem, values, method, stepper, make_problem_record(problem, values.c0), memory, room is not None)


def _stepper(problem: Problem, method: MethodInfo) -> Stepper:
    """The kernel and record of a method; problems with events have another kernel."""
    stepper = method.make(problem)
    return stepper if problem.events is None else replace(stepper, kernel=hybrid_kernel_of(method.record))


def _of_events(problem: Problem) -> tuple[NativeFunction | None, ...]:
    events = problem.events
    return () if events is None else (events.crossings, events.complementarity, events.reset)


def _drive_automatically(run: _Run, choice: Automatic, limit: float, callbacks: _Callbacks) -> tuple[_Run, Outcome]:
    """Integrate with one method after another; return the run with the last one, and how it ended."""
    record = run.memory.record
    while True:
        record["patience"] = choice.patience
        outcome = _drive(run, limit, callbacks, choice.pause)
        if not choice.continues(outcome):
            return run, outcome
        choice.proceed(record, outcome)
        if choice.method is not run.method:
            try:
                run = _switched(run, choice.method)
            except KeyboardInterrupt:  # while the tangent is being compiled
                return run, Outcome.INTERRUPTED
            if run.method.needs == "tangent":
                choice.use_jacobian(jacobian_length(run.problem))


def _switched(run: _Run, method: MethodInfo) -> _Run:
    """The same run, going on with another method."""
    stepper = _stepper(run.problem, method)
    run.memory.record["attempts"] = run.memory.record["fresh"] = 0
    return replace(run, method=method, stepper=stepper)


def _drive(run: _Run, limit: float, callbacks: _Callbacks, pause: float = math.inf) -> Outcome:
    """Call the kernel until it ends, the limit of steps is reached or the user stops it; how it ended.

    Outcome.RUNNING after `pause` steps tried; Outcome.STIFF where another method should be tried.
    """
    record, t0, span = run.memory.record, run.problem.t0, run.problem.t_end - run.problem.t0
    run.stepper.kernel.load()  # its compilation counts neither in the time of the steps nor in their budget
    budget, tried, n = FIRST_BUDGET, _tried(record), run.problem.n
    watched = math.inf if callbacks.watch is None else tried + FIRST_BUDGET
    check, goal = _next_check(run, tried)
    try:
        while True:
            if tried >= limit or (tried >= check and record["t"] < goal):
                return Outcome.TOO_MANY_STEPS
            if tried >= pause:
                return Outcome.RUNNING
            if tried >= check:
                check, goal = _next_check(run, tried)
            before = time.perf_counter()
            steps = int(min(budget, limit - tried, check - tried, watched - tried, pause - tried))
            outcome = run.stepper.kernel(run.stepper.method, run.record, record, steps)
            tried = _tried(record)
            callbacks.clock.running += time.perf_counter() - before
            if callbacks.progress is not None:
                callbacks.progress(float(record["t"] - t0) / span)
            if outcome != Outcome.RUNNING:
                return Outcome(outcome)
            if callbacks.clock.running > callbacks.longest:
                return Outcome.TIMED_OUT
            if callbacks.watch is not None and tried >= watched:
                if (ended := callbacks.watch(_log(run.memory, run.memory.numbers, n))) is not None:
                    return ended
                watched = int(GROWN * tried)
            budget = next_budget(budget, time.perf_counter() - before)
    except KeyboardInterrupt:
        return Outcome.INTERRUPTED


def _tried(record: Cells) -> int:
    """Steps tried so far."""
    return int(record["steps"] + record["rejected"])


def _next_check(run: _Run, tried: int) -> tuple[float, float]:
    """Number of steps tried at which progress is checked, and the time [s] that has to be reached by then."""
    if run.method.fixed_step:
        return math.inf, 0.0
    span = run.problem.t_end - run.problem.t0
    return tried + PATROL, float(run.memory.record["t"]) + PROGRESS * span


def next_budget(budget: int, wall: float) -> int:
    """Return the steps that take about CALL_TIME, up to 8 × `budget`, the steps that took `wall` seconds."""
    return max(1, int(budget * min(8.0, max(0.125, CALL_TIME / max(wall, 1e-9)))))


def _solution(run: _Run, outcome: Outcome, wall: float, preparation: float) -> Solution:
    memory, n, reached = run.memory, run.problem.n * run.problem.width, run.memory.numbers
    x = memory.x
    ended = (Outcome.STOPPED, Outcome.CHATTERING, Outcome.TOO_MANY_EVENTS)
    failed = outcome not in (Outcome.COMPLETED, Outcome.INTERRUPTED, *ended)
    events, limit = _events(memory, reached), math.nan
    if outcome is Outcome.CHATTERING:
        limit = _accumulation(events, reached.t)
        outcome = outcome if math.isnan(limit) else Outcome.ZENO
    return Solution(
        t=_filled(run, memory.T),
        x=_filled(run, memory.X),
        w=_filled(run, memory.W),
        outcome=outcome,
        t_end=reached.t,
        x_end=x[:n].copy(),
        w_end=x[n:].copy(),
        worst=reached.worst if failed and reached.worst >= 0 else None,
        log=_log(memory, reached, n),
        method=run.method.name,
        statistics=Statistics(
            steps=reached.steps,
            rejected=reached.rejected,
            evaluations=reached.evaluations,
            jacobians=reached.jacobians,
            stiff=bool(reached.stiff),
            wall=wall,
            preparation=preparation,
        ),
        modes=memory.array("modes")[: reached.outputs].copy(),
        events=events,
        accumulation=limit,
        crossing=reached.unfollowed - 1 if outcome is Outcome.CHATTERING else None,
    )


def _filled(run: _Run, array: Array) -> Array:
    """The rows of an array that a run has filled: itself if full, else a copy, so that the rest can be freed."""
    rows = run.memory.record["outputs"]
    return array if rows == len(array) and not run.lends else array[:rows].copy()


def _events(memory: RunMemory, reached: Any) -> EventLog:
    names = ("event_t", "event_fired", "event_before", "event_after")
    t, fired, before, after = (memory.array(name)[: reached.events].copy() for name in names)
    return EventLog(t, fired != 0.0, before, after)


def _accumulation(events: EventLog, t: float) -> float:
    """Instant at which events accumulate, if the last ones before t made no progress in time; NaN if they do not."""
    if not len(events.t) or t - events.t[-1] > RAPID * RESOLUTION * abs(t):
        return math.nan
    last = int(np.argmax(events.fired[-1]))
    return accumulation(events.t[events.fired[:, last]], 1e4 * np.spacing(t))


def _log(memory: RunMemory, reached: Any, n: int) -> Log:
    """The log so far, with the state reached at its end."""
    count, jump = reached.logged, reached.t_jump if reached.jumped else math.nan
    names = ("log_t", "log_x", "log_nearness", "log_modes")
    t, x, near, modes = (memory.array(name)[:count].copy() for name in names)
    if count and reached.t > t[-1]:
        t, x, near = np.append(t, reached.t), np.vstack([x, memory.x]), np.append(near, reached.nearness)
        modes = np.vstack([modes, memory.mode])
    return Log(t, x[:, :n], x[:, n:], near, jump, modes)
