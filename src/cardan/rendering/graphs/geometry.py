"""Geometry of a drawn bond graph: what stands where, in pixels, y downwards, before anything is written as SVG."""

from __future__ import annotations

from unicodedata import combining

from cardan.frozen import dataclass, field
from cardan.rendering.graphs.arrange import Point

SIZE = 11.0  # of letters [px]
_NARROW = frozenset("iljftrI.,:;|!'`()[]/ ")
_WIDE = frozenset("mwMWQO@%—ΩΦω")


def text_width(text: str, size: float = SIZE) -> float:
    """Room that a text needs in a usual sans-serif font [px], rather too much than too little."""
    return size * sum(
        0.0 if combining(one) else 0.42 if one in _NARROW else 1.0 if one in _WIDE else 0.78 if one.isupper() else 0.65
        for one in text
    )


@dataclass(frozen=True)
class Area:
    """A rectangle."""

    x: float  # of the upper left corner [px]
    y: float  # of the upper left corner [px]
    width: float  # [px]
    height: float  # [px]

    def meets(self, other: Area, slack: float = 0.5) -> bool:
        """Whether two rectangles overlap."""
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return across > slack and down > slack


@dataclass(frozen=True)
class Caption:
    """Name of an effort or a flow beside its bond."""

    area: Area  # that the text needs
    text: str  # as a user wrote it
    role: str  # "effort" or "flow"


@dataclass(frozen=True)
class Sign:
    """Symbol of an element, such as "I : m" or a junction."""

    area: Area  # of the text, or of the junction's outline
    text: str  # what it shows
    role: str  # "junction", "element", "unknown" or "port"
    words: str  # what the pointer shows


@dataclass(frozen=True)
class DrawnFrame:
    """Box of a body, joint, motor or force."""

    area: Area  # of the outline
    title: str  # what is written in it
    words: str  # what the pointer shows
    open: bool  # whether its elements are drawn in it


@dataclass(frozen=True)
class DrawnBond:
    """A bond as a line from the tail of its half-arrow to its head."""

    name: str  # of the bond
    points: tuple[Point, ...]  # corners of the line, tail first
    stroke_at_head: bool | None  # where the causal stroke stands; None without one
    size: int  # components, or bonds that the line stands for: a double line for more than one
    words: str  # what the pointer shows
    power: float | None = None  # along the half-arrow at one instant [W]

    @property
    def half_arrow(self) -> tuple[Point, Point]:
        """The one barb of the arrow at the head, on the side of the flow: from its outer end to the tip."""
        (x, y), (dx, dy) = self.points[-1], self._direction(head=True)
        side = 1 if (dx, -dy) > (0.0, 0.0) else -1  # below lines to either side, on the right of upright ones
        return (x - 10 * dx - 6 * side * dy, y - 10 * dy + 6 * side * dx), (x, y)

    @property
    def stroke(self) -> tuple[Point, Point] | None:
        """The causal stroke across one end."""
        if self.stroke_at_head is None:
            return None
        (x, y), (dx, dy) = self.points[-1 if self.stroke_at_head else 0], self._direction(self.stroke_at_head)
        return (x - 6 * dy, y + 6 * dx), (x + 6 * dy, y - 6 * dx)

    def _direction(self, head: bool) -> Point:
        """Unit vector along the line where it ends, or starts."""
        (x0, y0), (x1, y1) = self.points[-2:] if head else self.points[:2]
        length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
        return (x1 - x0) / length, (y1 - y0) / length


@dataclass
class DrawnGraph:
    """All that a drawing shows."""

    width: float = 0.0  # [px]
    height: float = 0.0  # [px]
    frames: list[DrawnFrame] = field(default_factory=list)  # outer ones first
    signs: list[Sign] = field(default_factory=list)  # elements, junctions, names of open ports
    bonds: list[DrawnBond] = field(default_factory=list)  # lines
    captions: list[Caption] = field(default_factory=list)  # names of efforts and flows
