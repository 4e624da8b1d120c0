"""Friction of joints: its effort, and whether the joint sticks: `slider.friction`, `slider.sticking`."""

from __future__ import annotations

import casadi as ca

from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.system import State, System, friction_efforts

__all__ = ["channels", "values"]


def channels(system: System) -> list[Channel]:
    """Effort and sticking of each joint of the `system` with friction."""
    out = []
    for block in system.frictions:
        unit = "N" if system.tree.velocities[block.velocity].unit == "m/s" else "N*m"
        out.append(Channel(f"{block.name}.friction", unit, (), "joint", "effort of friction on the joint"))
        out.append(Channel(f"{block.name}.sticking", "1", (), "joint", "1 while friction holds the joint, else 0"))
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values, in a `state` of the `system` with accelerations `a` (nv,) and multipliers `lam` (c,)."""
    efforts, out, names = friction_efforts(system, state, (a, lam)), [], system.state_names
    first = len(names) - system.nz
    for block, effort in zip(system.frictions, efforts, strict=True):
        sticks = 1 - state.z[names.index(block.names[0]) - first] ** 2 if block.sticks else ca.SX(0)
        out += [effort, sticks]
    return out
