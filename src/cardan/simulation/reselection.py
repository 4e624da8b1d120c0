"""Selecting other independent constraint equations when those that are solved become dependent.

A run solves a set of equations that is independent at its start and leaves the redundant equations out. During the
motion the selected equations can become dependent although the rank of all equations has not dropped: the position is
regular, only the selection fails. The run then returns to a step where the selection was sound, and goes on from there
with equations that are independent at the position where the selection failed.
"""

from __future__ import annotations

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.frozen import dataclass, replace
from cardan.integration import Log, Outcome, Solution
from cardan.numerics.rank import most_independent_rows
from cardan.simulation.conditions import Conditions
from cardan.simulation.task import Task, make_task
from cardan.singular.closed_loops import ClosedLoops

__all__ = ["is_chosen", "reselected", "reselection_due"]

FAILED = (
    Outcome.CONSTRAINTS_LOST,
    Outcome.STEP_TOO_SMALL,
    Outcome.TOO_MANY_STEPS,
    Outcome.SINGULAR,
    Outcome.NON_FINITE,
)
LOST = 0.05  # smallest singular value of the selected rows over that of all rows [-]; below it the selection fails
SOUND = 0.2  # the same ratio of singular values [-]; above it a run can go on from a step
COMPARED = 9  # number of positions of a run at which the lengths of the rows are computed


def is_chosen(conditions: Conditions, task: Task) -> bool:
    """Whether the `task` of a run under these `conditions` leaves redundant equations out."""
    return task.embedding is None and 0 < len(task.choice.kept) < len(conditions.assembly.labels)


def reselection_due(conditions: Conditions, task: Task, log: Log) -> bool:
    """Whether the selected equations have become dependent while the rank of all equations has not dropped."""
    rows = _Rows.of(conditions, task, log)
    return rows is not None and rows.fail(len(log.t) - 1)


def reselected(conditions: Conditions, task: Task, solution: Solution) -> tuple[int, Task] | None:
    """The logged step to go on from, and the task with other equations; None if the selection has not failed."""
    log = solution.log
    rows = _Rows.of(conditions, task, log) if solution.outcome in FAILED else None
    if rows is None or not rows.fail(len(log.t) - 1):
        return None
    k = next((k for k in range(len(log.t) - 1, 0, -1) if rows.soundness(k) > SOUND), 0)
    chosen = most_independent_rows([rows.at(k), rows.at(len(log.t) - 1)], len(rows.kept))
    q = log.x[-1, : task.functions.system.tree.nq]
    choice = Assembler(conditions.assembly.of_all, conditions.p).selection_of(chosen, q)
    own = task.choice
    choice = replace(choice, together=own.together, stopped=own.stopped)
    return k, make_task(conditions, choice, None)


@dataclass(frozen=True)
class _Rows:
    """Φq along a log, each row divided by its largest length along that log."""

    loops: ClosedLoops
    log: Log
    kept: list[int]
    lengths: np.ndarray  # (c,) of the rows

    @staticmethod
    def of(conditions: Conditions, task: Task, log: Log) -> _Rows | None:
        """The rows along a log; None if the log is empty or no equation is redundant."""
        if not len(log.t) or not is_chosen(conditions, task):
            return None
        unscaled = _Rows(ClosedLoops(task.functions, conditions.p), log, list(task.choice.kept), np.ones(1))
        places = np.unique(np.linspace(0, len(log.t) - 1, COMPARED).astype(int))
        lengths = np.max([np.linalg.norm(unscaled.at(k), axis=1) for k in places], axis=0)
        return replace(unscaled, lengths=np.where(lengths > 0, lengths, 1.0))

    def at(self, k: int) -> np.ndarray:
        """The rows (c, nv) at the end of a logged step."""
        nq = self.loops.functions.system.tree.nq
        J = self.loops.at(float(self.log.t[k]), self.log.x[k, :nq])[1]
        return np.array(J / np.reshape(self.lengths, (-1, 1)))

    def soundness(self, k: int) -> float:
        """Smallest singular value of the selected rows over that of all rows (same rank); NaN if Φq is not finite."""
        J = self.at(k)
        if not np.isfinite(J).all():
            return float("nan")
        selected, every = (np.linalg.svd(A, compute_uv=False)[len(self.kept) - 1] for A in (J[self.kept], J))
        return float(selected / every) if every > 0 else 1.0

    def fail(self, k: int) -> bool:
        """Whether the selected rows are dependent at the end of step k while the rank of all rows has not dropped."""
        return self.soundness(k) < LOST
