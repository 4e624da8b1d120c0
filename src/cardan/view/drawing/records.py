"""What a drawing consists of: lines, areas and words in pixels, y downwards, before anything is written to a file."""

from __future__ import annotations

import numpy as np

from cardan.frozen import dataclass, field
from cardan.rendering.graphs.geometry import Area, text_width
from cardan.view.drawing.sizes import LETTERS

Colour = str
"""A name of a colour of the drawing, such as "ink", or "#rrggbb"."""


@dataclass(frozen=True)
class DrawingStyle:
    """How a line is drawn; the colour of a body takes the place of the style's where there is one."""

    stroke: Colour = "ink"  # empty: no outline
    width: float = 1.4  # [px]
    fill: Colour = ""  # empty: not filled
    dash: tuple[float, ...] = ()  # lengths of strokes and gaps [px]
    tint: float = 1.0  # opacity of the filling
    is_solid: bool = True  # whether words keep clear of it in any case


STYLES = {
    "ink": DrawingStyle(),
    "thin": DrawingStyle(width=0.9),
    "symbol": DrawingStyle(fill="paper"),
    "black": DrawingStyle(fill="ink", width=0.8),
    "hatch": DrawingStyle("soft", 0.9),
    "base": DrawingStyle("ink", 1.6),
    "body": DrawingStyle("ink", 3.4, is_solid=False),
    "plate": DrawingStyle("ink", 2.0, "body", tint=0.16, is_solid=False),
    "shape": DrawingStyle("ink", 1.3, "body", tint=0.16, is_solid=False),
    "edge": DrawingStyle("ink", 1.1, is_solid=False),
    "block": DrawingStyle("ink", 1.6, "light"),
    "rod": DrawingStyle("ink", 2.0, is_solid=False),
    "guide": DrawingStyle("ink", 1.8, is_solid=False),
    "curve": DrawingStyle("soft", 1.6, is_solid=False),
    "axis": DrawingStyle("soft", 0.9, dash=(9, 3, 2, 3), is_solid=False),
    "zero": DrawingStyle("soft", 0.9, dash=(4, 3), is_solid=False),
    "spring": DrawingStyle("ink", 1.3),
    "wheel": DrawingStyle("ink", 1.1, "body", tint=0.12, is_solid=False),
    "motor": DrawingStyle("motor", 1.6, "paper"),
    "motor line": DrawingStyle("motor", 1.6),
    "force": DrawingStyle("force", 2.0),
    "force head": DrawingStyle("force", 1.0, "force"),
    "coordinate": DrawingStyle("measure", 1.2),
    "coordinate head": DrawingStyle("measure", 0.8, "measure"),
    "dimension": DrawingStyle("soft", 0.9),
    "dimension head": DrawingStyle("soft", 0.8, "soft"),
    "gravity": DrawingStyle("soft", 1.8),
    "gravity head": DrawingStyle("soft", 1.0, "soft"),
    "mass": DrawingStyle("ink", 1.1, "paper"),
    "mass quarter": DrawingStyle("", 0.0, "body"),
    "cross": DrawingStyle("ink", 2.2),
    "world": DrawingStyle("soft", 1.2),
    "world head": DrawingStyle("soft", 0.8, "soft"),
    "box": DrawingStyle("ink", 1.6, "paper", is_solid=False),
    "beside": DrawingStyle("soft", 0.9, "paper", dash=(4, 3), is_solid=False),
    "loop": DrawingStyle("soft", 1.2, dash=(5, 3), is_solid=False),
    "leader": DrawingStyle("soft", 0.7, is_solid=False),
    "relation": DrawingStyle("relation", 1.2, dash=(5, 3), is_solid=False),
    "rough": DrawingStyle("ink", 1.1),
    "x axis": DrawingStyle("red", 1.5),
    "x axis head": DrawingStyle("red", 0.8, "red"),
    "y axis": DrawingStyle("green", 1.5),
    "y axis head": DrawingStyle("green", 0.8, "green"),
    "z axis": DrawingStyle("blue", 1.5),
    "z axis head": DrawingStyle("blue", 0.8, "blue"),
}
"""Styles of lines by name."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """A line through points, or the outline of an area."""

    points: np.ndarray  # (n, 2) [px]
    style: str = "ink"  # name of its style
    closed: bool = False  # whether the last point is joined to the first one
    colour: Colour = ""  # in place of the style's
    owner: str = ""  # what it stands for: "joint crank"


@dataclass(frozen=True)
class Words:
    """A line of text."""

    text: str  # as a user wrote it
    area: Area  # that it needs
    role: str = "joint"  # joint, body, motor, force, relation, friction, coordinate, dimension, axis, gravity
    colour: Colour = "ink"  # of the letters
    owner: str = ""  # what it names

    @staticmethod
    def around(text: str, x: float, y: float, role: str = "joint", colour: Colour = "ink", owner: str = "") -> Words:
        """A text whose middle stands at a point."""
        width, height = text_width(text, LETTERS), LETTERS + 2
        return Words(text, Area(x - width / 2, y - height / 2, width, height), role, colour, owner)


@dataclass(eq=False)
class Sheet:
    """All that a drawing shows, the hindmost first."""

    title: str = ""  # words for readers who cannot see it
    strokes: list[Stroke] = field(default_factory=list)  # lines and areas
    words: list[Words] = field(default_factory=list)  # texts

    def bounds(self) -> Area:
        """The rectangle that holds everything."""
        corners = [stroke.points for stroke in self.strokes if len(stroke.points)]
        for one in self.words:
            a = one.area
            corners.append(np.array([[a.x, a.y], [a.x + a.width, a.y + a.height]]))
        if not corners:
            return Area(0, 0, 0, 0)
        every = np.concatenate(corners)
        (x, y), (right, bottom) = every.min(axis=0), every.max(axis=0)
        return Area(float(x), float(y), float(right - x), float(bottom - y))
