"""A linear relation of coordinates: gears, belts, a rack.   Source: Haug 1989, eq. 9.5 (gear couplings)"""

from __future__ import annotations

from typing import Literal

from cardan.model.constraints.constraint import Constraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.quantities import Anything
from cardan.model.record import ZERO
from cardan.model.section import PathSection

__all__ = ["Coupler"]


class Coupler(Constraint):
    """Σ factor · coordinate = offset: `terms: {pinion: 1, wheel: "z2/z1"}`."""

    type: Literal["coupler"] = "coupler"
    terms: PathSection[Anything]  # factor by coordinate
    offset: Anything = ZERO  # in the unit of the terms

    def rows(self, around: Surroundings) -> list[Row]:
        total = sum(around.number(factor) * around.value(name) for name, factor in self.terms.items())
        return [Row("effort of the coupling", total - around.number(self.offset))]
