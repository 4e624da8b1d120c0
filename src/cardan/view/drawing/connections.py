"""Springs, dampers and rods between points, lines and curves on which points slide, wheels of gears."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.view.drawing.ground import wall
from cardan.view.drawing.pen import Pen, circle_points
from cardan.view.drawing.sizes import SHORTEST_SPRING, UNIT
from cardan.view.scene.bodies import ports
from cardan.view.scene.connections import links
from cardan.view.scene.curves import CURVES
from cardan.view.scene.directions import along
from cardan.view.scene.drives import gear_parts, planets
from cardan.view.scene.joints import SYMBOLS
from cardan.view.scene.records import Disc, ScenePart
from cardan.view.scene.still import StillPosition

__all__ = ["curve_lines", "draw_connections", "draw_curves", "draw_gears", "line_axis"]


def draw_connections(pen: Pen, position: StillPosition) -> dict[str, np.ndarray]:
    """Draw springs, dampers and rods; return the middle (2,) of each by its name."""
    middles, cylinders = {}, {name for name, *_ in ports(position.model)}
    for strut in links(position, pen.unit):
        a, b = pen.at(position.origin(strut.a)[0]), pen.at(position.origin(strut.b)[0])
        pen.owner = f"{'rod' if strut.kind == 'rod' else 'spring'} {strut.owner}"
        if strut.kind == "rod":
            pen.flat(np.array([a, b]), "rod")
            for end in (a, b):
                pen.disc(end, 3.4, "symbol", count=16)
        else:
            if strut.a.body in position.still:
                a = _apart(pen, position, strut.owner, a, b)
                wall(pen, a, a - b)
            elif strut.b.body in position.still:
                b = _apart(pen, position, strut.owner, b, a)
                wall(pen, b, b - a)
            (_cylinder if strut.owner in cylinders else _LOOKS[strut.kind])(pen, a, b)
        middles[strut.owner] = (a + b) / 2
    for name, joint in position.model.joints.items():
        if joint.stiffness is not None and SYMBOLS[joint.type].spring == "spiral":
            place = position.joint_places(joint)[0]
            pen.owner = f"spring {name}"
            _spiral(pen, position.origin(place)[0], position.frame(place)[0])
    for name, force in position.model.forces.items():
        if draw := _FORCES.get(force.type):
            pen.owner = f"spring {name}"
            middles[name] = draw(pen, position, force)
    return middles


def _apart(pen: Pen, position: StillPosition, name: str, ground: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The end on the ground, moved away along the axis where the spring would be too short to be seen."""
    d = ground - other
    length = float(np.linalg.norm(d))
    if length >= SHORTEST_SPRING:
        return ground
    record: Any = position.model.forces.get(name) or position.model.joints.get(name)
    axis = getattr(record, "axis", None)
    if length > 1.0:
        way = d / length
    else:
        flat = np.zeros(2)
        if axis is not None:
            place, vector = position.place(record.parent), np.array([position.number(x) for x in axis])
            flat = pen.direction(-position.frame(place)[0] @ vector)
        size = float(np.linalg.norm(flat))
        way = flat / size if size > 0.2 else np.array([-1.0, 0.0])
    return np.asarray(other + way * SHORTEST_SPRING * 1.4)


def _zigzag(pen: Pen, a: np.ndarray, b: np.ndarray, width: float = 1.1 * UNIT) -> None:
    d = b - a
    length = float(np.linalg.norm(d))
    if length < 1.0:
        return
    d, n = d / length, np.array([-d[1], d[0]]) / length
    teeth = int(np.clip(length / (1.5 * UNIT), 4, 12))
    start, end = 0.14 * length, 0.86 * length
    points = [a, a + d * start]
    for k in range(2 * teeth):
        side = width * (1 if k % 2 else -1)
        points.append(a + d * (start + (k + 0.5) * (end - start) / (2 * teeth)) + n * side)
    pen.flat(np.array([*points, a + d * end, b]), "spring")


