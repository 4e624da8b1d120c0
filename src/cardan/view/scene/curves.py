"""Curves on which points slide, traced from the point by prediction and correction.

Source: Allgower & Georg 1990, Introduction to Numerical Continuation Methods, ch. 2 (predictor and corrector)
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from cardan.model.expressions.operations import CASADI
from cardan.model.plane import Plane
from cardan.view.scene.positions import Positions

_STEPS = 160
"""Steps over the size of the mechanism."""

_LONGEST = 12
"""Length of a curve over the size of the mechanism at which tracing ends: circles four times as wide close."""

_SHOWN = 1.0
"""Distance from the first point over the size of the mechanism up to which an open curve is shown."""

_CORRECTIONS = 12  # of Newton; more are no convergence


def curve_points(motion: Positions, constraint: Any, size: float) -> list[np.ndarray]:
    """Points (n, 3) of the curves through a point, in the axes of the marker that carries them.

    One curve where the equations leave one direction; two that cross in the point where they leave a surface.
    """
    parent, child = motion.place(constraint.parent), motion.place(constraint.child)
    R = motion.frame(parent)[0]
    start = R.T @ (motion.origin(child)[0] - motion.origin(parent)[0])
    r = ca.SX.sym("r", 3)
    known = {**motion.values, "x": r[0], "y": r[1], "z": r[2], "t": 0.0}
    rows = [scalar.evaluate(known.__getitem__, CASADI) for scalar in constraint.equations]
    if motion.model.planar:
        normal = R.T @ Plane(motion.model.planar).normal
        rows.append(ca.dot(ca.DM(normal), r - ca.DM(start)))
    equations = ca.vertcat(*(ca.SX(row) for row in rows))
    if equations.shape[0] == 2:
        return _curves(r, [equations], start, size)
    if equations.shape[0] == 1:
        gradient = np.array(ca.Function("g", [r], [ca.gradient(equations, r)])(start), dtype=float).ravel()
        across = np.linalg.svd(gradient[None])[2][1:]
        cuts = [ca.vertcat(equations, ca.dot(ca.DM(d), r - ca.DM(start))) for d in across]
        return _curves(r, cuts, start, size)
    return []


def _curves(r: ca.SX, systems: Sequence[ca.SX], start: np.ndarray, size: float) -> list[np.ndarray]:
    out = []
    for system in systems:
        law = ca.Function("curve", [r], [system, ca.densify(ca.jacobian(system, r))])

        def values(point: np.ndarray, law: ca.Function = law) -> tuple[np.ndarray, np.ndarray]:
            phi, J = law(point)
            return np.array(phi, dtype=float).ravel(), np.array(J, dtype=float)

        forth, closed = _traced(values, start, size, 1.0)
        back = np.empty((0, 3)) if closed else _traced(values, start, size, -1.0)[0]
        points = np.vstack([back[::-1], start, forth])
        if len(points) > 2:
            out.append(points)
    return out


def _traced(
    values: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], start: np.ndarray, size: float, sense: float
) -> tuple[np.ndarray, bool]:
    """Points that follow the start in one sense, and whether they come back to it."""
    h, point, ahead, out = size / _STEPS, start, None, []
    for _ in range(_LONGEST * _STEPS):
        _, J = values(point)
        if not np.all(np.isfinite(J)):
            break
        tangent = np.linalg.svd(J)[2][-1]
        tangent = tangent * (sense if ahead is None else np.sign(tangent @ ahead) or 1.0)
        found = _corrected(values, point + h * tangent)
        if found is None or np.linalg.norm(found - point) > 3 * h:
            break
        ahead, point = tangent, found
        out.append(point)
        if len(out) > 3 and np.linalg.norm(point - start) < 0.9 * h:
            return np.array([*out[:-1], start]), True
    far = [k for k, point in enumerate(out) if np.linalg.norm(point - start) > _SHOWN * size]
    return np.array(out[: far[0] if far else None]).reshape(-1, 3), False


def _corrected(values: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], point: np.ndarray) -> np.ndarray | None:
    """The nearest point of the curve, by Newton's method with the shortest steps."""
    for _ in range(_CORRECTIONS):
        phi, J = values(point)
        if not (np.all(np.isfinite(phi)) and np.all(np.isfinite(J))):
            return None
        step = np.linalg.lstsq(J, -phi, rcond=None)[0]
        point = point + step
        if np.linalg.norm(step) < 1e-9 * max(float(np.linalg.norm(point)), 1e-9):
            return point
    return None


def tube(points: np.ndarray, radius: float, sides: int = 8) -> dict[str, Any]:
    """A tube around a curve as a mesh."""
    count, corners, normal = len(points), [], np.zeros(3)
    for k in range(count):
        t = points[min(k + 1, count - 1)] - points[max(k - 1, 0)]
        t = t / max(float(np.linalg.norm(t)), 1e-300)
        normal = normal - t * (t @ normal)
        if np.linalg.norm(normal) < 1e-6:
            normal = np.cross(t, np.eye(3)[int(np.argmin(np.abs(t)))])
        normal = normal / np.linalg.norm(normal)
        angle = 2 * np.pi * np.arange(sides) / sides
        corners.append(
            points[k] + radius * (np.outer(np.cos(angle), normal) + np.outer(np.sin(angle), np.cross(t, normal)))
        )
    triangles = []
    for k, _ in enumerate(pairwise(range(count))):
        for i in range(sides):
            a, b = k * sides + i, k * sides + (i + 1) % sides
            triangles += [(a, b, a + sides), (b, b + sides, a + sides)]
    return {
        "type": "mesh",
        "corners": np.concatenate(corners).astype(np.float32),
        "triangles": np.array(triangles, dtype=np.uint32),
    }
