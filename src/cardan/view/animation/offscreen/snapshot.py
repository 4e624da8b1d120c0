"""Where everything is at a time between two instants of a scene, as the page has it: on the line between both."""

from __future__ import annotations

from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.spatial.rotations import from_quaternion
from cardan.view.scene.records import Mount, Scene

__all__ = ["Snapshot", "frame", "snapshot"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A scene at one time."""

    scene: Scene
    before: int  # the last instant that is not later
    fraction: float  # of the way to the next one

    def between(self, rows: np.ndarray) -> np.ndarray:
        """The row (…) of an array over time (N, …) at this time.

        Parameters
        ----------
        rows : ndarray
            One row for each instant.
        """
        row = rows[self.before]
        return row + self.fraction * (rows[self.before + 1] - row) if self.fraction else row

    @cached_property
    def bodies(self) -> dict[str, np.ndarray]:
        """T_WB (4×4) of the ground and every body."""
        p, e = self.between(self.scene.positions), self.between(self.scene.orientations)
        turned = np.array(_rotations(len(p))((e / np.linalg.norm(e, axis=1)[:, None]).T), dtype=float)
        poses = {"ground": np.eye(4)}
        for k, name in enumerate(self.scene.bodies):
            poses[name] = frame(p[k], turned[:, 3 * k : 3 * k + 3])
        return poses

    def place(self, mount: Mount) -> np.ndarray:
        """T_WM (4×4) of a frame fixed to a body.

        Parameters
        ----------
        mount : Mount
            The frame.
        """
        return self.bodies[mount.body] @ frame(mount.p, mount.R)

    def point(self, mount: Mount) -> np.ndarray:
        """Origin (3,) in the world of a frame fixed to a body.

        Parameters
        ----------
        mount : Mount
            The frame.
        """
        T = self.bodies[mount.body]
        return T[:3, :3] @ mount.p + T[:3, 3]


def snapshot(scene: Scene, t: float) -> Snapshot:
    """The scene at a time; outside of its instants the first or last one.

    Parameters
    ----------
    scene : Scene
        The mechanism and its motion.
    t : float
        The time [s].
    """
    known = scene.instants
    last = known.size - 1
    k = int(np.searchsorted(known, t, side="right")) - 1
    if k < 0 or k >= last:
        return Snapshot(scene, max(min(k, last), 0), 0.0)
    span = float(known[k + 1] - known[k])
    return Snapshot(scene, k, (t - float(known[k])) / span if span else 0.0)


def frame(p: np.ndarray, R: np.ndarray) -> np.ndarray:
    """T (4×4) of an origin and axes.

    Parameters
    ----------
    p : ndarray
        Origin (3,).
    R : ndarray
        Axes (3×3); they may be scaled.
    """
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


@lru_cache(maxsize=4)
def _rotations(count: int) -> ca.Function:
    e = ca.SX.sym("e", 4, count)
    return ca.Function("rotations", [e], [ca.densify(ca.horzcat(*(from_quaternion(e[:, k]) for k in range(count))))])
