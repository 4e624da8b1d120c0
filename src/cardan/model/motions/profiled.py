"""A motion through points: at rest in each of them, or along a smooth spline.

Source: docs/motions.md; profiles: Biagiotti & Melchiorri 2008, ch. 2, 3
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Self

import casadi as ca
from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.motions.limits import breaks_of, is_limited, limit_issues, limits_of, missing_limit, said_limits, way
from cardan.model.motions.piecewise import clamped, hermite, local_time, repeated, spline_slopes
from cardan.model.motions.prescribed import Number, NumberOf, PrescribedMotion, open_period
from cardan.model.motions.profiles import PROFILES, Duration, Limits
from cardan.model.quantities.fields import Anything, Time
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import WRITTEN


def _points(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise ModelError("a profile needs two points or more", "write points: [[0 s, 20 deg], [4 s, 70 deg]]")
    timed = [isinstance(point, list | tuple) for point in value]
    if any(timed) != all(timed):
        raise ModelError("some points have times and some have none", "write [time, value] for all, or values alone")
    if not all(timed):
        return tuple((None, point) for point in value)
    for k, point in enumerate(value):
        if len(point) != 2:
            raise ModelError(Issue(f"a point has {len(point)} entries", "write [time, value]", (k,)))
        if point[0] is None and any(other[0] is not None for other in value):
            raise ModelError(Issue("a point has no time", "write [time, value]", (k,)))
    return tuple(tuple(point) for point in value)


class ProfiledMotion(PrescribedMotion):
    """`profile` through `points`: [time, value] each; values alone where limits decide the times."""

    profile: Literal["quintic", "nonic", "cycloid", "trapezoid", "s_curve", "spline"]
    points: Annotated[tuple[tuple[Time | None, Anything], ...], BeforeValidator(_points)]  # [s], [m] or [rad]
    period: Time | None = None  # the motion repeats after it [s]
    max_speed: Anything | None = None  # [m/s] or [rad/s]
    max_acceleration: Anything | None = None  # [m/s²] or [rad/s²]
    max_jerk: Anything | None = None  # [m/s³] or [rad/s³]

    @model_validator(mode="after")
    def _check(self) -> Self:
        limited = is_limited(self)
        if self.is_spline and limited:
            cure = "leave the limits out, or choose quintic, cycloid, trapezoid or s_curve"
            raise ModelError(Issue("a spline does not keep limits", cure, ("profile",)))
        if self._is_timed:
            return self
        needs = "" if self.is_spline else missing_limit(self)
        if self.is_spline or not limited or needs:
            cure = f"write [time, value] for each, or give {needs or 'max_speed, max_acceleration or max_jerk'}"
            cure = "write [time, value] for each" if self.is_spline else cure
            raise ModelError(Issue("the points have no times, and nothing decides them", cure, ("points",)))
        return self

    def written(self, data: dict[str, Any]) -> dict[str, Any]:
        """The data with points as they were read: without times where they have none."""
        return data if self._is_timed else data | {"points": [value for _, value in data["points"]]}

    @property
    def size(self) -> int:
        return 1

    @property
    def is_spline(self) -> bool:
        """Whether the motion goes through its points without rest."""
        return self.profile == "spline"

    @property
    def _is_timed(self) -> bool:
        """Whether the points have times."""
        return self.points[0][0] is not None

    def values(self, number: NumberOf, t: Number) -> list[Number]:
        times, durations = self._times(number)
        y = [number(value) for _, value in self.points]
        periods: Number = 0
        if self.period is not None:
            t, periods = local_time(t - times[0], number(self.period))
            t = t + times[0]
        parts = [b - a for a, b in itertools.pairwise(y)]
        if self.is_spline:
            law = self._on_spline(number, t, times, y)
        else:
            law = way(self, t, times[:-1], y[:-1], parts, durations)
        return [law + periods * (y[-1] - y[0])]

    def words(self) -> tuple[str, ...]:
        def point(k: int) -> str:
            time, value = self.points[k]
            return f"{value}" if time is None else f"{value} at {time}"

        count = len(self.points)
        through = f" through {count} points" if count > 2 else ""
        within = f", with {said_limits(self)}" if is_limited(self) else ""
        again = "" if self.period is None else f", repeated after {self.period}"
        return (f"{self.profile}{through} from {point(0)} to {point(count - 1)}{within}{again}",)

    def breaks(self, number: Callable[[Scalar], float], until: float) -> list[float]:
        times, durations = self._times(number)
        own = [float(t) for t in times] if self.is_spline else breaks_of(self, times, durations)
        if self.period is None:
            return sorted({t for t in own if 0 < t < until})
        return repeated(own, float(number(self.period)), until)

    def end(self, number: Callable[[Scalar], float]) -> float | None:
        times, _ = self._times(number)
        return float(times[-1]) if self.period is None else float(times[0] + number(self.period))

    def value_issues(self, number: Callable[[Scalar], float]) -> list[Issue]:
        if issues := ([] if self.is_spline else limit_issues(self, number)):
            return issues
        y = [number(value) for _, value in self.points]
        if not self._is_timed:
            for k in range(1, len(y)):
                if y[k] == y[k - 1]:
                    cure = "leave one of them out, or write [time, value] for a rest"
                    return [Issue(f"points {k} and {k + 1} are equal, so the way takes no time", cure, ("points", k))]
        times, durations = self._times(number)
        for k in range(1, len(times)):
            if not float(times[k]) > float(times[k - 1]):
                fault = f"the times are out of order: {float(times[k]):g} s comes after {float(times[k - 1]):g} s"
                return [Issue(fault, "sort the points by time", ("points", k))]
        return [*self._broken_limits(limits_of(self, number), times, durations, y), *self._length_issues(number, times)]

    def _broken_limits(
        self, limits: Limits, times: Sequence[Number], durations: Sequence[Duration], y: Sequence[float]
    ) -> list[Issue]:
        """Limits that given times do not keep."""
        if self.is_spline or limits == Limits():
            return []
        profile = PROFILES[self.profile]
        for k, duration in enumerate(durations):
            distance = abs(y[k + 1] - y[k])
            bounds = (limits.speed, limits.acceleration, limits.jerk)
            names = ("speed", "acceleration", "jerk")
            for peak, bound, name in zip(profile.peaks(duration), bounds, names, strict=True):
                reached = float(peak) * distance
                if bound is not None and reached > bound * (1 + WRITTEN):
                    fault = (
                        f"from {float(times[k]):g} s to {float(times[k + 1]):g} s the {name} reaches {reached:.6g}, "
                        f"more than max_{name} = {bound:.6g}"
                    )
                    cure = "give that part more time, or leave the times out: then they are the shortest possible"
                    return [Issue(fault, cure, ("points", k + 1))]
        return []

    def _length_issues(self, number: Callable[[Scalar], float], times: Sequence[Number]) -> list[Issue]:
        """A period that is shorter than the motion, or longer than a spline."""
        if self.period is None:
            return []
        period, length = number(self.period), float(times[-1]) - float(times[0])
        if not period > 0 or period < length * (1 - WRITTEN):
            cure = f"give at least {length:g} s"
            return [Issue(f"the period {period:g} s is shorter than the motion", cure, ("period",))]
        if self.is_spline and period > length * (1 + WRITTEN):
            cure = f"end the points at {float(times[0]) + period:g} s"
            return [Issue("a spline that repeats fills its period", cure, ("period",))]
        return []

    def period_issues(self, number: Callable[[Scalar], float], whole: float) -> list[Issue]:
        if self.period is None:
            return []
        return open_period(number(self.points[0][1]), number(self.points[-1][1]), whole, WRITTEN)

    def _times(self, number: NumberOf) -> tuple[list[Number], list[Duration]]:
        """Instants of all points [s], and the times of the motions between them."""
        if self._is_timed:
            times = [number(t) for t, _ in self.points if t is not None]
            if self.is_spline:
                return times, []
            return times, [PROFILES[self.profile].times(b - a) for a, b in itertools.pairwise(times)]
        y, limits = [number(value) for _, value in self.points], limits_of(self, number)
        durations = [PROFILES[self.profile].shortest(ca.fabs(b - a), limits) for a, b in itertools.pairwise(y)]
        times = [0.0]
        for duration in durations:
            times.append(times[-1] + duration.T)
        return times, durations

    def _on_spline(self, number: NumberOf, t: Number, times: Sequence[Number], y: Sequence[Number]) -> Number:
        """Value at t of the spline with continuous second derivatives; at rest before its first and after its last."""
        slopes = spline_slopes(times, y, None if self.period is None else number(self.period))
        inside = clamped(t, times[0], times[-1]) if self.period is None else t
        return hermite(inside, times, y, slopes)
