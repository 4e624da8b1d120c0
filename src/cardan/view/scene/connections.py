"""Springs, dampers and rods between two places, and the ways of points that slide on lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from cardan.model.joints import Joint
from cardan.view.scene.bodies import ports
from cardan.view.scene.curves import CURVES, tube
from cardan.view.scene.directions import along
from cardan.view.scene.joints import SYMBOLS, travel
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import SYMBOL, Form, Mount, ScenePart, Strut

__all__ = ["connection_parts", "links"]

_Look = Literal["spring", "damper", "spring_damper", "rod"]


def links(motion: Positions, size: float) -> Iterator[Strut]:
    """Everything between two places that changes its length, and rods."""
    for name, record in _elements(motion):
        if draw := _STRUTS.get(record.type):
            kind, radius = draw(motion, record)
            yield _strut(motion, name, kind, motion.place(record.parent), motion.place(record.child), radius * size)
    for name, parent, child in ports(motion.model):
        yield _strut(motion, name, "damper", motion.place(parent), motion.place(child), 1.4 * size)
    for name, joint in motion.model.joints.items():
        if joint.stiffness is not None and SYMBOLS[joint.type].spring == "coil":
            a, b = motion.joint_places(joint)
            look: _Look = "spring_damper" if _is_damped(motion, joint) else "spring"
            yield _strut(motion, name, look, a, b, 1.4 * size)


def _is_damped(motion: Positions, joint: Joint) -> bool:
    """Whether a joint has a damper."""
    entries = joint.damping if isinstance(joint.damping, tuple) else (joint.damping,)
    return any(motion.number(entry) for entry in entries if entry is not None)


def _elements(motion: Positions) -> Iterator[tuple[str, Any]]:
    yield from motion.model.forces.items()
    yield from motion.model.constraints.items()


def _spring_damper(motion: Positions, force: Any) -> tuple[_Look, float]:
    has_spring, has_damper = (motion.number(x) != 0 for x in (force.stiffness, force.damping))
    return ("spring_damper" if has_spring else "damper") if has_damper else "spring", 1.4


_STRUTS: dict[str, Callable[[Positions, Any], tuple[_Look, float]]] = {
    "spring_damper": _spring_damper,
    "distance": lambda motion, constraint: ("rod", 0.45),
}
"""Look, and radius in sizes of a symbol, of what connects two places, by its kind."""


def _strut(motion: Positions, name: str, look: _Look, a: Mount, b: Mount, radius: float) -> Strut:
    length = float(np.mean(np.linalg.norm(motion.origin(b) - motion.origin(a), axis=1)))
    return Strut(name, look, a, b, radius, length)


def connection_parts(motion: Positions, size: float) -> Iterator[ScenePart]:
    """Spiral springs at joints and between bodies, lines on which points slide, balls at the ends of rods."""
    for strut in links(motion, size):
        if strut.kind != "rod":
            yield from _plates(motion, strut, size)
    for name, joint in motion.model.joints.items():
        if joint.stiffness is not None and SYMBOLS[joint.type].spring == "spiral":
            yield _spiral(name, motion.joint_places(joint)[0], size)
    for name, record in _elements(motion):
        if draw := _PARTS.get(record.type):
            yield from draw(motion, name, record, size)


def _plates(motion: Positions, strut: Strut, size: float) -> Iterator[ScenePart]:
    """What holds the ends of a spring or damper on the ground."""
    d = motion.origin(strut.b)[0] - motion.origin(strut.a)[0]
    for end in (strut.a, strut.b):
        if end.body in motion.still:
            R = motion.axes(end.body)[0].T @ along(d)
            form: Form = {"type": "box", "size": [3.5 * size, 3.5 * size, 0.5 * size]}
            yield ScenePart(strut.owner, "ground", form, Mount(end.body, end.p, R), "ground")


def _spiral(name: str, place: Mount, size: float) -> ScenePart:
    form: Form = {"type": "coil", "radius": 1.5 * size, "length": 1.2 * size, "turns": 4, "wire": 0.14 * size}
    return ScenePart(name, "joints", form, place, "spring")


def _torsion_spring(motion: Positions, name: str, force: Any, size: float) -> Iterator[ScenePart]:
    yield _spiral(name, _along_axis(motion, force), size)


def _balls(motion: Positions, name: str, rod: Any, size: float) -> Iterator[ScenePart]:
    for end in (rod.parent, rod.child):
        yield ScenePart(name, "joints", {"type": "sphere", "radius": 0.8 * size}, motion.place(end), "pin")


def _line(motion: Positions, name: str, constraint: Any, size: float) -> Iterator[ScenePart]:
    line, child = _along_axis(motion, constraint), motion.place(constraint.child)
    way = travel(motion, line, child)
    middle = line.p + line.R[:, 2] * (way.low + way.high) / 2
    form: Form = {"type": "box", "size": [0.5 * size, 0.5 * size, way.high - way.low + 4 * size]}
    yield ScenePart(name, "joints", form, Mount(line.body, middle, line.R), "joint")
    yield ScenePart(name, "joints", {"type": "sphere", "radius": 0.8 * size}, child, "pin")


def _curve(motion: Positions, name: str, constraint: Any, size: float) -> Iterator[ScenePart]:
    parent = motion.place(constraint.parent)
    for points in CURVES[constraint.type](motion, constraint, size / SYMBOL):
        yield ScenePart(name, "joints", tube(points, 0.3 * size), parent, "joint")
    yield ScenePart(name, "joints", {"type": "sphere", "radius": 0.8 * size}, motion.place(constraint.child), "pin")


def _along_axis(motion: Positions, record: Any) -> Mount:
    """The parent's place with z along the axis of a force or constraint."""
    place = motion.place(record.parent)
    axis = np.array([motion.number(x) for x in record.axis])
    return Mount(place.body, place.p, place.R @ along(axis))


_PARTS: dict[str, Callable[[Positions, str, Any, float], Iterator[ScenePart]]] = {
    "torsion_spring": _torsion_spring,
    "distance": _balls,
    "point_on_line": _line,
    "point_on_curve": _curve,
}
"""Solids of a force or constraint, by its kind."""
