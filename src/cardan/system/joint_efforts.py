"""Efforts on the joints as inputs: the block that drives a mechanism without motors."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.system.block import Block, BlockPower

__all__ = ["JointEfforts", "joint_efforts"]


@dataclass(frozen=True, kw_only=True)
class JointEfforts(Block):
    """One input for every velocity: the effort on it."""

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        return u

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        return BlockPower(taken=ca.dot(u, motion.v))


def joint_efforts(model: Model, tree: Tree, motors: MotorModel) -> tuple[JointEfforts, ...]:
    """Efforts on all velocities with motors="none"; nothing else.

    Parameters
    ----------
    model, tree : the mechanism.
    motors : "full", "simplified" or "none".
    """
    if motors != "none":
        return ()
    names = tuple(entry.name for entry in tree.velocities)
    units = tuple("N" if entry.unit == "m/s" else "N*m" for entry in tree.velocities)
    return (JointEfforts(name="joints", input_names=names, input_units=units),)
