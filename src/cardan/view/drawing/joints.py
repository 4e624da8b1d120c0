"""Joints of a mechanism in the position that is drawn, their symbols and the ground below them."""

from collections.abc import Iterable, Mapping, Sequence

import casadi as ca
import numpy as np

from cardan.model.joints import Joint
from cardan.view.drawing.bodies import Skeleton
from cardan.view.drawing.ground import away_from, pedestal
from cardan.view.drawing.joint_view import JointView
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import UNIT
from cardan.view.drawing.stops import StopPlace
from cardan.view.scene.still import StillPosition
from cardan.view.symbols.joints import JOINTS


def joint_views(
    pen: Pen, position: StillPosition, bodies: Mapping[str, Skeleton], stops: Mapping[str, tuple[StopPlace, ...]]
) -> list[JointView]:
    """All joints of a mechanism in the order of the file."""
    out = []
    owners = {part: rod for rod, parts in position.rods.items() for part in parts}
    for name, joint in position.joints.items():
        parent, child = position.shown_places(joint, pen.unit)
        p, c = position.origin(parent)[0], position.origin(child)[0]
        body, other = (bodies.get(owners.get(one.body, one.body)) for one in (child, parent))
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


def draw_guides(pen: Pen, position: StillPosition, views: Sequence[JointView]) -> None:
    """Draw what joints slide on, and the shafts between the parts of drives."""
    for view in views:
        if view.record.drawn is not None:
            pen.owner = f"joint {view.name}"
            place, length = position.shaft(view.record, pen.unit)
            pen.line([position.origin(one)[0] for one in (place, place.shifted(length))], "guide")
        guide = JOINTS[view.record.type].guide
        if guide is not None:
            pen.owner = f"joint {view.name}"
            guide(pen, view)


def draw_joints(pen: Pen, views: Sequence[JointView]) -> None:
    """Draw the symbols of all joints, those nearest to the eye last, and the ground below them."""
    standing: list[np.ndarray] = []
    for view in sorted(views, key=lambda view: float(view.c @ pen.camera.toward)):
        symbol = JOINTS[view.record.type]
        pen.owner = f"joint {view.name}"
        here = pen.at(view.c)
        alone = not any(np.linalg.norm(here - other) < 1.0 for other in standing)
        if view.on_ground and symbol.holder == "pedestal" and alone:
            standing.append(here)
            way = away_from(view.links)
            along_way = abs(float(pen.direction(view.R[:, 2]) @ way))
            pedestal(pen, here, way, UNIT * (2.6 + 0.9 * along_way))
        symbol.strokes(pen, view)
