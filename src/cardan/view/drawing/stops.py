"""End stops: where the child of a joint is at the bounds of its coordinate."""

from collections.abc import Mapping

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.view.drawing.sizes import BLOCK, WIDTH
from cardan.view.scene.still import StillPosition

_FARTHEST = WIDTH / BLOCK
"""Distance of a stop that is drawn, in sizes of the mechanism, which then is as large as a symbol."""


@dataclass(frozen=True, eq=False)
class StopPlace:
    """The child's joint frame in the parent's where the coordinate is at a bound."""

    side: int  # −1: the lower bound, 1: the upper one
    slides: bool  # along the axis of the joint; else about it
    p: np.ndarray  # origin (3,) [m]
    R: np.ndarray  # axes (3×3)


def stop_places(position: StillPosition, size: float) -> dict[str, tuple[StopPlace, ...]]:
    """The stops of every joint along or about its axis, those left out that are far away."""
    out = {}
    for name, joint in position.joints.items():
        found = []
        for suffix, stops in joint.stops.items():
            k = [entry for entry, _ in joint.coordinates].index(suffix)
            if not _is_of_axis(position, joint, k):
                continue
            bounds = ((-1, stops.lower), (1, stops.upper))
            found += [_place(position, joint, k, side, position.number(q)) for side, q in bounds if q is not None]
        if found:
            out[name] = tuple(one for one in found if np.linalg.norm(one.p) <= _FARTHEST * size)
    return out


def _is_of_axis(position: StillPosition, joint: Joint, k: int) -> bool:
    """Whether motion k is along or about the joint's axis, z of its frame; others have no symbol."""
    S = np.array(ca.DM(joint.resolved(position.number).subspace(ca.DM(joint.neutral))), dtype=float)
    return not S[[0, 1, 3, 4], k].any()


def _place(position: StillPosition, joint: Joint, k: int, side: int, bound: float) -> StopPlace:
    """The place with coordinate k at its bound and all others where the markers coincide."""
    q = np.array(joint.neutral)
    q[k] = bound
    T = np.array(ca.DM(joint.resolved(position.number).transform(ca.DM(q))), dtype=float)
    return StopPlace(side, joint.coordinates[k][1] == "m", T[:3, 3], T[:3, :3])


def stop_points(position: StillPosition, stops: Mapping[str, tuple[StopPlace, ...]]) -> np.ndarray:
    """Points (n, 3) of the world at which children are at their stops."""
    found = []
    for name, places in stops.items():
        parent = position.joint_places(position.model.joints[name])[0]
        R, p = position.frame(parent)[0], position.origin(parent)[0]
        found += [p + R @ one.p for one in places]
    return np.array(found).reshape(-1, 3)
