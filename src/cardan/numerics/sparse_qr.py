"""Static sparse factors A = Q R of a matrix with at least as many rows as columns, by Householder's reflections.

Reflections keep lengths: no pivot becomes small unless the columns themselves depend on each other, so A need not be
symmetric or definite; where they do, the solution is NaN. Where equations are more than unknowns, the solution is that
of least squares.

Source: Davis 2006, Direct Methods for Sparse Linear Systems, ch. 5; Golub & Van Loan 2013, §5.2
"""

from math import nan
from typing import Any

import casadi as ca

from cardan.frozen import dataclass
from cardan.numerics.entries import column
from cardan.numerics.round_off import SINGULAR
from cardan.numerics.sparse_ldl import minimum_degree

Number = Any  # casadi.SX or casadi.DM
Row = dict[int, Number]  # entries by column


@dataclass(frozen=True)
class _Step:
    """Elimination of one column: its reflection I − β v vᵀ, and the row of R that it leaves."""

    column: int  # unknown
    pivot: int  # row that becomes a row of R
    v: dict[int, Number]  # reflection, by row; empty if the column has one entry only
    beta: Number  # β
    row: Row  # of R; its own entry too


@dataclass(frozen=True)
class Reflections:
    """Factors of a matrix (r×c): the steps of the elimination, one for each column."""

    steps: tuple[_Step, ...]


def factor(A: Number) -> Reflections:
    """Factors of A (r×c), r ≥ c, with independent columns."""
    rows: dict[int, Row] = {i: {} for i in range(A.shape[0])}
    for i, j, value in zip(*A.sparsity().get_triplet(), A.nonzeros(), strict=True):
        rows[i][j] = type(A)(value)
    squares: Row = {}
    for row in rows.values():
        for j, value in row.items():
            squares[j] = squares.get(j, 0) + value * value
    joined: list[set[int]] = [set() for _ in range(A.shape[1])]  # columns that share a row
    for row in rows.values():
        for j in row:
            joined[j] |= row.keys() - {j}
    return Reflections(tuple(_eliminated(rows, j, squares[j]) for j in minimum_degree(joined)))


def solve(factors: Reflections, b: Number) -> Number:
    """x (c, 1) with the smallest |A x − b|.

    Example
    -------
    >>> import casadi as ca
    >>> solve(factor(ca.DM([[0, 1], [2, 0], [0, 1]])), ca.DM([1, 4, 3])).full().ravel().round(12).tolist()
    [2.0, 2.0]
    """
    y = {i: b[i] for i in range(b.shape[0])}
    for step in factors.steps:
        _reflect(step.v, step.beta, y)
    x: dict[int, Number] = {}
    for step in reversed(factors.steps):
        rest = y[step.pivot]
        for j, value in step.row.items():
            if j != step.column:
                rest = rest - value * x[j]
        x[step.column] = rest / step.row[step.column]
    return column([x[j] for j in range(len(x))])


def _eliminated(rows: dict[int, Row], j: int, square: Number) -> _Step:
    """The step that leaves one entry of column j, in the row with the fewest entries; the row is taken out.

    `square` is that of the column's length in A.
    """
    own = [i for i, row in rows.items() if j in row]
    pivot = min(own, key=lambda i: (len(rows[i]), i))
    if len(own) == 1:
        return _Step(j, pivot, {}, ca.DM(0), rows.pop(pivot))
    v = {i: rows[i].pop(j) for i in own}
    left = sum(x * x for x in v.values())
    length = ca.if_else(left > SINGULAR**2 * square, ca.sqrt(left), nan)
    length = ca.if_else(v[pivot] < 0, -length, length)  # away from cancellation
    v[pivot] = v[pivot] + length
    beta = 1 / (length * v[pivot])
    for k in set().union(*(rows[i] for i in own)):
        entries = {i: rows[i][k] for i in own if k in rows[i]}
        _reflect(v, beta, entries)
        for i, value in entries.items():
            rows[i][k] = value
    return _Step(j, pivot, v, beta, {j: -length, **rows.pop(pivot)})


def _reflect(v: dict[int, Number], beta: Number, x: dict[int, Number]) -> None:
    """x − β v (vᵀ x) in place of x, whose entries are given by row; those that are not given are zero."""
    met = [i for i in v if i in x]
    if not met:
        return
    size = beta * sum(v[i] * x[i] for i in met)
    for i, value in v.items():
        x[i] = x[i] - size * value if i in x else -size * value
