"""Rods that bend, as rings across them between which a viewer spans one solid.

The hinges of a rod lie outside its curve, whose tangents its parts are: it touches each part in the middle, the first
and the last one at the ends of the rod. Between two such points it is the quadratic Bézier curve with the hinge as its
middle point: a ring at u is the mean of a ring on either part, with the weights 1 − u and u.

Source: Farin 2002, *Curves and Surfaces for CAGD*, §4.1 (quadratic Bézier curves)
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from cardan.model.shapes import Box, Cylinder
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import BentRod, Ring

_RINGS = 4  # from a part to the next
_ROUND = 32  # corners of a circle, as of a cylinder


def bent_rods(motion: Positions, chosen: dict[str, str]) -> Iterator[BentRod]:
    """The rods of a mechanism, with the colours of bodies for those that have none of their own."""
    for name, parts in motion.rods.items():
        shapes = [motion.model.bodies[part].shapes[0].resolved(motion.number) for part in parts]
        shape = shapes[0]
        lengths = [float(one.size[0] if isinstance(one, Box) else one.length) for one in shapes]  # type: ignore[attr-defined]
        rings = tuple(_rings(parts, lengths))
        yield BentRod(name, _outline(shape), isinstance(shape, Cylinder), rings, shape.color or chosen[name])  # type: ignore[arg-type]


def rod_curve(motion: Positions, rod: BentRod) -> np.ndarray:
    """Centres (N, rings, 3) of the rings of a rod over time."""
    return np.stack(
        [
            sum(
                share * (motion.position(body) + x * motion.axes(body)[:, :, 0])
                for body, share, x in ((ring.a, 1 - ring.u, ring.xa), (ring.b, ring.u, ring.xb))
            )
            for ring in rod.rings
        ],
        axis=1,
    )


def _rings(parts: tuple[str, ...], lengths: list[float]) -> Iterator[Ring]:
    """The rings from the origin on."""
    last = len(parts) - 2
    for k, (a, b) in enumerate(pairwise(parts)):
        before, after = lengths[k] / (2 if k else 1), lengths[k + 1] / (2 if k < last else 1)
        for u in np.linspace(0, 1, _RINGS + 1)[: None if k == last else -1]:
            yield Ring(a, b, float(u), lengths[k] - before * (1 - u), after * u)


def _outline(shape: Box | Cylinder) -> np.ndarray:
    """Corners (n, 2) of a section in y and z, counter-clockwise seen from its x."""
    if isinstance(shape, Box):
        return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [float(edge) / 2 for edge in shape.size[1:]]
    turn = np.linspace(0, 2 * np.pi, _ROUND, endpoint=False)
    return float(shape.radius) * np.column_stack([np.cos(turn), np.sin(turn)])
