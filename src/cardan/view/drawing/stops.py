"""End stops: where the child of a joint is at the bounds of its coordinate, and hatched blocks that stand there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.view.drawing.ground import hatched
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import BLOCK, UNIT, WIDTH
from cardan.view.scene.still import StillPosition

if TYPE_CHECKING:
    from cardan.view.drawing.joints import JointView

__all__ = ["StopPlace", "draw_stops", "stop_places", "stop_points"]

_FARTHEST = WIDTH / BLOCK
"""Distance of a stop that is drawn, in sizes of the mechanism, which then is as large as a symbol."""


@dataclass(frozen=True, eq=False)
class StopPlace:
    """The child's joint frame in the parent's where the coordinate is at a bound."""

    side: int  # −1: the lower bound, 1: the upper one
    p: np.ndarray  # origin (3,) [m]
    R: np.ndarray  # axes (3×3)


def stop_places(position: StillPosition, size: float) -> dict[str, tuple[StopPlace, ...]]:
    """The stops of every joint that has some, those left out that are far away.

    Parameters
    ----------
    position : StillPosition
        The mechanism.
    size : float
        Size of the mechanism [m].
    """
    out = {}
    for name, joint in position.model.joints.items():
        if joint.limits is not None:
            bounds = ((-1, joint.limits.lower), (1, joint.limits.upper))
            found = [_place(position, joint, side, position.number(q)) for side, q in bounds if q is not None]
            out[name] = tuple(one for one in found if np.linalg.norm(one.p) <= _FARTHEST * size)
    return out


def _place(position: StillPosition, joint: Joint, side: int, q: float) -> StopPlace:
    T = np.array(ca.DM(joint.resolved(position.number).transform(ca.DM([q]))), dtype=float)
    return StopPlace(side, T[:3, 3], T[:3, :3])


def stop_points(position: StillPosition, stops: Mapping[str, tuple[StopPlace, ...]]) -> np.ndarray:
    """Points (n, 3) of the world at which children are at their stops.

    Parameters
    ----------
    position : StillPosition
        The mechanism.
    stops : mapping
        From `stop_places`.
    """
    found = []
    for name, places in stops.items():
        parent = position.joint_places(position.model.joints[name])[0]
        R, p = position.frame(parent)[0], position.origin(parent)[0]
        found += [p + R @ one.p for one in places]
    return np.array(found).reshape(-1, 3)


def draw_stops(pen: Pen, view: JointView) -> None:
    """Draw the stops of a joint: blocks on its axis where it slides, else plates beside its longest link.

    Parameters
    ----------
    pen : Pen
        Draws.
    view : JointView
        The joint.
    """
    pen.owner = f"stop {view.name}"
    for place in view.stops:
        (_block if view.slides else _plate)(pen, view, place)


def _block(pen: Pen, view: JointView, place: StopPlace) -> None:
    """Across the axis, where the block or the shape of the child ends when it touches."""
    d = pen.direction(view.R[:, 2])
    seen = float(np.linalg.norm(d))
    if seen < 0.2:
        return
    outward = place.side * d / seen
    reach = max([float(np.max((view.outline - pen.at(view.c)) @ outward))] if len(view.outline) else [BLOCK / 2 * seen])
    foot = pen.at(view.p + view.R @ place.p) + outward * reach
    across, side = np.array([-d[1], d[0]]) / seen, 1.6 * UNIT
    hatched(pen, foot - side * across, foot + side * across, outward)


def _plate(pen: Pen, view: JointView, place: StopPlace) -> None:
    """Along the child's longest link where it touches, on the side that the link cannot reach."""
    link = view.longest_link()
    own = np.array([1.0, 0.0, 0.0]) if link is None else view.R_child.T @ link / np.linalg.norm(link)
    along = view.R @ place.R @ own
    beyond = place.side * np.cross(view.R[:, 2], along)
    middle = view.c + beyond * 0.5 * pen.unit
    near, far = (pen.at(middle + along * reach * pen.unit) for reach in (2.6, 5.2))
    way = pen.direction(beyond)
    hatched(pen, near, far, way)
