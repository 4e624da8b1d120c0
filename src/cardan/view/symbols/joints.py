"""The symbol of every kind of joint: solids in space, strokes in kinematic diagrams, and what holds it."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from cardan.frozen import dataclass
from cardan.view.drawing.ground import hatched, wall
from cardan.view.drawing.joint_view import JointView, rail_side
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import UNIT
from cardan.view.scene.bodies import STILL
from cardan.view.scene.records import Form
from cardan.view.symbols.coordinates import (
    Drawn,
    moves_in_plane,
    moves_in_space,
    slides,
    turns,
    turns_and_slides,
    turns_twice,
)

Solids = Sequence[tuple[Literal["parent", "rail", "child"], Form]]
"""Solids by what carries them: a side of the joint, or the middle of the way along which it slides on its parent."""


@dataclass(frozen=True)
class JointSymbol:
    """How a kind of joint is drawn."""

    solids: Callable[[float, float], Solids]  # for the size of a symbol and the length of a rail [m]
    strokes: Callable[[Pen, JointView], None]  # draws it in a diagram
    guide: Callable[[Pen, JointView], None] | None = None  # what it slides on in a diagram, drawn before the bodies
    arrows: Callable[[Pen, JointView, Sequence[float]], Drawn] | None = None  # its coordinates; quaternions: none
    holder: Literal["", "pedestal", "rail"] = ""  # what holds it where its parent stands still
    spring: Literal["", "coil", "spiral"] = ""  # what its stiffness looks like
    radius: float | None = None  # of what turns in the parent [half the width of a joint]; None where flat faces slide
    on_rail: bool = False  # in a diagram it slides on a rail beside it where its parent stands still, else on a rod
    is_seen: Literal["always", "moving", "in space"] = "always"  # not between still bodies; not in planar models


def _has_shape(pen: Pen, view: JointView) -> bool:
    """Whether the child's own shape is large enough to stand for the block."""
    return len(view.outline) > 0 and float(np.max(np.ptp(view.outline, axis=0))) >= 1.8 * UNIT


def _rail(pen: Pen, view: JointView, half_width: float) -> None:
    """A hatched rail beside the block where the parent stands still; else a rod through it."""
    axis, s = view.R[:, 2], pen.unit
    d = pen.direction(axis)
    seen = float(np.linalg.norm(d))
    low, high = view.span
    margin = 4.5 * s
    if len(view.outline) and seen > 0.05:
        reach = (view.outline - pen.at(view.c)) @ (d / seen) / pen.scale
        margin = max(margin, float(np.max(np.abs(reach))) + 2 * s)
    if not view.on_ground:
        ends = [view.p + axis * (low - (2.5 * s if low < -1e-9 else 0)), view.p + axis * (high + 3.5 * s)]
        pen.line(ends, "body", colour=view.parent_colour)
        return
    if seen < 0.2:
        way = np.array([0.0, 1.0])
        middle = pen.at(view.c) + way * half_width
        across = np.array([3 * UNIT, 0.0])
        hatched(pen, middle - across, middle + across, way)
        return
    way, offset = rail_side(pen, view, half_width)
    a, b = (pen.at(view.p + axis * end) + way * (offset + 1.2) for end in (low - margin, high + margin))
    hatched(pen, a, b, way)


def _prismatic_guide(pen: Pen, view: JointView) -> None:
    _rail(pen, view, 1.6 * UNIT)


def _prismatic(pen: Pen, view: JointView) -> None:
    if _has_shape(pen, view):
        return
    s = pen.unit
    pen.box(view.c, view.R_child, (2.4 * s, 2.4 * s, 4.2 * s), "block", view.colour)


def _revolute(pen: Pen, view: JointView) -> None:
    s = pen.unit
    pen.cylinder(view.c, view.R[:, 2], s, 2.8 * s, "symbol")
    if abs(view.R[:, 2] @ pen.camera.toward) > 0.999:
        pen.disc(pen.at(view.c), 1.1, "black", count=8)


def _rod_guide(pen: Pen, view: JointView) -> None:
    s, axis = pen.unit, view.R[:, 2]
    low, high = (end + sign * 4.5 * s for end, sign in zip(view.span, (-1, 1), strict=True))
    ends = [view.p + axis * low, view.p + axis * high]
    if view.on_ground:
        pen.line(ends, "guide")
        d = pen.direction(axis)
        for end, sign in zip(ends, (-1, 1), strict=True):
            if np.linalg.norm(d) > 0.2:
                from_here = sign * d / np.linalg.norm(d)
                across = np.array([-from_here[1], from_here[0]])
                foot = pen.at(end)
                hatched(pen, foot - 1.2 * UNIT * across, foot + 1.2 * UNIT * across, from_here)
    else:
        pen.line(ends, "body", colour=view.parent_colour)


def _cylindrical(pen: Pen, view: JointView) -> None:
    s = pen.unit
    if not _has_shape(pen, view):
        pen.cylinder(view.c, view.R[:, 2], 1.1 * s, 4.2 * s, "symbol")


def _screw_guide(pen: Pen, view: JointView) -> None:
    _rod_guide(pen, view)
    s, axis = pen.unit, view.R[:, 2]
    d = pen.direction(axis)
    seen = float(np.linalg.norm(d))
    if seen < 0.2:
        return
    low, high = (end + sign * 4 * s for end, sign in zip(view.span, (-1, 1), strict=True))
    across = 0.55 * UNIT * np.array([-d[1], d[0]]) / seen
    turns = max(2, round((high - low) / (0.8 * s)))
    for k in range(turns):
        a, b = (pen.at(view.p + axis * (low + (high - low) * (k + part) / turns)) for part in (0.1, 0.9))
        pen.flat(np.array([a - across, b + across]), "thin")


