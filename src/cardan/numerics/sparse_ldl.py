"""Static sparse factorisation P A Pᵀ = L D Lᵀ of a symmetric matrix in a given order, without pivoting.

It runs over any CasADi number. The order decides the fill, and for an indefinite matrix whether a pivot can vanish
(`saddle_order`). With the children of a kinematic tree before their parents L has no fill-in (Featherstone 2008,
§6.5).

Source: Davis 2006, Direct Methods for Sparse Linear Systems, §4.1, §4.8; minimum degree: ibid., §7.1
"""

from collections.abc import Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from math import nan
from typing import Any

import casadi as ca

from cardan.frozen import dataclass
from cardan.numerics.entries import column

Number = Any  # casadi.SX or casadi.DM
Pattern = Sequence[set[int]]


@dataclass(frozen=True)
class Factor:
    """Factors of a matrix: columns of L below the diagonal, D, and its inverse."""

    order: tuple[int, ...]  # in which the unknowns are eliminated
    L: dict[int, dict[int, Number]]  # L[k][i]: entry of row i in the column of the eliminated unknown k
    D: dict[int, Number]  # pivot d of every unknown
    D_inverse: dict[int, Number]  # 1/d of every unknown, or its damped form


def factor(
    A: Number,
    order: Sequence[int] | None = None,
    damped: Mapping[int, float] | None = None,
    least: Mapping[int, Number] | None = None,
    lost: Mapping[int, float] | None = None,
) -> Factor:
    """Factors of A (n×n), of which the lower triangle and the diagonal are read."""
    damped, least, lost = damped or {}, least or {}, lost or {}
    order = tuple(range(A.shape[0]) if order is None else order)
    rest, kind = _entries(A), type(A)
    L: dict[int, dict[int, Number]] = {}
    D: dict[int, Number] = {}
    D_inverse: dict[int, Number] = {}
    for k in order:
        column = rest.pop(k)
        d = D[k] = column.pop(k)
        D_inverse[k] = d / (d * d + damped[k] ** 2) if k in damped else 1 / d
        if k in least:
            D_inverse[k] = ca.if_else(d > least[k], D_inverse[k], 0)
        if k in lost:
            D_inverse[k] = ca.if_else(ca.fabs(d) > lost[k], D_inverse[k], nan)
        L[k] = {i: kind.binary(ca.OP_MUL, value, D_inverse[k]) for i, value in column.items()}
        for i in column:
            rest[i].pop(k)
        _eliminate(kind, rest, column, L[k])
    return Factor(order, L, D, D_inverse)


def solve(factors: Factor, b: Number) -> Number:
    """A⁻¹ b."""
    kind = type(next(iter(factors.D_inverse.values()), 1) * b)  # SX if one of the two is
    times, minus = partial(kind.binary, ca.OP_MUL), partial(kind.binary, ca.OP_SUB)
    x = [b[i, :] for i in range(len(factors.order))]
    for k in factors.order:
        for i, value in factors.L[k].items():
            x[i] = minus(x[i], times(value, x[k]))
    for k in reversed(factors.order):
        x[k] = times(x[k], factors.D_inverse[k])
        for i, value in factors.L[k].items():
            x[k] = minus(x[k], times(value, x[i]))
    return ca.vertcat(ca.DM(0, b.shape[1]), *x)


def inverse_sizes(factors: Factor, J: Number) -> Number:
    """Diagonal of J A⁻¹ Jᵀ (c,): Σ_k y_k²/d_k with L y = j for every row j of J."""
    rows: list[dict[int, Number]] = [{} for _ in range(J.shape[0])]
    for i, j, value in zip(*J.sparsity().get_triplet(), J.nonzeros(), strict=True):
        rows[i][j] = type(J)(value)
    place = {k: i for i, k in enumerate(factors.order)}
    return column([_inverse_size(factors, place, row) for row in rows])


