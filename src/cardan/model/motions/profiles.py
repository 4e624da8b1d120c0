"""Rest-to-rest profiles from 0 to a distance: what share of it is done, and how long it takes within limits.

quintic      s = 10 τ³ − 15 τ⁴ + 6 τ⁵               speed 15/8, acceleration 10/√3, jerk 60
nonic        s = τ⁵ (126 − 420 τ + 540 τ² − 315 τ³ + 70 τ⁴)   speed 315/128, acceleration 1215/(49 √7), jerk 315/4
cycloid      s = τ − sin(2π τ)/2π                   speed 2, acceleration 2π, jerk 4π²
trapezoid    constant acceleration over Ta, then constant speed, then the opposite: speed is a trapezoid
s_curve      the jerk is ±j or 0: within Ta acceleration rises over Tj, stays, falls over Tj: it is a trapezoid

nonic also has no jerk and no fourth derivative at its ends, where those of the others jump.
τ = t/T; peaks in units of distance/T, distance/T², distance/T³. Without limits Ta = T/3, and Tj = Ta/2.
Source: Biagiotti & Melchiorri 2008, §2.1.7 (quintic), §2.2.2 (cycloid), §3.2 (trapezoid), §3.4 (s-curve)
"""

from abc import ABC, abstractmethod
from math import pi, sqrt
from typing import Any

import casadi as ca

from cardan.frozen import dataclass

Number = Any  # casadi.SX, casadi.DM or float


@dataclass(frozen=True)
class Limits:
    """Largest speed [1/s], acceleration [1/s²] and jerk [1/s³] of a motion; None where there is no limit."""

    speed: Number | None = None
    acceleration: Number | None = None
    jerk: Number | None = None


@dataclass(frozen=True)
class Duration:
    """Times of one rest-to-rest motion [s]."""

    T: Number  # in all
    Ta: Number  # from rest to full speed; 0 where the profile has no such part
    Tj: Number  # in which the acceleration rises; 0 where it jumps, or where the profile has no such part


class Profile(ABC):
    """A way from rest to rest."""

    needs: str = ""  # limit without which the shortest motion has no end, in words; empty if any one will do
    keeps_jerk: bool = True  # whether the jerk is finite

    @abstractmethod
    def share(self, t: Number, times: Duration) -> Number:
        """Share of the distance that is done at t, 0 ≤ t ≤ T, in a motion with these `times`."""

    def times(self, T: Number) -> Duration:
        """Times of a motion that takes T in all."""
        return Duration(T, 0.0, 0.0)

    @abstractmethod
    def shortest(self, distance: Number, limits: Limits) -> Duration:
        """Times of the shortest motion over a `distance` > 0 that keeps the `limits`."""

    @abstractmethod
    def peaks(self, times: Duration) -> tuple[Number, Number, Number]:
        """Largest speed, acceleration and jerk over the distance 1 with these `times`; the jerk may be infinite."""

    def breaks(self, times: Duration) -> list[Number]:
        """Instants within (0, T) at which acceleration or jerk jumps, ascending, for these `times`."""
        return []


@dataclass(frozen=True)
class _Smooth(Profile):
    """A polynomial or trigonometric law, the same for every duration."""

    law: Any  # share at τ
    speed: float  # largest ds/dτ
    acceleration: float  # largest |d²s/dτ²|
    jerk: float  # largest |d³s/dτ³|

    def share(self, t: Number, times: Duration) -> Number:
        return self.law(t / times.T)

    def shortest(self, distance: Number, limits: Limits) -> Duration:
        bounds = (
            (self.speed, limits.speed, 1.0),
            (self.acceleration, limits.acceleration, 1 / 2),
            (self.jerk, limits.jerk, 1 / 3),
        )
        T: Number = 0.0
        for peak, limit, power in bounds:
            if limit is not None:
                T = ca.fmax(T, (peak * distance / limit) ** power)
        return Duration(T, 0.0, 0.0)

    def peaks(self, times: Duration) -> tuple[Number, Number, Number]:
        return self.speed / times.T, self.acceleration / times.T**2, self.jerk / times.T**3


