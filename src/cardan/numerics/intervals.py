"""Interval arithmetic over arrays: bounds of each operation's values where its operands run through intervals.

An interval is a pair of arrays (lowest, highest). Bounds are rounded as the operations themselves are: rounding is
monotone, so they enclose what floating-point arithmetic returns, not the real numbers. Arguments without a value, such
as those of log below 0, are left out; where nothing is known the bounds are infinite.

Source: Moore, Kearfott & Cloud, Introduction to Interval Analysis (2009), ch. 2 and 5
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Interval = tuple[Array, Array]

ROUND_OFF = 4 * np.finfo(float).eps  # of the number of a period that an angle lies in, relative


def bound(low: Array, high: Array) -> Interval:
    """The interval between two bounds, unbounded where one of them is NaN."""
    unknown = np.isnan(low) | np.isnan(high)
    return np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)


def increasing(
    function: Callable[..., Array], lowest: float = -np.inf, highest: float = np.inf
) -> Callable[..., Interval]:
    """A function that grows with each of its operands, on intervals."""

    def on_intervals(*operands: Interval) -> Interval:
        low, high = zip(*operands, strict=True)
        return bound(
            function(*(np.clip(x, lowest, highest) for x in low)),
            function(*(np.clip(x, lowest, highest) for x in high)),
        )

    return on_intervals


def add(a: Interval, b: Interval) -> Interval:
    """Bounds of a + b."""
    return bound(a[0] + b[0], a[1] + b[1])


def subtract(a: Interval, b: Interval) -> Interval:
    """Bounds of a − b."""
    return bound(a[0] - b[1], a[1] - b[0])


def negate(a: Interval) -> Interval:
    """Bounds of −a."""
    return -a[1], -a[0]


def multiply(a: Interval, b: Interval) -> Interval:
    """Bounds of a b; zero times an unbounded number is zero."""
    return _among([_product(x, y) for x in a for y in b])


def _product(x: Array, y: Array) -> Array:
    return np.where((x == 0) | (y == 0), 0.0, x * y)


def _among(values: list[Array]) -> Interval:
    """Smallest and largest of some values."""
    return bound(np.minimum.reduce(values), np.maximum.reduce(values))


def divide(a: Interval, b: Interval) -> Interval:
    """Bounds of a / b, unbounded where b may be zero."""
    low, high = _among([x / y for x in a for y in b])
    through_zero = (b[0] <= 0) & (b[1] >= 0)
    return np.where(through_zero, -np.inf, low), np.where(through_zero, np.inf, high)


def square(a: Interval) -> Interval:
    """Bounds of a²."""
    x = absolute(a)
    return bound(x[0] * x[0], x[1] * x[1])


def absolute(a: Interval) -> Interval:
    """Bounds of |a|."""
    x, y = np.abs(a[0]), np.abs(a[1])
    return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(x, y)), np.maximum(x, y)


def power(a: Interval, b: Interval) -> Interval:
    """Bounds of a to the power b: b ln a is greatest and least at corners where a ≥ 0; a < 0 needs a whole b."""
    base = np.maximum(a[0], 0.0), np.maximum(a[1], 0.0)
    low, high = _among([np.power(x, y) for x in base for y in b])
    whole = (b[0] == b[1]) & (b[0] == np.floor(b[0]))
    negative = a[0] < 0
    if not negative.any():
        return low, high
    corners = [np.power(x, b[0]) for x in a]
    turns = (a[1] > 0) & (b[0] % 2 == 0)  # an even power is least at 0
    least = np.where(turns, 0.0, np.minimum(*corners))
    smooth = whole & ((b[0] >= 0) | (a[1] < 0))
    return bound(
        np.where(negative, np.where(smooth, least, -np.inf), low),
        np.where(negative, np.where(smooth, np.maximum(*corners), np.inf), high),
    )


def sine(a: Interval) -> Interval:
    """Bounds of sin a."""
    return _wave(np.sin, a, 0.25)


def cosine(a: Interval) -> Interval:
    """Bounds of cos a."""
    return _wave(np.cos, a, 0.0)


def _wave(function: Callable[[Array], Array], a: Interval, peak: float) -> Interval:
    """Bounds of a function of period 2π with a maximum of 1 at 2π `peak` and a minimum of −1 half a period later."""
    ends = function(a[0]), function(a[1])
    low = np.where(_meets(a, peak + 0.5, 2 * np.pi), -1.0, np.minimum(*ends))
    high = np.where(_meets(a, peak, 2 * np.pi), 1.0, np.maximum(*ends))
    return np.where(np.isnan(low), -1.0, low), np.where(np.isnan(high), 1.0, high)


def _meets(a: Interval, phase: float, period: float) -> NDArray[np.bool_]:
    """Whether an interval may hold (k + phase) `period` for a whole number k; true where it is unbounded."""
    low, high = a[0] / period - phase, a[1] / period - phase
    first = np.ceil(low - ROUND_OFF * (1 + np.abs(low)))
    last = np.floor(high + ROUND_OFF * (1 + np.abs(high)))
    return ~(first > last)


def tangent(a: Interval) -> Interval:
    """Bounds of tan a, unbounded where a pole may lie in a."""
    pole = _meets(a, 0.5, np.pi)
    return bound(np.where(pole, -np.inf, np.tan(a[0])), np.where(pole, np.inf, np.tan(a[1])))


def hyperbolic_cosine(a: Interval) -> Interval:
    """Bounds of cosh a."""
    x = absolute(a)
    return np.cosh(x[0]), np.cosh(x[1])


def arc_tangent_2(y: Interval, x: Interval) -> Interval:
    """Bounds of the angle of the point (x, y): at corners, unless the rectangle meets the half-line y = 0, x ≤ 0."""
    low, high = _among([np.arctan2(b, a) for b in y for a in x])
    cut = (x[0] <= 0) & (y[0] <= 0) & (y[1] >= 0)
    return np.where(cut, -np.pi, low), np.where(cut, np.pi, high)


def less(a: Interval, b: Interval) -> Interval:
    """Bounds of the truth, 0 or 1, of a < b."""
    return np.where(a[1] < b[0], 1.0, 0.0), np.where(a[0] >= b[1], 0.0, 1.0)


def less_or_equal(a: Interval, b: Interval) -> Interval:
    """Bounds of the truth, 0 or 1, of a ≤ b."""
    return np.where(a[1] <= b[0], 1.0, 0.0), np.where(a[0] > b[1], 0.0, 1.0)


def equal(a: Interval, b: Interval) -> Interval:
    """Bounds of the truth, 0 or 1, of a = b."""
    same = (a[0] == a[1]) & (b[0] == b[1]) & (a[0] == b[0])
    return np.where(same, 1.0, 0.0), np.where((a[1] < b[0]) | (b[1] < a[0]), 0.0, 1.0)


def negation(a: Interval) -> Interval:
    """Bounds of the truth, 0 or 1, of not a, which is that of a = 0."""
    zero = np.zeros_like(a[0])
    return equal(a, (zero, zero))


def conjunction(a: Interval, b: Interval) -> Interval:
    """Bounds of the truth, 0 or 1, of a and b."""
    (not_a, may_not_a), (not_b, may_not_b) = negation(a), negation(b)
    return 1 - np.maximum(may_not_a, may_not_b), 1 - np.maximum(not_a, not_b)


def disjunction(a: Interval, b: Interval) -> Interval:
    """Bounds of the truth, 0 or 1, of a or b."""
    (not_a, may_not_a), (not_b, may_not_b) = negation(a), negation(b)
    return 1 - np.minimum(may_not_a, may_not_b), 1 - np.minimum(not_a, not_b)


def where(condition: Interval, a: Interval) -> Interval:
    """Bounds of a where a condition holds, and of 0 where it does not."""
    surely_not, may_not = negation(condition)
    low = np.where(may_not == 1, np.minimum(a[0], 0.0), a[0])
    high = np.where(may_not == 1, np.maximum(a[1], 0.0), a[1])
    return np.where(surely_not == 1, 0.0, low), np.where(surely_not == 1, 0.0, high)
