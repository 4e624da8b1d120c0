"""What every constraint kind satisfies: equations Φ(q, t) = 0, or linear ones of the velocities, beside the joints'."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Protocol

from cardan.model.forces import MarkerMotion
from cardan.model.joints.closure import Row
from cardan.model.record import Record
from cardan.model.scalar import Scalar

__all__ = ["Constraint", "PlaceConstraint", "Surroundings"]

Number = Any  # casadi.SX or casadi.DM


class Surroundings(Protocol):
    """What a constraint may ask of the mechanism in a state of motion."""

    @property
    def normal(self) -> Number | None:
        """Unit normal (3,) of the plane of a planar model, world axes; None for spatial models."""

    def marker(self, place: str) -> MarkerMotion:
        """Motion of the ground, a body or a marker, in world axes."""

    def value(self, name: str) -> Number:
        """Value of what `name` stands for: a coordinate, velocity, point, parameter or t."""

    def number(self, scalar: Scalar, **more: Number) -> Number:
        """Value of an expression, `scalar`; `more` gives further names a meaning."""


class Constraint(Record):
    """A constraint of the mechanism."""

    on_velocity: ClassVar[bool] = False  # the rows are rates: they hold for velocities and come from no position

    @abstractmethod
    def rows(self, around: Surroundings) -> list[Row]:
        """Equations Φ = 0 in a state of motion."""


class PlaceConstraint(Constraint):
    """A constraint between a marker on `parent` and a marker on `child`."""

    parent: str = "ground"  # ground, body or body.marker
    child: str  # body or body.marker
