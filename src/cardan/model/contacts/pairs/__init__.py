"""Pairs of shapes that touch, one file each: from their places, where they are nearest.

In: two shapes with their places in the world. Out: for each point where they may touch its gap, normal and place.
"""

from collections.abc import Callable

from cardan.model.contacts.pairs import (
    box_plane,
    box_sphere,
    capsule_capsule,
    capsule_plane,
    capsule_sphere,
    cylinder_plane,
    cylinder_sphere,
    points,
    sphere_bowl,
    sphere_plane,
    sphere_sphere,
    wheel_plane,
)
from cardan.model.contacts.pairs.geometry import Placed, Touch

__all__ = ["PAIRS", "ROUND", "Placed", "Touch", "touches"]

_LAWS: dict[tuple[str, str], Callable[[Placed, Placed], list[Touch]]] = {
    ("sphere", "plane"): sphere_plane.touches,
    ("sphere", "sphere"): sphere_sphere.touches,
    ("capsule", "plane"): capsule_plane.touches,
    ("capsule", "sphere"): capsule_sphere.touches,
    ("capsule", "capsule"): capsule_capsule.touches,
    ("box", "plane"): box_plane.touches,
    ("box", "sphere"): box_sphere.touches,
    ("cylinder", "plane"): cylinder_plane.touches,
    ("cylinder", "sphere"): cylinder_sphere.touches,
    ("wheel", "plane"): wheel_plane.touches,
    **{("points", kind): points.touches for kind in points.LAWS},
    ("mesh", "plane"): points.touches,
    ("sphere", "bowl"): sphere_bowl.touches,
}
PAIRS = frozenset([*_LAWS, *((b, a) for a, b in _LAWS)])
"""Kinds of shapes that can touch, in both orders."""
ROUND = frozenset(
    pair
    for pair in PAIRS
    if "points" not in pair and "mesh" not in pair and {*pair} not in ({"box", "plane"}, {"cylinder", "plane"})
)
"""Those of them that have a radius of curvature where they touch."""


def touches(a: Placed, b: Placed) -> list[Touch]:
    """Where two shapes may touch; normals point from b to a."""
    kinds = a.shape.type, b.shape.type  # type: ignore[attr-defined]
    if kinds in _LAWS:
        return _LAWS[kinds](a, b)
    return [touch.turned_round() for touch in _LAWS[kinds[::-1]](b, a)]
