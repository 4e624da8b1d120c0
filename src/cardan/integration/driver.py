"""Problem → solution: choose the method, call its kernel for budgets of steps, end the run when it must."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import Cells
from cardan.errors import SolveError
from cardan.integration.loop.advance import Stepper
from cardan.integration.loop.records import RunMemory, make_problem_record, make_run_memory
from cardan.integration.methods import MethodInfo, find_method
from cardan.integration.outcome import Outcome
from cardan.integration.problem import NativeFunction, Problem
from cardan.integration.solution import Log, Solution, Statistics

__all__ = ["Progress", "Watch", "integrate"]

Array = NDArray[np.float64]
Progress = Callable[[float], None]
Watch = Callable[[Log], Outcome | None]

LOOSE = 1e-6  # rtol above which order 5 is cheaper than order 8 (Hairer, Nørsett & Wanner I, II.10)
PATIENCE = 20_000  # explicit steps left above which a stiff problem is handed to a method with a Jacobian
MAX_STEPS = 10_000_000  # limit of steps tried with error control: half a minute of a small mechanism
PATROL = 200_000  # steps tried between two checks of progress: half a second of a small mechanism
PROGRESS = 1e-4  # least progress in PATROL steps [time span]: at less, MAX_STEPS would cover 0.5 % of the run

GROWN = 1.5  # ratio of steps tried between two calls of `watch`: all calls together cost three times the last
FIRST_BUDGET = 500  # steps of the first call of a kernel
CALL_TIME = 0.05  # aimed duration of a call [s]: short enough for Ctrl-C, long against the cost of the call


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
) -> Solution:
    """Return the solution of an initial value problem at its instants.

    Parameters
    ----------
    problem : Problem
    method : str
        "tsit5", "dop853", "rodas5p", "rk4", "semi_implicit_euler", or "auto": tsit5 for rtol > 1e-6, dop853 otherwise,
        continued with rodas5p where the problem is stiff and more than 20 000 explicit steps remain.
    x0 : ndarray (n,), optional
        Start of the states, finite numbers; that of the problem if not given.
    p : ndarray (k,), optional
        Parameters, finite numbers; those of the problem if not given.
    c0 : ndarray (S, m), optional
        Inputs at the starts of the segments; those of the problem if not given.
    step : float, optional
        Longest step of a fixed-step method; each input segment is divided into equal steps [s].
    max_steps : int, optional
        Steps tried before the run is ended; default 10 million with error control, no limit with fixed steps. With
        error control a run also ends where 200 000 steps lead over less than 1e-4 of its time span.
    progress : callable, optional
        Called with the fraction of the time span that is done, from 0 to 1, a few times per second.
    watch : callable, optional
        Called with the log of steps each time that half as many again have been tried, whatever time they took; an
        outcome ends the run.

    Returns
    -------
    Solution
        Complete or, when its outcome is not `Outcome.COMPLETED`, the part computed until then. Ctrl-C ends a run with
        `Outcome.INTERRUPTED`.

    Raises
    ------
    SolveError
        Where the method is unknown, a step is missing or not wanted, or the problem lacks a function the method needs.
    """
    started = time.perf_counter()
    info = find_method(_first_method(problem, method))
    _check(problem, info, step)
    limit = _limit(info, max_steps)
    hands_over = method == "auto" and problem.jacobian is not None
    run = _start(problem, info, _Values(x0, p, c0), step, PATIENCE if hands_over else math.inf)
    callbacks = _Callbacks(progress, watch)
    outcome = _drive(run, limit, callbacks)
    if outcome is None:
        run, outcome = _hand_over(run, find_method("rodas5p"), limit, callbacks)
    return _solution(run, outcome, time.perf_counter() - started)


class _Values(NamedTuple):
    """Values in place of the problem's; None: those of the problem."""

    x0: Array | None = None  # (n,)
    p: Array | None = None  # (k,)
    c0: Array | None = None  # (S, m)


@dataclass(frozen=True)
class _Callbacks:
    """The callbacks of a run."""

    progress: Progress | None
    watch: Watch | None


@dataclass(frozen=True)
class _Run:
    """A kernel, the records it works on, and what keeps their addresses alive."""

    problem: Problem
    values: _Values
    method: MethodInfo
    stepper: Stepper
    record: Cells  # record cells of the problem
    memory: RunMemory
    jacobian: NativeFunction | None


def _first_method(problem: Problem, method: str) -> str:
    if method != "auto":
        return method
    return "tsit5" if problem.rtol > LOOSE else "dop853"


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


def _start(problem: Problem, method: MethodInfo, values: _Values, step: float | None, patience: float) -> _Run:
    jacobian = _jacobian(problem) if method.needs == "jacobian" else None
    stepper = method.make(problem, patience)
    functions = (problem.rhs, problem.velocity, problem.project, jacobian)
    memory = make_run_memory(
        problem, stepper.rows, max(f.n_work for f in functions if f is not None), values.x0, values.p
    )
    memory.record["h"] = problem.first_step if step is None else step
    record = make_problem_record(problem, 0 if jacobian is None else jacobian.address, values.c0)
    return _Run(problem, values, method, stepper, record, memory, jacobian)


