"""Mechanisms with closed loops and one degree of freedom, with their exact motion from an equation derived by hand."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tests.truths.four_bars import G, four_bars

import cardan
from cardan.errors import ModelWarning
from cardan.model.quantities.parameters import resolve

__all__ = [
    "ANGLE",
    "END",
    "INSTANTS",
    "TORQUE",
    "Error",
    "Motion",
    "Problem",
    "four_bar_problem",
    "quietly",
    "slider_crank_problem",
    "slider_crank_rates",
]

END = 10.0  # [s]
INSTANTS = 11  # at which motions are compared, the start included

Rates = Callable[[float, Sequence[float]], tuple[float, float]]


@dataclass(frozen=True)
class Motion:
    """What is compared, at evenly spaced instants from 0 to END."""

    angle: np.ndarray  # (N,) of the crank [rad]
    energy: np.ndarray  # (N,) [J], up to a constant


@dataclass(frozen=True)
class Error:
    """The largest differences from the exact motion."""

    position: float
    energy: float  # [J]

    def within(self, other: Error) -> bool:
        """Whether neither is larger than the other's."""
        return self.position <= other.position and self.energy <= other.energy


@dataclass(frozen=True)
class Problem:
    """A mechanism, how it starts and is driven, and the motion of its crank by hand.

    `place` turns angles (N,) into what is called position, in `unit`; `rates` gives (ω, dω/dt) of (angle, ω), and
    `energy` its energy [J].
    """

    name: str
    model: cardan.Model
    crank: str  # joint
    q: Mapping[str, float]  # of all uncut joints at the start
    v: Mapping[str, float]
    efforts: Mapping[str, float]  # constant, on joints [N or N m]
    unit: str
    place: Callable[[np.ndarray], np.ndarray]
    rates: Rates
    energy: Callable[[float, float], float]

    @cached_property
    def exact(self) -> Motion:
        """The motion at tight tolerances."""
        from scipy.integrate import solve_ivp

        times = np.linspace(0, END, INSTANTS)
        start = [self.q[self.crank], self.v[self.crank]]
        y = solve_ivp(self.rates, (0, END), start, "DOP853", times, rtol=1e-13, atol=1e-14).y
        return self.motion(y)

    def motion(self, y: np.ndarray) -> Motion:
        """What is compared, of angles and speeds y (2, N) of the crank."""
        return Motion(y[0], np.array([self.energy(*column) for column in y.T]))

    def error(self, motion: Motion) -> Error:
        """How far a motion at INSTANTS is from the exact one."""
        exact = self.exact
        energy = (motion.energy - motion.energy[0]) - (exact.energy - exact.energy[0])
        position = self.place(motion.angle) - self.place(exact.angle)
        return Error(float(np.abs(position).max()), float(np.abs(energy).max()))


def four_bar_problem(n: int) -> Problem:
    """n four-bar linkages side by side (IFToMM benchmark A02): the position is that of a crank's tip.

    Parameters
    ----------
    n : int
        Number of loops.
    """
    inertia, weight = (n + 1) / 3 + n, ((n + 1) / 2 + n) * G  # of all rods, over the angle that the cranks share

    def rates(_: float, y: Sequence[float]) -> tuple[float, float]:
        return y[1], weight / inertia * math.sin(y[0])

    return Problem(
        name=f"{n} four-bar linkage{'s' * (n > 1)}",
        model=four_bars(n),
        crank="theta0",
        q={f"{name}{k}": 0.0 for k in range(n + 1) for name in ("theta", "phi")},
        v={f"{name}{k}": v for k in range(n + 1) for name, v in (("theta", 1.0), ("phi", -1.0))},
        efforts={},
        unit="m",
        place=lambda angle: np.stack([np.sin(angle), np.cos(angle)]),
        rates=rates,
        energy=lambda angle, speed: inertia * speed**2 / 2 + weight * math.cos(angle),
    )


TORQUE, DAMPING, ANGLE = 10.0, 1.0, 0.3  # on the crank [N m], [N m s], and where it starts from rest [rad]


def slider_crank_problem() -> Problem:
    """The slider-crank of the gallery, with a torque on its crank and damping there in place of the motor."""
    given = quietly(lambda: cardan.load("slider_crank"))
    p = {name: float(value) for name, value in resolve(given.parameters).items()}
    joints = dict(given.joints)
    joints["crank"] = joints["crank"].replace(damping=DAMPING)
    joints["wrist"] = joints["wrist"].replace(cut=True)
    pin = -ANGLE - math.asin(p["l1"] / p["l2"] * math.sin(ANGLE))
    slide = p["l1"] * math.cos(ANGLE) + p["l2"] * math.cos(ANGLE + pin)
    start = {"crank": ANGLE, "pin": {"guess": pin}, "slide": {"guess": slide}}
    rates, energy = slider_crank_rates(p)
    return Problem(
        name="slider-crank",
        model=quietly(lambda: given.replace(motors={}, joints=joints, inputs={}, coordinates={}, initial=start)),
        crank="crank",
        q={"crank": ANGLE, "pin": pin, "slide": slide},
        v={"crank": 0.0, "pin": 0.0, "slide": 0.0},
        efforts={"crank": TORQUE},
        unit="rad",
        place=lambda angle: angle,
        rates=rates,
        energy=energy,
    )


def quietly(make: Callable[[], cardan.Model]) -> cardan.Model:
    """A model without the warnings about the paper's numbers, which a reader of the gallery gets.

    Parameters
    ----------
    make : callable
        Makes the model.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return make()


def slider_crank_rates(p: Mapping[str, float]) -> tuple[Rates, Callable[[float, float], float]]:
    """The slider-crank by hand: (ω, dω/dt) of (α, ω), and its energy [J].

    J(α) dω/dt + ½ J′(α) ω² + Π′(α) = T − d ω; β, the rod's angle, from l2 sin β = l1 sin α; ′ means d/dα.

    Parameters
    ----------
    p : mapping from str to float
        Values of the model's parameters.
    """
    sin, cos = math.sin, math.cos
    l1, l2, m2, m3 = p["l1"], p["l2"], p["m2"], p["m3"]
    about_pivot = p["IC1"] + p["Jw"] + p["m1"] * l1**2 / 4
    rod, k, weight = p["IC2"], l1 / l2, (p["m1"] + m2) * p["g"] * l1 / 2

    def inertia(a: float) -> tuple[float, float]:
        """J and ½ J′."""
        s, c = sin(a), cos(a)
        sb = k * s
        cb = math.sqrt(1 - sb * sb)
        b = k * c / cb  # β′
        db = (sb * b * b - k * s) / cb  # β″
        e, de = sb * b, cb * b * b + sb * db
        x, dx = -l1 * s - l2 * e, -l1 * c - l2 * de  # of the slider
        xm, dxm = -l1 * s - l2 / 2 * e, -l1 * c - l2 / 2 * de  # of the rod's middle
        ym, dym = l1 / 2 * c, -l1 / 2 * s
        J = about_pivot + m2 * (xm * xm + ym * ym) + rod * b * b + m3 * x * x
        return J, m2 * (xm * dxm + ym * dym) + rod * b * db + m3 * x * dx

    def rates(_: float, y: Sequence[float]) -> tuple[float, float]:
        a, w = y
        J, half = inertia(a)
        return w, (TORQUE - DAMPING * w - half * w * w - weight * cos(a)) / J

    return rates, lambda a, w: inertia(a)[0] * w * w / 2 + weight * sin(a)