def _dashpot(pen: Pen, a: np.ndarray, b: np.ndarray, width: float = 0.9 * UNIT) -> None:
    d = b - a
    length = float(np.linalg.norm(d))
    if length < 1.0:
        return
    d, n = d / length, np.array([-d[1], d[0]]) / length
    cup = min(0.36 * length, 26.0)
    middle = a + d * (length / 2)
    front, rear = middle + d * cup / 2, middle - d * cup / 2
    pen.flat(np.array([a, rear]), "spring")
    pen.flat(np.array([front + n * width, rear + n * width, rear - n * width, front - n * width]), "spring")
    pen.flat(np.array([middle + n * 0.75 * width, middle - n * 0.75 * width]), "base")
    pen.flat(np.array([middle, b]), "spring")


def _cylinder(pen: Pen, a: np.ndarray, b: np.ndarray, width: float = 1.1 * UNIT) -> None:
    """A cylinder at the first end, and the rod of its piston at the second one."""
    d = b - a
    length = float(np.linalg.norm(d))
    if length < 1.0:
        return
    d, n = d / length, np.array([-d[1], d[0]]) / length
    bottom, top = a + 0.1 * length * d, a + 0.62 * length * d
    piston = a + 0.45 * length * d
    pen.flat(np.array([a, bottom]), "spring")
    pen.flat(np.array([bottom + n * width, top + n * width, top - n * width, bottom - n * width]), "symbol", True)
    pen.flat(np.array([piston + n * width, piston - n * width]), "base")
    pen.flat(np.array([piston, b]), "base")
    for end in (a, b):
        pen.disc(end, 3.0, "symbol", count=16)


def _both(pen: Pen, a: np.ndarray, b: np.ndarray) -> None:
    d = b - a
    length = float(np.linalg.norm(d))
    if length < 1.0:
        return
    n = 1.5 * UNIT * np.array([-d[1], d[0]]) / length
    near, far = a + 0.1 * d, b - 0.1 * d
    for end, inner in ((a, near), (b, far)):
        pen.flat(np.array([end, inner]), "spring")
        pen.flat(np.array([inner - n, inner + n]), "spring")
    _zigzag(pen, near + n, far + n, 0.9 * UNIT)
    _dashpot(pen, near - n, far - n)


_LOOKS: dict[str, Callable[[Pen, np.ndarray, np.ndarray], None]] = {
    "spring": _zigzag,
    "damper": _dashpot,
    "spring_damper": _both,
}


def _spiral(pen: Pen, centre: np.ndarray, R: np.ndarray) -> np.ndarray:
    """A spiral spring about an axis; returns its middle."""
    turn = np.linspace(0, 3.5 * np.pi, 64)
    radius = pen.unit * (1.5 + 1.3 * turn / turn[-1])
    points = centre + radius[:, None] * (np.outer(np.cos(turn), R[:, 0]) + np.outer(np.sin(turn), R[:, 1]))
    pen.line(points, "spring")
    return pen.at(centre)


def _torsion_spring(pen: Pen, position: StillPosition, force: Any) -> np.ndarray:
    place = position.place(force.parent)
    axis = position.frame(place)[0] @ np.array([position.number(x) for x in force.axis])
    return _spiral(pen, position.origin(place)[0], along(axis))


_FORCES: dict[str, Callable[[Pen, StillPosition, Any], np.ndarray]] = {"torsion_spring": _torsion_spring}


def curve_lines(position: StillPosition, size: float) -> dict[str, list[np.ndarray]]:
    """The curves on which points slide as points (n, 3) in the world, by constraint."""
    out = {}
    for name, record in position.model.constraints.items():
        if trace := CURVES.get(record.type):
            parent = position.place(record.parent)  # type: ignore[attr-defined]
            R, start = position.frame(parent)[0], position.origin(parent)[0]
            out[name] = [start + points @ R.T for points in trace(position, record, size)]
    return out