def _jacobian(problem: Problem) -> NativeFunction:
    jacobian = problem.jacobian
    return jacobian() if callable(jacobian) else jacobian  # type: ignore[return-value]


def _hand_over(run: _Run, method: MethodInfo, limit: float, callbacks: _Callbacks) -> tuple[_Run, Outcome]:
    """Go on with another method; return the run that holds the results, and how it ended."""
    try:
        following = _continue(run, method)
    except KeyboardInterrupt:  # while the Jacobian is being compiled
        return run, Outcome.INTERRUPTED
    outcome = _drive(following, limit, callbacks)
    assert outcome is not None, "the stiff method hands over to no other"
    return following, outcome


_CARRIED = (
    *("t", "h", "segment", "requested", "outputs", "steps", "rejected", "evaluations", "stiff"),
    *("logged", "jumped", "t_jump"),
)
"""Fields of the run record that the next method continues with."""


def _continue(run: _Run, method: MethodInfo) -> _Run:
    """Return a run with another method that goes on where `run` has stopped."""
    following = _start(run.problem, method, run.values, None, math.inf)
    old, new = run.memory, following.memory
    for field in _CARRIED:
        new.record[field] = old.record[field]
    new.x[:] = old.x
    new.X[:] = old.X
    new.T[:] = old.T
    for name in ("log_t", "log_x", "log_nearness"):
        new.array(name)[:] = old.array(name)
    return following


def _drive(run: _Run, limit: float, callbacks: _Callbacks) -> Outcome | None:
    """Call the kernel until it ends, the limit of steps is reached or the user stops it; None if it hands over."""
    record, t0, span = run.memory.record, run.problem.t0, run.problem.t_end - run.problem.t0
    budget, tried, n = FIRST_BUDGET, _tried(record), run.problem.n
    watched = math.inf if callbacks.watch is None else tried + FIRST_BUDGET
    check, goal = _next_check(run, tried)
    try:
        while True:
            if tried >= limit or (tried >= check and record["t"] < goal):
                return Outcome.TOO_MANY_STEPS
            if tried >= check:
                check, goal = _next_check(run, tried)
            before = time.perf_counter()
            steps = int(min(budget, limit - tried, check - tried, watched - tried))
            outcome = run.stepper.kernel(run.stepper.method, run.record, record, steps)
            tried = _tried(record)
            if callbacks.progress is not None:
                callbacks.progress(float(record["t"] - t0) / span)
            if outcome != Outcome.RUNNING:
                return None if outcome == Outcome.STIFF else Outcome(outcome)
            if callbacks.watch is not None and tried >= watched:
                if (ended := callbacks.watch(_log(run.memory, run.memory.numbers, n))) is not None:
                    return ended
                watched = int(GROWN * tried)
            budget = _next_budget(budget, time.perf_counter() - before)
    except KeyboardInterrupt:
        return Outcome.INTERRUPTED


def _tried(record: Cells) -> int:
    """Steps tried so far."""
    return int(record["steps"] + record["rejected"])


def _next_check(run: _Run, tried: int) -> tuple[float, float]:
    """Number of steps tried at which progress is looked at, and the time [s] that has to be reached by then."""
    if run.method.fixed_step:
        return math.inf, 0.0
    span = run.problem.t_end - run.problem.t0
    return tried + PATROL, float(run.memory.record["t"]) + PROGRESS * span


def _next_budget(budget: int, wall: float) -> int:
    """Return the steps that take about CALL_TIME, changing by no more than a factor of eight."""
    return max(1, int(budget * min(8.0, max(0.125, CALL_TIME / max(wall, 1e-9)))))


def _solution(run: _Run, outcome: Outcome, wall: float) -> Solution:
    memory, n, reached = run.memory, run.problem.n * run.problem.width, run.memory.numbers
    x, T, X = memory.x, memory.T[: reached.outputs], memory.X[: reached.outputs]
    failed = outcome not in (Outcome.COMPLETED, Outcome.INTERRUPTED)
    return Solution(
        t=T.copy(),
        x=X[:, :n].copy(),
        w=X[:, n:].copy(),
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
        ),
    )


def _log(memory: RunMemory, reached: Any, n: int) -> Log:
    """The log so far, with the state reached at its end."""
    count, jump = reached.logged, reached.t_jump if reached.jumped else math.nan
    t, x, near = (memory.array(name)[:count].copy() for name in ("log_t", "log_x", "log_nearness"))
    if count and reached.t > t[-1]:
        t, x, near = np.append(t, reached.t), np.vstack([x, memory.x]), np.append(near, reached.nearness)
    return Log(t, x[:, :n], x[:, n:], near, jump)
