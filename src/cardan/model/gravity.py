"""Gravity: the same everywhere, towards a point, or a field of its own.   Source: docs/model_file.md, "Gravity" """

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import casadi as ca
from pydantic import WrapValidator

from cardan.model.quantities.fields import FieldComponent, GravitationalParameter, Position
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.records.record import Record

Number = Any  # casadi.SX or casadi.DM


class PointGravity(Record):
    """Gravity towards a point, of the size μ/r² at the distance r from it."""

    mu: GravitationalParameter  # μ, the gravitational constant times the attracting mass [m³/s²]
    center: Position = (ZERO, ZERO, ZERO)  # in the world

    def acceleration(self, p: Number) -> Number:
        """Acceleration (3,) [m/s²] at a place p (3,) in the world."""
        r = p - ca.vertcat(*self.center)
        return -self.mu * r / ca.norm_2(r) ** 3

    def potential(self, p: Number) -> Number:
        """Potential energy per mass [J/kg]: zero at an infinite distance."""
        return -self.mu / ca.norm_2(p - ca.vertcat(*self.center))


def _read(value: Any, components: Callable[[Any], Any]) -> Any:
    if isinstance(value, Mapping):
        return PointGravity(**{str(key): entry for key, entry in value.items()})
    return value if isinstance(value, PointGravity) else components(value)


if TYPE_CHECKING:
    Gravity = PointGravity | tuple[Scalar, Scalar, Scalar]
else:
    Gravity = Annotated[tuple[FieldComponent, FieldComponent, FieldComponent], WrapValidator(_read)]
"""Three components, which may be expressions of the place x, y, z; or `{mu: …, center: […]}`."""
