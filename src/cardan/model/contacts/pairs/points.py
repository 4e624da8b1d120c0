"""Points, or the corners of a mesh, at another shape: each is a ball of radius 0."""

from collections.abc import Callable

import casadi as ca

from cardan.model.contacts.pairs import geometry
from cardan.model.contacts.pairs.geometry import Number, Placed, Touch
from cardan.model.meshes import hull_of_mesh
from cardan.model.shapes import Mesh

LAWS: dict[str, Callable[[Number, Placed], Touch]] = {
    "plane": lambda p, b: geometry.ball_on_plane(p, 0, b),
    "sphere": lambda p, b: geometry.ball_on_ball(p, 0, b.p, b.shape.radius),  # type: ignore[attr-defined]
    "capsule": lambda p, b: geometry.ball_on_ball(p, 0, geometry.nearest_on_axis(b, p), b.shape.radius),  # type: ignore[attr-defined]
    "box": lambda p, b: geometry.ball_on_box(p, 0, b),
    "cylinder": lambda p, b: geometry.ball_on_cylinder(p, 0, b),
    "bowl": lambda p, b: geometry.ball_in_bowl(p, 0, b),
}
"""A point (3,) in the world at a shape of each kind."""


def touches(a: Placed, b: Placed) -> list[Touch]:
    """All points."""
    return [LAWS[b.shape.type](a.at(point), b) for point in _points(a)]  # type: ignore[attr-defined]


def _points(a: Placed) -> list[Number]:
    """The points (3,) in the axes of the shape; of a mesh the corners of its convex hull."""
    if isinstance(a.shape, Mesh):
        return [a.shape.scale * ca.DM(corner) for corner in hull_of_mesh(a.shape.file)]
    return [ca.vertcat(*point) for point in a.shape.points]  # type: ignore[attr-defined]
