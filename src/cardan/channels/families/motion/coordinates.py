"""Accelerations of the coordinates: `travel.a`; positions and velocities are part of the state."""

from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """One acceleration for each velocity of the `system`."""
    return [Channel(f"{entry.name}.a", f"{entry.unit}^2", kind="coordinate") for entry in system.tree.velocities]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Accelerations `a` (nv,) of the `system`; the `state` and multipliers `lam` are not needed."""
    return [a[k] for k in range(system.tree.nv)]
