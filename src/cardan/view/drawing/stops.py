"""End stops: where the child of a joint is at the bounds of its coordinate."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.view.drawing.sizes import BLOCK, WIDTH
from cardan.view.scene.still import StillPosition

__all__ = ["StopPlace", "stop_places", "stop_points"]

_FARTHEST = WIDTH / BLOCK
"""Distance of a stop that is drawn, in sizes of the mechanism, which then is as large as a symbol."""


@dataclass(frozen=True, eq=False)
class StopPlace:
    """The child's joint frame in the parent's where the coordinate is at a bound."""

    side: int  # −1: the lower bound, 1: the upper one
    p: np.ndarray  # origin (3,) [m]
    R: np.ndarray  # axes (3×3)


def stop_places(position: StillPosition, size: float) -> dict[str, tuple[StopPlace, ...]]:
    """The stops of every joint that has some, those left out that are far away.

    Parameters
    ----------
    position : StillPosition
        The mechanism.
    size : float
        Size of the mechanism [m].
    """
    out = {}
    for name, joint in position.model.joints.items():
        if joint.limits is not None:
            bounds = ((-1, joint.limits.lower), (1, joint.limits.upper))
            found = [_place(position, joint, side, position.number(q)) for side, q in bounds if q is not None]
            out[name] = tuple(one for one in found if np.linalg.norm(one.p) <= _FARTHEST * size)
    return out


def _place(position: StillPosition, joint: Joint, side: int, q: float) -> StopPlace:
    T = np.array(ca.DM(joint.resolved(position.number).transform(ca.DM([q]))), dtype=float)
    return StopPlace(side, T[:3, 3], T[:3, :3])


def stop_points(position: StillPosition, stops: Mapping[str, tuple[StopPlace, ...]]) -> np.ndarray:
    """Points (n, 3) of the world at which children are at their stops.

    Parameters
    ----------
    position : StillPosition
        The mechanism.
    stops : mapping
        From `stop_places`.
    """
    found = []
    for name, places in stops.items():
        parent = position.joint_places(position.model.joints[name])[0]
        R, p = position.frame(parent)[0], position.origin(parent)[0]
        found += [p + R @ one.p for one in places]
    return np.array(found).reshape(-1, 3)
