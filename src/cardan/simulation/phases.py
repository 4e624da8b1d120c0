"""Integration of a mechanism with redundant equations, of which others take part where those chosen fail.

A run solves as many equations as are independent at its start and leaves the others out. On the way those chosen can
come to depend on each other although all together do not: the mechanism is regular there, only the choice is not. Such
a run goes back to where the choice was sound and goes on with equations that are independent where it failed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.independent_coordinates import Embedding
from cardan.integration.integrate import Log, Progress, Solution, Statistics, Watch, integrate
from cardan.integration.outcome import Outcome
from cardan.integration.problem import Problem
from cardan.numerics.rank import most_independent_rows
from cardan.simulation.preparation import Preparation
from cardan.simulation.setup import Situation, Task
from cardan.singular.closure import Closure

__all__ = ["integrated"]

Array = np.ndarray
FAILED = (
    Outcome.CONSTRAINTS_LOST,
    Outcome.STEP_TOO_SMALL,
    Outcome.TOO_MANY_STEPS,
    Outcome.SINGULAR,
    Outcome.NON_FINITE,
)
LOST = 0.05  # of the smallest singular value of all equations: less is left to those chosen where their choice fails
SOUND = 0.2  # of it: with so much a run goes on from there
RENEWALS = 1000  # choices in one run: two in every turn of many
COMPARED = 9  # positions of a run that tell how long its rows are


def integrated(prepared: Preparation, *, progress: Progress | None, watch: Watch | None) -> Solution:
    """The motion that is prepared, with as many choices of its independent equations as it needs.

    Parameters
    ----------
    prepared : what to integrate, and from where.
    progress, watch : as of `integrate`.
    """
    here, task = prepared.situation, prepared.task
    whole = task.problem
    call: dict[str, Any] = {"method": here.settings.method, "step": here.settings.step}
    if task.embedding is not None:
        reduced = integrate(whole, x0=prepared.begin, progress=progress, **call)
        return _embedded(reduced, task.embedding, prepared.x0)
    watched = partial(_watched, watch, here)
    solution = integrate(whole, x0=prepared.begin, progress=progress, watch=watched(task), **call)
    for _ in range(RENEWALS):
        found = _renewed(here, task, solution) if solution.outcome in FAILED else None
        if found is None:
            break
        k, task = found
        rest = _rest(task.problem, float(solution.log.t[k]), solution.log.w[k])
        shown = None if progress is None else _late(progress, whole, rest.t0)
        following = integrate(rest, x0=solution.log.x[k], progress=shown, watch=watched(task), **call)
        if not following.t_end > solution.t_end:
            break
        solution = _joined(solution, k, following)
    return solution


def _embedded(reduced: Solution, embedding: Embedding, x0: Array) -> Solution:
    """The solution from x0 (nx,) in all coordinates of one in independent ones."""
    x, ends = embedding.full(reduced.x), embedding.full(reduced.log.x)
    for k, t in enumerate(reduced.t):
        if t > 0:
            break
        x[k] = x0  # what is given stands there to the last digit
    return reduced._replace(
        x=x,
        x_end=ends[-1] if len(ends) else embedding.full(reduced.x_end[None])[0],  # with which a log ends
        worst=None if reduced.worst is None else embedding.place(reduced.worst),
        log=reduced.log._replace(x=ends),
    )


def _watched(watch: Watch | None, here: Situation, task: Task) -> Watch | None:
    """The watch of a run, which also ends one that creeps because its choice of equations fails."""
    if not _is_chosen(here, task):
        return watch

    def look(log: Log) -> Outcome | None:
        rows = _Rows.of(here, task, log)
        if rows is not None and rows.fail(len(log.t) - 1):
            return Outcome.CONSTRAINTS_LOST
        return None if watch is None else watch(log)

    return look


def _is_chosen(here: Situation, task: Task) -> bool:
    """Whether equations were chosen among redundant ones."""
    kept = task.kernels.system.choice.kept
    return 0 < len(kept) < len(here.functions.labels)


def _renewed(here: Situation, task: Task, solution: Solution) -> tuple[int, Task] | None:
    """The logged step's end to go on from and the task with another choice; None where the choice is not at fault."""
    log = solution.log
    rows = _Rows.of(here, task, log)
    if rows is None or not rows.fail(len(log.t) - 1):
        return None
    k = next((k for k in range(len(log.t) - 1, 0, -1) if rows.soundness(k) > SOUND), 0)
    chosen = most_independent_rows([rows.at(k), rows.at(len(log.t) - 1)], len(rows.kept))
    q = log.x[-1, : task.kernels.system.tree.nq]
    return k, here.task(Assembler(here.functions, here.p).selection_of(chosen, q), None)


