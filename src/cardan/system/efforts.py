"""Efforts of the blocks of a system on the velocities, their forces between markers, and the rates of their states."""

from collections.abc import Callable, Collection
from functools import reduce
from operator import add

import casadi as ca

from cardan.kinematics.loads import PointForce
from cardan.kinematics.tree import Number
from cardan.numerics.entries import column
from cardan.system.blocks.block import Block
from cardan.system.blocks.graphs import GraphBlock
from cardan.system.state import State, blocks_at
from cardan.system.system import System


def actuator_efforts(system: System, state: State) -> Number:
    """Efforts of all blocks on the velocities (nv,) [N, N m]."""
    return motor_efforts(system, state) + applied_efforts(system, state)


def motor_efforts(system: System, state: State) -> Number:
    """Efforts of motors, or those given on joints, on the velocities (nv,) [N, N m]."""
    return _total(system, state, lambda block: block.is_actuator)


def applied_efforts(system: System, state: State) -> Number:
    """Efforts of hand-made bond graphs and sliding friction on the velocities (nv,) [N, N m]; they are part of Q."""
    return _total(system, state, lambda block: not block.is_actuator)


def applied_on_joints(system: System, state: State, without: Collection[Block] = ()) -> Number:
    """The part of `applied_efforts` that acts along the motions of joints, without forces between markers (nv,)."""
    return _total(system, state, lambda block: not block.is_actuator and block not in without, on_joints=True)


def port_efforts(system: System, state: State) -> Number:
    """Efforts of the ports of hand-made bond graphs at joints on the velocities (nv,) [N, N m]."""
    return _total(system, state, lambda block: isinstance(block, GraphBlock), on_joints=True)


def _total(system: System, state: State, counts: Callable[[Block], bool], *, on_joints: bool = False) -> Number:
    """Sum of the efforts of some blocks on the velocities (nv,)."""
    blocks = [(block, z, u) for block, z, u in blocks_at(system, state) if counts(block)]
    laws = [(block.efforts_on_joints if on_joints else block.efforts, z, u) for block, z, u in blocks]
    return reduce(add, (efforts(state.motion, z, u) for efforts, z, u in laws), ca.DM(system.tree.nv, 1))


def block_forces(system: System, state: State, without: Collection[Block] = ()) -> tuple[PointForce, ...]:
    """Forces between markers of all hand-made bond graphs, and of given friction along relative motions."""
    blocks = [(block, z, u) for block, z, u in blocks_at(system, state) if block not in without]
    return tuple(force for block, z, u in blocks for force in block.forces(state.motion, z, u))


def block_rates(system: System, state: State, counts: Callable[[Number], bool] = lambda z: True) -> Number:
    """Rates dz/dt of the states of all blocks (nz,); zero for those whose states z do not count."""
    return column(
        [block.rates(state.motion, z, u) if counts(z) else ca.DM(*z.shape) for block, z, u in blocks_at(system, state)]
    )
