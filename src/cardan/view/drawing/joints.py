"""Symbols of joints, one for each kind, turned as their axes are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.view.drawing.bodies import Skeleton
from cardan.view.drawing.ground import away_from, hatched, pedestal
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import UNIT
from cardan.view.drawing.stops import StopPlace
from cardan.view.scene.still import StillPosition

__all__ = ["JOINT_SYMBOLS", "JointSymbol", "JointView", "draw_guides", "draw_joints", "joint_views", "rail_side"]


@dataclass(frozen=True, eq=False)
class JointView:
    """A joint in the position that is drawn."""

    name: str
    record: Joint  # its kind and its law
    parent: str  # body
    child: str  # body
    p: np.ndarray  # its place on the parent (3,), world [m]
    c: np.ndarray  # its place on the child (3,)
    R: np.ndarray  # axes of the joint frame on the parent (3×3): z is the axis
    R_child: np.ndarray  # axes of the joint frame on the child
    on_ground: bool  # the parent stands still
    links: tuple[np.ndarray, ...]  # directions (2,) of links that leave its place on the child [px]
    colour: str  # of the child
    parent_colour: str  # of the parent
    outline: np.ndarray  # what bounds the shapes of the child (n, 2) [px]; empty without
    ends: np.ndarray  # joints and markers of the child (n, 3), world [m]
    is_planar: bool  # of a planar model
    slides: bool  # whether it moves the child along the axis
    stops: tuple[StopPlace, ...] = ()  # bounds of its coordinate that are drawn

    def longest_link(self) -> np.ndarray | None:
        """The child's longest line (3,) from the joint across the axis, world [m]; None without any."""
        away = self.ends - self.c
        across = away - np.outer(away @ self.R[:, 2], self.R[:, 2])
        lengths = np.linalg.norm(across, axis=1)
        seen = lengths > 1e-6 * np.maximum(np.linalg.norm(away, axis=1), 1e-9)  # not along the axis but for round-off
        return np.asarray(across[np.argmax(lengths)]) if np.any(seen) else None


@dataclass(frozen=True)
class JointSymbol:
    """How a kind of joint is drawn."""

    draw: Callable[[Pen, JointView], None]  # draws it
    guide: Callable[[Pen, JointView], None] | None = None  # what it slides on, drawn before the bodies
    stands: bool = True  # a pedestal holds it where its parent stands still
    radius: float | None = None  # of what turns in the parent [half the width of a joint]; None where flat faces slide
    on_rail: bool = False  # it slides on a rail beside it where its parent stands still, else on a rod through it


def joint_views(
    pen: Pen, position: StillPosition, bodies: Mapping[str, Skeleton], stops: Mapping[str, tuple[StopPlace, ...]]
) -> list[JointView]:
    """All joints of a mechanism in the order of the file."""
    out = []
    for name, joint in position.model.joints.items():
        parent, child = position.joint_places(joint)
        p, c = position.origin(parent)[0], position.origin(child)[0]
        body, other = bodies.get(child.body), bodies.get(parent.body)
        out.append(
            JointView(
                name,
                joint,
                parent.body,
                child.body,
                p,
                c,
                position.frame(parent)[0],
                position.frame(child)[0],
                parent.body in position.still,
                tuple(_links_at(pen, c, bodies.values())),
                body.colour if body else "ink",
                other.colour if other and not other.is_still else "ink",
                pen.at(body.corners) if body and len(body.corners) else np.empty((0, 2)),
                body.points if body else np.empty((0, 3)),
                bool(position.model.planar),
                _slides(position, joint),
                stops.get(name, ()),
            )
        )
    return out


def _slides(position: StillPosition, joint: Joint) -> bool:
    """Whether a motion of a joint at zero is one along its axis."""
    law = joint.resolved(position.number)
    return bool(np.any(np.array(ca.DM(law.subspace(ca.DM(law.neutral))), dtype=float)[5]))


def _links_at(pen: Pen, point: np.ndarray, bodies: Iterable[Skeleton]) -> list[np.ndarray]:
    """Directions (2,) in which lines and shapes leave a point."""
    here, out = pen.at(point), []
    for body in bodies:
        if body.is_still:
            continue
        for a, b in body.edges:
            for start, end in ((a, b), (b, a)):
                if np.linalg.norm(pen.at(start) - here) < 1.0:
                    out.append(pen.at(end) - here)
        if len(body.corners) and len(body.points) and np.linalg.norm(pen.at(body.points[0]) - here) < 1.0:
            away = pen.at(body.corners).mean(axis=0) - here
            out += [away] if np.linalg.norm(away) > UNIT else []
    return out


