"""The pen: points, circles, cylinders and boxes in space as lines of the picture."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from cardan.frozen import dataclass, field
from cardan.view.drawing.camera import Camera
from cardan.view.drawing.records import Sheet, Stroke, Words
from cardan.view.drawing.sizes import UNIT
from cardan.view.scene.directions import along

_FACES = [(axis, sign) for axis in range(3) for sign in (-1, 1)]


@dataclass(eq=False)
class Pen:
    """Draws on a sheet what lies in space."""

    camera: Camera  # from where it looks
    scale: float  # [px/m]
    sheet: Sheet = field(default_factory=Sheet)  # what it draws on
    owner: str = ""  # what is being drawn

    @property
    def unit(self) -> float:
        """Half the width of a joint's symbol [m]."""
        return UNIT / self.scale

    def at(self, points: np.ndarray) -> np.ndarray:
        """Pixels (…, 2) of points (…, 3)."""
        return self.scale * self.camera.flat(np.asarray(points, dtype=float))

    def direction(self, vector: np.ndarray) -> np.ndarray:
        """A vector (3,) in the picture (2,): shorter than 1 where it is seen from its end."""
        return self.camera.flat(np.asarray(vector) / max(float(np.linalg.norm(vector)), 1e-300))

    def flat(self, points: np.ndarray, style: str, closed: bool = False, colour: str = "") -> None:
        """Draw a line through points of the picture."""
        self.sheet.strokes.append(Stroke(np.asarray(points, dtype=float), style, closed, colour, self.owner))

    def line(self, points: Iterable[np.ndarray], style: str, closed: bool = False, colour: str = "") -> None:
        """Draw a line through points in space."""
        self.flat(self.at(np.array(list(points))), style, closed, colour)

    def disc(self, centre: np.ndarray, radius: float, style: str, colour: str = "", count: int = 28) -> None:
        """Draw a circle of the picture."""
        turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
        self.flat(centre + radius * np.column_stack([np.cos(turn), np.sin(turn)]), style, True, colour)

    def cylinder(
        self, centre: np.ndarray, axis: np.ndarray, radius: float, length: float, style: str, colour: str = ""
    ) -> None:
        """Draw a cylinder: a circle where it is seen from its end."""
        R = along(axis)
        caps = [centre + circle_points(R, radius) + R[:, 2] * half for half in (-length / 2, length / 2)]
        self.flat(hull(self.at(np.concatenate(caps))), style, True, colour)
        front = caps[1] if R[:, 2] @ self.camera.toward >= 0 else caps[0]
        if abs(R[:, 2] @ self.camera.toward) < 0.999:
            self.flat(self.at(front), style, True, colour)

    def box(self, centre: np.ndarray, R: np.ndarray, size: Sequence[float], style: str, colour: str = "") -> None:
        """Draw the visible faces of a box."""
        half = np.asarray(size, dtype=float) / 2
        for axis, sign in _FACES:
            if sign * (R[:, axis] @ self.camera.toward) <= 1e-3:
                continue
            i, k = (axis + 1) % 3, (axis + 2) % 3
            middle = centre + sign * half[axis] * R[:, axis]
            corners = [
                middle + a * half[i] * R[:, i] + b * half[k] * R[:, k] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            self.flat(self.at(np.array(corners)), style, True, colour)

    def arrow(self, tail: np.ndarray, tip: np.ndarray, style: str, size: float = 7.0) -> None:
        """Draw an arrow of the picture."""
        d = np.asarray(tip, dtype=float) - tail
        length = float(np.linalg.norm(d))
        if not length:
            return
        d = d / length
        self.flat(np.array([tail, tip - d * min(0.8 * size, length)]), style)
        self.head(tip, d, f"{style} head", size)

    def head(self, tip: np.ndarray, d: np.ndarray, style: str, size: float = 7.0) -> None:
        """Draw the head of an arrow."""
        d = np.asarray(d) / max(float(np.linalg.norm(d)), 1e-9)
        n = np.array([-d[1], d[0]])
        self.flat(np.array([tip, tip - size * d + 0.36 * size * n, tip - size * d - 0.36 * size * n]), style, True)

    def write(self, text: str, point: np.ndarray, role: str, colour: str = "ink") -> None:
        """Write a text whose middle stands at a point of the picture."""
        self.sheet.words.append(Words.around(text, float(point[0]), float(point[1]), role, colour, self.owner))


def circle_points(R: np.ndarray, radius: float, start: float = 0.0, turn: float = 2 * math.pi) -> np.ndarray:
    """Points (n, 3) of an arc about z of some axes."""
    count = max(3, math.ceil(abs(turn) / (2 * math.pi) * 36) + 1)
    angle = start + np.linspace(0, turn, count)
    return radius * (np.outer(np.cos(angle), R[:, 0]) + np.outer(np.sin(angle), R[:, 1]))


def hull(points: np.ndarray) -> np.ndarray:
    """The convex hull of points of the picture, by Andrew's monotone chain."""
    order = sorted({(float(x), float(y)) for x, y in np.round(points, 6)})
    if len(order) < 3:
        return np.array(order)

    def half(chain: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        out: list[tuple[float, float]] = []
        for p in chain:
            while len(out) > 1 and _turn(out[-2], out[-1], p) <= 0:
                out.pop()
            out.append(p)
        return out[:-1]

    return np.array(half(order) + half(reversed(order)))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
