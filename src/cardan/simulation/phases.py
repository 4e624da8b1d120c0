"""A run as a list of phases: each integrates one task to the end of the run or until another task has to follow.

Another task follows where the selected constraint equations become dependent: `reselection` returns the logged step
from which the next phase starts, and its task. Events stay within a phase; the integrator applies them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cardan.assembly.independent_coordinates import Embedding
from cardan.integration import (
    METHODS,
    EventLog,
    Log,
    Outcome,
    Problem,
    Progress,
    Solution,
    Statistics,
    Watch,
    integrate,
    segments_between,
)
from cardan.simulation.conditions import Conditions
from cardan.simulation.reselection import is_chosen, reselected, reselection_due
from cardan.simulation.task import Task
from cardan.system.energies import WORKS

PHASES = 1000  # largest number of phases in a run: enough for two per revolution over 500 revolutions


def integrate_phases(
    conditions: Conditions, task: Task, x0: np.ndarray, *, progress: Progress | None, watch: Watch | None
) -> Solution:
    """The motion from an assembled state, in all coordinates, integrated in as many phases as it needs."""
    if not conditions.end:
        return _initial_state_alone(conditions, x0)
    solution = _phase(conditions, task, task.problem, x0, progress, watch)
    if task.embedding is not None:
        return _in_all_coordinates(solution, task.embedding, x0)
    for _ in range(PHASES - 1):
        following = reselected(conditions, task, solution)
        if following is None:
            break
        k, task = following
        remaining = _remaining(task.problem, float(solution.log.t[k]), solution.log.w[k])
        further_progress = None if progress is None else _progress_from(progress, task.problem, remaining.t0)
        further = _phase(conditions, task, remaining, solution.log.x[k], further_progress, watch)
        if not further.t_end > solution.t_end:
            break
        solution = _joined(solution, k, further)
    return solution


def _initial_state_alone(conditions: Conditions, x0: np.ndarray) -> Solution:
    """The solution of a run that ends where it starts: the initial state, without integration."""
    count = len(conditions.instants)
    x, w = np.tile(x0, (count, 1)), np.zeros((count, len(WORKS)))
    log = Log(np.zeros(1), x[:1], w[:1], np.zeros(1), np.nan)
    cost = Statistics(steps=0, rejected=0, evaluations=0, jacobians=0, stiff=False, wall=0.0, preparation=0.0)
    method = conditions.settings.method if conditions.settings.method in METHODS else next(iter(METHODS))
    return Solution(np.zeros(count), x, w, Outcome.COMPLETED, 0.0, x0, w[0], None, log, method, cost)


def _in_all_coordinates(reduced: Solution, embedding: Embedding, x0: np.ndarray) -> Solution:
    """The solution from x0 (nx,) in all coordinates, computed from the solution in independent coordinates."""
    x, ends = embedding.full(reduced.x), embedding.full(reduced.log.x)
    moving = x0.size - (reduced.x.shape[1] - len(embedding.q) - len(embedding.v))  # samples at t = 0 change the others
    x[: np.searchsorted(reduced.t, 0.0, "right"), :moving] = x0[:moving]  # initial values as given, without round-off
    return reduced._replace(
        x=x,
        x_end=ends[-1] if len(ends) else embedding.full(reduced.x_end[None])[0],  # the last state of the log
        worst=None if reduced.worst is None else embedding.place(reduced.worst),
        log=reduced.log._replace(x=ends),
    )


def _phase(
    conditions: Conditions,
    task: Task,
    problem: Problem,
    full: np.ndarray,
    progress: Progress | None,
    watch: Watch | None,
) -> Solution:
    """The solution of one phase from a state in all coordinates.

    Its watch also ends the phase if the selected constraints become dependent.
    """
    settings = conditions.settings
    extended = partial(_outcome_of_watch, conditions, task, watch) if is_chosen(conditions, task) else watch
    p = _parameters(conditions, task, problem.t0, full)
    return integrate(
        problem, settings.method, x0=task.reduced(full), p=p, step=settings.step, progress=progress, watch=extended
    )


def _parameters(conditions: Conditions, task: Task, t: float, x: np.ndarray) -> np.ndarray | None:
    """Parameters with the mode at the start of a phase; None for those of the problem."""
    return task.parameters(np.array([t]), x[None], conditions.p[None])[0] if task.plan.switches else None


def _outcome_of_watch(conditions: Conditions, task: Task, watch: Watch | None, log: Log) -> Outcome | None:
    """The outcome that ends a phase whose selected constraints become dependent, else the outcome of the watch."""
    if reselection_due(conditions, task, log):
        return Outcome.CONSTRAINTS_LOST
    return None if watch is None else watch(log)


def _remaining(problem: Problem, t: float, w: np.ndarray) -> Problem:
    """The problem that starts at the instant t with the quadratures w (nw,)."""
    segments = problem.b > t
    events = None if problem.events is None else problem.events.within(segments)
    fields: dict[str, Any] = segments_between(problem, t, problem.t_end)
    return replace(problem, **fields, w0=w, times=problem.times[problem.times > t], first_step=0.0, events=events)


def _progress_from(progress: Progress, whole: Problem, t: float) -> Callable[[float], None]:
    """A callback that converts the progress of a phase that starts at t into the progress of the whole run."""
    before = (t - whole.t0) / (whole.t_end - whole.t0)
    return lambda fraction: progress(before + (1 - before) * fraction)


def _joined(first: Solution, k: int, following: Solution) -> Solution:
    """The first solution up to the end of its logged step k, joined to the following solution."""
    t, log = first.log.t[k], first.log
    old, new, new_log = first.t <= t, following.t > t, following.log.t > t
    jump = log.jump if log.jump < t else following.log.jump
    return following._replace(
        t=np.concatenate([first.t[old], following.t[new]]),
        x=np.concatenate([first.x[old], following.x[new]]),
        w=np.concatenate([first.w[old], following.w[new]]),
        log=Log(
            np.concatenate([log.t[: k + 1], following.log.t[new_log]]),
            np.concatenate([log.x[: k + 1], following.log.x[new_log]]),
            np.concatenate([log.w[: k + 1], following.log.w[new_log]]),
            np.concatenate([log.nearness[: k + 1], following.log.nearness[new_log]]),
            jump,
        ),
        statistics=_summed(first.statistics, following.statistics),
        events=_events_until(first.events, t, following.events),
    )


def _events_until(first: EventLog, t: float, following: EventLog) -> EventLog:
    """The events of a phase up to the instant t, and those of the following one."""
    kept = first.t <= t
    return EventLog(*(np.concatenate([a[kept], b]) for a, b in zip(first, following, strict=True)))


def _summed(a: Statistics, b: Statistics) -> Statistics:
    """The sum of the statistics of two phases."""
    return Statistics(
        steps=a.steps + b.steps,
        rejected=a.rejected + b.rejected,
        evaluations=a.evaluations + b.evaluations,
        jacobians=a.jacobians + b.jacobians,
        stiff=a.stiff or b.stiff,
        wall=a.wall + b.wall,
        preparation=a.preparation + b.preparation,
    )
