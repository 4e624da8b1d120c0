"""The symbol of every kind of force and constraint: solids in scenes, strokes in diagrams."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from cardan.frozen import dataclass
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import UNIT
from cardan.view.scene.curves import curve_points, tube
from cardan.view.scene.directions import along
from cardan.view.scene.joints import travel
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import SYMBOL, Disc, Form, Mount, ScenePart, StrutLook
from cardan.view.scene.still import StillPosition
from cardan.view.symbols.gears import gear_planets, gear_wheels


@dataclass(frozen=True)
class ElementSymbol:
    """How a kind of force or constraint is drawn."""

    strut: Callable[[Positions, Any], tuple[StrutLook, float]] | None = None  # between two places; radius [symbols]
    solids: Callable[[Positions, str, Any, float], Iterator[ScenePart]] | None = None  # for the size of a symbol [m]
    strokes: Callable[[Pen, StillPosition, Any], np.ndarray] | None = None  # draws it in a diagram; returns its place
    curves: Callable[[Positions, Any, float], list[np.ndarray]] | None = None  # on which its point slides
    wheels: Callable[[Positions, str, Any, float], Iterator[ScenePart]] | None = None  # of a gear
    planets: Callable[[Positions, str, Any, float], Iterator[Disc]] | None = None  # of a gear, which turn by themselves
    equation: Literal["", "arcs", "note"] = ""  # in a diagram: arcs between its joints, or a note


def symbol_of(record: Any) -> ElementSymbol:
    """The symbol of a force or constraint."""
    return _ELEMENTS.get(record.type, _NOTHING)


def _spring_damper(motion: Positions, force: Any) -> tuple[StrutLook, float]:
    has_spring, has_damper = (motion.number(x) != 0 for x in (force.stiffness, force.damping))
    return ("spring_damper" if has_spring else "damper") if has_damper else "spring", 1.4


def _along_axis(motion: Positions, record: Any) -> Mount:
    """The parent's place with z along the axis of a force or constraint."""
    place = motion.place(record.parent)
    axis = np.array([motion.number(x) for x in record.axis])
    return Mount(place.body, place.p, place.R @ along(axis))


def coil(name: str, place: Mount, size: float) -> ScenePart:
    """A spiral spring about z of a place."""
    form: Form = {"type": "coil", "radius": 1.5 * size, "length": 1.2 * size, "turns": 4, "wire": 0.14 * size}
    return ScenePart(name, "joints", form, place, "spring")


def _torsion_spring(motion: Positions, name: str, force: Any, size: float) -> Iterator[ScenePart]:
    yield coil(name, _along_axis(motion, force), size)


def draw_spiral(pen: Pen, centre: np.ndarray, R: np.ndarray) -> np.ndarray:
    """A spiral spring about an axis; returns its middle."""
    turn = np.linspace(0, 3.5 * np.pi, 64)
    radius = pen.unit * (1.5 + 1.3 * turn / turn[-1])
    points = centre + radius[:, None] * (np.outer(np.cos(turn), R[:, 0]) + np.outer(np.sin(turn), R[:, 1]))
    pen.line(points, "spring")
    return pen.at(centre)


def _torsion_spring_strokes(pen: Pen, position: StillPosition, force: Any) -> np.ndarray:
    place = position.place(force.parent)
    axis = position.frame(place)[0] @ np.array([position.number(x) for x in force.axis])
    return draw_spiral(pen, position.origin(place)[0], along(axis))


def _balls(motion: Positions, name: str, rod: Any, size: float) -> Iterator[ScenePart]:
    for end in (rod.parent, rod.child):
        yield ScenePart(name, "joints", {"type": "sphere", "radius": 0.8 * size}, motion.place(end), "pin")


def _line(motion: Positions, name: str, constraint: Any, size: float) -> Iterator[ScenePart]:
    line, child = _along_axis(motion, constraint), motion.place(constraint.child)
    low, high = travel(motion, line, child)
    middle = line.p + line.R[:, 2] * (low + high) / 2
    form: Form = {"type": "box", "size": [0.5 * size, 0.5 * size, high - low + 4 * size]}
    yield ScenePart(name, "joints", form, Mount(line.body, middle, line.R), "joint")
    yield ScenePart(name, "joints", {"type": "sphere", "radius": 0.8 * size}, child, "pin")


def _on_line(pen: Pen, position: StillPosition, record: Any) -> np.ndarray:
    point, start = (position.origin(position.place(end))[0] for end in (record.child, record.parent))
    axis = line_axis(position, record)
    ends = sorted((0.0, float((point - start) @ axis)))
    a, b = (pen.at(start + axis * end) for end in (ends[0] - 4 * pen.unit, ends[1] + 4 * pen.unit))
    d = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    n = 0.95 * UNIT * np.array([-d[1], d[0]])
    for side in (n, -n):  # a slot
        pen.flat(np.array([a + side, b + side]), "curve")
    return draw_pin(pen, position, record)


def line_axis(position: StillPosition, record: Any) -> np.ndarray:
    """Unit vector (3,) along the line on which a point slides, world axes."""
    R = position.frame(position.place(record.parent))[0]
    return np.asarray(along(R @ np.array([position.number(x) for x in record.axis]))[:, 2])


def draw_pin(pen: Pen, position: StillPosition, record: Any) -> np.ndarray:
    """The point that slides; returns it (2,)."""
    here = pen.at(position.origin(position.place(record.child))[0])
    pen.disc(here, 0.85 * UNIT, "symbol")
    return here


def _curve(motion: Positions, name: str, constraint: Any, size: float) -> Iterator[ScenePart]:
    parent = motion.place(constraint.parent)
    for points in curve_points(motion, constraint, size / SYMBOL):
        yield ScenePart(name, "joints", tube(points, 0.3 * size), parent, "joint")
    yield ScenePart(name, "joints", {"type": "sphere", "radius": 0.8 * size}, motion.place(constraint.child), "pin")


_NOTHING = ElementSymbol()
_ELEMENTS: dict[str, ElementSymbol] = {
    "spring_damper": ElementSymbol(strut=_spring_damper),
    "torsion_spring": ElementSymbol(solids=_torsion_spring, strokes=_torsion_spring_strokes),
    "distance": ElementSymbol(strut=lambda motion, constraint: ("rod", 0.45), solids=_balls),
    "point_on_line": ElementSymbol(solids=_line, strokes=_on_line),
    "point_on_curve": ElementSymbol(solids=_curve, curves=curve_points),
    "gear": ElementSymbol(wheels=gear_wheels, planets=gear_planets),
    "coupler": ElementSymbol(equation="arcs"),
    "expression": ElementSymbol(equation="note"),
    "program": ElementSymbol(equation="note"),
}
"""The symbols; arrows of forces, torques and reactions come from results."""