@dataclass(frozen=True)
class _Rows:
    """Φq along a log, each row over the largest length that it has there."""

    closure: Closure
    log: Log
    kept: list[int]
    lengths: Array  # (c,) of the rows

    @staticmethod
    def of(here: Situation, task: Task, log: Log) -> _Rows | None:
        """None where nothing was logged or no equation is redundant."""
        if not len(log.t) or not _is_chosen(here, task):
            return None
        plain = _Rows(Closure(task.kernels, here.p), log, list(task.kernels.system.choice.kept), np.ones(1))
        places = np.unique(np.linspace(0, len(log.t) - 1, COMPARED).astype(int))
        lengths = np.max([np.linalg.norm(plain.at(k), axis=1) for k in places], axis=0)
        return replace(plain, lengths=np.where(lengths > 0, lengths, 1.0))

    def at(self, k: int) -> Array:
        """The rows (c, nv) at the end of a logged step."""
        nq = self.closure.kernels.system.tree.nq
        J = self.closure.at(float(self.log.t[k]), self.log.x[k, :nq])[1]
        return np.array(J / np.reshape(self.lengths, (-1, 1)))

    def soundness(self, k: int) -> float:
        """Smallest singular value of the rows kept, over that of all rows of the same rank [-]; NaN without numbers."""
        J = self.at(k)
        if not np.isfinite(J).all():
            return float("nan")
        own, whole = (np.linalg.svd(A, compute_uv=False)[len(self.kept) - 1] for A in (J[self.kept], J))
        return float(own / whole) if whole > 0 else 1.0

    def fail(self, k: int) -> bool:
        """Whether the rows kept depend on each other there, and not all rows."""
        return self.soundness(k) < LOST


def _rest(problem: Problem, t: float, w: Array) -> Problem:
    """The problem from the instant t on, with quadratures w (nw,) there."""
    later = problem.b > t
    assert problem.c0 is not None
    assert problem.c1 is not None
    a, c0, c1 = problem.a[later], problem.c0[later], problem.c1[later]
    c0[0] += c1[0] * (max(t, a[0]) - a[0])
    a[0] = max(t, a[0])
    return replace(
        problem, a=a, b=problem.b[later], c0=c0, c1=c1, w0=w, times=problem.times[problem.times > t], first_step=0.0
    )


def _late(progress: Callable[[float], None], whole: Problem, t: float) -> Callable[[float], None]:
    """The progress of the whole, told by that of its rest from t on."""
    before = (t - whole.t0) / (whole.t_end - whole.t0)
    return lambda fraction: progress(before + (1 - before) * fraction)


def _joined(first: Solution, k: int, following: Solution) -> Solution:
    """The solution until the end k of a logged step, then the one that follows from there."""
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
    )


def _summed(a: Statistics, b: Statistics) -> Statistics:
    """What both parts of a run have cost."""
    return Statistics(
        steps=a.steps + b.steps,
        rejected=a.rejected + b.rejected,
        evaluations=a.evaluations + b.evaluations,
        jacobians=a.jacobians + b.jacobians,
        stiff=a.stiff or b.stiff,
        wall=a.wall + b.wall,
    )
