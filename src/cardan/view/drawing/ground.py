"""The ground: pedestals below joints, hatched rails, walls at springs, floors."""

from collections.abc import Sequence

import numpy as np

from cardan.model.place import GROUND
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import UNIT
from cardan.view.scene.bodies import floors
from cardan.view.scene.still import StillPosition

_WAYS = np.array([[0.0, 1.0], [0.0, -1.0], [-1.0, 0.0], [1.0, 0.0]])
"""Directions of a pedestal (y downwards), in order of preference."""

_CLEAR = 0.6  # cosine of the angle to a link (53°) from which on a direction is free


def away_from(links: Sequence[np.ndarray]) -> np.ndarray:
    """The first direction (2,) of down, up, left and right that no link takes, else the one farthest from all."""
    units = [d / np.linalg.norm(d) for d in links if np.linalg.norm(d) > 1e-6]
    nearest = [max([float(way @ d) for d in units], default=-1.0) for way in _WAYS]
    free = [k for k, cosine in enumerate(nearest) if cosine < _CLEAR]
    return _WAYS[free[0] if free else int(np.argmin(nearest))]


def pedestal(pen: Pen, centre: np.ndarray, way: np.ndarray, reach: float) -> None:
    """Draw a triangle from a joint to the hatched ground."""
    across = np.array([-way[1], way[0]])
    foot = centre + way * reach
    half = 1.7 * UNIT
    pen.flat(np.array([centre, foot - half * across, foot + half * across]), "symbol", True)
    hatched(pen, foot - 1.5 * half * across, foot + 1.5 * half * across, way)


def hatched(pen: Pen, a: np.ndarray, b: np.ndarray, way: np.ndarray) -> None:
    """Draw a line that stands still."""
    d = np.asarray(b) - a
    length = float(np.linalg.norm(d))
    if not length:
        return
    d = d / length
    pen.flat(np.array([a, b]), "base")
    for k in range(max(1, round(length / 5.5))):
        start = a + d * (k + 0.75) * length / max(1, round(length / 5.5))
        pen.flat(np.array([start, start + 5.5 * way - 4.0 * d]), "hatch")


def wall(pen: Pen, point: np.ndarray, way: np.ndarray) -> None:
    """Draw a short piece of the ground across a direction."""
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    across = np.array([-way[1], way[0]])
    hatched(pen, point - 1.9 * UNIT * across, point + 1.9 * UNIT * across, way)


def draw_floors(pen: Pen, position: StillPosition, every: np.ndarray) -> None:
    """Draw the planes of the ground that are seen from their edge, below all points (n, 3) of the mechanism."""
    pen.owner = GROUND
    for part in floors(position, every.min(axis=0), every.max(axis=0)):
        R, p, size = position.frame(part.place)[0], position.origin(part.place)[0], part.form["size"]
        if part.owner == GROUND and abs(R[:, 2] @ pen.camera.toward) < 1e-6:
            half = 0.4 * size[0] * np.cross(R[:, 2], pen.camera.toward)
            top = p + 0.5 * size[2] * R[:, 2]
            hatched(pen, pen.at(top - half), pen.at(top + half), -pen.direction(R[:, 2]))
