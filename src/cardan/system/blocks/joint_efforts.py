"""Efforts on the joints as inputs: the block that drives a mechanism without motors."""

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.system.blocks.block import Block, BlockPower


@dataclass(frozen=True, kw_only=True)
class JointEfforts(Block):
    """One input for every velocity that no prescribed motion drives: the effort on it."""

    velocities: tuple[int, ...]  # index of the velocity of each input

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        entries: list[Number] = [ca.DM(1, 1)] * motion.v.shape[0]
        for k, effort in zip(self.velocities, ca.vertsplit(u) if self.velocities else [], strict=True):
            entries[k] = effort
        return ca.vertcat(ca.DM(0, 1), *entries)

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        return BlockPower(supplied=ca.dot(self.efforts(motion, z, u), motion.v))


def joint_efforts(model: Model, tree: Tree, motors: MotorModel) -> tuple[JointEfforts, ...]:
    """Efforts on all velocities that no motion drives, with motors="none"; else no block."""
    if motors != "none":
        return ()
    undriven = tuple(k for k in range(tree.nv) if k not in tree.driven)
    names = tuple(tree.velocities[k].name for k in undriven)
    units = tuple("N" if tree.velocities[k].unit == "m/s" else "N*m" for k in undriven)
    return (JointEfforts(name="joints", input_names=names, input_units=units, velocities=undriven),)
