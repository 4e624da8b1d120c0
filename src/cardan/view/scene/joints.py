"""Symbols of joints, one for each kind, in the joint frames on parent and child; and the ground below them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.view.scene.directions import along
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import Form, Mount, ScenePart

__all__ = ["SYMBOLS", "Symbol", "Travel", "joint_parts", "travel"]

_Pieces = list[tuple[str, Form, tuple[float, float, float], str]]
"""Side (parent or child), form, position in the joint frame, role of the colour."""

X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Axes whose z is the x of the joint frame."""


@dataclass(frozen=True)
class Travel:
    """How far a joint slides along its axis in a run."""

    low: float  # [m]
    high: float  # [m]


def travel(motion: Positions, parent: Mount, child: Mount) -> Travel:
    """How far the child frame of a joint gets along z of the parent frame."""
    offset = motion.origin(child) - motion.origin(parent)
    z = np.einsum("ni,ni->n", motion.frame(parent)[:, :, 2], offset)
    home = [] if parent.body in motion.still else [0.0]  # a rail on a moving body begins at its marker
    return Travel(float(min([z.min(), *home])), float(max([z.max(), *home])))


def _revolute(s: float, way: Travel) -> _Pieces:
    ring: Form = {"type": "ring", "radius": s, "inner": 0.62 * s, "length": 1.5 * s}
    pin: Form = {"type": "cylinder", "radius": 0.55 * s, "length": 2.2 * s}
    return [("parent", ring, (0, 0, 0), "joint"), ("child", pin, (0, 0, 0), "pin")]


def _rail(form: Form, s: float, way: Travel) -> tuple[str, Form, tuple[float, float, float], str]:
    return "parent", form, (0.0, 0.0, (way.low + way.high) / 2), "joint"


def _rail_length(s: float, way: Travel) -> float:
    return way.high - way.low + 4 * s


def _prismatic(s: float, way: Travel) -> _Pieces:
    rail: Form = {"type": "box", "size": [0.5 * s, 0.5 * s, _rail_length(s, way)]}
    sleeve: Form = {"type": "box", "size": [1.4 * s, 1.4 * s, 2.4 * s]}
    return [_rail(rail, s, way), ("child", sleeve, (0, 0, 0), "pin")]


def _cylindrical(s: float, way: Travel) -> _Pieces:
    rail: Form = {"type": "cylinder", "radius": 0.35 * s, "length": _rail_length(s, way)}
    sleeve: Form = {"type": "ring", "radius": 0.9 * s, "inner": 0.35 * s, "length": 2.4 * s}
    return [_rail(rail, s, way), ("child", sleeve, (0, 0, 0), "pin")]


def _screw(s: float, way: Travel) -> _Pieces:
    length = _rail_length(s, way)
    thread: Form = {
        "type": "coil",
        "radius": 0.45 * s,
        "length": length,
        "turns": int(length / (0.5 * s)),
        "wire": 0.1 * s,
    }
    nut: Form = {"type": "cylinder", "radius": s, "length": 1.2 * s, "sides": 6}
    rail: Form = {"type": "cylinder", "radius": 0.4 * s, "length": length}
    return [_rail(rail, s, way), _rail(thread, s, way), ("child", nut, (0, 0, 0), "pin")]


def _universal(s: float, way: Travel) -> _Pieces:
    first: Form = {"type": "cylinder", "radius": 0.3 * s, "length": 2.6 * s}
    second: Form = {"type": "cylinder", "radius": 0.3 * s, "length": 2.6 * s, "axis": "x"}
    ball: Form = {"type": "sphere", "radius": 0.6 * s}
    return [
        ("parent", first, (0, 0, 0), "joint"),
        ("child", second, (0, 0, 0), "pin"),
        ("child", ball, (0, 0, 0), "pin"),
    ]


def _spherical(s: float, way: Travel) -> _Pieces:
    bowl: Form = {"type": "bowl", "radius": 1.1 * s}
    ball: Form = {"type": "sphere", "radius": 0.85 * s}
    return [("parent", bowl, (0, 0, 0), "joint"), ("child", ball, (0, 0, 0), "pin")]


