"""Which joints come to rest together as the velocity of one of them passes zero.

Joints of one freedom s, with velocities v = u s, have a = u ṡ + u̇ s. As s passes zero all of them come to rest, and
their accelerations u ṡ are in the ratios of their speeds. Where u passes zero instead, that joint alone is at its dead
centre and turns round. Joints of a group with several freedoms have one freedom while others of the group stick.
"""

from __future__ import annotations

from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.integration import RESOLUTION
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.holding.joints import HeldJoints
from cardan.system.friction import JointSet

__all__ = ["Passing", "rests_with", "sets_at_rest"]


@dataclass(frozen=True)
class Passing:
    """A joint, or a set of joints of one freedom, as the velocity of one of several passes zero."""

    v: Number  # speed
    a: Number  # acceleration
    passes_zero: Number  # 1 if its own speed passes zero
    slides: Number = 1  # 1 if all joints of its freedom slide: while one sticks, the speeds of the others are round-off


def rests_with(one: Passing, other: Passing, t: Number) -> Number:
    """Whether the first one comes to rest as the speed of the other one passes zero.

    It has no speed but for the round-off of the instant, or its speed is nearly in the ratio of their accelerations.
    """
    is_still = ca.fabs(one.v) <= RESOLUTION * ca.fabs(t) * ca.fabs(one.a)
    in_ratio = ca.fabs(other.a * one.v - other.v * one.a) <= ca.fabs(other.v * one.a)
    return ca.logic_and(other.passes_zero, ca.logic_or(is_still, ca.logic_and(other.slides, in_ratio)))


def sets_at_rest(joints: HeldJoints) -> list[Number]:
    """Whether each of `HeldJoints.sets` comes to rest, by itself or with another set of its group."""
    passing, t = [_passing(joints, each) for each in joints.sets], joints.functions.state.t
    return [
        reduce(ca.logic_or, (rests_with(one, passing[n], t) for n in joints.others(each)), one.passes_zero)
        for each, one in zip(joints.sets, passing, strict=True)
    ]


def _passing(joints: HeldJoints, each: JointSet) -> Passing:
    """Speed and acceleration of a set along its freedom.

    Its speed s passes zero with that of one of its joints if u ṡ is the larger part of the acceleration of this joint.
    """
    blocks, state = [joints.frictions[k] for k in joints.members(each)], joints.functions.state
    accelerations, _ = joints.functions.accelerations_and_multipliers
    slips = [block.slip(joints.functions.system.tree, state.motion) for block in blocks]
    own = ca.vertcat(*(slip.accelerations(accelerations)[0] for slip in slips))
    v = ca.dot(each.u, ca.vertcat(*(block.speed(state.motion) for block in blocks)))
    a = ca.dot(each.u, own)
    along = each.u * a
    fired = ca.vertcat(*(joints.passes_zero(k) for k in joints.members(each)))
    passes_zero = ca.mmax(ca.logic_and(fired, ca.fabs(along) >= ca.fabs(own - along)))
    slide = (joints.x[joints.at(block)] ** 2 > 0.5 for block in blocks)
    return Passing(v, a, passes_zero, reduce(ca.logic_and, slide))
