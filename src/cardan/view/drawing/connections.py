"""Springs, dampers and rods between points, lines and curves on which points slide, wheels of gears."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.view.drawing.ground import wall
from cardan.view.drawing.pen import Pen, circle_points
from cardan.view.drawing.sizes import SHORTEST_SPRING, UNIT
from cardan.view.scene.bodies import ports
from cardan.view.scene.connections import links
from cardan.view.scene.drives import gear_parts, planets
from cardan.view.scene.records import Disc, ScenePart
from cardan.view.scene.still import StillPosition
from cardan.view.symbols.elements import draw_pin, draw_spiral, symbol_of
from cardan.view.symbols.joints import JOINTS


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
            if np.linalg.norm(b - a) >= 1.0:
                (_cylinder if strut.owner in cylinders else _LOOKS[strut.kind])(pen, a, b)
        middles[strut.owner] = (a + b) / 2
    for name, joint in position.joints.items():
        if joint.stiffness is not None and JOINTS[joint.type].spring == "spiral":
            place = position.joint_places(joint)[0]
            pen.owner = f"spring {name}"
            draw_spiral(pen, position.origin(place)[0], position.frame(place)[0])
    for name, force in position.forces.items():
        if draw := symbol_of(force).strokes:
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


def _along(a: np.ndarray, b: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Length of a line [px], its direction (2,), and the one across it (2,)."""
    length = float(np.linalg.norm(b - a))
    d = (b - a) / length
    return length, d, np.array([-d[1], d[0]])


def _zigzag(pen: Pen, a: np.ndarray, b: np.ndarray, width: float = 1.1 * UNIT) -> None:
    length, d, n = _along(a, b)
    teeth = int(np.clip(length / (1.5 * UNIT), 4, 12))
    start, end = 0.14 * length, 0.86 * length
    points = [a, a + d * start]
    for k in range(2 * teeth):
        side = width * (1 if k % 2 else -1)
        points.append(a + d * (start + (k + 0.5) * (end - start) / (2 * teeth)) + n * side)
    pen.flat(np.array([*points, a + d * end, b]), "spring")


def _dashpot(pen: Pen, a: np.ndarray, b: np.ndarray, width: float = 0.9 * UNIT) -> None:
    length, d, n = _along(a, b)
    cup = min(0.36 * length, 26.0)
    middle = a + d * (length / 2)
    front, rear = middle + d * cup / 2, middle - d * cup / 2
    pen.flat(np.array([a, rear]), "spring")
    pen.flat(np.array([front + n * width, rear + n * width, rear - n * width, front - n * width]), "spring")
    pen.flat(np.array([middle + n * 0.75 * width, middle - n * 0.75 * width]), "base")
    pen.flat(np.array([middle, b]), "spring")


def _cylinder(pen: Pen, a: np.ndarray, b: np.ndarray, width: float = 1.1 * UNIT) -> None:
    """A cylinder at the first end, and the rod of its piston at the second one."""
    length, d, n = _along(a, b)
    bottom, top = a + 0.1 * length * d, a + 0.62 * length * d
    piston = a + 0.45 * length * d
    pen.flat(np.array([a, bottom]), "spring")
    pen.flat(np.array([bottom + n * width, top + n * width, top - n * width, bottom - n * width]), "symbol", True)
    pen.flat(np.array([piston + n * width, piston - n * width]), "base")
    pen.flat(np.array([piston, b]), "base")
    for end in (a, b):
        pen.disc(end, 3.0, "symbol", count=16)


def _both(pen: Pen, a: np.ndarray, b: np.ndarray) -> None:
    length, d, n = _along(a, b)
    n = 1.5 * UNIT * n
    near, far = a + 0.1 * length * d, b - 0.1 * length * d
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


def curve_lines(position: StillPosition, size: float) -> dict[str, list[np.ndarray]]:
    """The curves on which points slide as points (n, 3) in the world, by constraint."""
    out = {}
    for name, record in position.model.constraints.items():
        if trace := symbol_of(record).curves:
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
            out[name] = draw_pin(pen, position, record)
        elif draw := symbol_of(record).strokes:
            out[name] = draw(pen, position, record)
    return out


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
