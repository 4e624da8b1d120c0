"""Pairs of shapes that touch, one file each: from their places, where they are nearest.

In: two shapes with their places in the world. Out: for each point where they may touch its gap, normal and place.
"""

from collections.abc import Callable

from cardan.model.contacts.pairs import (
    balls,
    box_plane,
    capsule_capsule,
    capsule_plane,
    cylinder_plane,
    wheel_plane,
)
from cardan.model.contacts.pairs.geometry import Placed, Touch

__all__ = ["PAIRS", "ROUND", "Placed", "Touch", "touches"]

_LAWS: dict[tuple[str, str], Callable[[Placed, Placed], list[Touch]]] = {
    ("capsule", "plane"): capsule_plane.touches,
    ("capsule", "capsule"): capsule_capsule.touches,
    ("box", "plane"): box_plane.touches,
    ("cylinder", "plane"): cylinder_plane.touches,
    ("wheel", "plane"): wheel_plane.touches,
    **{(one, other): balls.touches for one in ("sphere", "points") for other in balls.LAWS},
    ("mesh", "plane"): balls.touches,
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
