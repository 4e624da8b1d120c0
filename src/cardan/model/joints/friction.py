"""Dry friction of a joint, with true sticking where the joint has one motion.

While it slides, the effort F(|v|) opposes the motion; while it sticks, it holds any effort up to the static one. Both
are given, or a coefficient times the normal load that the joint carries (`contact`).

In the LuGre model bristles bend before they slide, ż = v − bristle |v| z/F(|v|), and give
bristle z + bristle_damping ż + viscous v against the motion. With a coefficient μ in place of F, bristle z +
bristle_damping ż is the friction over the normal load.

Source: Armstrong-Hélouvry, Dupont & Canudas de Wit 1994, Automatica 30:1083, §2 (Stribeck curve, static friction);
Canudas de Wit, Olsson, Åström & Lischinsky 1995, IEEE Trans. Automatic Control 40:419, eqs. 2 to 5 (LuGre);
Canudas de Wit & Tsiotras 1999, Dynamic tire friction models, 38th IEEE CDC, eqs. 8 and 9 (LuGre of a normal load)
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import Any, Literal, Self

import casadi as ca
from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.expressions.grammar import Call, Constant, ParsedExpression
from cardan.model.joints.gear_losses import GearLosses
from cardan.model.quantities.fields import Anything, AnythingMoving
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.records.element import ValueOf
from cardan.model.records.record import Record
from cardan.model.units import DIMENSIONLESS, METRE, NEWTON, SECOND

Number = Any  # casadi.SX or casadi.DM

_FORCE, _TORQUE = NEWTON, NEWTON.times(METRE)
_SPEED, _RATE = METRE.times(SECOND, -1), DIMENSIONLESS.times(SECOND, -1)
_SIZE = NumberKind("a length", "25 mm", METRE, minimum=0, excluded=True)
_FACTOR = NumberKind("a coefficient", "0.2", DIMENSIONLESS, minimum=0)
_ALIKE = {
    "coefficient": _FACTOR,
    "radius": _SIZE,
    "length": _SIZE,
    "preload": NumberKind("a force", "10 N", _FORCE, minimum=0),
}
_KINDS = {
    "m/s": {
        "effort": NumberKind("a force", "10 N", _FORCE, minimum=0),
        "static": NumberKind("a force", "12 N", _FORCE, minimum=0),
        "speed": NumberKind("a speed", "1 mm/s", _SPEED),
        "viscous": NumberKind("a damping", "2 N*s/m", _FORCE.times(_SPEED, -1), minimum=0),
        "bristle": NumberKind("a stiffness", "1e6 N/m", _FORCE.times(METRE, -1), minimum=0, excluded=True),
        "bristle_damping": NumberKind("a damping", "300 N*s/m", _FORCE.times(_SPEED, -1), minimum=0),
        "regularize": NumberKind("a speed", "1 mm/s", _SPEED),
    },
    "rad/s": {
        "effort": NumberKind("a torque", "0.1 N*m", _TORQUE, minimum=0),
        "static": NumberKind("a torque", "0.12 N*m", _TORQUE, minimum=0),
        "speed": NumberKind("an angular velocity", "0.1 rad/s", _RATE),
        "viscous": NumberKind("a torsional damping", "0.5 N*m*s", _TORQUE.times(_RATE, -1), minimum=0),
        "bristle": NumberKind("a torsional stiffness", "1e4 N*m/rad", _TORQUE, minimum=0, excluded=True),
        "bristle_damping": NumberKind("a torsional damping", "3 N*m*s", _TORQUE.times(_RATE, -1), minimum=0),
        "regularize": NumberKind("an angular velocity", "0.01 rad/s", _RATE),
    },
}


_OVER_LOAD = {  # of lugre with a coefficient: friction over normal load, per bend of the bristles
    "m/s": {
        "bristle": NumberKind("a coefficient per length", "1e5 1/m", METRE.to(-1), minimum=0, excluded=True),
        "bristle_damping": NumberKind("a coefficient per speed", "30 s/m", _SPEED.to(-1), minimum=0),
    },
    "rad/s": {
        "bristle": NumberKind("a coefficient per angle", "2e3", DIMENSIONLESS, minimum=0, excluded=True),
        "bristle_damping": NumberKind("a coefficient per angular velocity", "0.6 s", _RATE.to(-1), minimum=0),
    },
}


def _larger(a: ParsedExpression, b: ParsedExpression) -> Call:
    return Call("max", (a, b))


class Friction(Record):
    """Coulomb's or Stribeck's law or bristles, with a given effort or a coefficient of the load; or viscous alone."""

    type: Literal["coulomb", "stribeck", "viscous", "lugre"] = "coulomb"
    effort: AnythingMoving | None = None  # while sliding [N] or [N m]; of stribeck at high speed
    coefficient: Anything | None = None  # force of friction over normal load [-], in place of `effort`
    static: AnythingMoving | None = None  # largest effort, or coefficient, while sticking; that of sliding if absent
    speed: Anything | None = None  # of stribeck: the speed over which the effort falls from static to sliding
    viscous: AnythingMoving = 0  # effort per speed, added while sliding
    regularize: Anything | None = None  # speed over which the effort changes its sign; then nothing sticks
    bristle: Anything | None = None  # of lugre: stiffness of the bristles [N/m, N m/rad]; of a coefficient [1/m, 1/rad]
    bristle_damping: Anything | None = None  # of lugre: their damping [N s/m, N m s/rad]; of a coefficient [s/m, s/rad]
    prescribed: bool = False  # a motion moves the joint: the sign comes from it, and nothing sticks
    radius: Anything | None = None  # of a pin, thread, ball or sleeve [m]
    length: Anything | None = None  # of a guide or bearing whose ends carry a moment, for a coefficient [m]
    preload: Anything | None = None  # normal load that is always there, for a coefficient [N]
    loads: Literal["minimum_norm"] | None = None  # the reaction of a coefficient where the equations allow several
    gear: GearLosses | None = None  # of a gear in front of the joint, beside the effort

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.type == "viscous":
            self._check_viscous()
        elif (self.effort is None) == (self.coefficient is None):
            raise ModelError("friction has an effort or a coefficient", "give one of the two")
        for key in ("length", "preload", "loads"):
            if self.coefficient is None and getattr(self, key) is not None:
                raise ModelError(f"friction with a given effort has no {key}", "write coefficient in place of effort")
        if self.prescribed and self.regularize is not None:
            raise ModelError("friction of a prescribed joint never sticks", "leave prescribed or regularize out")
        self._check_bristle()
        if self.gear is not None and (self.prescribed or self.regularize is not None):
            fault = "a gear with losses turns as a motion prescribes, which is not supported"
            raise ModelError(fault, "let a controller follow the motion, or leave its efficiency to cardan.size")
        if self.gear is not None and (self.type != "coulomb" or self.effort is None):
            raise ModelError("a gear with losses has friction of type coulomb with an effort", "write effort: 0")
        if self.type == "stribeck" and (self.static is None or self.speed is None):
            raise ModelError("friction of type stribeck needs static and speed", "add them, or write type: coulomb")
        if self.type == "coulomb" and self.speed is not None:
            raise ModelError("friction of type coulomb has no speed", "write type: stribeck, or leave speed out")
        if self.type == "coulomb" and self.static is not None and self.regularize is not None:
            raise ModelError(
                "regularized friction never sticks, so static has no meaning", "leave static or regularize out"
            )
        return self

    def _check_viscous(self) -> None:
        if "viscous" not in self.model_fields_set:
            raise ModelError("friction of type viscous needs viscous, its effort per speed", "add it")
        for key in ("effort", "coefficient", "static", "speed", "regularize", "length", "preload", "loads"):
            if getattr(self, key) is not None:
                raise ModelError(f"friction of type viscous has no {key}", "leave it out, or write type: coulomb")
        if self.prescribed:
            raise ModelError("friction of type viscous never sticks", "leave prescribed out")

    def _check_bristle(self) -> None:
        if self.type != "lugre":
            if self.bristle is not None or self.bristle_damping is not None:
                raise ModelError(f"friction of type {self.type} has no bristle", "write type: lugre, or leave it out")
            return
        if self.bristle is None:
            raise ModelError("friction of type lugre needs bristle", "add it, or write type: coulomb")
        if (self.static is None) != (self.speed is None):
            raise ModelError("friction of type lugre needs static and speed together", "give both or neither")
        if self.prescribed or self.regularize is not None:
            raise ModelError("friction of type lugre never sticks", "leave prescribed and regularize out")

    def moving(self, parameters: Collection[str]) -> dict[str, Scalar]:
        """Numbers that follow the motion, by their keys: not below 0, and the static one not below the sliding one."""
        given = {key: x for key in ("effort", "static", "viscous") if isinstance(x := getattr(self, key), Scalar)}
        found = dict[str, Scalar]()
        for key, scalar in given.items():
            parts = [ZERO, *([given["effort"]] if key == "static" and "effort" in given else []), scalar]
            names = frozenset[str]().union(*(part.names for part in parts))
            if not names <= {*parameters}:
                trees = tuple(part.expression or Constant(float(part.value or 0.0)) for part in parts)
                found[key] = replace(scalar, value=None, expression=reduce(_larger, trees), names=names)
        return found

    def still(self, keys: Iterable[str] = ("effort", "static", "viscous")) -> Self:
        """The law with zero for numbers that may follow the motion, and without a gear."""
        return self.unchecked(gear=None, **{key: ZERO for key in keys if getattr(self, key) is not None})

    @property
    def can_stick(self) -> bool:
        """Whether it can hold a joint at rest without any motion."""
        return self.regularize is None and not self.prescribed and self.type not in ("viscous", "lugre")

    def results(self, unit: str) -> dict[str, str]:
        """Unit of every result of friction against a speed in `unit`, by what follows the name of the joint.

        They exist in every analysis; `slip`, the mode of a run, is not one of them.
        """
        effort, way = {"m/s": ("N", "m"), "rad/s": ("N*m", "rad")}[unit]
        found = {"friction": effort, "sticking": "1", "heat": "J"}
        if self.can_stick or self.prescribed or self.follows_load:
            found["friction_limit"] = effort
        if self.bristle is not None:
            found["bristle"] = way
        return found

    def bristle_rate(self, v: Number, z: Number) -> Number:
        """Rate of the bend z of the bristles of lugre."""
        speed, slides = ca.fabs(v), self.coefficient if self.follows_load else self.effort
        return v - self.bristle * speed * z / self._curve(slides, speed)

    def bristle_effort(self, v: Number, z: Number) -> Number:
        """What bent bristles give against the motion: an effort, or friction over load."""
        damped = 0 if self.bristle_damping is None else self.bristle_damping * self.bristle_rate(v, z)
        return self.bristle * z + damped

    @property
    def follows_load(self) -> bool:
        """Whether it is proportional to the normal load, or that of a gear to the torque that it passes on."""
        return self.coefficient is not None or self.gear is not None

    def number_kind(self, key: str, unit: str) -> NumberKind | None:
        """What the number `key` has to be for a velocity in `unit`; None if it is no number."""
        if key == "static" and self.coefficient is not None:
            return _FACTOR
        if self.coefficient is not None and key in _OVER_LOAD[unit]:
            return _OVER_LOAD[unit][key]
        return _ALIKE.get(key) or _KINDS[unit].get(key)

    def sliding(self, speed: Number) -> Number:
        """Effort F against the motion at a speed |v| (number ≥ 0); without the part that follows the load."""
        return self.viscous * speed + (0 if self.effort is None else self.dry(speed))

    def dry(self, speed: Number) -> Number:
        """Given effort against the motion at a speed |v| (number ≥ 0), without the viscous one."""
        return self._curve(self.effort, speed)

    @property
    def holding(self) -> Number:
        """Largest given effort while it sticks."""
        return self.effort if self.static is None else self.static

    def sliding_coefficient(self, speed: Number) -> Number:
        """Friction over normal load at a speed |v| (number ≥ 0)."""
        return self._curve(self.coefficient, speed)

    @property
    def holding_coefficient(self) -> Number:
        """Largest friction over normal load while it sticks."""
        return self.coefficient if self.static is None else self.static

    def _curve(self, sliding: Number, speed: Number) -> Number:
        """From static to sliding friction, along Stribeck's curve."""
        if self.speed is None:
            return sliding
        return sliding + (self.static - sliding) * ca.exp(-((speed / self.speed) ** 2))

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        """Numbers with which friction would not dissipate."""
        if self.gear is not None:
            yield from (issue.under("gear") for issue in self.gear.value_issues(value_of))
        with suppress(KeyError):  # expressions of the motion
            yield from self._static_issues(value_of)
        for key in ("speed", "regularize"):
            number = getattr(self, key)
            if number is not None and not value_of(number) > 0:
                yield Issue(f"{key} is {value_of(number):g}", "it has to be positive", (key,))

    def _static_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        if self.static is None:
            return
        what, slides = ("effort", self.effort) if self.coefficient is None else ("coefficient", self.coefficient)
        holds = value_of(self.static)
        try:
            least = value_of(slides)  # type: ignore[arg-type]
        except KeyError:
            fault = f"the static effort stays {holds:g} while the sliding one follows the motion"
            yield Issue(
                fault, f'write it as an expression, too, such as "1.2*({slides})", or leave it out', ("static",)
            )
            return
        if holds < least:
            fault = f"the static {what} {holds:g} is below the sliding one, {least:g}"
            yield Issue(fault, f"give static of at least {least:g}, or leave it out", ("static",))
