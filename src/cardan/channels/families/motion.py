"""Motion of bodies and markers in world axes, `payload.velocity`, and accelerations of the coordinates, `travel.a`.

Positions and velocities of the coordinates are part of the state.

Source: Khalil & Dombre 2002, §9.5 (accelerations of a body's points by the tensor U = [α×] + [ω×]²)
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from cardan.channels.families.places import moving_places, vector
from cardan.channels.family import Family
from cardan.formulations import newton_euler
from cardan.kinematics.motion import marker_motion
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.spatial.rotations import to_quaternion
from cardan.spatial.transforms import position, rotation
from cardan.system.state import State
from cardan.system.system import System


def _vectors(
    results: Mapping[str, tuple[str, str]], values: Callable[[System, State, Number], Iterator[Number]], listed: bool
) -> Family:
    """The family of some vectors of every body and marker; `results` has their units and descriptions by name."""

    def channels(system: System) -> list[Channel]:
        places = moving_places(system)
        return [vector(f"{place}.{name}", *words) for place in places for name, words in results.items()]

    return Family(channels, lambda system, state, a, lam: [*values(system, state, a)], on_request=not listed)


def _velocities(system: System, state: State, a: Number) -> Iterator[Number]:
    for place in moving_places(system).values():
        marker = marker_motion(state.motion, place)
        yield from (marker.v, marker.w)


def _accelerations(system: System, state: State, a: Number) -> Iterator[Number]:
    links = newton_euler.link_accelerations(system.tree, state.motion, a, gravity=False)
    for place in moving_places(system).values():
        R_WL, link = rotation(state.motion.T_WL[place.link]), links[place.link]
        yield from (R_WL @ (link.a + link.U @ position(place.T_LM)), R_WL @ link.alpha)


def _quaternions(system: System) -> list[Channel]:
    words = "unit quaternion that turns its axes into the world's, without jumps of sign"
    return [Channel(f"{name}.orientation", "", tuple("wxyz"), "body", words) for name in moving_places(system)]


def continued(quaternions: np.ndarray) -> np.ndarray:
    """The same `quaternions` (N, 4) with the sign of each chosen so that it is nearest to the one before it."""
    steps = np.sum(quaternions[1:] * quaternions[:-1], axis=1)
    signs = np.cumprod(np.where(steps < 0, -1.0, 1.0))
    return np.concatenate([quaternions[:1], signs[:, None] * quaternions[1:]])


COORDINATES = Family(
    lambda system: [Channel(f"{one.name}.a", f"{one.unit}^2", kind="coordinate") for one in system.tree.velocities],
    lambda system, state, a, lam: [a[k] for k in range(system.tree.nv)],
)
POSITIONS = _vectors(
    {"position": ("m", "")},
    lambda system, state, a: (marker_motion(state.motion, place).p for place in moving_places(system).values()),
    listed=True,
)
ORIENTATIONS = Family(
    _quaternions,
    lambda system, state, a, lam: [
        to_quaternion(marker_motion(state.motion, place).R) for place in moving_places(system).values()
    ],
    on_request=True,
    continued=continued,
)
VELOCITIES = _vectors(
    {
        "velocity": ("m/s", "velocity of the origin, world axes"),
        "angular_velocity": ("rad/s", "angular velocity, world axes"),
    },
    _velocities,
    listed=False,
)
ACCELERATIONS = _vectors(
    {
        "acceleration": ("m/s^2", "acceleration of the origin, world axes"),
        "angular_acceleration": ("rad/s^2", "angular acceleration, world axes"),
    },
    _accelerations,
    listed=False,
)
