"""End stops: blocks that stand where the child of a joint is at the bounds of its coordinate, fixed to its parent."""

import numpy as np

from cardan.view.drawing.ground import hatched
from cardan.view.drawing.joint_view import JointView, rail_side
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import BLOCK, UNIT
from cardan.view.drawing.stops import StopPlace
from cardan.view.symbols.joints import JOINTS

_SIDE = 1.6 * UNIT
"""How far a block reaches beyond the axis."""


def draw_stops(pen: Pen, view: JointView) -> None:
    """Draw the stops of a joint: blocks on its axis where it slides, else levers beside its longest link."""
    pen.owner = f"stop {view.name}"
    for place in view.stops:
        (_block if place.slides else _lever)(pen, view, place)


def _block(pen: Pen, view: JointView, place: StopPlace) -> None:
    """Across the axis, where the block or the shape of the child ends when it touches; on the rail if there is one."""
    d = pen.direction(view.R[:, 2])
    seen = float(np.linalg.norm(d))
    if seen < 0.2:
        return
    outward = place.side * d / seen
    reach = max([float(np.max((view.outline - pen.at(view.c)) @ outward))] if len(view.outline) else [BLOCK / 2 * seen])
    foot = pen.at(view.p + view.R @ place.p) + outward * reach
    way, rail = np.array([-d[1], d[0]]) / seen, _SIDE
    if JOINTS[view.record.type].on_rail and view.on_ground:
        way, rail = rail_side(pen, view, _SIDE)
    _fixed(pen, view, foot - _SIDE * way, foot + rail * way, outward)


def _lever(pen: Pen, view: JointView, place: StopPlace) -> None:
    """From the pin along the child's longest link where it touches, on the side that the link cannot reach."""
    link = view.longest_link()
    own = np.array([1.0, 0.0, 0.0]) if link is None else view.R_child.T @ link / np.linalg.norm(link)
    along = view.R @ place.R @ own
    beyond = place.side * np.cross(view.R[:, 2], along)
    middle = view.c + beyond * 0.5 * pen.unit
    pin, near, far = (pen.at(middle + along * reach * pen.unit) for reach in (0.9, 2.6, 5.2))
    pen.flat(np.array([pin, near]), "symbol", colour=view.parent_colour)
    _fixed(pen, view, near, far, pen.direction(beyond))


def _fixed(pen: Pen, view: JointView, a: np.ndarray, b: np.ndarray, way: np.ndarray) -> None:
    """A line that stands still, hatched, or that moves with the parent, in its colour."""
    if view.on_ground:
        hatched(pen, a, b, way)
    else:
        pen.flat(np.array([a, b]), "base", colour=view.parent_colour)
