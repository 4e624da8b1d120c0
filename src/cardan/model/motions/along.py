"""A motion of a point along a path of its own: lines, an arc or a smooth curve through points, with a law along it.

The way s from 0 to the length of the path follows a profile; the point is at the distance s along the path. A smooth
curve is a cubic spline over the lengths of the chords between its points, so that its speed is only nearly that of s.

Source: docs/motions.md; chord-length parameters: de Boor 2001, ch. XVI
"""

import itertools
from collections.abc import Callable, Sequence
from math import pi
from typing import Annotated, Any, Literal, Self

import casadi as ca
import numpy as np
from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.motions.limits import breaks_of, is_limited, limit_issues, limits_of, missing_limit, said_limits, way
from cardan.model.motions.piecewise import hermite, natural_slopes, select
from cardan.model.motions.prescribed import Number, NumberOf, PrescribedMotion
from cardan.model.motions.profiles import PROFILES, Duration
from cardan.model.quantities.fields import Anything, Length, Time
from cardan.model.quantities.scalar import Scalar


def _points(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) < 2 or not all(isinstance(p, list | tuple) for p in value):
        raise ModelError("a path needs two points or more", "write path: [[0, 0, 0], [1, 0, 0.5]]")
    if len({len(p) for p in value}) > 1 or not 2 <= len(value[0]) <= 3:
        raise ModelError("the points of a path have 2 or 3 coordinates, all the same number", "write [x, y, z]")
    return tuple(tuple(p) for p in value)


class PathMotion(PrescribedMotion):
    """`path` through points, at rest at its ends; on lines, at rest in every corner as well."""

    path: Annotated[tuple[tuple[Length, ...], ...], BeforeValidator(_points)]  # [m]
    curve: Literal["lines", "arc", "spline"] = "lines"  # what joins the points; an arc goes through three
    profile: Literal["quintic", "nonic", "cycloid", "trapezoid", "s_curve"] = "quintic"  # law along the path
    start: Time | None = None  # instant at which the way begins; 0 by default [s]
    duration: Time | None = None  # time of the whole way [s]
    max_speed: Anything | None = None  # along the path [m/s]
    max_acceleration: Anything | None = None  # along the path [m/s²]
    max_jerk: Anything | None = None  # along the path [m/s³]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.curve == "arc" and len(self.path) != 3:
            fault = f"an arc goes through three points, not {len(self.path)}"
            raise ModelError(Issue(fault, "give its start, a point on its way, and its end", ("path",)))
        limited = is_limited(self)
        if limited == (self.duration is not None):
            fault = "duration and limits are both given" if limited else "nothing says how long the way takes"
            raise ModelError(fault, "give either duration, or max_speed, max_acceleration or max_jerk")
        if limited and (needs := missing_limit(self)):
            raise ModelError(Issue(f"the shortest {self.profile} has no end without {needs}", f"add {needs}", (needs,)))
        return self

    @property
    def size(self) -> int:
        return len(self.path[0])

    def values(self, number: NumberOf, t: Number) -> list[Number]:
        points = [[number(x) for x in point] for point in self.path]
        at, parts, durations, chords = self._times(number)
        s = way(self, t, at, _sums(parts)[:-1], parts, durations)
        if self.curve == "arc":
            return _arc(points)[1](s)[: self.size]
        knots = _sums(chords)
        columns = zip(*points, strict=True)
        if self.curve == "lines":
            share = (s - select(s, knots[1:-1], knots[:-1])) / select(s, knots[1:-1], chords)
            return [select(s, knots[1:-1], y[:-1]) + share * select(s, knots[1:-1], _differences(y)) for y in columns]
        return [hermite(s, knots, y, natural_slopes(knots, y)) for y in columns]

    def words(self) -> tuple[str, ...]:
        within = said_limits(self) or f"in {self.duration}"
        begin = "" if self.start is None else f" from {self.start} on"
        kind = {"lines": "lines", "arc": "an arc", "spline": "a smooth curve"}[self.curve]
        whole = f"{self.profile} along {kind} through {len(self.path)} points{begin}, {within}"
        return (whole,) * self.size

    def breaks(self, number: Callable[[Scalar], float], until: float) -> list[float]:
        at, _, durations, _ = self._times(number)
        found = breaks_of(self, [*at, at[-1] + durations[-1].T], durations)
        return sorted({t for t in [*found, *self._passages(number)] if 0 < t < until})

    def end(self, number: Callable[[Scalar], float]) -> float | None:
        at, _, durations, _ = self._times(number)
        return float(at[-1] + durations[-1].T)

    def value_issues(self, number: Callable[[Scalar], float]) -> list[Issue]:
        points = [[number(x) for x in point] for point in self.path]
        for k, (a, b) in enumerate(itertools.pairwise(points), start=1):
            if a == b:
                return [Issue(f"points {k} and {k + 1} of the path are equal", "leave one of them out", ("path", k))]
        if self.curve == "arc" and not np.isfinite(float(_arc(points)[0])):
            return [Issue("the three points of the arc stand in a line", "write curve: lines", ("path",))]
        if self.duration is not None and not number(self.duration) > 0:
            return [Issue(f"duration is {number(self.duration):g} s", "give a positive time", ("duration",))]
        return limit_issues(self, number)

    def _passages(self, number: Callable[[Scalar], float]) -> list[float]:
        """Instants [s] at which the point passes the inner points of a smooth curve: its third derivative jumps."""
        if self.curve != "spline":
            return []
        at, parts, durations, chords = self._times(number)
        t = ca.SX.sym("t")
        covered = ca.Function("way", [t], [way(self, t, at, _sums(parts)[:-1], parts, durations)])
        begin, end = float(at[0]), float(at[-1] + durations[-1].T)
        return [_first_beyond(lambda t: float(covered(t)), float(knot), begin, end) for knot in _sums(chords)[1:-1]]

    def _times(self, number: NumberOf) -> tuple[list[Number], list[Number], list[Duration], list[Number]]:
        """Starts [s], ways [m] and times of the parts between rests, and the lengths of the chords [m]."""
        points = [[number(x) for x in point] for point in self.path]
        chords = [ca.sqrt(sum((b - a) ** 2 for a, b in zip(p, q, strict=True))) for p, q in itertools.pairwise(points)]
        whole = _arc(points)[0] if self.curve == "arc" else _sums(chords)[-1]
        parts = chords if self.curve == "lines" else [whole]
        profile, limits = PROFILES[self.profile], limits_of(self, number)
        if self.duration is None:
            durations = [profile.shortest(part, limits) for part in parts]
        else:
            durations = [profile.times(number(self.duration) * part / whole) for part in parts]
        first = 0.0 if self.start is None else number(self.start)
        starts = [first + t for t in _sums([d.T for d in durations])[:-1]]
        return starts, parts, durations, chords