def minimum_degree(pattern: Pattern) -> list[int]:
    """Order of elimination that takes an unknown with the fewest neighbours next.

    Of several it takes one that waits for the fewest eliminations before it, then the first by number: a chain is
    eliminated from both ends at once, and what does not wait for one another is computed side by side.
    """
    graph = {k: set(neighbours) for k, neighbours in enumerate(pattern)}
    level = [0] * len(pattern)  # eliminations that follow one another before an unknown's own
    waiting = [(len(neighbours), 0, k) for k, neighbours in graph.items()]
    heapify(waiting)
    order = []
    while waiting:
        degree, height, k = heappop(waiting)
        if k not in graph or (degree, height) != (len(graph[k]), level[k]):
            continue  # taken already, or stands further on since it has changed
        neighbours = graph.pop(k)
        for i in neighbours:
            graph[i] |= neighbours
            graph[i] -= {i, k}
            level[i] = max(level[i], height + 1)
            heappush(waiting, (len(graph[i]), level[i], i))
        order.append(k)
    return order


def neighbours(A: Number) -> list[set[int]]:
    """For every unknown of a symmetric matrix A (n×n) those it shares an entry with, itself left out."""
    out: list[set[int]] = [set() for _ in range(A.shape[0])]
    for i, j in zip(*A.sparsity().get_triplet(), strict=True):
        if i != j:
            out[i].add(j)
    return out


def saddle_order(M: Pattern, rows: Sequence[set[int]]) -> list[int]:
    """Order for [[M, Φqᵀ], [Φq, 0]]: every constraint right after the last coordinate it touches.

    With M > 0 and Φq of full rank no pivot vanishes then: at each row's turn all its coordinates are eliminated, and
    its pivot is −Φq M⁻¹ Φqᵀ of what came before.
    """
    joined = [set(neighbours) for neighbours in M]
    for row in rows:
        for k in row:
            joined[k] |= row - {k}
    order = minimum_degree(joined)
    place = {k: i for i, k in enumerate(order)}
    behind: list[list[int]] = [[] for _ in order]
    for r, row in enumerate(rows):
        if row:
            behind[max(place[k] for k in row)].append(len(M) + r)
    return [entry for k, following in zip(order, behind, strict=True) for entry in (k, *following)]


def _inverse_size(factors: Factor, place: Mapping[int, int], row: dict[int, Number]) -> Number:
    """Σ_k y_k²/d_k with L y = row; the entries of `row` are used up."""
    total: Number = ca.DM(0)
    waiting = [(place[k], k) for k in row]
    heapify(waiting)
    while waiting:
        _, k = heappop(waiting)
        y = row.pop(k)
        total = total + y * y * factors.D_inverse[k]
        for i, value in factors.L[k].items():
            if i not in row:
                heappush(waiting, (place[i], i))
            row[i] = row[i] - value * y if i in row else -value * y
    return total


def _entries(A: Number) -> dict[int, dict[int, Number]]:
    """Structural entries of A by row and column, both triangles; the diagonal always."""
    kind = type(A)
    out: dict[int, dict[int, Number]] = {k: {k: kind(1, 1)} for k in range(A.shape[0])}
    for i, j, value in zip(*A.sparsity().get_triplet(), A.nonzeros(), strict=True):
        if i >= j:
            out[i][j] = out[j][i] = kind(value)
    return out


def _eliminate(
    kind: Any, rest: dict[int, dict[int, Number]], column: dict[int, Number], scaled: dict[int, Number]
) -> None:
    """Takes what an eliminated unknown stood for out of its neighbours' entries."""
    times, minus = partial(kind.binary, ca.OP_MUL), partial(kind.binary, ca.OP_SUB)  # operators take seven times longer
    indices = list(column)
    for a, i in enumerate(indices):
        for j in indices[: a + 1]:
            change = times(scaled[i], column[j])
            entry = minus(rest[i][j], change) if j in rest[i] else -change
            rest[i][j] = rest[j][i] = entry
