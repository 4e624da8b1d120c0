"""A joint in the position that is drawn: what its symbol and the marks beside it are drawn from."""

import numpy as np

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.stops import StopPlace


@dataclass(frozen=True, eq=False)
class JointView:
    """A joint in the position that is drawn."""

    name: str
    record: Joint  # its kind and its law
    parent: str  # body
    child: str  # body
    p: np.ndarray  # its place on the parent (3,), world [m]
    c: np.ndarray  # its place on the child (3,)
    R: np.ndarray  # axes of the joint frame on the parent (3×3): z is the axis
    R_child: np.ndarray  # axes of the joint frame on the child
    on_ground: bool  # the parent stands still
    links: tuple[np.ndarray, ...]  # directions (2,) of links that leave its place on the child [px]
    colour: str  # of the child
    parent_colour: str  # of the parent
    outline: np.ndarray  # what bounds the shapes of the child (n, 2) [px]; empty without
    ends: np.ndarray  # joints and markers of the child (n, 3), world [m]
    is_planar: bool  # of a planar model
    slides: bool  # whether it moves the child along the axis
    stops: tuple[StopPlace, ...] = ()  # bounds of its coordinate that are drawn

    def longest_link(self) -> np.ndarray | None:
        """The child's longest line (3,) from the joint across the axis, world [m]; None without any."""
        away = self.ends - self.c
        across = away - np.outer(away @ self.R[:, 2], self.R[:, 2])
        lengths = np.linalg.norm(across, axis=1)
        seen = lengths > 1e-6 * np.maximum(np.linalg.norm(away, axis=1), 1e-9)  # not along the axis but for round-off
        return np.asarray(across[np.argmax(lengths)]) if np.any(seen) else None

    @property
    def span(self) -> tuple[float, float]:
        """Ends of what the child slides on, along the axis [m]: its zero, where it is, and its stops."""
        places = [0.0, float((self.c - self.p) @ self.R[:, 2]), *(float(stop.p[2]) for stop in self.stops)]
        return min(places), max(places)


def rail_side(pen: Pen, view: JointView, half_width: float) -> tuple[np.ndarray, float]:
    """Direction (2,) from an axis to the rail beside it, and their distance [px]."""
    d = pen.direction(view.R[:, 2])
    way = np.array([-d[1], d[0]]) / np.linalg.norm(d)
    if way[1] < -1e-6 or (abs(way[1]) < 1e-6 and way[0] > 0):
        way = -way
    if any(float(link @ way) > 0.8 * np.linalg.norm(link) for link in view.links):
        way = -way
    reach = (view.outline - pen.at(view.c)) @ way
    return way, max(half_width, float(np.max(reach, initial=0.0)))
