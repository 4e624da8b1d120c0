"""Dry friction of a joint along its one motion, with true sticking.

While it slides, the effort F(|v|) opposes the motion; while it sticks, it holds any effort up to the static one.

Source: Armstrong-Hélouvry, Dupont & Canudas de Wit 1994, Automatica 30:1083, §2 (Stribeck curve, static friction)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import casadi as ca
from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.quantities.fields import Anything
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.records.element import ValueOf
from cardan.model.records.record import Record
from cardan.model.units import DIMENSIONLESS, METRE, NEWTON, SECOND

__all__ = ["KINDS", "Friction"]

Number = Any  # casadi.SX or casadi.DM

_FORCE, _TORQUE = NEWTON, NEWTON.times(METRE)
_SPEED, _RATE = METRE.times(SECOND, -1), DIMENSIONLESS.times(SECOND, -1)
KINDS = {
    "m/s": {
        "effort": NumberKind("a force", "10 N", _FORCE, minimum=0),
        "static": NumberKind("a force", "12 N", _FORCE, minimum=0),
        "speed": NumberKind("a speed", "1 mm/s", _SPEED),
        "viscous": NumberKind("a damping", "2 N*s/m", _FORCE.times(_SPEED, -1), minimum=0),
        "regularize": NumberKind("a speed", "1 mm/s", _SPEED),
    },
    "rad/s": {
        "effort": NumberKind("a torque", "0.1 N*m", _TORQUE, minimum=0),
        "static": NumberKind("a torque", "0.12 N*m", _TORQUE, minimum=0),
        "speed": NumberKind("an angular velocity", "0.1 rad/s", _RATE),
        "viscous": NumberKind("a torsional damping", "0.5 N*m*s", _TORQUE.times(_RATE, -1), minimum=0),
        "regularize": NumberKind("an angular velocity", "0.01 rad/s", _RATE),
    },
}
"""What the numbers of friction have to be, by the unit of the velocity and by key."""


class Friction(Record):
    """Coulomb's or Stribeck's law."""

    type: Literal["coulomb", "stribeck"] = "coulomb"
    effort: Anything  # while sliding [N] or [N m]; of stribeck at high speed
    static: Anything | None = None  # largest effort while sticking; `effort` if absent
    speed: Anything | None = None  # of stribeck: the speed over which the effort falls from static to sliding
    viscous: Anything = 0  # effort per speed, added while sliding
    regularize: Anything | None = None  # speed over which the effort changes its sign; then nothing sticks

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.type == "stribeck" and (self.static is None or self.speed is None):
            raise ModelError("friction of type stribeck needs static and speed", "add them, or write type: coulomb")
        if self.type == "coulomb" and self.speed is not None:
            raise ModelError("friction of type coulomb has no speed", "write type: stribeck, or leave speed out")
        if self.type == "coulomb" and self.static is not None and self.regularize is not None:
            raise ModelError(
                "regularized friction never sticks, so static has no meaning", "leave static or regularize out"
            )
        return self

    def sliding(self, speed: Number) -> Number:
        """Effort F against the motion at a speed |v| (number ≥ 0)."""
        effort = self.effort + self.viscous * speed
        if self.type == "stribeck":
            effort = effort + (self.static - self.effort) * ca.exp(-((speed / self.speed) ** 2))
        return effort

    @property
    def holding(self) -> Number:
        """Largest effort while it sticks."""
        return self.effort if self.static is None else self.static

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        """Numbers with which friction would not dissipate.

        Parameters
        ----------
        value_of : gives the value of a number.
        """
        if self.static is not None and value_of(self.static) < value_of(self.effort):
            fault = f"the static effort {value_of(self.static):g} is below the sliding one, {value_of(self.effort):g}"
            yield Issue(fault, "what holds while sticking is at least what brakes while sliding", ("static",))
        for key in ("speed", "regularize"):
            number = getattr(self, key)
            if number is not None and not value_of(number) > 0:
                yield Issue(f"{key} is {value_of(number):g}", "it has to be positive", (key,))
