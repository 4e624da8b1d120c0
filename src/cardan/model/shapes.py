"""Shapes to draw a body with. They have no mass and change no motion."""

from __future__ import annotations

from typing import Annotated, Literal

from cardan.model.placement import Placement
from cardan.model.quantities.fields import Length
from cardan.model.records.variants import OneOf

__all__ = ["SHAPES", "AnyShape", "Box", "Cylinder", "Mesh", "Shape", "Sphere"]


class Shape(Placement):
    """A solid whose centre and axes are placed in body axes."""

    color: str = ""  # a name or #rrggbb; empty: chosen by the viewer


class Box(Shape):
    """A box with edges along x, y, z."""

    type: Literal["box"] = "box"
    size: tuple[Length, Length, Length]  # edges [m]


class Cylinder(Shape):
    """A cylinder along z, its centre in the middle."""

    type: Literal["cylinder"] = "cylinder"
    radius: Length  # [m]
    length: Length  # [m]


class Sphere(Shape):
    """A ball."""

    type: Literal["sphere"] = "sphere"
    radius: Length  # [m]


class Mesh(Shape):
    """A triangle mesh from a file (STL, OBJ, …)."""

    type: Literal["mesh"] = "mesh"
    file: str
    scale: float = 1.0  # metres per unit of the file


SHAPES: dict[str, type[Shape]] = {"box": Box, "cylinder": Cylinder, "sphere": Sphere, "mesh": Mesh}

AnyShape = Annotated[Shape, OneOf("shape", SHAPES)]
"""A shape of any kind; `type` says which."""
