"""Projection of several instants side by side, in the lanes of one call.

All arrays are [entry][lane]. Newton's method goes on until the last lane has converged. A lane that has converged keeps
its state: an instant gets the steps that it would get alone, whatever the other lanes need, so that results do not
depend on which instants share a call.
"""

from __future__ import annotations

from cardan.codegen.kernels import LINE, Address, call, doubles, line, lines, select
from cardan.integration.loop.evaluation import segment_time
from cardan.integration.loop.guard import CLEAR
from cardan.integration.loop.projection import PROJECTIONS
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord


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
    """Project the states in the lanes of the input, in place; return whether all could be, away from singular
    positions: near these, one state at a time is examined closer.
    """
    n, lanes = problem.n, run.lanes
    found, closed = doubles(run.lane_output), doubles(run.lane_closed)
    for lane in range(LINE):
        closed[lane] = 0.0
    for _ in range(PROJECTIONS):
        call(run.project_lanes, run.lane_input, run.lane_output, run.work)
        take_open_lanes(problem, run)
        still_open = 0
        for lane in range(lanes):
            if closed[lane] == 0.0:
                if not found[(n + 1) * lanes + lane] >= CLEAR:  # NaN too
                    return False
                if found[n * lanes + lane] <= problem.project_tolerance:
                    closed[lane], closed[lane + LINE - lanes] = 1.0, 1.0
                else:
                    still_open += 1
        if still_open == 0:
            return True
    return False


def take_open_lanes(problem: ProblemRecord, run: RunRecord) -> None:
    """Copy the states of the output that have not yet converged into the input."""
    size, closed = problem.n * run.lanes, doubles(run.lane_closed)
    origin, goal = lines(run.lane_output), lines(run.lane_input + BYTES * run.lanes)
    for i in range(size // LINE):
        goal[i] = select(lines(run.lane_closed)[0] == line(0.0), origin[i], goal[i])
    single, place = doubles(run.lane_output), doubles(run.lane_input + BYTES * run.lanes)
    for i in range(size - size % LINE, size):
        if closed[i % LINE] == 0.0:
            place[i] = single[i]
