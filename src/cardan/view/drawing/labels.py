"""Where words and motors stand: near what they name, on nothing else; a thin line leads to those that stand apart."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from cardan.frozen import dataclass
from cardan.rendering.graphs.geometry import Area, text_width
from cardan.view.drawing.records import STYLES, Sheet, Stroke, Words
from cardan.view.drawing.sizes import LETTERS

_CELL = 3.0  # edge of a cell of the map of what is taken [px]
_GAP = 1.5  # between a word and all else [px]
_RADII = np.array([0.0, 3.0, 7.0, 12.0, 18.0, 26.0, 36.0, 48.0, 64.0, 84.0, 110.0, 140.0, 180.0])
_MARGIN = _RADII[-1] + 2.5 * LETTERS  # round the drawing: as far as a word may stand [px]
_ANGLES = np.radians([-35, 35, -145, 145, -90, 90, 0, 180, -60, 60, -120, 120, -15, 15, -165, 165])
_LEAD = 11.0  # distance from which on a line leads to a word [px]


@dataclass(frozen=True, eq=False)
class Request:
    """A word that wants a place."""

    text: str  # as a user wrote it
    anchors: np.ndarray  # points (n, 2) that it may stand at [px], the best first
    clearance: float  # distance from the point to the word [px]
    role: str  # see `Words`
    colour: str  # see `Words`
    owner: str  # see `Words`
    disc: float = 0.0  # radius of a circle that takes the place of the text's own area [px]


class Field:
    """A map of what a sheet has taken already: by symbols and words, and by lines."""

    def __init__(self, sheet: Sheet) -> None:
        area = sheet.bounds()
        self.x, self.y = area.x - _MARGIN, area.y - _MARGIN
        shape = (int((area.height + 2 * _MARGIN) / _CELL) + 2, int((area.width + 2 * _MARGIN) / _CELL) + 2)
        self.solid, self.soft = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        for stroke in sheet.strokes:
            self.take(stroke)
        for one in sheet.words:
            self.take_area(one.area)
        self._soft = _sums(self.soft)
        self.leaders = list[np.ndarray]()  # from where (2,) to where (2,) each leads
        self._sum()

    def take(self, stroke: Stroke) -> None:
        """Mark the cells of a line; of an area that is filled, all of them where it is solid."""
        style = STYLES[stroke.style]
        grid = self.solid if style.is_solid else self.soft
        points = np.vstack([stroke.points, stroke.points[:1]]) if stroke.closed else stroke.points
        for a, b in pairwise(points):
            count = int(np.linalg.norm(b - a) / (0.5 * _CELL)) + 2
            self._mark(grid, a + np.linspace(0, 1, count)[:, None] * (b - a))
        if stroke.closed and style.is_solid and style.fill:
            low, high = points.min(axis=0), points.max(axis=0)
            if np.all(high - low < 60):
                self.take_area(Area(*low, *(high - low)))

    def take_area(self, area: Area) -> None:
        """Mark the cells of a rectangle."""
        i, k = self._index(area.x, area.y)
        j, m = self._index(area.x + area.width, area.y + area.height)
        self.solid[max(k, 0) : m + 1, max(i, 0) : j + 1] = 1

    def _index(self, x: float, y: float) -> tuple[int, int]:
        return int((x - self.x) / _CELL), int((y - self.y) / _CELL)

    def _mark(self, grid: np.ndarray, points: np.ndarray) -> None:
        i = ((points[:, 0] - self.x) / _CELL).astype(int).clip(0, grid.shape[1] - 1)
        k = ((points[:, 1] - self.y) / _CELL).astype(int).clip(0, grid.shape[0] - 1)
        grid[k, i] = 1

    def _sum(self) -> None:
        self._solid = _sums(self.solid)
        self._every = self._solid + self._soft

    def _count(self, total: np.ndarray, x: np.ndarray, y: np.ndarray, width: float, height: float) -> np.ndarray:
        rows, columns = total.shape
        i = ((x - self.x) / _CELL).astype(int).clip(0, columns - 2)
        k = ((y - self.y) / _CELL).astype(int).clip(0, rows - 2)
        j = (((x + width - self.x) / _CELL).astype(int) + 1).clip(0, columns - 1)
        m = (((y + height - self.y) / _CELL).astype(int) + 1).clip(0, rows - 1)
        return np.asarray(total[m, j] - total[k, j] - total[m, i] + total[k, i])

    def best(self, request: Request) -> tuple[np.ndarray, np.ndarray, float]:
        """Middle of the best place, the point it stands at, and how far it is from it [px]."""
        width, height = size_of(request)
        tall = width if request.disc else height
        radius, angle = (grid.ravel() for grid in np.meshgrid(_RADII, _ANGLES, indexing="ij"))
        dx, dy, r = np.cos(angle), np.sin(angle), request.clearance + radius
        liking = radius + 0.4 * np.tile(np.arange(_ANGLES.size), _RADII.size)
        found: tuple[float, np.ndarray, np.ndarray, float] | None = None
        for rank, anchor in enumerate(request.anchors):
            x, y = anchor[0] + dx * (r + width / 2), anchor[1] + dy * (r + tall / 2)
            left, top = x - width / 2 - _GAP, y - tall / 2 - _GAP
            box = (left, top, width + 2 * _GAP, tall + 2 * _GAP)
            solid, soft = self._count(self._solid, *box), self._count(self._soft, *box)
            wide = self._count(self._every, left - 5, top - 5, width + 13, tall + 13)
            cost = 1000.0 * solid + 9.0 * soft + 0.3 * wide + liking + 3.0 * rank
            far = radius > _LEAD
            ends = np.column_stack([x[far], y[far]])
            cost[far] += (
                6.0 + self._crossed(np.asarray(anchor), ends) + 1000.0 * self._tangled(np.asarray(anchor), ends)
            )
            k = int(np.argmin(cost))
            if found is None or cost[k] < found[0]:
                found = (float(cost[k]), np.array([x[k], y[k]]), np.asarray(anchor, dtype=float), float(radius[k]))
        assert found is not None  # there is at least one point
        return found[1:]

    def _crossed(self, a: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """What lines from a point to words (n, 2) would cross."""
        points = a + np.linspace(0.15, 0.8, 32)[None, :, None] * (ends - a)[:, None]
        i = np.minimum(np.maximum(((points[..., 0] - self.x) / _CELL).astype(int), 0), self.solid.shape[1] - 1)
        k = np.minimum(np.maximum(((points[..., 1] - self.y) / _CELL).astype(int), 0), self.solid.shape[0] - 1)
        return np.asarray(6.0 * self.solid[k, i].sum(axis=1) + 1.5 * self.soft[k, i].sum(axis=1))

    def _tangled(self, a: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """How many of the lines to words that are drawn already each line from a point to words (n, 2) would cross."""
        count, d = np.zeros(len(ends)), ends - a
        for b, c in self.leaders:
            sides = [_side(d, b - a) * _side(d, c - a), _side(c - b, a - b) * _side(c - b, ends - b)]
            count += (sides[0] < 0) & (sides[1] < 0)
        return count

    def settle(self, area: Area) -> None:
        """Take a rectangle for good."""
        self.take_area(area)
        self._sum()


def _side(d: np.ndarray, p: np.ndarray) -> np.ndarray:
    """On which side of the direction d (…, 2) each point p (…, 2) lies, by its sign."""
    return np.asarray(d[..., 0] * p[..., 1] - d[..., 1] * p[..., 0])


def _sums(cells: np.ndarray) -> np.ndarray:
    """Sums over all cells above and to the left."""
    out = np.zeros((cells.shape[0] + 1, cells.shape[1] + 1), dtype=np.int32)
    np.cumsum(np.cumsum(cells, axis=0), axis=1, out=out[1:, 1:])
    return out


def size_of(request: Request) -> tuple[float, float]:
    """Width and height of a word [px]."""
    if request.disc:
        return 2 * request.disc, 2 * request.disc
    return text_width(request.text, LETTERS), LETTERS + 2


def place_labels(sheet: Sheet, requests: Sequence[Request]) -> list[tuple[Request, np.ndarray, np.ndarray]]:
    """Write words where they fit; return the circles among them, with middle and point they stand at."""
    if not requests:
        return []
    taken, discs = Field(sheet), []
    for request in requests:
        if not len(request.anchors):
            continue
        middle, anchor, radius = taken.best(request)
        if request.disc:
            discs.append((request, middle, anchor))
            r = request.disc
            taken.settle(Area(middle[0] - r, middle[1] - r, 2 * r, 2 * r))
            continue
        x, y = (float(one) for one in middle)
        one = Words.around(request.text, x, y, request.role, request.colour, request.owner)
        sheet.words.append(one)
        if radius > _LEAD:
            _lead(sheet, one, anchor, request)
            taken.take(Stroke(sheet.strokes[-1].points, "thin"))
            taken.leaders.append(sheet.strokes[-1].points)
        taken.settle(one.area)
    return discs


def _lead(sheet: Sheet, one: Words, anchor: np.ndarray, request: Request) -> None:
    """Draw a thin line from a point to its word."""
    a = one.area
    end = np.array([np.clip(anchor[0], a.x, a.x + a.width), np.clip(anchor[1], a.y, a.y + a.height)])
    d = end - anchor
    start = anchor + d * min(1.0, 0.8 * request.clearance / max(float(np.linalg.norm(d)), 1e-9))
    sheet.strokes.append(Stroke(np.array([start, end]), "leader", owner=request.owner))
