"""From which side a mechanism is drawn: its plane, or a direction from which its axes are told apart."""

import math
import re

import numpy as np

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.view.drawing.sizes import APART, HEIGHT, WIDTH

AZIMUTH, ELEVATION = 32.0, 22.0
"""Of the view "iso" [deg]: unequal angles to all axes, so that no two points of a box coincide."""

_LARGEST = 1.7  # how much larger than what fits in a mechanism may be drawn, for joints that are close to each other


@dataclass(frozen=True, eq=False)
class Camera:
    """Unit vectors (3,) of the picture in the world."""

    right: np.ndarray  # to the right in the picture
    up: np.ndarray  # up in the picture
    toward: np.ndarray  # towards the eye

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Coordinates (…, 2) of points (…, 3) in the picture [m], y downwards."""
        return np.stack([points @ self.right, -(points @ self.up)], axis=-1)

    def scale(self, every: np.ndarray, joints: np.ndarray) -> float:
        """Pixels per metre at which all points (n, 3) fit in: more where joints (k, 3) are close to each other."""
        size = float(np.linalg.norm(np.ptp(every, axis=0))) or 1.0
        width, height = np.ptp(self.flat(every), axis=0)
        scale = min(WIDTH / max(width, 0.02 * size), HEIGHT / max(height, 0.02 * size))
        places = self.flat(joints)
        gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
        nearest = float(np.min(gaps[gaps > 1e-3 * size], initial=np.inf))
        return scale * float(np.clip(APART / (nearest * scale), 1.0, _LARGEST))


def camera_of(view: str | tuple[float, float] | None, planar: str | None, up: np.ndarray) -> Camera:
    """The camera of a view; by default the plane of a planar model, else "iso"."""
    chosen = view if view is not None else planar or "iso"
    if isinstance(chosen, str) and chosen in ("xy", "xz", "yz"):
        right, upward = (np.eye(3)["xyz".index(letter)] for letter in chosen)
        return Camera(right, upward, np.cross(right, upward))
    azimuth, elevation = (AZIMUTH, ELEVATION) if chosen == "iso" else _angles(chosen)
    k = int(np.argmax(np.abs(up)))
    first, second = np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
    if up[k] < 0:
        first, second = second, first
    a, e = math.radians(azimuth), math.radians(elevation)
    ahead = math.cos(a) * first + math.sin(a) * second
    toward = math.cos(e) * ahead + math.sin(e) * up
    right = math.cos(a) * second - math.sin(a) * first
    return Camera(right, np.cross(toward, right), toward)


def _angles(view: object) -> tuple[float, float]:
    fault = ModelError(f"view={f'{view!r}':.60} is not possible", "write xy, xz, yz, iso, or azimuth,elevation: 30,20")
    if isinstance(view, str):
        found = re.fullmatch(r"\s*([-+]?[\d.]+)\s*,\s*([-+]?[\d.]+)\s*", view)
        if not found:
            raise fault
        view = found.groups()
    try:
        azimuth, elevation = (float(angle) for angle in view)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise fault from None
    if not (math.isfinite(azimuth) and -90 <= elevation <= 90):
        raise ModelError(f"a view from {azimuth:g}°, {elevation:g}°", "give an elevation from -90 to 90 degrees")
    return azimuth, elevation