def draw_guides(pen: Pen, views: Sequence[JointView]) -> None:
    """Draw what joints slide on."""
    for view in views:
        guide = JOINT_SYMBOLS[view.record.type].guide
        if guide is not None:
            pen.owner = f"joint {view.name}"
            guide(pen, view)


def draw_joints(pen: Pen, views: Sequence[JointView]) -> None:
    """Draw the symbols of all joints, those nearest to the eye last, and the ground below them."""
    standing: list[np.ndarray] = []
    for view in sorted(views, key=lambda view: float(view.c @ pen.camera.toward)):
        symbol = JOINT_SYMBOLS[view.record.type]
        pen.owner = f"joint {view.name}"
        here = pen.at(view.c)
        if view.on_ground and symbol.stands and not any(np.linalg.norm(here - other) < 1.0 for other in standing):
            standing.append(here)
            way = away_from(view.links)
            along_way = abs(float(pen.direction(view.R[:, 2]) @ way))
            pedestal(pen, here, way, UNIT * (2.6 + 0.9 * along_way))
        symbol.draw(pen, view)


def _travel(view: JointView) -> float:
    """How far the child is along the axis [m]."""
    return float((view.c - view.p) @ view.R[:, 2])


def _span(view: JointView) -> tuple[float, float]:
    """Ends of what the child slides on [m]: its zero, where it is, and its stops."""
    places = [0.0, _travel(view), *(float(stop.p[2]) for stop in view.stops)]
    return min(places), max(places)


def _has_shape(pen: Pen, view: JointView) -> bool:
    """Whether the child's own shape is large enough to stand for the block."""
    return len(view.outline) > 0 and float(np.max(np.ptp(view.outline, axis=0))) >= 1.8 * UNIT


def _rail(pen: Pen, view: JointView, half_width: float) -> None:
    """A hatched rail beside the block where the parent stands still; else a rod through it."""
    axis, s = view.R[:, 2], pen.unit
    d = pen.direction(axis)
    seen = float(np.linalg.norm(d))
    low, high = _span(view)
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


def rail_side(pen: Pen, view: JointView, half_width: float) -> tuple[np.ndarray, float]:
    """Direction (2,) from an axis to the rail beside it, and their distance [px]."""
    d = pen.direction(view.R[:, 2])
    way = np.array([-d[1], d[0]]) / np.linalg.norm(d)
    if way[1] < -1e-6 or (abs(way[1]) < 1e-6 and way[0] > 0):
        way = -way
    if any(float(link @ way) > 0.8 * np.linalg.norm(link) for link in view.links):
        way = -way
    reach = (view.outline - pen.at(view.c)) @ way
    return way, max(half_width, float(np.max(reach, initial=0.0)))


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
    low, high = (end + sign * 4.5 * s for end, sign in zip(_span(view), (-1, 1), strict=True))
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
    low, high = (end + sign * 4 * s for end, sign in zip(_span(view), (-1, 1), strict=True))
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
        return
    here, u = pen.at(view.c), 0.75 * UNIT
    pen.flat(here + u * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), "black", True)


def _free(pen: Pen, view: JointView) -> None:
    """Nothing holds the body."""


JOINT_SYMBOLS: dict[str, JointSymbol] = {
    "revolute": JointSymbol(_revolute, radius=1.0),
    "prismatic": JointSymbol(_prismatic, _prismatic_guide, stands=False, on_rail=True),
    "screw": JointSymbol(_screw, _screw_guide, stands=False),
    "cylindrical": JointSymbol(_cylindrical, _rod_guide, stands=False),
    "universal": JointSymbol(_universal, radius=1.9),
    "spherical": JointSymbol(_spherical, radius=1.75),
    "planar": JointSymbol(_planar, stands=False),
    "translational": JointSymbol(_free, stands=False),
    "free": JointSymbol(_free, stands=False),
    "fixed": JointSymbol(_weld, stands=False),
}
"""The symbol of every kind of joint."""
