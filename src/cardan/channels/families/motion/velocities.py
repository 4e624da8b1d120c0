"""Velocities and angular velocities of bodies and markers, world axes: `payload.velocity`."""

from cardan.channels.families.places import moving_places, vector
from cardan.kinematics.motion import marker_motion
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """Velocity of the origin and angular velocity, for each body and marker of the `system`."""
    out = []
    for name in moving_places(system):
        out += [
            vector(f"{name}.velocity", "m/s", "velocity of the origin, world axes"),
            vector(f"{name}.angular_velocity", "rad/s", "angular velocity, world axes"),
        ]
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """v and ω (3,) of each, in a `state` of the `system`; accelerations `a` and `lam` are not needed."""
    out = []
    for place in moving_places(system).values():
        marker = marker_motion(state.motion, place)
        out += [marker.v, marker.w]
    return out
