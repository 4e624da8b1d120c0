"""Linear spring and damper between two points: F = k (ℓ − ℓ0) + d ℓ̇ along their line, or along an axis.

On an axis n of the parent marker ℓ is the signed distance n · (b − a), regular also where the points pass each other.

Source: Shabana 2020, §5.4 (force elements)
"""

from collections.abc import Iterator
from typing import Literal

import casadi as ca

from cardan.errors import Issue
from cardan.model.forces.load import Load, MarkerMotion, Number, Wrench
from cardan.model.plane import Plane
from cardan.model.quantities.fields import Damping, Direction, Length, Stiffness
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.element import AxesOf, ValueOf
from cardan.spatial.rotations import align_z


class SpringDamper(Load):
    """Spring between the origins of two markers; at a literal zero rest length the force k Δr has no singular point."""

    type: Literal["spring_damper"] = "spring_damper"
    transmits = ("force",)
    undefined = (
        "its markers coincide, which leaves its line without direction; keep them apart, "
        "give it an axis, or leave out its damping and rest_length"
    )
    stiffness: Stiffness = ZERO  # [N/m]
    damping: Damping = ZERO  # [N s/m]
    rest_length: Length = ZERO  # [m]
    axis: Direction | None = None  # parent marker; along it the length is signed; None: the line between the markers

    def planarity_issues(self, plane: Plane, axes_of: AxesOf, value_of: ValueOf) -> Iterator[Issue]:
        if self.axis is not None and not plane.contains(
            axes_of(self.parent) @ [value_of(entry) for entry in self.axis]
        ):
            fault, cure = f"the axis does not lie in the plane {plane.name}", "change axis, or leave planar out"
            yield Issue(fault, cure, ("axis",))

    @property
    def needs_line(self) -> bool:
        return self.axis is None and not (self._is_point_spring and _is_zero(self.damping))

    def conservative(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        if self.axis is not None:
            n, length, _ = self._on_axis(a, b)
            return Wrench(ca.DM(3, 1), -self.stiffness * (length - self.rest_length) * n)
        d = b.p - a.p
        if self._is_point_spring:
            return Wrench(ca.DM(3, 1), -self.stiffness * d)
        return Wrench(ca.DM(3, 1), -self.stiffness * (1 - self.rest_length / ca.norm_2(d)) * d)

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        if _is_zero(self.damping):
            return Wrench(ca.DM(3, 1), ca.DM(3, 1))
        if self.axis is not None:
            n, _, rate = self._on_axis(a, b)
            return Wrench(ca.DM(3, 1), -self.damping * rate * n)
        d = b.p - a.p
        return Wrench(ca.DM(3, 1), -self.damping * ca.dot(d, b.v - a.v) / ca.dot(d, d) * d)

    def potential(self, a: MarkerMotion, b: MarkerMotion) -> Number:
        if self.axis is not None:
            _, length, _ = self._on_axis(a, b)
            return 0.5 * self.stiffness * (length - self.rest_length) ** 2
        d = b.p - a.p
        if self._is_point_spring:
            return 0.5 * self.stiffness * ca.dot(d, d)
        return 0.5 * self.stiffness * (ca.norm_2(d) - self.rest_length) ** 2

    def _on_axis(self, a: MarkerMotion, b: MarkerMotion) -> tuple[Number, Number, Number]:
        """Axis n (3,) in the world, signed length along it and its rate; n turns with the parent."""
        assert self.axis is not None, "asked for springs on an axis only"
        n = a.R @ align_z(ca.vertcat(*self.axis))[:, 2]
        d = b.p - a.p
        return n, ca.dot(n, d), ca.dot(n, b.v - a.v - ca.cross(a.w, d))

    @property
    def _is_point_spring(self) -> bool:
        return _is_zero(self.rest_length)


def _is_zero(x: Number) -> bool:
    """Whether x is a literal zero; a parameter never is."""
    return ca.SX(x).is_zero()
