"""Where the camera stands, and the grid behind the mechanism; what the page's `stage.js` does."""

from __future__ import annotations

import numpy as np

from cardan.frozen import dataclass
from cardan.view.scene.look import LOOK
from cardan.view.scene.records import Scene

__all__ = ["Grid", "Standpoint", "facing", "grid", "round_near", "standpoint"]


@dataclass(frozen=True, eq=False)
class Standpoint:
    """A camera."""

    eye: np.ndarray  # where it is (3,) [m]
    target: np.ndarray  # what it looks at (3,) [m]

    @property
    def distance(self) -> float:
        """From the eye to the target [m]."""
        return float(np.linalg.norm(self.eye - self.target))


@dataclass(frozen=True, eq=False)
class Grid:
    """Squares behind or below the mechanism."""

    centre: np.ndarray  # (3,) [m]
    axes: np.ndarray  # its two directions (2, 3)
    cell: float  # edge of a square [m]
    cells: int  # in either direction


def facing(scene: Scene) -> np.ndarray:
    """Direction (3,) to somebody in front of the mechanism, who sees x of a planar one, or y, to the right.

    Parameters
    ----------
    scene : Scene
        The mechanism.
    """
    n = scene.normal
    if n is not None:
        return n * (-1.0 if n[1] else 1.0)
    across = np.array([1.0, 0, 0]) if max(abs(scene.up[2]), abs(scene.up[1])) > 0.5 else np.array([0.0, 1, 0])
    return np.cross(across, scene.up)


def standpoint(scene: Scene, look: str, aspect: float) -> Standpoint:
    """The nearest camera in a direction that sees the whole motion.

    Parameters
    ----------
    scene : Scene
        The mechanism and its motion.
    look : str
        Name of the direction.
    aspect : float
        Width of the picture over its height.
    """
    camera = LOOK["camera"]
    front = facing(scene)
    f, u, r = camera["start_of_planar"] if look == "start" and scene.normal is not None else camera["looks"][look]
    way = f * front + u * scene.up + r * np.cross(scene.up, front)
    way = way / np.linalg.norm(way)
    right = np.cross(scene.up, way)
    right = right / np.linalg.norm(right)
    above = np.cross(way, right)
    tall = np.tan(np.radians(camera["angle"]) / 2)
    half = (scene.high - scene.low) / 2 + camera["margin"] * scene.size
    distance = 0.1 * scene.size
    for signs in np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T:
        corner = signs * half
        across = abs(corner @ right) / (camera["wide"] * tall * aspect)
        distance = max(distance, across + corner @ way, abs(corner @ above) / (camera["tall"] * tall) + corner @ way)
    centre = (scene.low + scene.high) / 2
    return Standpoint(centre + distance * way, centre)


def grid(scene: Scene) -> Grid:
    """Squares on the plane behind a planar mechanism, or below another one; lines lie at multiples of an edge.

    Parameters
    ----------
    scene : Scene
        The mechanism and its motion.
    """
    cell = round_near(scene.size / LOOK["grid"]["cells"])
    span = scene.high - scene.low
    centre = (scene.low + scene.high) / 2
    if scene.normal is not None:
        normal, front = scene.normal, facing(scene)
        behind = centre - front * (abs(span @ front) / 2 + LOOK["grid"]["behind"] * scene.size)
    else:
        normal = scene.up
        behind = centre - normal * (abs(span @ normal) / 2 + LOOK["grid"]["below"] * scene.size)
    whole = np.floor(behind / cell + 0.5) * cell
    cells = 2 * int(np.ceil((span.max() + 2 * cell) / cell / 2 + 1))
    axes = np.eye(3)[[k for k in range(3) if abs(normal[k]) < 0.5]]
    return Grid(whole + normal * (normal @ (behind - whole)), axes, cell, cells)


def round_near(x: float) -> float:
    """A number 1, 2 or 5 times a power of ten near a positive number.

    Parameters
    ----------
    x : float
        The number.
    """
    power = 10.0 ** np.floor(np.log10(x))
    lead = x / power
    return float(power * (1 if lead < 1.5 else 2 if lead < 3.5 else 5 if lead < 7.5 else 10))