def _planar(s: float, way: Travel) -> _Pieces:
    return [("child", {"type": "cylinder", "radius": 1.2 * s, "length": 0.3 * s}, (0, 0, 0), "pin")]


def _free(s: float, way: Travel) -> _Pieces:
    return []


def _fixed(s: float, way: Travel) -> _Pieces:
    return [("parent", {"type": "box", "size": [1.2 * s] * 3}, (0, 0, 0), "joint")]


@dataclass(frozen=True)
class Symbol:
    """How a kind of joint is drawn."""

    pieces: Callable[[float, Travel], _Pieces]  # its solids, for the size of a symbol [m] and the way it slides
    on_ground: Literal["", "pedestal", "rail"] = "pedestal"  # what holds it where its parent stands still
    spring: Literal["", "coil", "spiral"] = ""  # what its stiffness looks like
    is_seen: Literal["always", "moving", "in space"] = "always"  # not between still bodies; not in planar models


SYMBOLS: dict[str, Symbol] = {
    "revolute": Symbol(_revolute, spring="spiral"),
    "prismatic": Symbol(_prismatic, "rail", spring="coil"),
    "screw": Symbol(_screw, "rail"),
    "cylindrical": Symbol(_cylindrical, "rail"),
    "universal": Symbol(_universal),
    "spherical": Symbol(_spherical),
    "planar": Symbol(_planar, "", is_seen="in space"),
    "translational": Symbol(_free, ""),
    "free": Symbol(_free, ""),
    "fixed": Symbol(_fixed, "", is_seen="moving"),
}
"""The symbol of every kind of joint."""


def joint_parts(motion: Positions, size: float, up: np.ndarray) -> Iterator[ScenePart]:
    """The symbols of all joints, and what holds those that stand on the ground."""
    for name, joint in motion.model.joints.items():
        symbol = SYMBOLS[joint.type]
        if not _is_seen(motion, joint, symbol):
            continue
        sides = dict(zip(("parent", "child"), motion.joint_places(joint), strict=True))
        way = travel(motion, sides["parent"], sides["child"])
        for side, form, shift, role in symbol.pieces(size, way):
            place = sides[side]
            R = place.R @ X if form.get("axis") == "x" else place.R
            yield ScenePart(name, "joints", form, Mount(place.body, place.p + place.R @ np.array(shift), R), role)
        if sides["parent"].body in motion.still and symbol.on_ground:
            yield from _supports(motion, name, symbol, sides["parent"], way, size, up)


def _is_seen(motion: Positions, joint: Joint, symbol: Symbol) -> bool:
    """Not where nothing moves, and not where a planar model merely says in which plane a body moves."""
    if symbol.is_seen == "moving":
        return not {motion.place(joint.parent).body, motion.place(joint.child).body} <= motion.still
    return not (symbol.is_seen == "in space" and motion.model.planar)


def _supports(
    motion: Positions, name: str, symbol: Symbol, place: Mount, way: Travel, s: float, up: np.ndarray
) -> Iterator[ScenePart]:
    """A pedestal on a plate below a joint on the ground; one at either end of a rail."""
    R_WB = motion.axes(place.body)[0]
    axis = R_WB @ place.R[:, 2]
    slides = symbol.on_ground == "rail"
    ends = [way.low - 1.6 * s, way.high + 1.6 * s] if slides else [0.0]
    down = -up
    if slides and abs(axis @ up) > 0.9:  # a rail that stands: its lower end on a plate
        ends = [way.low - 2 * s if axis @ up > 0 else way.high + 2 * s]
    R = along(up)
    for end in ends:
        foot = place.p + place.R[:, 2] * end
        for form, shift in (
            ({"type": "cone", "radius": 1.5 * s, "length": 2.2 * s}, 1.1 * s),
            ({"type": "box", "size": [4.2 * s, 4.2 * s, 0.5 * s]}, 2.4 * s),
        ):
            yield ScenePart(name, "ground", form, Mount(place.body, foot + R_WB.T @ down * shift, R_WB.T @ R), "ground")
