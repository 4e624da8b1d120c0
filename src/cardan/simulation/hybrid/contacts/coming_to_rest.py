"""Which joints come to rest together as the velocity of one of them passes zero.

Joints of one freedom s, with velocities v = u s, have a = u ṡ + u̇ s. As s passes zero all of them come to rest, and
their accelerations u ṡ are in the ratios of their speeds. Where u passes zero instead, that joint alone is at its dead
centre and turns round. Joints of a group with several freedoms have one freedom while others of the group stick.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.integration import RESOLUTION
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.contacts.rubbing import FRICTION_EVENTS, RubbingJoint
from cardan.system.contacts import Solved
from cardan.system.contacts.holding import unheld


@dataclass(frozen=True)
class _Passing:
    """Joints of one freedom, along it, as the velocity of one of several passes zero."""

    v: Number  # speed
    a: Number  # acceleration
    passes_zero: Number  # 1 if the speed passes zero, not that of a joint at its dead centre
    slides: Number  # 1 if all of them slide: while one sticks, the speeds of the others are round-off

    def rests_with(self, other: _Passing, t: Number) -> Number:
        """Whether it comes to rest as the speed of the other one passes zero.

        It has no speed but for the round-off of the instant, or its speed is nearly in the ratio of the accelerations.
        """
        is_still = ca.fabs(self.v) <= RESOLUTION * ca.fabs(t) * ca.fabs(self.a)
        in_ratio = ca.fabs(other.a * self.v - other.v * self.a) <= ca.fabs(other.v * self.a)
        return ca.logic_and(other.passes_zero, ca.logic_or(is_still, ca.logic_and(other.slides, in_ratio)))


def coming_to_rest(joints: Sequence[RubbingJoint], fired: Number, found: Solved) -> list[Number]:
    """Whether each joint with friction comes to rest, by the events that have `fired` and the accelerations found."""
    by_velocity = {joint.block.velocity: k for k, joint in enumerate(joints)}
    sets = {joint.set: joint for joint in joints}
    passing = {one: _passing([(joints[by_velocity[k]], by_velocity[k]) for k in one], fired, found) for one in sets}
    out = []
    for joint in joints:
        one = passing[joint.set]
        others = [passing[each] for each in joint.group.sets if each != joint.set]
        t = joint.state.t
        rests = reduce(ca.logic_or, (one.rests_with(other, t) for other in others), one.passes_zero)
        out.append(ca.logic_and(rests, joint.slides))
    return out


def _passing(unit: Sequence[tuple[RubbingJoint, int]], fired: Number, found: Solved) -> _Passing:
    """Joints of one freedom, with their numbers, along it.

    Its speed s passes zero with that of one of its joints if u ṡ is the larger part of the acceleration of this joint.
    """
    slides = reduce(ca.logic_and, (joint.slides for joint, _ in unit))
    has_fired = ca.vertcat(*(fired[FRICTION_EVENTS * k] > 0 for _, k in unit))
    v = ca.vertcat(*(joint.speed for joint, _ in unit))
    own = ca.vertcat(*(joint.acceleration(found) for joint, _ in unit))
    if len(unit) == 1:
        return _Passing(v, own, has_fired, slides)
    u = _ratios([joint for joint, _ in unit])
    along = u * ca.dot(u, own)
    passes_zero = ca.mmax(ca.logic_and(has_fired, ca.fabs(along) >= ca.fabs(own - along)))
    return _Passing(ca.dot(u, v), ca.dot(u, own), passes_zero, slides)


def _ratios(joints: Sequence[RubbingJoint]) -> Number:
    """Speeds (m,) of joints of one freedom, as a unit vector: what the effort that moves them most makes of them."""
    system, state = joints[0].functions.system, joints[0].state
    A = unheld(system, state, [k for joint in joints for k in joint.velocities])[1]
    moved = ca.vertcat(*(joint.slip.J for joint in joints)) @ A[: system.tree.nv, :]
    best, most = moved[:, 0], ca.dot(moved[:, 0], moved[:, 0])
    for k in range(1, moved.shape[1]):
        square = ca.dot(moved[:, k], moved[:, k])
        best, most = ca.if_else(square > most, moved[:, k], best), ca.fmax(square, most)
    return best / ca.sqrt(ca.if_else(most > 0, most, 1))
