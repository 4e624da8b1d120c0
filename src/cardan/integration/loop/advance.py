"""The loop over the steps of a run, compiled once for each kind of method record."""

from __future__ import annotations

from typing import Any

from cardan.codegen.kernels import Cells, Kernel
from cardan.frozen import dataclass
from cardan.integration.loop.evaluation import smallest_step
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.records import ProblemRecord, RunRecord
from cardan.integration.loop.stepping import accept, begin, plan, record, reject
from cardan.integration.outcome import Outcome


@dataclass(frozen=True)
class Stepper:
    """A kernel with the record of the method that it steps with."""

    kernel: Kernel  # (method, problem, run, budget) → number of an `Outcome`
    method: Cells
    rows: int  # rows of K
    keep: Any  # owner of the arrays that the record points to


def kernel_of(method: type[MethodRecord]) -> Kernel:
    """Return `advance` for one kind of method, compiled or read from the cache at its first call."""
    return Kernel(advance, (method, ProblemRecord, RunRecord))


def step(method: MethodRecord, problem: ProblemRecord, run: RunRecord) -> int:
    """Try one step; return Outcome.RUNNING where the run goes on, else how it ends."""
    if run.fresh == 0:
        method.start(problem, run)
        run.fresh = 1
    t, t_new = run.t, plan(method, problem, run)
    reason = method.attempt(problem, run, t_new)
    if reason == Outcome.RUNNING:
        reason = record(method, problem, run, t_new, t_new)
    if reason != Outcome.RUNNING:
        return reject(method, run, smallest_step(problem, t), t_new - t, reason)
    status = accept(method, problem, run, t_new)
    if status == Outcome.RUNNING and method.hands_over(problem, run):
        return Outcome.STIFF
    return status


def advance(method: MethodRecord, problem: ProblemRecord, run: RunRecord, budget: int) -> int:
    """Try up to `budget` steps; return Outcome.RUNNING when they are used up, else how the run has ended."""
    if run.started == 0:
        status = begin(method, problem, run)
        if status != Outcome.RUNNING:
            return status
    for _ in range(budget):
        status = step(method, problem, run)
        if status != Outcome.RUNNING:
            return status
    return Outcome.RUNNING
