"""Forces and torques as arrows where they act; gravity and the axes of the world beside the mechanism."""

import numpy as np

from cardan.model.sections import uniform_gravity
from cardan.rendering.graphs.geometry import Area
from cardan.view.drawing.pen import Pen, circle_points
from cardan.view.drawing.records import Sheet
from cardan.view.drawing.sizes import COMPASS_ARM, FORCE, UNIT
from cardan.view.scene.directions import along
from cardan.view.scene.still import StillPosition

_PARTS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)  # of the simulated time at which a load is looked for that starts at zero


def draw_loads(pen: Pen, position: StillPosition) -> dict[str, np.ndarray]:
    """Draw the forces and torques of a model at the start, or when they begin; return the place (2,) of each name."""
    applied = {name: force for name, force in position.forces.items() if force.follows_motion}
    if not applied:
        return {}
    until = position.model.simulate.until
    span = 1.0 if until is None else position.number(until)
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for part in _PARTS:
        if len(found) == len(applied):
            break
        for name, (f, n) in position.wrenches(part * span).items():
            known = np.isfinite(f).all() and np.isfinite(n).all()
            if name in applied and name not in found and known and (f.any() or n.any()):
                found[name] = (f, n)
    out = {}
    for name, (f, n) in found.items():
        point = position.origin(position.place(applied[name].child))[0]
        pen.owner = f"force {name}"
        if f.any():
            out[name] = _force(pen, point, f)
        if n.any():
            out[name] = _torque(pen, point, n)
    return out


def _force(pen: Pen, point: np.ndarray, f: np.ndarray) -> np.ndarray:
    """An arrow whose tip is near the point; one that is seen from its end is a circle with a point or a cross."""
    d, here = pen.direction(f), pen.at(point)
    seen = float(np.linalg.norm(d))
    if seen < 0.15:
        pen.disc(here, 1.5 * UNIT, "force")
        if f @ pen.camera.toward > 0:
            pen.disc(here, 2.0, "force head", count=10)
        else:
            for a in (np.array([1, 1]), np.array([1, -1])):
                pen.flat(here + UNIT * np.array([-a, a]), "force")
        return here
    way = d / seen
    tip = here - way * 1.6 * UNIT
    tail = tip - way * FORCE * max(seen, 0.5)
    pen.arrow(tail, tip, "force", 9.0)
    return np.asarray((tail + tip) / 2)


def _torque(pen: Pen, point: np.ndarray, n: np.ndarray) -> np.ndarray:
    """An arrow about the axis of the torque."""
    R = along(n)
    turning_arrow(pen, point, R, 3.6 * pen.unit, -2.3, 4.2, "force", 8.0)
    return pen.at(point + circle_points(R, 3.6 * pen.unit, -2.3, 2.1)[-1])


def turning_arrow(
    pen: Pen, centre: np.ndarray, R: np.ndarray, radius: float, start: float, turn: float, style: str, size: float = 6.0
) -> np.ndarray:
    """Draw an arrow along an arc, and return its middle (2,)."""
    points = pen.at(centre + circle_points(R, radius, start, turn))
    tip, lengths = points[-1], np.linalg.norm(points - points[-1], axis=1)
    far = np.nonzero(lengths > size)[0]
    base = int(far[-1]) if len(far) else 0
    pen.flat(points[: max(base + 2, 2)] if len(points) > 2 else points, style)
    pen.head(tip, tip - points[base], f"{style} head", size)
    return np.asarray(points[len(points) // 2])


def draw_compass(pen: Pen, position: StillPosition, sheet: Sheet) -> None:
    """Draw the axes of the world and the direction of gravity where the drawing leaves room, else below it."""
    g = np.array([position.number(entry) for entry in uniform_gravity(position.model)])
    width, height = (3.6 * COMPASS_ARM if g.any() else 2.2 * COMPASS_ARM), 2.6 * COMPASS_ARM
    area = sheet.bounds()
    left, top, right, bottom = area.x, area.y, area.x + area.width, area.y + area.height
    corners = [(left, bottom - height), (right - width, bottom - height), (left, top), (right - width, top)]
    x, y = next((c for c in corners if _is_free(sheet, *c, width, height)), (left, bottom + 10))
    origin = np.array([x + 0.95 * COMPASS_ARM, y + height - 0.95 * COMPASS_ARM])
    for k, letter in enumerate("xyz"):
        d = pen.camera.flat(np.eye(3)[k])
        pen.owner = f"axis {letter}"
        seen = float(np.linalg.norm(d))
        if seen > 0.1:
            pen.arrow(origin, origin + COMPASS_ARM * d, "world", 6.0)
            pen.write(letter, origin + (COMPASS_ARM * seen + 8) * d / seen, "axis", "soft")
    if g.any():
        d = pen.direction(g)
        pen.owner = "gravity"
        middle = np.array([x + 3.0 * COMPASS_ARM, y + 0.5 * height])
        if np.linalg.norm(d) > 0.1:
            half = 0.75 * COMPASS_ARM * d / np.linalg.norm(d)
            pen.arrow(middle - half, middle + half, "gravity", 8.0)
            across = np.array([-half[1], half[0]]) / np.linalg.norm(half)
            if across[0] < -1e-9 or (abs(across[0]) < 1e-9 and across[1] > 0):
                across = -across
            pen.write("g", middle + 11 * across, "gravity", "soft")


def _is_free(sheet: Sheet, x: float, y: float, width: float, height: float) -> bool:
    """Whether nothing is drawn in a rectangle, with a little room round it."""
    low, high = np.array([x - 6, y - 6]), np.array([x + width + 6, y + height + 6])
    for stroke in sheet.strokes:
        first, last = stroke.points.min(axis=0), stroke.points.max(axis=0)
        if np.any(first > high) or np.any(last < low):
            continue
        if stroke.closed and np.all(first < low) and np.all(last > high):
            return False
        points = np.vstack([stroke.points, stroke.points[:1]]) if stroke.closed else stroke.points
        dense = points[:-1, None] + np.linspace(0, 1, 24)[None, :, None] * np.diff(points, axis=0)[:, None]
        if np.any(np.all((dense > low) & (dense < high), axis=-1)):
            return False
    area = Area(*low, *(high - low))
    return not any(one.area.meets(area) for one in sheet.words)
