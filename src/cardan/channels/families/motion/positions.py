"""Positions of bodies and markers: `payload.position`, `payload.tip.position`."""

from cardan.channels.families.places import moving_places, vector
from cardan.kinematics.motion import marker_motion
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """One position for each body and marker of the `system`."""
    return [vector(f"{name}.position", "m") for name in moving_places(system)]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Origins (3,) in the world, of a `state` of the `system`; accelerations `a` and `lam` are not needed."""
    return [marker_motion(state.motion, place).p for place in moving_places(system).values()]
