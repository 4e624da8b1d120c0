"""Projection of states onto the constraints: repeated steps of Newton's method, which the problem provides."""

from __future__ import annotations

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.loop.evaluation import copy, load
from cardan.integration.loop.guard import CLEAR, PASSAGE, measure_turn
from cardan.integration.loop.records import ProblemRecord, RunRecord

PROJECTIONS = 40  # limit of Newton steps; away from singular positions a few suffice, there each halves the distance


def approach(problem: ProblemRecord, run: RunRecord, t: float, x: Address) -> float:
    """Write x after one Newton step towards the constraints into `output`; return the residual of x itself.

    `run.nearness_new` is its distance from a singular position. Of several trajectories the worst value counts.
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
    """Move x onto the constraints at t; return whether the projection converged."""
    if problem.project == 0:
        return True
    residual = 0.0
    for _ in range(PROJECTIONS):
        residual = approach(problem, run, t, x)
        copy(run.output, x, problem.n)
        if residual <= problem.project_tolerance:
            if run.nearness_new < CLEAR:  # near singular positions small moves turn velocities: one step more
                approach(problem, run, t, x)
                copy(run.output, x, problem.n)
            return True
    return residual <= PASSAGE * problem.project_tolerance


def settle(problem: ProblemRecord, run: RunRecord, t: float, x: Address) -> bool:
    """Move x onto the constraints at t and record how far its velocities turned; return whether it converged."""
    if problem.project == 0:
        return True
    copy(x, run.x_free, problem.n)
    if not project(problem, run, t, x):
        return False
    measure_turn(problem, run, x)
    return True
