"""Projection of states onto the constraints."""

from __future__ import annotations

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.evaluation import copy, load
from cardan.integration.guard import CLEAR, PASSAGE, measure_turn
from cardan.integration.records import ProblemRecord, RunRecord

__all__ = [
    "PROJECTIONS",
    "approach",
    "project",
    "settle",
]

PROJECTIONS = 40  # Newton doubles the digits in a few; at a singular position each iteration halves the distance


def approach(problem: ProblemRecord, run: RunRecord, t: float, x: Address) -> float:
    """Write x moved towards the constraints into `output`; return how far x is from them.

    How far it is from a singular position stays in `run.nearness_new`; of several trajectories the worst one counts.
    """
    n, width, output = problem.n, problem.width, doubles(run.output)
    load(problem, run, t, x)
    call(problem.project, run.input, run.output, run.work)
    residual, nearness = output[n], output[n + width]
    for lane in range(1, width):
        residual = max(output[n + lane], residual)
        nearness = min(output[n + width + lane], nearness)
    run.nearness_new = nearness
    return residual


def project(problem: ProblemRecord, run: RunRecord, t: float, x: Address) -> bool:
    """Move x onto the constraints at t; tell whether it arrived there."""
    if problem.project == 0:
        return True
    residual = 0.0
    for _ in range(PROJECTIONS):
        residual = approach(problem, run, t, x)
        copy(run.output, x, problem.n)
        if residual <= problem.project_tolerance:
            if run.nearness_new < CLEAR:  # what positions still moved by turns velocities the more the nearer it is
                approach(problem, run, t, x)
                copy(run.output, x, problem.n)
            return True
    return residual <= PASSAGE * problem.project_tolerance


def settle(problem: ProblemRecord, run: RunRecord, t: float, x: Address) -> bool:
    """Move x onto the constraints at t; tell whether it arrived there, and remember how far the velocities turned."""
    if problem.project == 0:
        return True
    copy(x, run.x_free, problem.n)
    if not project(problem, run, t, x):
        return False
    measure_turn(problem, run, x)
    return True
