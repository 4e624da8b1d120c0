"""Coordinates: arrows from where a joint is zero to where it is, with their names and values."""

import math
from collections.abc import Sequence

from cardan.view.drawing.joint_view import JointView
from cardan.view.drawing.labels import Request
from cardan.view.drawing.pen import Pen
from cardan.view.symbols.joints import JOINTS


def draw_coordinates(pen: Pen, views: Sequence[JointView], values: dict[str, float]) -> list[Request]:
    """Draw the coordinates of all joints, and return their words."""
    out = []
    for view in views:
        draw = JOINTS[view.record.type].arrows
        known = [values.get(view.name + suffix) for suffix, _ in view.record.coordinates]
        if draw is not None and None not in known:  # joints that close loops have none
            pen.owner = f"coordinate {view.name}"
            for suffix, point, value, unit in draw(pen, view, [float(q or 0.0) for q in known]):
                name = view.name + suffix
                text = f"{name} = {worded(value, unit)}"
                out.append(Request(text, point[None], 5.0, "coordinate", "measure", f"coordinate {name}"))
    return out


def worded(value: float, unit: str) -> str:
    """A length in m or mm, an angle in degrees."""
    if unit == "rad":
        return f"{_plain(math.degrees(value))}°"
    return f"{_plain(1000 * value)} mm" if abs(value) < 0.1 and value else f"{_plain(value)} m"


def _plain(value: float) -> str:
    text = f"{value:.4g}" if abs(value) >= 1e-9 else "0"
    return text.replace("-", "−")