def _screw(pen: Pen, view: JointView) -> None:
    s = pen.unit
    pen.box(view.c, view.R_child, (2.2 * s, 2.2 * s, 2.6 * s), "symbol")
    for sign in (-1, 1):  # the diagonals of a nut
        a = view.c + s * (sign * 1.1 * view.R_child[:, 0] - 1.3 * view.R_child[:, 2])
        pen.line([a, 2 * view.c - a], "thin")


def _universal(pen: Pen, view: JointView) -> None:
    s, here = pen.unit, pen.at(view.c)
    pen.disc(here, 1.35 * UNIT, "symbol")
    for axis, colour in ((view.R[:, 2], view.parent_colour), (view.R_child[:, 0], view.colour)):
        ends = [view.c - 1.9 * s * axis, view.c + 1.9 * s * axis]
        pen.line(ends, "cross", colour=colour)
        for end in ends:
            pen.disc(pen.at(end), 1.7, "black", count=8)


def _spherical(pen: Pen, view: JointView) -> None:
    here = pen.at(view.c)
    mean = sum((link / np.linalg.norm(link) for link in view.links), np.zeros(2))
    away = -mean if np.linalg.norm(mean) > 1e-6 else np.array([0.0, 1.0])
    middle = np.arctan2(away[1], away[0])
    turn = middle + np.linspace(-1.9, 1.9, 25)
    pen.flat(here + 1.75 * UNIT * np.column_stack([np.cos(turn), np.sin(turn)]), "base")
    pen.disc(here, 1.15 * UNIT, "symbol")


def _planar(pen: Pen, view: JointView) -> None:
    if view.is_planar:
        return
    s, z = pen.unit, view.R[:, 2]
    for shift, size, style in ((-0.7, 4.2, "symbol"), (0.7, 2.8, "symbol")):
        pen.box(view.c + shift * s * z, view.R, (size * s, size * s, 0.25 * s), style)


def _weld(pen: Pen, view: JointView) -> None:
    if view.on_ground:
        if view.colour != STILL and view.links:
            wall(pen, pen.at(view.c), -view.links[0])
        return
    here, u = pen.at(view.c), 0.75 * UNIT
    pen.flat(here + u * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), "black", True)


def _nothing(pen: Pen, view: JointView) -> None:
    """No joint holds the body."""


def _solid(kind: str, radius: float, length: float, **more: float | str) -> Form:
    return {"type": kind, "radius": radius, "length": length, **more}


def _box(x: float, y: float, z: float) -> Form:
    return {"type": "box", "size": [x, y, z]}


# fmt: off
JOINTS: dict[str, JointSymbol] = {
    "revolute": JointSymbol(
        lambda s, rail: [
            ("parent", _solid("ring", s, 1.5 * s, inner=0.62 * s)),
            ("child", _solid("cylinder", 0.55 * s, 2.2 * s)),
        ],
        _revolute, arrows=turns, holder="pedestal", spring="spiral", radius=1.0,
    ),
    "prismatic": JointSymbol(
        lambda s, rail: [("rail", _box(0.5 * s, 0.5 * s, rail)), ("child", _box(1.4 * s, 1.4 * s, 2.4 * s))],
        _prismatic, _prismatic_guide, slides, holder="rail", spring="coil", on_rail=True,
    ),
    "screw": JointSymbol(
        lambda s, rail: [
            ("rail", _solid("cylinder", 0.4 * s, rail)),
            ("rail", _solid("coil", 0.45 * s, rail, turns=int(rail / (0.5 * s)), wire=0.1 * s)),
            ("child", _solid("cylinder", s, 1.2 * s, sides=6)),
        ],
        _screw, _screw_guide, turns, holder="rail",
    ),
    "cylindrical": JointSymbol(
        lambda s, rail: [
            ("rail", _solid("cylinder", 0.35 * s, rail)),
            ("child", _solid("ring", 0.9 * s, 2.4 * s, inner=0.35 * s)),
        ],
        _cylindrical, _rod_guide, turns_and_slides, holder="rail",
    ),
    "universal": JointSymbol(
        lambda s, rail: [
            ("parent", _solid("cylinder", 0.3 * s, 2.6 * s)),
            ("child", _solid("cylinder", 0.3 * s, 2.6 * s, axis="x")),
            ("child", {"type": "sphere", "radius": 0.6 * s}),
        ],
        _universal, arrows=turns_twice, holder="pedestal", radius=1.9,
    ),
    "spherical": JointSymbol(
        lambda s, rail: [
            ("parent", {"type": "bowl", "radius": 1.1 * s}),
            ("child", {"type": "sphere", "radius": 0.85 * s}),
        ],
        _spherical, holder="pedestal", radius=1.75,
    ),
    "planar": JointSymbol(
        lambda s, rail: [("child", _solid("cylinder", 1.2 * s, 0.3 * s))],
        _planar, arrows=moves_in_plane, is_seen="in space",
    ),
    "translational": JointSymbol(lambda s, rail: [], _nothing, arrows=moves_in_space),
    "free": JointSymbol(lambda s, rail: [], _nothing),
    "fixed": JointSymbol(lambda s, rail: [("parent", _box(1.2 * s, 1.2 * s, 1.2 * s))], _weld, is_seen="moving"),
    "modal": JointSymbol(lambda s, rail: [], _nothing),
}
# fmt: on
"""The symbol of every kind of joint."""
