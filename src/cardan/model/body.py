"""Bodies: mass, centre of mass, inertia, markers, and shapes to draw.

In: keys of the model file. Out: frozen records with the mass properties as CasADi numbers once resolved. A body knows
no joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.placement import Placement
from cardan.model.quantities.fields import InertiaProduct, Mass, MomentOfInertia, Position
from cardan.model.records.record import ZERO, Record, Section
from cardan.model.shapes import AnyShape
from cardan.spatial.inertia import symmetric

__all__ = ["Body", "Ground", "Marker", "Tensor"]


class Marker(Placement):
    """A frame fixed to a body, given in body axes: T_BM."""


class Ground(Record):
    """The base of a mechanism, which does not move."""

    markers: Section[Marker] = Section()  # frames fixed to the ground, in world axes

    @model_validator(mode="before")
    @classmethod
    def _markers_alone(cls, data: Any) -> Any:
        others = [key for key in data if key not in cls.model_fields] if isinstance(data, Mapping) else []
        if others:
            raise ModelError(Issue(f"the ground has no {key}", "it has markers only", (str(key),)) for key in others)
        return data

    def marker(self, name: str) -> Marker:
        """The marker `name`; "" stands for the world's own frame.

        Parameters
        ----------
        name : str
            Name of a marker.

        Raises
        ------
        KeyError
            There is no such marker.
        """
        return self.markers[name] if name else Marker.model_construct()


def _six_entries(value: Any) -> Any:
    """Three moments of inertia without products stand for six entries with zeros, in both ways of writing."""
    if not isinstance(value, (list, tuple)):
        raise ModelError(f"{f'{value!r:.60}'} is not a list", "write [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]")
    if len(value) not in (3, 6):
        cure = "write [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]"
        raise ModelError(f"an inertia has 3 or 6 entries, not {len(value)}", cure)
    return tuple(value) if len(value) == 6 else (*value, ZERO, ZERO, ZERO)


Tensor = Annotated[
    tuple[MomentOfInertia, MomentOfInertia, MomentOfInertia, InertiaProduct, InertiaProduct, InertiaProduct],
    BeforeValidator(_six_entries),
]
"""Tensor elements Ixx Iyy Izz Ixy Ixz Iyz [kg m²]; the last three may be missing."""


class Body(Record):
    """A rigid body; without an inertia, a point mass at its centre of mass."""

    mass: Mass = ZERO  # [kg]
    com: Position = (ZERO, ZERO, ZERO)  # centre of mass in body axes [m]
    inertia: Tensor = (ZERO,) * 6  # about the centre of mass, body axes [kg m²]
    markers: Section[Marker] = Section()  # frames fixed to the body; `com` is one without being named
    shapes: tuple[AnyShape, ...] = ()  # drawing only

    def inertia_matrix(self) -> Any:
        """I_C (3×3): tensor about the centre of mass in body axes, for a record whose scalars are resolved."""
        return symmetric(*self.inertia)

    def marker(self, name: str) -> Marker:
        """The marker `name`; "com" stands for body axes at the centre of mass, "" for the body's own frame.

        Parameters
        ----------
        name : str
            Name of a marker.

        Raises
        ------
        KeyError
            There is no such marker.
        """
        if name == "com":
            return Marker.model_construct(position=self.com)
        return self.markers[name] if name else Marker.model_construct()
