"""Names of joints, bodies, motors, springs and forces in a kinematic diagram, and motors: what shall stand where."""

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.view.drawing.bodies import Skeleton
from cardan.view.drawing.joint_view import JointView
from cardan.view.drawing.labels import Request
from cardan.view.drawing.pen import Pen, hull
from cardan.view.drawing.sizes import MOTOR, UNIT
from cardan.view.symbols.joints import JOINTS


def joint_names(pen: Pen, views: Sequence[JointView]) -> list[Request]:
    """The names of all joints that have a symbol, those at one point together."""
    at: dict[tuple[int, int], list[JointView]] = {}
    drawn = {stroke.owner for stroke in pen.sheet.strokes}
    for view in views:
        if view.record.nv and f"joint {view.name}" in drawn:
            x, y = pen.at(view.c)
            at.setdefault((round(float(x) / 3), round(float(y) / 3)), []).append(view)
    out = []
    for group in at.values():
        names = ", ".join(view.name for view in group)
        clearance = 1.8 * UNIT
        out.append(Request(names, pen.at(group[0].c)[None], clearance, "joint", "ink", f"joint {names}"))
    return out


def names_at(places: Mapping[str, np.ndarray], role: str, colour: str, clearance: float) -> list[Request]:
    """The names of springs or forces, each at its point."""
    return [Request(name, point[None], clearance, role, colour, f"{role} {name}") for name, point in places.items()]


def body_names(pen: Pen, bodies: Mapping[str, Skeleton], views: Mapping[str, JointView]) -> list[Request]:
    """The names of bodies that are seen, at their lines or at their shapes."""
    out = []
    for name, body in bodies.items():
        if body.is_still:
            continue
        lines = [np.array([pen.at(a), pen.at(b)]) for a, b in body.edges]
        lines = [line for line in lines if np.linalg.norm(line[1] - line[0]) > 2 * UNIT]
        anchors = [line[0] + part * (line[1] - line[0]) for part in (0.5, 0.35, 0.65) for line in lines]
        if not anchors and len(body.corners):
            corners = hull(pen.at(body.corners))
            anchors = [corners.mean(axis=0), *((corners + np.roll(corners, -1, axis=0)) / 2)]
        if not anchors:
            anchors = [pen.at(view.c) for view in views.values() if view.child == name]
            guided = any(JOINTS[view.record.type].guide and view.child == name for view in views.values())
            if not guided and body.centre is None:
                continue
        out.append(Request(name, np.array(anchors), 5.0, "body", body.colour, f"body {name}"))
    return out


def motor_names(pen: Pen) -> list[Request]:
    """The names of motors, at their circles."""
    return [
        Request(
            one.owner.removeprefix("motor "),
            np.array([[one.area.x + one.area.width / 2, one.area.y + one.area.height / 2]]),
            11.0,
            "motor",
            "motor",
            f"name of {one.owner}",
        )
        for one in pen.sheet.words
        if one.role == "motor"
    ]


def motor_requests(pen: Pen, views: Mapping[str, JointView], motors: Mapping[str, str]) -> list[Request]:
    """The circles of all motors, which want a place beside their joints."""
    return [
        Request("M", pen.at(views[joint].c)[None], 2.4 * UNIT, "motor", "motor", f"motor {name}", MOTOR)
        for name, joint in motors.items()
    ]


def draw_motor(pen: Pen, request: Request, middle: np.ndarray, joint: np.ndarray) -> None:
    """Draw a motor and the shaft to its joint."""
    pen.owner = request.owner
    d = (joint - middle) / max(float(np.linalg.norm(joint - middle)), 1e-9)
    n = 1.6 * np.array([-d[1], d[0]])
    for side in (n, -n):
        pen.flat(np.array([middle + d * MOTOR + side, joint - d * 1.2 * UNIT + side]), "motor line")
    pen.disc(middle, MOTOR, "motor", count=36)
    pen.write("M", middle, "motor", "motor")
