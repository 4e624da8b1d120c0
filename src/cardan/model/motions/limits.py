"""Limits of motions that rest in their points, and the way from rest to rest that keeps them: the same for all paths.

Source: docs/motions.md
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from cardan.errors import Issue
from cardan.model.motions.piecewise import clamped, select
from cardan.model.motions.profiles import PROFILES, Duration, Limits
from cardan.model.quantities.scalar import Scalar

LIMITS = ("max_speed", "max_acceleration", "max_jerk")
"""Keys of the limits, in the order of the fields of `Limits`."""

Number = Any  # casadi.SX, casadi.DM or float


class Limited(Protocol):
    """A record with a profile and limits."""

    @property
    def profile(self) -> str:
        """Name of its profile."""


def limits_of(motion: Limited, number: Callable[[Scalar], Any]) -> Limits:
    """The limits of a motion; `number` gives the value of each."""
    bounds = (getattr(motion, key) for key in LIMITS)
    return Limits(*(None if bound is None else number(bound) for bound in bounds))


def is_limited(motion: Limited) -> bool:
    """Whether a motion has a limit."""
    return any(getattr(motion, key) is not None for key in LIMITS)


def said_limits(motion: Limited) -> str:
    """The limits of a motion as a reader sees them: "max_speed 0.3 m/s"; empty without limits."""
    return ", ".join(f"{key} {getattr(motion, key)}" for key in LIMITS if getattr(motion, key) is not None)


def missing_limit(motion: Limited) -> str:
    """Key of the limit without which the shortest motion with this profile has no end; empty if it is there."""
    needs = PROFILES[motion.profile].needs
    return needs if needs and getattr(motion, needs) is None else ""


def limit_issues(motion: Limited, number: Callable[[Scalar], float]) -> list[Issue]:
    """Limits that no motion with this profile keeps; `number` gives the value of each."""
    for key in LIMITS:
        bound = getattr(motion, key)
        if bound is not None and not number(bound) > 0:
            return [Issue(f"the limit is {number(bound):g}", "give a positive limit", (key,))]
    if limits_of(motion, number).jerk is not None and not PROFILES[motion.profile].keeps_jerk:
        cure = "choose profile: s_curve, quintic or cycloid, or leave max_jerk out"
        return [Issue(f"the acceleration of a {motion.profile} jumps, so no jerk is kept", cure, ("max_jerk",))]
    return []


def way(
    motion: Limited,
    t: Number,
    starts: Sequence[Number],
    levels: Sequence[Number],
    parts: Sequence[Number],
    durations: Sequence[Duration],
) -> Number:
    """Value at the instant t [s] of a motion that rests between its parts."""

    def now(of_each: Sequence[Number]) -> Number:
        return select(t, starts[1:], of_each)

    current = Duration(*(now([getattr(d, key) for d in durations]) for key in ("T", "Ta", "Tj")))
    inside = clamped(t - now(starts), 0, current.T)
    return now(levels) + now(parts) * PROFILES[motion.profile].share(inside, current)


def breaks_of(motion: Limited, rests: Sequence[Number], durations: Sequence[Duration]) -> list[float]:
    """Instants [s] at which a derivative up to the third jumps: the rests between the parts, and those within each."""
    profile, out = PROFILES[motion.profile], list(rests)
    for start, times in zip(rests, durations, strict=False):
        out += [start + t for t in profile.breaks(times)]
    return [float(t) for t in out]
