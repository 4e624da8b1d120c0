"""Motors: M in a circle beside the joint that they drive."""

from collections.abc import Mapping

import numpy as np

from cardan.view.drawing.joint_view import JointView
from cardan.view.drawing.labels import Request
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import MOTOR, UNIT


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
