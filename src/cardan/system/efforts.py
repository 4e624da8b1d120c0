"""What the blocks of a system give: efforts on the velocities, forces between markers, rates of their states."""

from __future__ import annotations

from functools import reduce
from operator import add

import casadi as ca

from cardan.kinematics.loads import PointForce
from cardan.kinematics.tree import Number
from cardan.numerics.entries import column
from cardan.system.blocks.graphs import GraphBlock
from cardan.system.state import State, blocks_at
from cardan.system.system import System

__all__ = [
    "actuator_efforts",
    "applied_efforts",
    "applied_on_joints",
    "block_forces",
    "block_rates",
    "motor_efforts",
    "port_efforts",
]


def actuator_efforts(system: System, state: State) -> Number:
    """Efforts of all blocks on the velocities (nv,) [N, N m]."""
    return motor_efforts(system, state) + applied_efforts(system, state)


def motor_efforts(system: System, state: State) -> Number:
    """Efforts of motors, or those given on joints, on the velocities (nv,) [N, N m]."""
    blocks = [each for each in blocks_at(system, state) if each[0].is_actuator]
    return reduce(add, (block.efforts(state.motion, z, u) for block, z, u in blocks), ca.DM(system.tree.nv, 1))


def applied_efforts(system: System, state: State) -> Number:
    """Efforts of hand-made bond graphs and sliding friction on the velocities (nv,) [N, N m]; they are part of Q."""
    blocks = [each for each in blocks_at(system, state) if not each[0].is_actuator]
    return reduce(add, (block.efforts(state.motion, z, u) for block, z, u in blocks), ca.DM(system.tree.nv, 1))


def applied_on_joints(system: System, state: State) -> Number:
    """The part of `applied_efforts` that acts along the motions of joints, forces between markers left out (nv,)."""
    blocks = [each for each in blocks_at(system, state) if not each[0].is_actuator]
    efforts = (block.efforts_on_joints(state.motion, z, u) for block, z, u in blocks)
    return reduce(add, efforts, ca.DM(system.tree.nv, 1))


def port_efforts(system: System, state: State) -> Number:
    """Efforts of the ports of hand-made bond graphs at joints on the velocities (nv,) [N, N m]."""
    blocks = [each for each in blocks_at(system, state) if isinstance(each[0], GraphBlock)]
    efforts = (block.efforts_on_joints(state.motion, z, u) for block, z, u in blocks)
    return reduce(add, efforts, ca.DM(system.tree.nv, 1))


def block_forces(system: System, state: State) -> tuple[PointForce, ...]:
    """Forces between markers of all hand-made bond graphs, and of given friction along relative motions."""
    return tuple(force for block, z, u in blocks_at(system, state) for force in block.forces(state.motion, z, u))


def block_rates(system: System, state: State) -> Number:
    """Rates dz/dt of the states of all blocks (nz,)."""
    return column([block.rates(state.motion, z, u) for block, z, u in blocks_at(system, state)])
