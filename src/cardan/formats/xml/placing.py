"""Poses as a model file has them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from cardan.spatial.rotations import to_rpy


def placement(body: str, T: np.ndarray) -> Any:
    """A place on a body: its name where the pose T (4×4) is that of the body itself,
    else with position and rotation.
    """
    data = placement_data(T)
    return {"body": body, **data} if data else body


def placement_data(T: np.ndarray) -> dict[str, Any]:
    """Position and rotation of a pose T (4×4); empty where both are zero."""
    data = {"position": tidy(T[:3, 3]), "rpy": tidy(to_rpy(T[:3, :3]))}
    return {key: value for key, value in data.items() if any(value)}


def tidy(values: Iterable[Any]) -> list[float]:
    """Numbers in a list, whole ones without a point."""
    return [int(value) if float(value).is_integer() and abs(value) < 2**53 else float(value) for value in values]
