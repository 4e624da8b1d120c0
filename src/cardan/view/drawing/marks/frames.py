"""Frames of the bodies, as the matrix method attaches them: one triad for each body, numbered in the order of the file.

Source: Hroncová 2018, figs. 2 and 4 a–f
"""

import numpy as np

from cardan.view.drawing.labels import Request
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import FRAME_ARM
from cardan.view.scene.still import StillPosition

_COLOURS = {"x": "red", "y": "green", "z": "blue"}


def draw_frames(pen: Pen, position: StillPosition) -> list[Request]:
    """Draw the frame of every body that moves, and return the names of its axes: x1, y1, z1 of the first one."""
    moving = [name for name in position.model.bodies if name not in position.still]
    tips: list[tuple[np.ndarray, np.ndarray, list[str]]] = []
    for number, name in enumerate(moving, 1):
        p, R = position.position(name)[0], position.axes(name)[0]
        origin = pen.at(p)
        for k, letter in enumerate("xyz"):
            pen.owner = f"frame {name}"
            d = pen.camera.flat(R[:, k])
            seen = float(np.linalg.norm(d))
            tip = origin + FRAME_ARM * d
            same = next(
                (names for at, start, names in tips if np.linalg.norm(at - tip) < 2 and _near(start, origin)), []
            )
            if not same:
                tips.append((tip, origin, same))
                _axis(pen, origin, tip, seen, float(R[:, k] @ pen.camera.toward), f"{letter} axis")
            same.append(f"{letter}{number}")
    return [
        Request(", ".join(names), tip[None], 4.0, "axis", _COLOURS[names[0][0]], f"frame axis {' '.join(names)}")
        for tip, _, names in tips
    ]


def _near(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.linalg.norm(a - b) < 2)


def _axis(pen: Pen, origin: np.ndarray, tip: np.ndarray, seen: float, toward: float, style: str) -> None:
    """An arrow; a point in a circle where it comes out of the picture, a cross where it goes in."""
    if seen > 0.15:
        pen.arrow(origin, tip, style, 6.0)
        return
    pen.disc(origin, 4.5, style, count=20)
    if toward > 0:
        pen.disc(origin, 1.5, f"{style} head", count=10)
    else:
        for a in (np.array([1, 1]), np.array([1, -1])):
            pen.flat(origin + 3.2 * np.array([-a, a]), style)
