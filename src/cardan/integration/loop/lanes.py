"""Projection of several instants side by side, in the lanes of one call.

All arrays are [entry][lane]. Newton's method goes on until the last lane has converged; lanes that have do not change
any more but by round-off.
"""

from __future__ import annotations

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.loop.evaluation import copy, segment_time
from cardan.integration.loop.guard import CLEAR
from cardan.integration.loop.projection import PROJECTIONS
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord

__all__ = ["converge", "spread"]


def spread(problem: ProblemRecord, run: RunRecord, t: float, row: Address, lane: int) -> None:
    """Write (t, x, u(t), p) into one lane of the input, with x in `row`."""
    n, m, s, lanes = problem.n, problem.m, run.segment, run.lanes
    goal, state, given = doubles(run.lane_input), doubles(row), doubles(run.input)
    c0, c1, c2, c3 = doubles(problem.c0), doubles(problem.c1), doubles(problem.c2), doubles(problem.c3)
    now = segment_time(problem, run, t)
    goal[lane] = now
    for i in range(n):
        goal[(1 + i) * lanes + lane] = state[i]
    d = now - doubles(problem.begin)[s]
    for j in range(m):
        k = s * m + j
        goal[(1 + n + j) * lanes + lane] = c0[k] + d * (c1[k] + d * (c2[k] + d * c3[k]))
    for i in range(1 + n + m, problem.after):
        goal[i * lanes + lane] = given[i]


def converge(problem: ProblemRecord, run: RunRecord) -> bool:
    """Project the states in the lanes of the input into the output; return whether all could be, away from singular
    positions: near these, one state at a time is examined closer.
    """
    n, lanes = problem.n, run.lanes
    found = doubles(run.lane_output)
    for _ in range(PROJECTIONS):
        call(run.project_lanes, run.lane_input, run.lane_output, run.work)
        open_lanes = 0
        for lane in range(lanes):
            if not found[(n + 1) * lanes + lane] >= CLEAR:  # NaN too
                return False
            open_lanes += 0 if found[n * lanes + lane] <= problem.project_tolerance else 1
        if open_lanes == 0:
            return True
        copy(run.lane_output, run.lane_input + BYTES * lanes, n * lanes)
    return False