class _Ramped(Profile):
    """Speed rises over Ta to its largest value V = 1/(T − Ta), stays, and falls the same way."""

    def share(self, t: Number, times: Duration) -> Number:
        T, V = times.T, 1 / (times.T - times.Ta)
        early = ca.if_else(t < T / 2, t, T - t)  # not fmin, whose derivative at T/2 would be the mean of both sides
        ramps = ca.if_else(t < T / 2, t < times.Ta, t >= T - times.Ta)  # at a jump: what follows in time
        done = ca.if_else(ramps, self.ramp(early, V, times), V * (early - times.Ta / 2))
        return ca.if_else(t < T / 2, done, 1 - done)

    @abstractmethod
    def ramp(self, t: Number, V: Number, times: Duration) -> Number:
        """Share that is done at 0 ≤ t ≤ Ta of the `times` on the way to the speed V."""

    def breaks(self, times: Duration) -> list[Number]:
        first = [times.Tj, times.Ta - times.Tj, times.Ta]
        return [*first, *(times.T - t for t in reversed(first))]


class _Trapezoid(_Ramped):
    """Acceleration is ±a or 0."""

    needs = "max_acceleration"
    keeps_jerk = False

    def ramp(self, t: Number, V: Number, times: Duration) -> Number:
        return V * t**2 / (2 * times.Ta)

    def times(self, T: Number) -> Duration:
        return Duration(T, T / 3, 0.0)

    def shortest(self, distance: Number, limits: Limits) -> Duration:
        Ta = ca.sqrt(distance / limits.acceleration)
        if limits.speed is not None:
            Ta = ca.fmin(Ta, limits.speed / limits.acceleration)
        return Duration(Ta + distance / (limits.acceleration * Ta), Ta, 0.0)

    def peaks(self, times: Duration) -> tuple[Number, Number, Number]:
        V = 1 / (times.T - times.Ta)
        return V, V / times.Ta, float("inf")


class _SCurve(_Ramped):
    """Jerk is ±j or 0."""

    needs = "max_jerk"

    def ramp(self, t: Number, V: Number, times: Duration) -> Number:
        Ta, Tj = times.Ta, times.Tj
        a = V / (Ta - Tj)  # largest acceleration

        def early(t: Number) -> Number:
            rest = t - Tj
            return ca.if_else(t < Tj, a * t**3 / (6 * Tj), a * (Tj**2 / 6 + Tj * rest / 2 + rest**2 / 2))

        # the speed is symmetrical about the middle of the ramp: v(t) = V − v(Ta − t)
        return ca.if_else(t < Ta / 2, early(t), V * (t - Ta / 2) + early(Ta - t))

    def times(self, T: Number) -> Duration:
        return Duration(T, T / 3, T / 6)

    def shortest(self, distance: Number, limits: Limits) -> Duration:
        j: Number = limits.jerk
        Tj = (distance / (2 * j)) ** (1 / 3)
        if limits.speed is not None:
            Tj = ca.fmin(Tj, ca.sqrt(limits.speed / j))
        if limits.acceleration is not None:
            Tj = ca.fmin(Tj, limits.acceleration / j)
        a = j * Tj
        Ta = Tj / 2 + ca.sqrt(Tj**2 / 4 + distance / a)
        if limits.speed is not None:
            Ta = ca.fmin(Ta, Tj + limits.speed / a)
        return Duration(Ta + distance / (a * (Ta - Tj)), Ta, Tj)

    def peaks(self, times: Duration) -> tuple[Number, Number, Number]:
        V = 1 / (times.T - times.Ta)
        a = V / (times.Ta - times.Tj)
        return V, a, a / times.Tj


PROFILES: dict[str, Profile] = {
    "quintic": _Smooth(lambda s: s**3 * (10 + s * (6 * s - 15)), 15 / 8, 10 / sqrt(3), 60.0),
    "nonic": _Smooth(
        lambda s: s**5 * (126 + s * (s * (540 + s * (70 * s - 315)) - 420)), 315 / 128, 1215 / (49 * sqrt(7)), 315 / 4
    ),
    "cycloid": _Smooth(lambda s: s - ca.sin(2 * pi * s) / (2 * pi), 2.0, 2 * pi, 4 * pi**2),
    "trapezoid": _Trapezoid(),
    "s_curve": _SCurve(),
}
"""Profiles that rest in every point, by name."""
