"""A block: a part of the machine that has states, takes inputs or gives efforts, such as the circuit of a motor.

The state of a system is x = (q, v, z); z is the states of its blocks, one block after the other. A kind of block is one
file with a class and a function that makes the blocks of a model, and one line in `system.KINDS`.
"""

from abc import ABC
from collections.abc import Callable
from typing import ClassVar

import casadi as ca
import numpy as np

from cardan.frozen import dataclass, field
from cardan.kinematics.build import MotorModel
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar


@dataclass(frozen=True)
class BlockPower:
    """Powers of a block [W]: d(stored)/dt = supplied + converted − lost − efforts·v."""

    supplied: Number = field(default_factory=lambda: ca.DM(0))  # by its inputs
    converted: Number = field(default_factory=lambda: ca.DM(0))  # created between circuit and shaft, where Km ≠ Ke
    lost: Number = field(default_factory=lambda: ca.DM(0))  # as heat


@dataclass(frozen=True, kw_only=True)
class Block(ABC):
    """Names and laws of a block. By default a block has no states, no inputs, no efforts and no energy.

    Laws are functions of the motion of the mechanism, the states z (nz,) of this block and its inputs u (m,).
    """

    is_actuator: ClassVar[bool] = True  # whether its efforts are those of an actuator; else they are part of Q

    name: str  # name of the motor, state or other owner
    names: tuple[str, ...] = ()  # names of its states (nz,)
    units: tuple[str, ...] = ()  # units of its states (nz,); empty where unknown
    initial: tuple[Scalar, ...] = ()  # default values of its states at t = 0 (nz,)
    input_names: tuple[str, ...] = ()  # names of its inputs (m,)
    input_units: tuple[str, ...] = ()  # units of its inputs (m,)
    signals: tuple[str, ...] = ()  # names under which expressions find its quantities

    def signal_values(self, motion: Motion, z: Number, u: Number) -> Number:
        """Values of `signals`; by default its states."""
        return z

    def rates(self, motion: Motion, z: Number, u: Number) -> Number:
        """Rates dz/dt (nz,)."""
        return ca.DM(0, 1)

    def start(self, z: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Its states (nz,) at the start of a run, from their initial values z (nz,) and all velocities v (nv + r,).

        The r velocities of relative motions along which blocks act come last.
        """
        return z

    def known(self, motion: Motion) -> Number:
        """Its states (nz,) for functions of coordinates and velocities alone; zero."""
        return ca.DM(len(self.names), 1)

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        """Efforts on all velocities (nv,) [N, N m]."""
        return ca.DM(motion.v.shape[0], 1)

    def efforts_on_joints(self, motion: Motion, z: Number, u: Number) -> Number:
        """The part of `efforts` that acts along the motions of joints (nv,); the other part comes from its `forces`."""
        return self.efforts(motion, z, u)

    def forces(self, motion: Motion, z: Number, u: Number) -> tuple[PointForce, ...]:
        """Forces between markers."""
        return ()

    def stored(self, z: Number) -> Number:
        """Energy that it stores [J]."""
        return ca.DM(0)

    def strain(self, motion: Motion, z: Number) -> Number:
        """Energy that it stores by the position of the mechanism [J]."""
        return ca.DM(0)

    def taken(self, z: Number) -> Number:
        """Energy that the mechanism has lost in impacts and other jumps of the state so far [J]."""
        return ca.DM(0)

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        """Its powers [W]."""
        return BlockPower()


MakeBlocks = Callable[[Model, Tree, MotorModel], tuple[Block, ...]]
"""Makes the blocks of one kind for a model, its tree and the way its motors are modelled."""
