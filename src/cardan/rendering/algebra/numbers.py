"""The number a person would write for a float: 0.1 is 1/10, 0.8660254037844386 is √3/2, 4.71238898038469 is 3π/2."""

import math
from fractions import Fraction
from typing import NamedTuple

from cardan.numerics.round_off import EPSILON

_DIGITS = 12  # digits a person writes; a float with more came out of a computation
_ROUNDING = 4 * EPSILON  # relative error that the computation of a short number may have left
_DENOMINATOR = 1000  # among fractions up to this one, a random float is met with a chance below 1e-8
_RADICAND = 100  # denominator below the root: cos and sin of 30° and 45°, sides of triangles


class Exact(NamedTuple):
    """The number factor √radicand π^pi."""

    factor: Fraction
    radicand: int = 1
    pi: int = 0


def recognised(value: float) -> Exact | None:
    """The short exact number that the finite float `value` stands for; None if it has none.

    Example
    -------
    >>> recognised(0.1), recognised(0.8660254037844387)
    (Exact(factor=Fraction(1, 10), radicand=1, pi=0), Exact(factor=Fraction(1, 2), radicand=3, pi=0))
    """
    digits = repr(value).partition("e")[0].replace(".", "").strip("-0")
    if len(digits) <= _DIGITS:
        return Exact(Fraction(repr(value)))
    rounded = Fraction(f"{value:.{_DIGITS}g}")
    if abs(value - float(rounded)) <= _ROUNDING * abs(value):
        return Exact(rounded)
    if not 1e-4 < abs(value) < 1e4:
        return None
    fraction = _near(value, _DENOMINATOR)
    if fraction is not None:
        return Exact(fraction)
    turns = _near(value / math.pi, 24)
    if turns is not None:
        return Exact(turns, pi=1)
    square = _near(value * value, _RADICAND)
    return None if square is None else _root(square, value < 0)


def _near(value: float, denominator: int) -> Fraction | None:
    fraction = Fraction(value).limit_denominator(denominator)
    return fraction if fraction and abs(value - float(fraction)) <= _ROUNDING * abs(value) else None


def _root(square: Fraction, negative: bool) -> Exact:
    """±√square with the least radicand."""
    radicand, factor = square.numerator * square.denominator, Fraction(1, square.denominator)
    for prime in range(2, math.isqrt(radicand) + 1):
        while radicand % (prime * prime) == 0:
            radicand //= prime * prime
            factor *= prime
    return Exact(-factor if negative else factor, radicand)
