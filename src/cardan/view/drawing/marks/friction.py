"""Friction: a rough line where the two sides of a joint touch, with the letter μ where it follows the load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.view.drawing.joints import JOINT_SYMBOLS, JointView, rail_side
from cardan.view.drawing.labels import Request
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import BLOCK, TOOTH, UNIT

__all__ = ["draw_friction"]


def draw_friction(pen: Pen, views: Sequence[JointView]) -> list[Request]:
    """Draw the friction of all joints that have some, and return its words.

    Parameters
    ----------
    pen : Pen
        Draws.
    views : sequence of JointView
        The joints.
    """
    out = []
    for view in views:
        if view.record.friction is not None:
            pen.owner = f"friction {view.name}"
            (_rough_line if view.slides else _rough_ring)(pen, view)
            word = "μ" if view.record.friction.follows_load else "friction"
            out.append(Request(word, pen.at(view.c)[None], 2.4 * UNIT, "friction", "ink", f"friction {view.name}"))
    return out


def _rough_line(pen: Pen, view: JointView) -> None:
    """Along the axis: on the rail beside the block, on the face of a shape, or on the rod in the block."""
    d = pen.direction(view.R[:, 2])
    seen = float(np.linalg.norm(d))
    if seen < 0.2:
        _rough_ring(pen, view)
        return
    way, offset = rail_side(pen, view, 1.6 * UNIT)
    if not (JOINT_SYMBOLS[view.record.type].on_rail and view.on_ground):
        touches = len(view.outline) > 0 and JOINT_SYMBOLS[view.record.type].on_rail
        offset = float(np.max((view.outline - pen.at(view.c)) @ way)) if touches else 0.0
    foot = pen.at(view.c) + way * offset
    half, count = BLOCK / 2 * d, 6
    steps = np.linspace(-1, 1, 2 * count + 1)
    heights = TOOTH * (np.arange(2 * count + 1) % 2)
    pen.flat(foot + steps[:, None] * half - heights[:, None] * way, "rough")


def _rough_ring(pen: Pen, view: JointView) -> None:
    """Round the pin."""
    count = 10
    turn = np.linspace(0, 2 * np.pi, 2 * count, endpoint=False)
    radius = pen.unit * (1.0 + np.where(np.arange(2 * count) % 2, TOOTH / UNIT, 0.1))
    across = np.outer(radius * np.cos(turn), view.R[:, 0]) + np.outer(radius * np.sin(turn), view.R[:, 1])
    pen.line(view.c + across, "rough", True)
