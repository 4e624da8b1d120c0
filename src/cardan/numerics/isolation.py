"""Places where a function of one variable changes sides, isolated on intervals.

An interval is dropped if the bounds of the function lie on one side, decided by its two ends if the function is
monotone there, else divided. No change is missed, however near it lies to another.

Source: Moore, Kearfott & Cloud, Introduction to Interval Analysis (2009), ch. 8
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cardan.frozen import dataclass
from cardan.numerics.intervals import Interval

Array = NDArray[np.float64]

BLOCK = 16_384  # intervals that are examined at once: some arrays of them fit into a cache


@dataclass(frozen=True)
class Sided:
    """A function of one variable and its sides."""

    value: Callable[[Array], Array]  # arguments (N,) → values (N,)
    bounds: Callable[[Array, Array], tuple[Interval, Interval]]  # intervals → bounds of the values and of the slope
    side: Callable[[Array], Array]  # values → whole numbers that grow with them, such as their signs
    area: float = 0.0  # of the function over an interval: with less, its ends decide about the interval

    def at(self, x: Array) -> Array:
        """On which sides the values at x (N,) lie."""
        return self.side(self.value(x))


def changes(function: Sided, low: Array, high: Array, limit: int) -> Array | None:
    """First numbers behind each change of side, in order; None if more than `limit` intervals need to be examined.

    A pair of changes may be left out that lie nearer to each other than the round-off of the largest bound, or with
    less than the function's `area` between them.
    """
    resolution = np.spacing(np.abs(high).max(initial=0.0))
    found: list[Interval] = []
    count = 0
    while low.size:
        value, slope = _in_blocks(function, low, high)
        open_ = function.side(value[0]) != function.side(value[1])
        bounded = np.isfinite(value[0]) & np.isfinite(value[1])  # else a pole may lie within
        monotone = (bounded & ((slope[0] >= 0) | (slope[1] <= 0)))[open_]
        low, high = low[open_], high[open_]
        before, after = function.at(low), function.at(high)
        largest = np.maximum(np.abs(value[0]), np.abs(value[1]))[open_]
        small = (high - low <= resolution) | (largest * (high - low) <= function.area)
        decided = small | (monotone & (np.abs(after - before) <= 1))
        crossed = decided & (after != before)
        found.append((low[crossed], high[crossed]))
        count += int(np.count_nonzero(crossed))
        low, high = low[~decided], high[~decided]
        if count + low.size > limit:
            return None
        middle = 0.5 * (low + high)
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    left, right = (np.concatenate([np.zeros(0), *ends]) for ends in zip(*found, strict=True)) if found else (low, high)
    return np.sort(_bisected(function, left, right))


def _in_blocks(function: Sided, low: Array, high: Array) -> tuple[Interval, Interval]:
    """Bounds of values and slope on many intervals, a block at a time: what is in between stays in the cache."""
    if low.size <= BLOCK:
        return function.bounds(low, high)
    parts = [function.bounds(low[k : k + BLOCK], high[k : k + BLOCK]) for k in range(0, low.size, BLOCK)]
    (v0, v1), (d0, d1) = (zip(*both, strict=True) for both in zip(*parts, strict=True))
    return (np.concatenate(v0), np.concatenate(v1)), (np.concatenate(d0), np.concatenate(d1))


def _bisected(function: Sided, low: Array, high: Array) -> Array:
    """First number behind the change in each interval, by bisection of all of them down to neighbouring doubles."""
    before = function.at(low)
    while True:
        middle = 0.5 * (low + high)
        between = (low < middle) & (middle < high)
        if not between.any():
            return high
        same = function.at(middle) == before
        low, high = np.where(between & same, middle, low), np.where(between & ~same, middle, high)
