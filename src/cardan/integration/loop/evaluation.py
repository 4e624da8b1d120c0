"""Calls of the problem's right-hand side, and the arithmetic of stages that every method shares."""

from __future__ import annotations

import math

from cardan.codegen.kernels import LINE, Address, call, doubles, line, lines, somewhere
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.numerics.round_off import EPSILON


def load(problem: ProblemRecord, run: RunRecord, t: float, x: Address) -> None:
    """Write (t, x, u(t)) into the input row of the native functions; t is limited to the current segment."""
    n, m, width, s = problem.n, problem.m, problem.width, run.segment
    row, first = doubles(run.input), BYTES * s * m
    at0, at1, at2, at3 = problem.c0 + first, problem.c1 + first, problem.c2 + first, problem.c3 + first
    now = segment_time(problem, run, t)
    if width == LINE:
        lines(run.input)[0] = line(now)
    else:
        for lane in range(width):
            row[lane] = now
    copy(x, run.input + BYTES * width, n)
    d = now - doubles(problem.begin)[s]
    C0, C1, C2, C3, whole = lines(at0), lines(at1), lines(at2), lines(at3), lines(run.input + BYTES * (width + n))
    for j in range(m // LINE):
        whole[j] = C0[j] + d * (C1[j] + d * (C2[j] + d * C3[j]))
    c0, c1, c2, c3 = doubles(at0), doubles(at1), doubles(at2), doubles(at3)
    for j in range(m - m % LINE, m):
        row[width + n + j] = c0[j] + d * (c1[j] + d * (c2[j] + d * c3[j]))


def segment_time(problem: ProblemRecord, run: RunRecord, t: float) -> float:
    """Return t, limited to the current segment."""
    return min(max(t, doubles(problem.first)[run.segment]), doubles(problem.last)[run.segment])


def evaluate(problem: ProblemRecord, run: RunRecord, t: float, x: Address, stage: int) -> None:
    """Write (dx, dw) at (t, x) into stage K[stage]."""
    load(problem, run, t, x)
    call(problem.rhs, run.input, run.K + BYTES * stage * problem.stride, run.work)
    run.evaluations += 1


def is_finite(problem: ProblemRecord, run: RunRecord, stage: int) -> bool:
    """Return whether dx in K[stage] is finite; the first state where it is not becomes `run.worst`."""
    row, n, rest = run.K + BYTES * stage * problem.stride, problem.n, line(0.0)
    K, whole = doubles(row), lines(row)
    for i in range(n // LINE):
        rest += 0.0 * whole[i]
    some = 0.0
    for i in range(n - n % LINE, n):
        some += 0.0 * K[i]
    if some == 0.0 and not somewhere(rest != line(0.0)):  # NaN where an entry is not finite
        return True
    for i in range(n):
        if not math.isfinite(K[i]):
            run.worst = i
            return False
    return True


def combine(problem: ProblemRecord, run: RunRecord, weights: Address, stages: int, size: int, target: Address) -> None:
    """Write Σ_j weights[j] K[j], j over the `stages`, into `target`: `size` entries and the rest of their last line."""
    combine_rows(problem, run.K, weights, stages, size, target)


def combine_rows(
    problem: ProblemRecord, rows: Address, weights: Address, count: int, size: int, target: Address
) -> None:
    """Write Σ_j weights[j] rows[j], j below `count`, into `target`: `size` entries and the rest of their last line.

    Four lines at a time, as long as there are so many: their sums do not wait for one another.
    """
    w, goal, step = doubles(weights), lines(target), problem.stride // LINE
    last, i = (size + LINE - 1) // LINE, 0
    while i + 4 <= last:
        K = lines(rows + BYTES * LINE * i)
        a, b, c, d = line(0.0), line(0.0), line(0.0), line(0.0)
        for j in range(count):
            weight, at = line(w[j]), j * step
            a, b, c, d = a + weight * K[at], b + weight * K[at + 1], c + weight * K[at + 2], d + weight * K[at + 3]
        goal[i], goal[i + 1], goal[i + 2], goal[i + 3] = a, b, c, d
        i += 4
    while i < last:
        K = lines(rows + BYTES * LINE * i)
        a = line(0.0)
        for j in range(count):
            a += w[j] * K[j * step]
        goal[i] = a
        i += 1


def advance_from(run: RunRecord, h: float, size: int, target: Address) -> None:
    """Write x + h·`target` into `target`: its first `size` entries and the rest of that line."""
    x, goal = lines(run.x), lines(target)
    for i in range((size + LINE - 1) // LINE):
        goal[i] = x[i] + h * goal[i]


def fold(values: Address, size: int, target: Address) -> None:
    """Write into `target` (8,) the sums of those of `size` values that stand in the same place of a line.

    The rest of the last line of `values` becomes zero.
    """
    x, whole, total, i = doubles(values), lines(values), line(0.0), size
    while i % LINE != 0:
        x[i] = 0.0
        i += 1
    for k in range(i // LINE):
        total += whole[k]
    lines(target)[0] = total


def copy(source: Address, target: Address, size: int) -> None:
    """Copy `size` doubles from `source` to `target`."""
    origin, goal, rest = lines(source), lines(target), size - size % LINE
    for i in range(size // LINE):
        goal[i] = origin[i]
    single, place = doubles(source), doubles(target)
    for i in range(rest, size):
        place[i] = single[i]


def smallest_step(problem: ProblemRecord, t: float) -> float:
    """Return the shortest useful step [s]: below it round-off makes the instants t + c h of the stages equal."""
    return 16.0 * EPSILON * max(abs(t), EPSILON * problem.t_end)


def square(x: float) -> float:
    """Return x²."""
    return x * x
