"""Poses and inertias as a model file has them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cardan.model.place import GROUND
from cardan.spatial.rotations import to_rpy

Place = tuple[str, np.ndarray]
"""Name of a body in the model, or the ground, and a pose on it (4×4)."""


def pose(R: Any = None, p: Any = 0.0) -> np.ndarray:
    """Pose T (4×4) of axes R (3×3) at p (3,)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = T[:3, :3] if R is None else R, p
    return T


def between(ends: Sequence[Place]) -> dict[str, Any]:
    """Parent and child at two places, the ground first."""
    return {key: placement(*one) for key, one in zip(("parent", "child"), ground_first(ends), strict=True)}


def ground_first(ends: Sequence[Place]) -> list[Place]:
    """Two places, that on the ground first."""
    return sorted(ends, key=lambda end: end[0] != GROUND)


def placement(body: str, T: np.ndarray) -> Any:
    """A place on a body: its name where the pose T (4×4) is the body's own, else with position and rotation."""
    data = placement_data(T)
    return {"body": body, **data} if data else body


def placement_data(T: np.ndarray) -> dict[str, Any]:
    """Position and rotation of a pose T (4×4); empty where both are zero."""
    data = {"position": tidy(T[:3, 3]), "rpy": tidy(to_rpy(T[:3, :3]))}
    return {key: value for key, value in data.items() if any(value)}


def entries(tensor: Any) -> list[float]:
    """The six numbers of an inertia (3×3): its diagonal, then xy, xz, yz."""
    return [float(tensor[at]) for at in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def inertia_data(tensor: Sequence[float]) -> dict[str, Any]:
    """The inertia of a body with six numbers, in a model three where the others are 0."""
    return {"inertia": tensor if any(tensor[3:]) else tensor[:3]} if any(tensor) else {}


def tidy(values: Iterable[Any]) -> list[float]:
    """Numbers in a list, whole ones without a point."""
    return [int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value) for value in values]
