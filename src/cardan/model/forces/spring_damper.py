"""Linear spring and damper between two points: F = k (ℓ − ℓ0) + d ℓ̇ along their line.

Source: Shabana 2020, §5.4 (force elements)
"""

from __future__ import annotations

from typing import Literal

import casadi as ca

from cardan.model.forces.load import Load, MarkerMotion, Number, Wrench
from cardan.model.quantities.fields import ZERO, Damping, Length, Stiffness

__all__ = ["SpringDamper"]


class SpringDamper(Load):
    """Spring between the origins of two markers; at a literal zero rest length the force k Δr has no singular point."""

    type: Literal["spring_damper"] = "spring_damper"
    transmits = ("force",)
    undefined = (
        "its markers coincide, which leaves its line without direction; keep them apart, "
        "or leave out its damping and rest_length"
    )
    stiffness: Stiffness = ZERO  # [N/m]
    damping: Damping = ZERO  # [N s/m]
    rest_length: Length = ZERO  # [m]

    def conservative(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        d = b.p - a.p
        if self._is_point_spring:
            return Wrench(ca.DM(3, 1), -self.stiffness * d)
        return Wrench(ca.DM(3, 1), -self.stiffness * (1 - self.rest_length / ca.norm_2(d)) * d)

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        if _is_zero(self.damping):
            return Wrench(ca.DM(3, 1), ca.DM(3, 1))
        d = b.p - a.p
        return Wrench(ca.DM(3, 1), -self.damping * ca.dot(d, b.v - a.v) / ca.dot(d, d) * d)

    def potential(self, a: MarkerMotion, b: MarkerMotion) -> Number:
        d = b.p - a.p
        if self._is_point_spring:
            return 0.5 * self.stiffness * ca.dot(d, d)
        return 0.5 * self.stiffness * (ca.norm_2(d) - self.rest_length) ** 2

    @property
    def _is_point_spring(self) -> bool:
        return _is_zero(self.rest_length)


def _is_zero(x: Number) -> bool:
    """Whether x is a literal zero; a parameter never is."""
    return ca.SX(x).is_zero()
