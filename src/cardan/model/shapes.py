"""Shapes of a body: to draw it with, to touch others with and, where a density is given, for its mass and inertia."""

import math
from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Literal, Self

import casadi as ca
from pydantic import BeforeValidator, Field, model_validator

from cardan.errors import ModelError
from cardan.model.meshes import TEN, solid_of_mesh
from cardan.model.placement import Placement
from cardan.model.quantities.fields import Density, Position, Size
from cardan.model.records.kinds import OneOf
from cardan.model.records.section import FUNCTIONS, check_name
from cardan.model.solids import MassProperties, Solid
from cardan.spatial.inertia import symmetric


def _read_name(value: Any) -> Any:
    if value != "":
        check_name(value, FUNCTIONS)
    return value


class Shape(Placement):
    """A solid whose centre and axes are placed in body axes."""

    touches: ClassVar[bool] = True  # whether contacts that name its body mean it too

    name: Annotated[str, BeforeValidator(_read_name)] = ""  # by which contacts name it, behind that of its body
    color: str = ""  # a name or #rrggbb; empty: chosen by the viewer
    density: Density | None = None  # [kg/m³]; without it for drawing only; negative: material that is missing, a bore

    @abstractmethod
    def solid(self) -> Solid:
        """Volume, centre and inertia at density 1 in the shape's own axes, its scalars resolved."""

    def mass_properties(self) -> MassProperties:
        """Mass, centre and inertia in body axes, for a shape with a density whose scalars are resolved."""
        solid, R = self.solid(), self.orientation()
        c = ca.vertcat(*self.position) + R @ solid.centre
        return MassProperties(self.density * solid.volume, c, self.density * (R @ solid.tensor @ R.T))


class Box(Shape):
    """A box with edges along x, y, z."""

    type: Literal["box"] = "box"
    size: tuple[Size, Size, Size]  # edges [m]

    def solid(self) -> Solid:
        a, b, c = self.size
        V = a * b * c
        return Solid(V, ca.DM(3, 1), ca.diag(V / 12 * ca.vertcat(b**2 + c**2, a**2 + c**2, a**2 + b**2)))


class Cylinder(Shape):
    """A cylinder along z, its centre in the middle."""

    type: Literal["cylinder"] = "cylinder"
    radius: Size  # [m]
    length: Size  # [m]

    def solid(self) -> Solid:
        r, h = self.radius, self.length
        V = ca.pi * r**2 * h
        across = V * (3 * r**2 + h**2) / 12
        return Solid(V, ca.DM(3, 1), ca.diag(ca.vertcat(across, across, V * r**2 / 2)))


class Sphere(Shape):
    """A ball."""

    type: Literal["sphere"] = "sphere"
    radius: Size  # [m]

    def solid(self) -> Solid:
        V = 4 * ca.pi / 3 * self.radius**3
        return Solid(V, ca.DM(3, 1), 2 * V * self.radius**2 / 5 * ca.DM.eye(3))


class Capsule(Shape):
    """A cylinder along z with half a ball at each end; `length` is that of the cylinder, its centre in the middle."""

    type: Literal["capsule"] = "capsule"
    radius: Size  # [m]
    length: Size  # [m]

    def solid(self) -> Solid:
        r, h = self.radius, self.length
        tube, ball = ca.pi * r**2 * h, 4 * ca.pi / 3 * r**3
        along = tube * r**2 / 2 + 2 * ball * r**2 / 5
        across = tube * (3 * r**2 + h**2) / 12 + ball * (2 * r**2 / 5 + h**2 / 4 + 3 * h * r / 8)
        return Solid(tube + ball, ca.DM(3, 1), ca.diag(ca.vertcat(across, across, along)))


class Wheel(Shape):
    """A wheel that turns about z, with a round rim: a ring of balls of the radius `rim`, `radius` is that of the
    wheel.
    """

    type: Literal["wheel"] = "wheel"
    radius: Size  # [m]
    rim: Size  # [m]

    def solid(self) -> Solid:
        """Those of a cylinder of the same radius, as wide as the rim is thick."""
        return Cylinder.model_construct(radius=self.radius, length=2 * self.rim).solid()


class _Surface(Shape):
    """A shape without a volume."""

    @model_validator(mode="after")
    def _without_density(self) -> Self:
        if self.density is not None:
            raise ModelError(f"a shape of type {self.type} has no volume", "leave density out").under("density")  # type: ignore[attr-defined]
        return self

    def solid(self) -> Solid:
        return Solid(ca.DM(0), ca.DM(3, 1), ca.DM(3, 3))


class PlaneShape(_Surface):
    """A half space below its own plane z = 0."""

    type: Literal["plane"] = "plane"


class Bowl(_Surface):
    """The inside of a sphere; pictures show its lower half, below z = 0 of its own axes."""

    type: Literal["bowl"] = "bowl"
    radius: Size  # [m]


class Points(_Surface):
    """Points of a body, such as the corners of a foot."""

    type: Literal["points"] = "points"
    points: tuple[Position, ...] = Field(min_length=1)  # in the shape's own axes [m]


def _ten_numbers(value: Any) -> Any:
    try:
        if len(value) == len(TEN) and all(math.isfinite(entry) for entry in value):
            return tuple(float(entry) for entry in value)
    except (TypeError, OverflowError):
        pass
    raise ModelError(f"{f'{value!r:.60}'} are not ten numbers", f"write [{', '.join(TEN)}], or leave the key out")


Integrals = Annotated[tuple[float, ...], BeforeValidator(_ten_numbers)]
"""The ten numbers of a mesh: `cardan.model.meshes.TEN`."""


class Mesh(Shape):
    """A triangle mesh from a file (STL, OBJ, …)."""

    touches = False

    type: Literal["mesh"] = "mesh"
    file: str
    scale: float = Field(default=1.0, gt=0)  # metres per unit of the file
    integrals: Integrals | None = None  # volume, centre, inertia at density 1, in units of the file; read from it

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any) -> Any:
        """Add the integrals, which a density needs; the record then needs the file no more."""
        if data.get("density") is None or data.get("integrals") is not None or not isinstance(data.get("file"), str):
            return data
        try:
            return {**data, "integrals": solid_of_mesh(data["file"])}
        except ModelError as error:
            raise error.under("file") from None

    def solid(self) -> Solid:
        assert self.integrals is not None  # a mesh with a density has them
        V, x, y, z, *tensor = self.integrals
        s = ca.DM(self.scale)
        return Solid(s**3 * V, s * ca.DM([x, y, z]), s**5 * symmetric(*tensor))


SHAPES: dict[str, type[Shape]] = {
    "box": Box,
    "cylinder": Cylinder,
    "sphere": Sphere,
    "capsule": Capsule,
    "wheel": Wheel,
    "plane": PlaneShape,
    "points": Points,
    "bowl": Bowl,
    "mesh": Mesh,
}

AnyShape = Annotated[Shape, OneOf("shape", SHAPES)]
"""A shape of any kind; `type` says which."""
