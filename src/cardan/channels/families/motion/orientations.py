"""Orientations of bodies and markers as unit quaternions (w, x, y, z): `payload.orientation`."""

import numpy as np

from cardan.channels.families.places import moving_places
from cardan.kinematics.motion import marker_motion
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.spatial.rotations import to_quaternion
from cardan.system.state import State
from cardan.system.system import System

_WORDS = "unit quaternion that turns its axes into the world's, without jumps of sign"


def channels(system: System) -> list[Channel]:
    """One quaternion for each body and marker of the `system`."""
    return [Channel(f"{name}.orientation", "", tuple("wxyz"), "body", _WORDS) for name in moving_places(system)]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Quaternions (4,) with w ≥ 0, of a `state` of the `system`; accelerations `a` and `lam` are not needed."""
    return [to_quaternion(marker_motion(state.motion, place).R) for place in moving_places(system).values()]


def continued(quaternions: np.ndarray) -> np.ndarray:
    """The same `quaternions` (N, 4) with the sign of each chosen so that it is nearest to the one before it."""
    steps = np.sum(quaternions[1:] * quaternions[:-1], axis=1)
    signs = np.cumprod(np.where(steps < 0, -1.0, 1.0))
    return np.concatenate([quaternions[:1], signs[:, None] * quaternions[1:]])
