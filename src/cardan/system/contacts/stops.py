"""End stops of joints: blocks whose state says at which stop a joint is, −1 lower, 0 none, 1 upper.

A joint that moves one way only is at its lower stop while it is locked. At a stop by impact the velocity is zero and
the stop's force is an unknown of the equations of motion, like the effort of friction that sticks
(`friction.with_friction`). A state of the block sums the energy lost in impacts, and another one the energy that
impulses of moving constraints supply, so that the energy balance of a run closes.

Source: Pfeiffer & Glocker 1996, chs. 5 and 8
"""

from collections.abc import Mapping, Sequence
from functools import partial

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import Motion
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import Number, Tree
from cardan.model.joints.stops import Stops
from cardan.model.model import Model
from cardan.model.quantities.scalar import ZERO
from cardan.numerics.round_off import ROUND_OFF
from cardan.system.blocks.block import Block, BlockPower


@dataclass(frozen=True, kw_only=True)
class JointStops(Block):
    """Stops of one motion of a joint."""

    is_actuator = False

    velocity: int  # index of its velocity
    coordinate: int  # index of its coordinate
    law: Stops  # with numbers in its fields
    is_driven: bool  # whether moving constraints may supply energy at impacts

    @property
    def joint(self) -> str:
        """Name of the joint."""
        return self.name.partition(".")[0]

    @property
    def is_rigid(self) -> bool:
        """Whether it stops by impact."""
        return not self.law.is_elastic

    def effort(self, motion: Motion, z: Number) -> Number:
        """Effort of an elastic stop on the joint [N, N m]; that of a stop by impact is an unknown, here zero."""
        total: Number = ca.DM(1, 1)
        for bound, side in ((self.law.lower, 1), (self.law.upper, -1)):
            if bound is not None and not self.is_rigid:
                push = ca.fmax(self.push(motion, side), 0)  # it never pulls
                total += side * ca.if_else(side * z[0] < -0.5, push, 0)
        return total

    def push(self, motion: Motion, side: int) -> Number:
        """Force of spring and damper of an elastic stop [N, N m]; where it is negative the stop does not touch."""
        bound, q, v = self.law.lower if side > 0 else self.law.upper, motion.q[self.coordinate], motion.v[self.velocity]
        return self.law.force(side * (bound - q), -side * v)

    def known(self, motion: Motion) -> Number:
        if self.is_rigid:  # the force of an impact does not follow from coordinates and velocities
            return ca.DM(len(self.names), 1)
        q, side = motion.q[self.coordinate], ca.SX(1, 1)
        for bound, at in ((self.law.lower, -1), (self.law.upper, 1)):
            if bound is not None:
                side += at * (at * (q - bound) > 0)
        return side

    def rates(self, motion: Motion, z: Number, u: Number) -> Number:
        return ca.DM(len(self.names), 1)

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        entries: list[Number] = [ca.DM(1, 1)] * motion.v.shape[0]
        entries[self.velocity] = self.effort(motion, z)
        return ca.vertcat(*entries)

    def taken(self, z: Number) -> Number:
        if not self.is_rigid:
            return ca.DM(0)
        return z[2] - z[3] if self.is_driven else z[2]

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        return BlockPower(lost=-self.effort(motion, z) * motion.v[self.velocity])


def stops(model: Model, tree: Tree, motors: MotorModel) -> tuple[JointStops, ...]:
    """Stops of all joints that have them, in file order."""
    number = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p))
    velocities = {entry.name: k for k, entry in enumerate(tree.velocities)}
    coordinates = {entry.name: k for k, entry in enumerate(tree.coordinates)}
    out = []
    laws = {name + suffix: law for name, joint in model.joints.items() for suffix, law in joint.stops.items()}
    for name, law in laws.items():
        is_linear = tree.velocities[velocities[name]].unit == "m/s"
        is_driven = bool(tree.motions or tree.constraints)
        impulse = (f"{name}.impulse", f"{name}.impact_heat", *((f"{name}.impact_work",) * is_driven))
        rigid = impulse if not law.is_elastic else ()
        out.append(
            JointStops(
                name=name,
                names=(f"{name}.stop", *rigid),
                units=("1", *(("N*s" if is_linear else "N*m*s", *("J" for _ in rigid[1:])) if rigid else ())),
                initial=(ZERO,) * (1 + len(rigid)),
                velocity=velocities[name],
                coordinate=coordinates[name],
                law=law.resolved(number),
                is_driven=is_driven,
            )
        )
    return tuple(out)


def check_stops(tree: Tree, blocks: Sequence[JointStops]) -> None:
    """Refuse stops by impact on velocities that prescribed motions determine."""
    indirect = [motion.name for motion in tree.motions if not motion.is_direct]
    for block in blocks:
        path, cure = ("joints", block.joint, "limits"), "give the stops a stiffness, or leave limits out"
        if block.is_rigid and block.velocity in tree.driven:
            raise ModelError(Issue(f"the joint {block.name!r} drives a motion, and stops by impact", cure, path))
        if block.is_rigid and indirect:
            fault = (
                f"the joint {block.name!r} may stop beside the drives of {indirect[0]!r}, which is not supported yet"
            )
            raise ModelError(Issue(fault, cure, path))


def declared_stops(model: Model, block: JointStops) -> Stops:
    """The stops of a block as the model states them, with expressions for numbers."""
    return model.joints[block.joint].stops[block.name.removeprefix(block.joint)]


class BeyondStopError(ModelError):
    """A start beyond an end stop: of one run an error, of one among many a run that cannot start."""


def check_start(
    model: Model, blocks: Sequence[JointStops], q: np.ndarray, v: np.ndarray, values: Mapping[str, float]
) -> None:
    """Refuse a start beyond a stop by impact, or backwards where a joint moves one way only."""
    for block in blocks:
        law, at, speed = declared_stops(model, block), float(q[block.coordinate]), float(v[block.velocity])
        if law.one_way and speed < -ROUND_OFF:
            fault = f"{block.name!r} starts backwards, at a speed of {speed:.6g}, and moves one way only"
            raise BeyondStopError(Issue(fault, "start it at a speed of 0 or above", ("initial", f"{block.name}.v")))
        unit = dict(model.joints[block.joint].coordinates)[block.name.removeprefix(block.joint)]
        for key, beyond in (("lower", -1), ("upper", 1)):
            bound = getattr(law, key)
            if bound is None or block.law.is_elastic:  # which gives way: the joint may start in contact
                continue
            limit = bound.number(values)
            if beyond * (at - limit) > ROUND_OFF * (1 + abs(limit)):
                fault = f"{block.name!r} starts at {at:.6g} {unit}, beyond its stop at {limit:.6g} {unit}"
                raise BeyondStopError(
                    Issue(fault, "start between the stops, or move the stop", ("initial", block.name))
                )
