"""Piecewise laws over CasADi numbers: selection of a piece by time, and the coefficients of splines.

Source: splines: de Boor 2001, ch. IV (cubic spline interpolation); selection by a balanced tree of comparisons
"""

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

MOST_INSTANTS = 1_000_000  # largest number of instants of one law at which steps end; as many take seconds at least

Number = Any  # casadi.SX, casadi.DM or float


def clamped(t: Number, low: Number, high: Number) -> Number:
    """t, held at `low` before it and at `high` after it; derivatives at the two are those just afterwards."""
    return ca.if_else(t < low, low, ca.if_else(t < high, t, high))


def select(t: Number, knots: Sequence[Number], pieces: Sequence[Number]) -> Number:
    """The piece that holds at t: pieces[k] from knots[k − 1] to knots[k]; there is one piece more than knots."""
    if len(pieces) == 1:
        return pieces[0]
    middle = len(pieces) // 2
    before, after = select(t, knots[: middle - 1], pieces[:middle]), select(t, knots[middle:], pieces[middle:])
    return ca.if_else(t < knots[middle - 1], before, after)


def local_time(t: Number, period: Number) -> tuple[Number, Number]:
    """(time within the period, number of complete periods) at t ≥ 0."""
    turns = ca.floor(t / period)
    return t - period * turns, turns


def repeated(instants: Sequence[float], period: float, until: float) -> list[float]:
    """The `instants` and those whole periods before and after them, between 0 and `until`, ascending [s]."""
    count = int(min(until / period + 2, MOST_INSTANTS / max(len(instants), 1)))
    every = {t + k * period for k in range(-1, count) for t in instants}
    return sorted(t for t in every if 0 < t < until)


@lru_cache(maxsize=64)
def cubic_pieces(
    samples: tuple[tuple[float, float], ...], *, repeats: bool = False
) -> tuple[list[list[float]], list[float]]:
    """Coefficients of each piece of the cubic spline through samples, from the third power down, and the knots."""
    from scipy.interpolate import CubicSpline

    t, y = np.array(samples).T
    slope = (y[-1] - y[0]) / (t[-1] - t[0]) if repeats else 0.0
    level = y - slope * (t - t[0])
    level[-1] = level[0] if repeats else level[-1]
    found = CubicSpline(t, level, bc_type="periodic" if repeats else "not-a-knot")
    c3, c2, c1, c0 = found.c
    c1, c0 = c1 + slope, c0 + slope * (t[:-1] - t[0])
    return [column.tolist() for column in (c3, c2, c1, c0)], t.tolist()


def hermite(t: Number, knots: Sequence[Number], y: Sequence[Number], slopes: Sequence[Number]) -> Number:
    """Value at t of the piecewise cubic with values y and `slopes` at the knots; the end pieces go on outside them."""
    coefficients = []
    for k, h in enumerate(b - a for a, b in itertools.pairwise(knots)):
        d = (y[k + 1] - y[k]) / h
        second, third = (3 * d - 2 * slopes[k] - slopes[k + 1]) / h, (slopes[k] + slopes[k + 1] - 2 * d) / h**2
        coefficients.append((y[k], slopes[k], second, third))
    c0, c1, c2, c3 = (select(t, knots[1:-1], column) for column in zip(*coefficients, strict=True))
    s = t - select(t, knots[1:-1], knots[:-1])
    return c0 + s * (c1 + s * (c2 + s * c3))


def spline_slopes(t: Sequence[Number], y: Sequence[Number], period: Number | None = None) -> list[Number]:
    """Slopes at the knots (t, y) of the cubic spline with continuous second derivatives.

    The ends are clamped: the slope is zero there. With a `period` the last knot is the first one of the next period,
    and all derivatives up to the second agree there.
    """
    h = [b - a for a, b in itertools.pairwise(t)]
    d = [(b - a) / width for a, b, width in zip(y, y[1:], h, strict=False)]
    if period is None:
        rows = [(1 / h[k], 2 / h[k] + 2 / h[k + 1], 1 / h[k + 1]) for k in range(len(h) - 1)]
        sides = [3 * (d[k] / h[k] + d[k + 1] / h[k + 1]) for k in range(len(h) - 1)]
        return [0.0, *_tridiagonal(rows, sides), 0.0]
    if len(h) == 1:
        return [0.0, 0.0]
    # unknowns are the slopes at knots 0 … n − 1; the corners of the cyclic matrix are removed by one more solve
    n = len(h)
    rows = [(1 / h[k - 1], 2 / h[k - 1] + 2 / h[k], 1 / h[k]) for k in range(n)]
    sides = [3 * (d[k - 1] / h[k - 1] + d[k] / h[k]) for k in range(n)]
    inner = _tridiagonal(rows[:-1], sides[:-1])
    corner = [(-rows[0][0] if k == 0 else 0.0) + (-rows[n - 2][2] if k == n - 2 else 0.0) for k in range(n - 1)]
    by_last = _tridiagonal(rows[:-1], corner)
    low, middle, high = rows[-1]
    last = (sides[-1] - low * inner[-1] - high * inner[0]) / (middle + low * by_last[-1] + high * by_last[0])
    slopes = [a + b * last for a, b in zip(inner, by_last, strict=True)]
    return [*slopes, last, slopes[0]]


def natural_slopes(t: Sequence[Number], y: Sequence[Number]) -> list[Number]:
    """Slopes at the knots (t, y) of the cubic spline whose second derivatives are continuous, and zero at the ends."""
    h = [b - a for a, b in itertools.pairwise(t)]
    d = [(b - a) / width for a, b, width in zip(y, y[1:], h, strict=False)]
    inner = range(len(h) - 1)
    rows = [
        (0.0, 2 / h[0], 1 / h[0]),
        *((1 / h[k], 2 / h[k] + 2 / h[k + 1], 1 / h[k + 1]) for k in inner),
        (1 / h[-1], 2 / h[-1], 0.0),
    ]
    sides = [3 * d[0] / h[0], *(3 * (d[k] / h[k] + d[k + 1] / h[k + 1]) for k in inner), 3 * d[-1] / h[-1]]
    return _tridiagonal(rows, sides)


def _tridiagonal(rows: Sequence[tuple[Number, Number, Number]], sides: Sequence[Number]) -> list[Number]:
    """Solution of a diagonally dominant tridiagonal system (Thomas' algorithm); entries outside it are ignored."""
    pivots: list[Number] = []
    right: list[Number] = []
    for k, ((low, middle, _), side) in enumerate(zip(rows, sides, strict=True)):
        factor = low / pivots[-1] if k else 0.0
        pivots.append(middle - factor * rows[k - 1][2] if k else middle)
        right.append(side - factor * right[-1] if k else side)
    out: list[Number] = []
    for (_, _, high), pivot, side in zip(reversed(rows), reversed(pivots), reversed(right), strict=True):
        out.append((side - high * out[-1]) / pivot if out else side / pivot)
    return out[::-1]
