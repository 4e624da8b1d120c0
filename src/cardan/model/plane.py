"""Plane: the coordinate plane in which a planar model moves."""

from collections.abc import Mapping

import numpy as np

from cardan.frozen import dataclass
from cardan.numerics.round_off import SIX_DIGITS

NORMALS: Mapping[str, tuple[int, int, int]] = {"xy": (0, 0, 1), "xz": (0, 1, 0), "yz": (1, 0, 0)}
"""Unit normal of each coordinate plane, world axes."""


def in_plane(name: str) -> tuple[int, ...]:
    """Indices of the world axes that span the plane `name`."""
    return tuple(k for k, entry in enumerate(NORMALS[name]) if not entry)


@dataclass(frozen=True)
class Plane:
    """A coordinate plane of the world."""

    name: str  # "xy", "xz" or "yz"

    @property
    def normal(self) -> np.ndarray:
        """Unit normal (3,), world axes."""
        return np.array(NORMALS[self.name], dtype=float)

    def contains(self, direction: np.ndarray) -> bool:
        """Whether the vector `direction` (3,), world axes, lies in the plane."""
        return bool(abs(direction @ self.normal) <= SIX_DIGITS * np.linalg.norm(direction))

    def is_normal_to(self, direction: np.ndarray) -> bool:
        """Whether the vector `direction` (3,), world axes, stands at right angles to the plane."""
        return bool(np.linalg.norm(np.cross(direction, self.normal)) <= SIX_DIGITS * np.linalg.norm(direction))
