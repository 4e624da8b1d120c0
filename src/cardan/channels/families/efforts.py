"""Efforts of the actuators along the motions of their joints: `travel.effort`."""

from __future__ import annotations

from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.drives import drive_efforts
from cardan.system.system import State, System, actuator_efforts

__all__ = ["channels", "values"]


def channels(system: System) -> list[Channel]:
    """One effort for each velocity of the `system`."""
    units = [(entry.name, "N" if entry.unit == "m/s" else "N*m") for entry in system.tree.velocities]
    return [Channel(f"{name}.effort", unit, (), "joint", "effort of the actuator") for name, unit in units]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Efforts of the motors, or those given, in a `state` of the `system`; those of prescribed motions from `lam`."""
    tau = actuator_efforts(system, state) + drive_efforts(system.tree, lam)
    return [tau[k] for k in range(system.tree.nv)]
