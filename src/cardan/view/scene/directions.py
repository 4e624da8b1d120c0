"""Axes that point along a direction."""

import casadi as ca
import numpy as np

from cardan.spatial.rotations import align_z


def along(direction: np.ndarray) -> np.ndarray:
    """Axes (3×3) whose z points along a direction."""
    length = float(np.linalg.norm(direction))
    return np.array(ca.DM(align_z(ca.DM(direction / length))), dtype=float) if length else np.eye(3)