def _arc(points: Sequence[Sequence[Number]]) -> tuple[Number, Callable[[Number], list[Number]]]:
    """Length of the arc through three points, and its point (3,) at the distance s from the first one."""
    a, b, c = (ca.vertcat(*p, *[0.0] * (3 - len(p))) for p in points)
    u, v = b - a, c - a
    n = ca.cross(u, v)
    centre = a + (ca.sumsqr(v) * ca.cross(n, u) + ca.sumsqr(u) * ca.cross(v, n)) / (2 * ca.sumsqr(n))
    R = ca.norm_2(a - centre)
    e1 = (a - centre) / R
    e2 = ca.cross(n / ca.norm_2(n), e1)
    angle = ca.atan2(ca.dot(e2, c - centre), ca.dot(e1, c - centre))
    angle = ca.if_else(angle > 0, angle, angle + 2 * pi)
    return R * angle, lambda s: ca.vertsplit(centre + R * (ca.cos(s / R) * e1 + ca.sin(s / R) * e2))


def _first_beyond(function: Callable[[float], float], value: float, low: float, high: float) -> float:
    """The first number at which a growing function is above a value, by bisection to neighbouring numbers."""
    while (middle := low + (high - low) / 2) not in (low, high):
        low, high = (low, middle) if function(middle) > value else (middle, high)
    return high


def _sums(parts: Sequence[Number]) -> list[Number]:
    """0, the first part, the first two, …"""
    out: list[Number] = [0.0]
    for part in parts:
        out.append(out[-1] + part)
    return out


def _differences(y: Sequence[Number]) -> list[Number]:
    return [b - a for a, b in itertools.pairwise(y)]
