"""Linear complementarity problems of an event: w = H y + c with lo ≤ y ≤ hi, and in each row w = 0, or y = lo and
w ≥ 0, or y = hi and w ≤ 0.

For a symmetric H ≥ 0 these are the conditions of the least ½ yᵀH y + cᵀy within the bounds, which contain 0. Rows are
freed one at a time, the one with the largest violation first; rows that come to a bound are fixed there. Each change
lowers the sum, so that no set of free rows comes again. Where the column of a row depends on those of other free ones,
that row stays where it is.

Source: Cottle, Pang & Stone 1992, *The Linear Complementarity Problem*, §1.4; Stark & Parker, Comput. Stat. 10 (1995)
129 (active sets with bounds); Lawson & Hanson 1974, ch. 23
"""

from __future__ import annotations

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM

ROUNDS = 20  # changes of the free rows per unknown that end the search: at most two or three are needed


def balance(problem: ProblemRecord, run: RunRecord) -> int:
    """Solve the complementarity problems of this instant in order; solutions follow `fired` in the input row."""
    m, first = problem.unknowns, problem.after + problem.crossed + problem.ticked
    y, block = doubles(run.input + BYTES * first), m * (m + 3)
    for i in range(problem.problems * m):
        y[i] = 0.0
    for s in range(problem.problems):
        call(problem.complementarity, run.input, run.pairs, run.work)
        solve_pairs(m, run.pairs + BYTES * s * block, run.input + BYTES * (first + s * m), run.pivots)
    return 0


def solve_pairs(m: int, data: Address, solution: Address, scratch: Address) -> int:
    """Write y (m,) of the problem with the `data` H (m, m), c, lo, hi into `solution`; (m (m + 3),) of `scratch`."""
    c, y, free = doubles(data + BYTES * m * m), doubles(solution), doubles(scratch + BYTES * m)
    w = doubles(scratch)
    for i in range(m):
        y[i], free[i], w[i] = 0.0, 0.0, c[i]
    j, count = violated(m, data, solution, scratch), 0
    while j >= 0 and count < ROUNDS * m:
        free[j], short = 1.0, 1
        while short == 1 and count < ROUNDS * m:
            count += 1
            descend(m, data, scratch)
            short = release(m, data, solution, scratch)
        j = violated(m, data, solution, scratch)
    return count


def violated(m: int, data: Address, solution: Address, scratch: Address) -> int:
    """Write w = H y + c into the `scratch`; return the fixed row that violates its condition most, −1 if none does.

    H and c are the `data` of the m rows, y the `solution` so far; round-off counts as none.
    """
    H, c = doubles(data), doubles(data + BYTES * m * m)
    lo, hi = doubles(data + BYTES * m * (m + 1)), doubles(data + BYTES * m * (m + 2))
    y, w, free = doubles(solution), doubles(scratch), doubles(scratch + BYTES * m)
    worst, most = -1, 0.0
    for i in range(m):
        total, size = c[i], abs(c[i])
        for k in range(m):
            total += H[i * m + k] * y[k]
            size += abs(H[i * m + k] * y[k])
        w[i] = total
        if free[i] == 0.0 and abs(total) > ROUND_OFF_OF_SUM * size:
            wrong = (total < 0.0 and y[i] < hi[i]) or (total > 0.0 and y[i] > lo[i])
            if wrong and total * total > most * max(H[i * m + i], 1e-300):
                worst, most = i, total * total / max(H[i * m + i], 1e-300)
    return worst


def descend(m: int, data: Address, scratch: Address) -> int:
    """Write the change d of the free rows that makes their w zero into the `scratch`: H_FF d = −w_F by LDLᵀ.

    The `data` are those of the m rows.
    """
    H, w, free = doubles(data), doubles(scratch), doubles(scratch + BYTES * m)
    d, L = doubles(scratch + 2 * BYTES * m), doubles(scratch + 3 * BYTES * m)
    for i in range(m):
        d[i] = -w[i] if free[i] == 1.0 else 0.0
        for k in range(i + 1):
            total = H[i * m + k]
            for n in range(k):
                total -= L[i * m + n] * L[k * m + n] * L[n * m + n]
            if i == k:
                lost = free[i] != 1.0 or not total > ROUND_OFF * H[i * m + i]
                L[i * m + i] = 0.0 if lost else total
            else:
                L[i * m + k] = total / L[k * m + k] if L[k * m + k] != 0.0 else 0.0
        for k in range(i):
            d[i] -= L[i * m + k] * d[k]
    for i in range(m):
        d[i] = d[i] / L[i * m + i] if L[i * m + i] != 0.0 else 0.0
    for back in range(m):
        i = m - 1 - back
        if L[i * m + i] != 0.0:
            for k in range(i + 1, m):
                d[i] -= L[k * m + i] * d[k]
    return 0


def release(m: int, data: Address, solution: Address, scratch: Address) -> int:
    """Move the `solution` along d as far as the bounds allow; return 1 if rows have come to theirs, which are fixed.

    The m bounds are in the `data`, d and w in the `scratch`.
    """
    lo, hi = doubles(data + BYTES * m * (m + 1)), doubles(data + BYTES * m * (m + 2))
    H, c = doubles(data), doubles(data + BYTES * m * m)
    y, w, free = doubles(solution), doubles(scratch), doubles(scratch + BYTES * m)
    d, part, short = doubles(scratch + 2 * BYTES * m), 1.0, 0
    for i in range(m):
        room = hi[i] - y[i] if d[i] > 0.0 else lo[i] - y[i]
        if free[i] == 1.0 and d[i] != 0.0 and abs(room) < part * abs(d[i]):
            part, short = abs(room) / abs(d[i]), 1
    for i in range(m):
        if free[i] == 1.0 and d[i] != 0.0:
            bound = hi[i] if d[i] > 0.0 else lo[i]
            if short == 1 and abs(bound - y[i]) <= part * abs(d[i]):
                y[i], free[i] = bound, 0.0
            else:
                y[i] += part * d[i]
    for i in range(m):
        w[i] = c[i]
        for k in range(m):
            w[i] += H[i * m + k] * y[k]
    return short
