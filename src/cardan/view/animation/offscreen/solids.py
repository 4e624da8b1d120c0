"""Solids of a scene as triangles, with the corners that the page's program gives them (`viewer/src/forms.js`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.frozen import dataclass
from cardan.view.scene.curves import tube
from cardan.view.scene.look import LOOK
from cardan.view.scene.records import Form

__all__ = ["Surface", "arc_of_moment", "coil", "solid_of", "upright"]


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface of triangles."""

    corners: np.ndarray  # (n, 3) [m]
    triangles: np.ndarray  # (m, 3) indices of corners
    has_edges: bool  # whether its sharp edges are drawn as lines


def solid_of(form: Form) -> Surface:
    """The surface of a solid.

    Parameters
    ----------
    form : mapping
        A solid by its `type` and sizes.
    """
    return _MAKERS[form["type"]](form)


def upright(top: float, bottom: float, low: float, high: float, sides: int = 24) -> Surface:
    """A cylinder or cone along z.

    Parameters
    ----------
    top, bottom : float
        Radii at its ends [m].
    low, high : float
        z of its ends [m].
    sides : int
        Corners of its cross-section.
    """
    return _revolved([(0.0, low), (bottom, low), (top, high), (0.0, high)], sides)


def coil(radius: float, length: float, turns: int, wire: float) -> Surface:
    """A helix from z = 0 to z = length with straight ends on its axis.

    Parameters
    ----------
    radius, length : float
        Of the helix [m].
    turns : int
        Number of its turns.
    wire : float
        Radius of the wire [m].
    """
    begin, end = LOOK["coil"]["begin"], LOOK["coil"]["end"]
    angle = np.linspace(0.0, 2 * np.pi * turns, 20 * turns + 1)
    helix = np.column_stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.linspace(begin * length, end * length, angle.size)]
    )
    ends = [[0, 0, z * length] for z in (0.0, begin / 2, (1 + end) / 2, 1.0)]
    return _mesh(tube(np.vstack([ends[:2], helix, ends[2:]]), wire))


def arc_of_moment(thick: float) -> Surface:
    """Three quarters of a ring of radius 1 around z.

    Parameters
    ----------
    thick : float
        Radius of its cross-section [m].
    """
    angle = np.linspace(0.0, 1.5 * np.pi, 41)
    return _mesh(tube(np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)]), thick))


def _revolved(outline: list[tuple[float, float]], sides: int, *, has_edges: bool = True) -> Surface:
    """What an outline of points (distance from z, z) sweeps around z; its first corner lies at −y, as on the page."""
    r, z = np.array(outline, dtype=float).T
    angle = 2 * np.pi * np.arange(sides) / sides - np.pi / 2
    rings = r[:, None, None] * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(sides)])
    rings[:, :, 2] = z[:, None]
    return Surface(rings.reshape(-1, 3), _strips(len(outline), sides, r > 0), has_edges)


def _strips(rings: int, sides: int, wide: np.ndarray) -> np.ndarray:
    """Triangles between each ring of corners and the next; none along a ring that is a point."""
    out = []
    for k in range(rings - 1):
        for i in range(sides):
            a, b = k * sides + i, k * sides + (i + 1) % sides
            out += [(a, b, b + sides)] if wide[k] else []
            out += [(a, b + sides, a + sides)] if wide[k + 1] else []
    return np.array(out)


def _extruded(outline: np.ndarray, inner: np.ndarray, length: float) -> Surface:
    """A plate whose outline has as many corners (n, 2) as its hole; a hole that is a point is none."""
    count = len(outline)
    half = length / 2
    rings = [(inner, half), (outline, half), (outline, -half), (inner, -half), (inner, half)]
    corners = [np.column_stack([points, np.full(count, z)]) for points, z in rings]
    wide = np.array([bool(np.ptp(points)) for points, _ in rings])
    kept = rings if wide[0] else rings[:-1]
    return Surface(np.vstack(corners[: len(kept)]), _strips(len(kept), count, wide), True)


def _box(f: Form) -> Surface:
    x, y, z = (float(edge) / 2 for edge in f["size"])
    return _extruded(np.array([(-x, -y), (x, -y), (x, y), (-x, y)]), np.zeros((4, 2)), 2 * z)


def _sphere(f: Form) -> Surface:
    return _ball(f["radius"], np.linspace(-np.pi / 2, np.pi / 2, 21), has_edges=False)


def _bowl(f: Form) -> Surface:
    return _ball(f["radius"], np.linspace(-np.pi / 2, 0.0, 13), has_edges=True)


def _ball(radius: float, latitudes: np.ndarray, *, has_edges: bool) -> Surface:
    r = np.where(np.abs(latitudes) < np.pi / 2, np.cos(latitudes), 0.0)  # 0 at the poles, where no triangle lies
    return _revolved([*zip(radius * r, radius * np.sin(latitudes), strict=True)], 32, has_edges=has_edges)


def _ring(f: Form) -> Surface:
    r, inner, half = f["radius"], f["inner"], f["length"] / 2
    return _revolved([(inner, -half), (r, -half), (r, half), (inner, half), (inner, -half)], 40)


def _rotor(f: Form) -> Surface:
    """A disc with a notch, by which one sees it turn."""
    notch, depth = LOOK["rotor"]["notch"], LOOK["rotor"]["depth"]
    angle = np.linspace(notch, 2 * np.pi - notch, 41)
    outline = f["radius"] * np.vstack([np.column_stack([np.cos(angle), np.sin(angle)]), [depth, 0.0]])
    return _extruded(outline, np.zeros_like(outline), f["length"])


def _gear(f: Form) -> Surface:
    teeth, radius = f["teeth"], f["radius"]
    depth = min(2 * radius / teeth, LOOK["gear"]["deepest"] * radius)
    flank = np.array(LOOK["gear"]["flank"])
    angle = 2 * np.pi / teeth * (np.arange(teeth)[:, None] + flank[:, 0]).ravel()
    way = np.column_stack([np.cos(angle), np.sin(angle)])
    outline = (radius + depth * np.tile(flank[:, 1], teeth))[:, None] * way
    if f["internal"]:
        return _extruded((radius + LOOK["gear"]["rim"] * depth) * way, outline, f["length"])
    return _extruded(outline, np.zeros_like(outline), f["length"])


def _coil(f: Form) -> Surface:
    standing = coil(f["radius"], f["length"], f["turns"], f["wire"])
    return Surface(standing.corners - [0, 0, f["length"] / 2], standing.triangles, False)


def _mesh(f: Form) -> Surface:
    return Surface(np.asarray(f["corners"], dtype=float), np.asarray(f["triangles"]), False)


def _cylinder(f: Form) -> Surface:
    return upright(f["radius"], f["radius"], -f["length"] / 2, f["length"] / 2, f.get("sides", 40))


def _cone(f: Form) -> Surface:
    return upright(LOOK["cone"]["top"] * f["radius"], f["radius"], -f["length"] / 2, f["length"] / 2)


_MAKERS: dict[str, Callable[[Any], Surface]] = {
    "box": _box,
    "cylinder": _cylinder,
    "cone": _cone,
    "sphere": _sphere,
    "bowl": _bowl,
    "ring": _ring,
    "rotor": _rotor,
    "gear": _gear,
    "coil": _coil,
    "mesh": _mesh,
}
"""Surface of a solid, by its type."""
