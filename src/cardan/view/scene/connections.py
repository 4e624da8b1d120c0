"""Springs, dampers and rods between two places, and the ways of points that slide on lines."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from cardan.model.joints import Joint
from cardan.view.scene.bodies import nodes, ports, shortest_tree
from cardan.view.scene.directions import along
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import Form, Mount, ScenePart, Strut, StrutLook
from cardan.view.symbols.elements import coil, symbol_of
from cardan.view.symbols.joints import JOINTS


def links(motion: Positions, size: float) -> Iterator[Strut]:
    """Everything between two places that changes its length, and rods."""
    for name, ends in nodes(motion).items():
        at = [motion.place(end) for end in (name, *ends)]
        origins = [motion.origin(place)[0] for place in at]
        for pair in shortest_tree(origins):
            a, b = (at[next(k for k, origin in enumerate(origins) if origin is end)] for end in pair)
            yield _strut(motion, name, "rod", a, b, 0.45 * size)
    for name, record in _elements(motion):
        if draw := symbol_of(record).strut:
            kind, radius = draw(motion, record)
            yield _strut(motion, name, kind, motion.place(record.parent), motion.place(record.child), radius * size)
    for name, parent, child in ports(motion.model):
        yield _strut(motion, name, "damper", motion.place(parent), motion.place(child), 1.4 * size)
    for name, joint in motion.joints.items():
        if joint.stiffness is not None and JOINTS[joint.type].spring == "coil":
            a, b = motion.joint_places(joint)
            look: StrutLook = "spring_damper" if _is_damped(motion, joint) else "spring"
            yield _strut(motion, name, look, a, b, 1.4 * size)


def _is_damped(motion: Positions, joint: Joint) -> bool:
    """Whether a joint has a damper."""
    entries = joint.damping if isinstance(joint.damping, tuple) else (joint.damping,)
    return any(motion.number(entry) for entry in entries if entry is not None)


def _elements(motion: Positions) -> Iterator[tuple[str, Any]]:
    yield from motion.forces.items()
    yield from motion.model.constraints.items()


def _strut(motion: Positions, name: str, look: StrutLook, a: Mount, b: Mount, radius: float) -> Strut:
    length = float(np.mean(np.linalg.norm(motion.origin(b) - motion.origin(a), axis=1)))
    return Strut(name, look, a, b, radius, length)


def connection_parts(motion: Positions, size: float) -> Iterator[ScenePart]:
    """Spiral springs at joints and between bodies, lines on which points slide, balls at the ends of rods."""
    for strut in links(motion, size):
        if strut.kind != "rod":
            yield from _plates(motion, strut, size)
    for name, joint in motion.joints.items():
        if joint.stiffness is not None and JOINTS[joint.type].spring == "spiral":
            yield coil(name, motion.joint_places(joint)[0], size)
    for name, record in _elements(motion):
        if draw := symbol_of(record).solids:
            yield from draw(motion, name, record, size)


def _plates(motion: Positions, strut: Strut, size: float) -> Iterator[ScenePart]:
    """What holds the ends of a spring or damper on the ground."""
    d = motion.origin(strut.b)[0] - motion.origin(strut.a)[0]
    for end in (strut.a, strut.b):
        if end.body in motion.still:
            R = motion.axes(end.body)[0].T @ along(d)
            form: Form = {"type": "box", "size": [3.5 * size, 3.5 * size, 0.5 * size]}
            yield ScenePart(strut.owner, "ground", form, Mount(end.body, end.p, R), "ground")
