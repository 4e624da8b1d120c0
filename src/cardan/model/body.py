"""Bodies: mass, centre of mass, inertia, markers, and shapes.

In: keys of the model file. Out: frozen records with the mass properties as CasADi numbers once resolved. A body knows
no joint.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.placement import Placement
from cardan.model.quantities.fields import InertiaProduct, Mass, MomentOfInertia, Position
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import ZERO, Record, Section
from cardan.model.shapes import AnyShape
from cardan.model.solids import MassProperties, assembled
from cardan.spatial.inertia import symmetric


class Marker(Placement):
    """A frame fixed to a body, given in body axes: T_BM."""

    part: str = ""  # of a flexible body: the rigid part on which it rides, and in whose axes it is given


class Ground(Record):
    """The base of a mechanism, which does not move."""

    markers: Section[Marker] = Section()  # frames fixed to the ground, in world axes
    shapes: tuple[AnyShape, ...] = ()  # what bodies touch, such as a floor

    @model_validator(mode="before")
    @classmethod
    def _markers_alone(cls, data: Any) -> Any:
        others = [key for key in data if key not in cls.model_fields] if isinstance(data, Mapping) else []
        if others:
            raise ModelError(
                Issue(f"the ground has no {key}", "it has markers and shapes only", (str(key),)) for key in others
            )
        return data

    def marker(self, name: str) -> Marker:
        """The marker `name`; "" stands for the world's own frame."""
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


_MASS = ("mass", "com", "inertia")


def _has_density(shape: Any) -> bool:
    return (shape.get("density") if isinstance(shape, Mapping) else getattr(shape, "density", None)) is not None


class Body(Record):
    """A rigid body; without an inertia, a point mass at its centre of mass.

    If one of its shapes has a density, mass, centre of mass and inertia are those of its shapes.
    """

    mass: Mass = ZERO  # [kg]
    com: Position = (ZERO, ZERO, ZERO)  # centre of mass in body axes [m]
    inertia: Tensor = (ZERO,) * 6  # Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass, body axes [kg m²]
    markers: Section[Marker] = Section()  # frames fixed to the body; `com` is one without being named
    shapes: tuple[AnyShape, ...] = ()  # for drawing; those with a density give mass, com and inertia
    bends_from: str = ""  # of a rigid part of a flexible body: the part before it

    @model_validator(mode="before")
    @classmethod
    def _check_once(cls, data: Any) -> Any:
        """Refuse mass properties that are stated and follow from densities too, defaults apart."""
        shapes = data.get("shapes") if isinstance(data, Mapping) else None
        if isinstance(shapes, (list, tuple)) and any(map(_has_density, shapes)):
            stated = [key for key in _MASS if key in data and data[key] != cls.model_fields[key].default]
            cure = "keep the densities, or delete them from the shapes"
            issues = [Issue(f"{key} is given, and the shapes have a density", cure, (key,)) for key in stated]
            if issues:
                raise ModelError(issues)
        return data

    @property
    def is_solid(self) -> bool:
        """Whether mass, centre of mass and inertia are those of the shapes."""
        return any(shape.density is not None for shape in self.shapes)

    def resolved(self, number: Callable[[Scalar], Any]) -> Self:
        """A copy with `number(scalar)` for scalars, and the mass properties of its shapes if they have a density."""
        body = super().resolved(number)
        if not self.is_solid:
            return body
        whole = assembled(body.solid_parts())
        I_C = whole.tensor
        tensor = (I_C[0, 0], I_C[1, 1], I_C[2, 2], I_C[0, 1], I_C[0, 2], I_C[1, 2])
        com = tuple(whole.com[k] for k in range(3))
        return body.unchecked(mass=whole.mass, com=com, inertia=tensor)

    def solid_parts(self) -> list[MassProperties]:
        """Mass properties of each shape with a density, in body axes; for a record whose scalars are resolved."""
        return [shape.mass_properties() for shape in self.shapes if shape.density is not None]

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