def draw_curves(pen: Pen, position: StillPosition, curves: Mapping[str, Sequence[np.ndarray]]) -> dict[str, np.ndarray]:
    """Draw lines and curves on which points slide, with the points; return these (2,) by name."""
    out = {}
    for name, record in position.model.constraints.items():
        pen.owner = f"constraint {name}"
        if name in curves:
            for points in curves[name]:
                pen.line(points, "curve")
            out[name] = _pin(pen, position, record)
        elif draw := _LINES.get(record.type):
            out[name] = draw(pen, position, record)
    return out


def _on_line(pen: Pen, position: StillPosition, record: Any) -> np.ndarray:
    point, start = (position.origin(position.place(end))[0] for end in (record.child, record.parent))
    axis = line_axis(position, record)
    ends = sorted((0.0, float((point - start) @ axis)))
    a, b = (pen.at(start + axis * end) for end in (ends[0] - 4 * pen.unit, ends[1] + 4 * pen.unit))
    d = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    n = 0.95 * UNIT * np.array([-d[1], d[0]])
    for side in (n, -n):  # a slot
        pen.flat(np.array([a + side, b + side]), "curve")
    return _pin(pen, position, record)


def line_axis(position: StillPosition, record: Any) -> np.ndarray:
    """Unit vector (3,) along the line on which a point slides, world axes."""
    R = position.frame(position.place(record.parent))[0]
    return np.asarray(along(R @ np.array([position.number(x) for x in record.axis]))[:, 2])


def _pin(pen: Pen, position: StillPosition, record: Any) -> np.ndarray:
    """The point that slides; returns it (2,)."""
    here = pen.at(position.origin(position.place(record.child))[0])
    pen.disc(here, 0.85 * UNIT, "symbol")
    return here


_LINES: dict[str, Callable[[Pen, StillPosition, Any], np.ndarray]] = {"point_on_line": _on_line}
"""How a line on which a point slides is drawn, by kind of constraint."""


def draw_gears(pen: Pen, position: StillPosition, colours: dict[str, str]) -> None:
    """Draw the wheels of gears with their teeth."""
    size = 2 * pen.unit
    wheels: list[ScenePart | Disc] = [*gear_parts(position, size), *planets(position, size)]
    for part in wheels:
        pen.owner = f"gear {part.owner}"
        colour = colours.get(part.place.body, "ink")
        centre, R = position.origin(part.place)[0], position.frame(part.place)[0]
        if part.form["type"] == "box":
            pen.box(centre, R, part.form["size"], "wheel", colour)
        else:
            _wheel(pen, part, centre, R, colour)


def _wheel(pen: Pen, part: ScenePart | Disc, centre: np.ndarray, R: np.ndarray, colour: str) -> None:
    radius, teeth = part.form["radius"], max(3, part.form["teeth"])
    depth = min(2 * radius / teeth, 0.3 * radius)
    if 2 * np.pi * radius * pen.scale / teeth < 3.5:  # too fine to be seen: the circles of tips and roots
        for edge in (radius + depth / 2, radius - depth / 2):
            pen.line(centre + circle_points(R, edge), "wheel", True, colour)
    else:
        step = 2 * np.pi / teeth
        turns = [(k + turn) * step for k in range(teeth) for turn in (-0.3, -0.18, 0.18, 0.3)]
        radii = [radius + out * depth for _ in range(teeth) for out in (-0.5, 0.5, 0.5, -0.5)]
        flanks = np.outer(radii * np.cos(turns), R[:, 0]) + np.outer(radii * np.sin(turns), R[:, 1])
        pen.line(centre + flanks, "wheel", True, colour)
    if part.form["internal"]:
        pen.line(centre + circle_points(R, radius + 2 * depth), "edge", True, colour)
    pen.line(centre + circle_points(R, radius), "axis", True)
