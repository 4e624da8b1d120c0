"""Calls of the problem's right-hand side, and the arithmetic of stages that every method shares."""

from __future__ import annotations

import math

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.loop.records import BYTES, LINE, ProblemRecord, RunRecord
from cardan.numerics.round_off import EPSILON

__all__ = [
    "EPSILON",
    "combine",
    "copy",
    "evaluate",
    "fold",
    "is_finite",
    "load",
    "smallest_step",
    "square",
]


def load(problem: ProblemRecord, run: RunRecord, t: float, x: Address) -> None:
    """Write (t, x, u(t)) into the input row of the native functions; t is limited to the current segment."""
    n, m, width, s = problem.n, problem.m, problem.width, run.segment
    row, state = doubles(run.input), doubles(x)
    c0, c1, c2, c3 = doubles(problem.c0), doubles(problem.c1), doubles(problem.c2), doubles(problem.c3)
    begin = doubles(problem.begin)[s]
    now = min(max(t, doubles(problem.first)[s]), doubles(problem.last)[s])
    for lane in range(width):
        row[lane] = now
    for i in range(n):
        row[width + i] = state[i]
    d = now - begin
    for j in range(m):
        k = s * m + j
        row[width + n + j] = c0[k] + d * (c1[k] + d * (c2[k] + d * c3[k]))


def evaluate(problem: ProblemRecord, run: RunRecord, t: float, x: Address, stage: int) -> None:
    """Write (dx, dw) at (t, x) into stage K[stage]."""
    load(problem, run, t, x)
    call(problem.rhs, run.input, run.K + BYTES * stage * problem.stride, run.work)
    run.evaluations += 1


def is_finite(problem: ProblemRecord, run: RunRecord, stage: int) -> bool:
    """Return whether dx in K[stage] is finite; the first state where it is not becomes `run.worst`."""
    K, rest = doubles(run.K + BYTES * stage * problem.stride), 0.0
    for i in range(problem.n):
        rest = max(rest, 0.0 if math.isfinite(K[i]) else 1.0)
    if rest == 0.0:
        return True
    for i in range(problem.n):
        if not math.isfinite(K[i]):
            run.worst = i
            return False
    return True


def combine(problem: ProblemRecord, run: RunRecord, weights: Address, stages: int, size: int, target: Address) -> None:
    """Write Σ_j weights[j] K[j], j over the `stages`, into `target`: at least its first `size` entries.

    A cache line at a time: its sums stay in one vector register.
    """
    w, goal, stride, i = doubles(weights), doubles(target), problem.stride, 0
    while i < size:
        K = doubles(run.K + BYTES * i)
        a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(stages):
            weight, at = w[j], j * stride
            a0 += weight * K[at]
            a1 += weight * K[at + 1]
            a2 += weight * K[at + 2]
            a3 += weight * K[at + 3]
            a4 += weight * K[at + 4]
            a5 += weight * K[at + 5]
            a6 += weight * K[at + 6]
            a7 += weight * K[at + 7]
        goal[i], goal[i + 1], goal[i + 2], goal[i + 3] = a0, a1, a2, a3
        goal[i + 4], goal[i + 5], goal[i + 6], goal[i + 7] = a4, a5, a6, a7
        i += 8


def fold(values: Address, size: int, target: Address) -> None:
    """Write into `target` (8,) the sums of those of `size` values that stand in the same place of a cache line.

    The rest of the last line of `values` becomes zero.
    """
    x, goal, i = doubles(values), doubles(target), size
    while i % LINE != 0:
        x[i] = 0.0
        i += 1
    last, i = i, 0
    a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    while i < last:
        a0 += x[i]
        a1 += x[i + 1]
        a2 += x[i + 2]
        a3 += x[i + 3]
        a4 += x[i + 4]
        a5 += x[i + 5]
        a6 += x[i + 6]
        a7 += x[i + 7]
        i += LINE
    goal[0], goal[1], goal[2], goal[3] = a0, a1, a2, a3
    goal[4], goal[5], goal[6], goal[7] = a4, a5, a6, a7


def copy(source: Address, target: Address, size: int) -> None:
    """Copy `size` doubles from `source` to `target`."""
    origin, goal = doubles(source), doubles(target)
    for i in range(size):
        goal[i] = origin[i]


def smallest_step(problem: ProblemRecord, t: float) -> float:
    """Return the shortest useful step [s]: below it round-off makes the instants t + c h of the stages equal."""
    return 16.0 * EPSILON * max(abs(t), EPSILON * problem.t_end)


def square(x: float) -> float:
    """Return x²."""
    return x * x
