"""A sphere, points or the corners of a mesh at another shape: balls, of radius 0 where they are points."""

from collections.abc import Callable

import casadi as ca

from cardan.model.contacts.pairs import geometry
from cardan.model.contacts.pairs.geometry import Number, Placed, Touch
from cardan.model.meshes import hull_of_mesh
from cardan.model.shapes import Mesh, Sphere

LAWS: dict[str, Callable[[Number, Number, Placed], Touch]] = {
    "plane": lambda p, r, b: geometry.ball_on_plane(p, r, b, radius=r, lever=r),
    "sphere": lambda p, r, b: geometry.ball_on_ball(p, r, b.p, b.shape.radius),  # type: ignore[attr-defined]
    "capsule": lambda p, r, b: geometry.ball_on_ball(p, r, geometry.nearest_on_axis(b, p), b.shape.radius),  # type: ignore[attr-defined]
    "box": geometry.ball_on_box,
    "cylinder": geometry.ball_on_cylinder,
    "bowl": geometry.ball_in_bowl,
}
"""A ball with its centre (3,) in the world and its radius at a shape of each kind."""


def touches(a: Placed, b: Placed) -> list[Touch]:
    """Each ball, where it is nearest."""
    return [LAWS[b.shape.type](a.at(centre), radius, b) for centre, radius in _balls(a)]  # type: ignore[attr-defined]


def _balls(a: Placed) -> list[tuple[Number, Number]]:
    """Centres (3,) in the axes of the shape, and radii; of a mesh the corners of its convex hull."""
    if isinstance(a.shape, Sphere):
        return [(ca.DM(3, 1), a.shape.radius)]
    if isinstance(a.shape, Mesh):
        return [(a.shape.scale * ca.DM(corner), 0) for corner in hull_of_mesh(a.shape.file)]
    return [(ca.vertcat(*point), 0) for point in a.shape.points]  # type: ignore[attr-defined]
