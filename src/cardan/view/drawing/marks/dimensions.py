"""Dimensions: lengths of links, of rods and between the joints on the ground."""

from collections.abc import Iterator, Mapping

import numpy as np

from cardan.model.place import GROUND
from cardan.model.quantities.scalar import Scalar
from cardan.view.drawing.bodies import Skeleton
from cardan.view.drawing.labels import Request
from cardan.view.drawing.marks.coordinates import worded
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import DIMENSION_OFFSET, SHORTEST_DIMENSION
from cardan.view.scene.bodies import anchors, distinct, shortest_tree
from cardan.view.scene.connections import links
from cardan.view.scene.still import StillPosition


def draw_dimensions(pen: Pen, position: StillPosition, bodies: Mapping[str, Skeleton]) -> list[Request]:
    """Draw dimension lines, and return their words: the expression of the model, if it is one, and the length."""
    out, middle = [], pen.sheet.bounds()
    centre = np.array([middle.x + middle.width / 2, middle.y + middle.height / 2])
    plates = {name: pen.at(body.points.mean(axis=0)) for name, body in bodies.items() if body.is_plate}
    for owner, a, b, text in [*_of_bodies(position, bodies), *_of_rods(position), *_of_ground(position)]:
        pen.owner = f"dimension {owner}"
        ends = pen.at(a), pen.at(b)
        if np.linalg.norm(ends[1] - ends[0]) < SHORTEST_DIMENSION:
            continue
        length = worded(float(np.linalg.norm(b - a)), "m")
        point = _line(pen, *ends, plates.get(owner, centre))
        words = f"{text} = {length}" if text else length
        out.append(Request(words, point[None], 4.0, "dimension", "soft", f"dimension {owner} {words}"))
    return out


_Line = tuple[str, np.ndarray, np.ndarray, str]
"""Owner, ends (3,), expression."""


def _of_bodies(position: StillPosition, bodies: Mapping[str, Skeleton]) -> Iterator[_Line]:
    for name, body in bodies.items():
        if body.is_still:
            continue
        known = _expressions(position, name)
        R, p = position.axes(name)[0], position.position(name)[0]
        pairs = [(R.T @ (a - p), R.T @ (b - p)) for a, b in body.lengths]
        if body.is_plate:
            pairs += [(np.zeros(3), at) for at, _ in known if not any(_joins(ends, at) for ends in pairs)]
        for ends in pairs:
            text = next((text for at, text in known if _joins(ends, at)), "")
            yield name, p + R @ ends[0], p + R @ ends[1], text


def _expressions(position: StillPosition, name: str) -> list[tuple[np.ndarray, str]]:
    """Markers that lie on an axis of their body: their positions (3,) and the expressions of their distances."""
    out = []
    for marker in position.model.bodies[name].markers.values():
        values = np.array([position.number(entry) for entry in marker.position])
        if np.count_nonzero(values) == 1:
            k = int(np.flatnonzero(values)[0])
            if marker.position[k].names:
                out.append((values, str(marker.position[k]).lstrip("-")))
    return out


def _joins(ends: tuple[np.ndarray, np.ndarray], at: np.ndarray) -> bool:
    """Whether a line joins the origin with a point."""
    tolerance = 1e-9 * max(float(np.linalg.norm(at)), 1e-9)
    return any(np.linalg.norm([*a, *(b - at)]) <= tolerance for a, b in (ends, ends[::-1]))


def _of_rods(position: StillPosition) -> Iterator[_Line]:
    for strut in links(position, 0.0):
        if strut.kind == "rod":
            length: Scalar = position.model.constraints[strut.owner].length  # type: ignore[attr-defined]
            a, b = position.origin(strut.a)[0], position.origin(strut.b)[0]
            yield strut.owner, a, b, str(length) if length.names else ""


def _of_ground(position: StillPosition) -> Iterator[_Line]:
    points = []
    for name in position.still:
        R, p = position.axes(name)[0], position.position(name)[0]
        points += [p + R @ point for point in anchors(position, name)]
    for a, b in shortest_tree(distinct(points)):
        yield GROUND, a, b, ""


def _line(pen: Pen, a: np.ndarray, b: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """A line with two arrows beside a line, on the side away from a point; returns its middle."""
    d = (b - a) / np.linalg.norm(b - a)
    n = np.array([-d[1], d[0]])
    if n @ ((a + b) / 2 - centre) < 0:
        n = -n
    start, end = a + DIMENSION_OFFSET * n, b + DIMENSION_OFFSET * n
    for point, far in ((a, start), (b, end)):
        pen.flat(np.array([point + 8 * n, far + 4 * n]), "dimension")
    pen.flat(np.array([start, end]), "dimension")
    pen.head(start, start - end, "dimension head", 6.0)
    pen.head(end, end - start, "dimension head", 6.0)
    return np.asarray((start + end) / 2)
