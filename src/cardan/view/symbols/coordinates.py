"""How coordinates of joints look in kinematic diagrams: arrows from where they are zero to where they are."""

import math
from collections.abc import Sequence

import numpy as np

from cardan.view.drawing.joint_view import JointView, rail_side
from cardan.view.drawing.marks.loads import turning_arrow
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import ANGLE_LINE, COORDINATE_OFFSET, UNIT
from cardan.view.scene.directions import along

_RADIUS = 5.0  # of the arc of an angle, over that of a joint's symbol
_SMALL = math.radians(8)  # angle below which an arc shows the sense alone
_SENSE = math.radians(50)  # of such an arc


Drawn = list[tuple[str, np.ndarray, float, str]]
"""Suffix of the name, point of the words (2,), value, unit."""


def _angle(pen: Pen, view: JointView, centre: np.ndarray, R: np.ndarray, value: float, radius: float) -> np.ndarray:
    """An arc about z of some axes, from their x to the value; returns the point of its words."""
    start = _zero_direction(pen, view, R, value)
    first = start[:, 0]
    pen.line([centre, centre + first * max(ANGLE_LINE / pen.scale, (radius + 1.5) * pen.unit)], "zero")
    turn = math.remainder(value, 2 * math.pi) if abs(value) > 2 * math.pi else value
    if abs(turn) < _SMALL:
        turn = _SENSE
    return turning_arrow(pen, centre, start, radius * pen.unit, 0.0, turn, "coordinate")


def _zero_direction(pen: Pen, view: JointView, R: np.ndarray, value: float) -> np.ndarray:
    """Axes whose z is that of R, and whose x is where the child's longest link points at zero."""
    axis, best = R[:, 2], view.longest_link()
    if best is None or np.linalg.norm(best) < 2 * pen.unit:
        return R
    x = best / np.linalg.norm(best)
    now = np.column_stack([x, np.cross(axis, x), axis])
    c, s = math.cos(-value), math.sin(-value)
    return np.column_stack([c * now[:, 0] + s * now[:, 1], -s * now[:, 0] + c * now[:, 1], axis])


def _length(
    pen: Pen, start: np.ndarray, axis: np.ndarray, value: float, beside: np.ndarray | None = None
) -> np.ndarray:
    """An arrow beside an axis from zero to the value; returns the point of its words."""
    d = pen.direction(axis)
    seen = float(np.linalg.norm(d))
    if seen < 0.15:
        return pen.at(start)
    n = np.array([-d[1], d[0]]) / seen
    if n[1] > 1e-9 or (abs(n[1]) < 1e-9 and n[0] < 0):
        n = -n
    shift = COORDINATE_OFFSET * n if beside is None else beside
    n = shift / np.linalg.norm(shift)
    a, b = pen.at(start), pen.at(start + axis * value)
    if np.linalg.norm(b - a) < 2 * UNIT:
        b = a + d / seen * 3.6 * UNIT
    tail, tip = a + shift, b + shift
    pen.flat(np.array([a + 4 * n, tail + 4 * n]), "zero")
    if abs(value) * seen * pen.scale >= 2 * UNIT:
        pen.flat(np.array([b + 4 * n, tip + 4 * n]), "zero")
    pen.arrow(tail, tip, "coordinate", 6.0)
    return np.asarray((tail + tip) / 2)


def turns(pen: Pen, view: JointView, q: Sequence[float]) -> Drawn:
    """An angle about the axis."""
    return [("", _angle(pen, view, view.c, view.R, q[0], _RADIUS), q[0], "rad")]


def slides(pen: Pen, view: JointView, q: Sequence[float]) -> Drawn:
    """A length along the axis."""
    beside = None
    if view.on_ground and np.linalg.norm(pen.direction(view.R[:, 2])) > 0.2:  # below the hatched rail
        way, offset = rail_side(pen, view, 1.6 * UNIT)
        beside = way * (offset + 17.0)
    return [("", _length(pen, view.p, view.R[:, 2], q[0], beside), q[0], "m")]


def turns_and_slides(pen: Pen, view: JointView, q: Sequence[float]) -> Drawn:
    """A length along the axis, and an angle about it."""
    return [
        (".d", _length(pen, view.p, view.R[:, 2], q[0]), q[0], "m"),
        (".r", _angle(pen, view, view.c, view.R, q[1], _RADIUS), q[1], "rad"),
    ]


def turns_twice(pen: Pen, view: JointView, q: Sequence[float]) -> Drawn:
    """Angles about both axes."""
    second = along(view.R_child[:, 0])
    return [
        (".r1", _sense(pen, view, view.R, q[0], _RADIUS), q[0], "rad"),
        (".r2", _sense(pen, view, second, q[1], _RADIUS - 1.5), q[1], "rad"),
    ]


def _sense(pen: Pen, view: JointView, R: np.ndarray, value: float, radius: float) -> np.ndarray:
    """An arc that shows the sense alone: the angle counts from a direction that no line shows."""
    return turning_arrow(pen, view.c, R, radius * pen.unit, -0.6, 1.2, "coordinate")


def moves_in_plane(pen: Pen, view: JointView, q: Sequence[float]) -> Drawn:
    """Lengths along x and y, and an angle about z."""
    corner = view.p + view.R[:, 0] * q[0]
    return [
        (".x", _length(pen, view.p, view.R[:, 0], q[0]), q[0], "m"),
        (".y", _length(pen, corner, view.R[:, 1], q[1]), q[1], "m"),
        (".rz", _angle(pen, view, view.c, view.R, q[2], _RADIUS), q[2], "rad"),
    ]


def moves_in_space(pen: Pen, view: JointView, q: Sequence[float]) -> Drawn:
    """Lengths along x, y and z."""
    out, corner = [], view.p
    for k, suffix in enumerate((".x", ".y", ".z")):
        out.append((suffix, _length(pen, corner, view.R[:, k], q[k]), q[k], "m"))
        corner = corner + view.R[:, k] * q[k]
    return out
