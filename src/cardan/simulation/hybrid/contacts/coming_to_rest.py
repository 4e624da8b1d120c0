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
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import RESOLUTION
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.contacts.joints import FRICTION_EVENTS, place
from cardan.system.contacts import JointFriction
from cardan.system.contacts.holding import group_of, set_of_joint, speed_and_slip, unheld


def joints_of_set(functions: SystemFunctions, block: JointFriction) -> list[tuple[JointFriction, int]]:
    """The joints that have one freedom with that of `block`, and the places of their slip signs."""
    return _joints(functions, set_of_joint(functions.system, block))


def group_of_joint(functions: SystemFunctions, block: JointFriction) -> list[tuple[JointFriction, int]]:
    """The joints that move only together with that of `block`, and the places of their slip signs."""
    return _joints(functions, group_of(functions.system, block).velocities)


def _joints(functions: SystemFunctions, velocities: Sequence[int]) -> list[tuple[JointFriction, int]]:
    return [(one, place(functions, one.names[0])) for one in functions.system.sticking if one.velocity in velocities]


def is_held(functions: SystemFunctions, block: JointFriction) -> Number:
    """Whether friction holds a joint and all that have one freedom with it."""
    out = ca.SX(1)
    for _, at in joints_of_set(functions, block):
        out = ca.logic_and(out, functions.symbols.inputs["x"][at] ** 2 < 0.5)
    return out


def speed_of(functions: SystemFunctions, block: JointFriction) -> Number:
    """The speed of a joint; that of a relative motion is zero where it is round-off."""
    return speed_and_slip(functions.system, functions.state, block)[0]


def acceleration_of(functions: SystemFunctions, block: JointFriction, a: Number) -> Number:
    """The acceleration of a joint along its motion, from the accelerations of the tree (nv,)."""
    return speed_and_slip(functions.system, functions.state, block)[1].accelerations(a)[0]


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


def coming_to_rest(functions: SystemFunctions, fired: Number, a: Number) -> list[Number]:
    """Whether each joint with friction comes to rest, by the events that have `fired` and the accelerations a (nv,)."""
    t, x, sets = functions.state.t, functions.symbols.inputs["x"], dict[tuple[int, ...], _Passing]()
    for block in functions.system.sticking:
        own = set_of_joint(functions.system, block)
        sets[own] = sets.get(own) or _passing(functions, joints_of_set(functions, block), fired, a)
    out = []
    for block in functions.system.sticking:
        one = sets[set_of_joint(functions.system, block)]
        others = [sets[each] for each in group_of(functions.system, block).sets if sets[each] is not one]
        rests = reduce(ca.logic_or, (one.rests_with(other, t) for other in others), one.passes_zero)
        out.append(ca.logic_and(rests, x[place(functions, block.names[0])] ** 2 > 0.5))
    return out


def _passing(
    functions: SystemFunctions, unit: Sequence[tuple[JointFriction, int]], fired: Number, a: Number
) -> _Passing:
    """Joints of one freedom along it.

    Its speed s passes zero with that of one of its joints if u ṡ is the larger part of the acceleration of this joint.
    """
    joints, x = functions.system.sticking, functions.symbols.inputs["x"]
    slides = reduce(ca.logic_and, (x[at] ** 2 > 0.5 for _, at in unit))
    has_fired = ca.vertcat(*(fired[FRICTION_EVENTS * joints.index(block)] > 0 for block, _ in unit))
    v = ca.vertcat(*(speed_of(functions, block) for block, _ in unit))
    own = ca.vertcat(*(acceleration_of(functions, block, a) for block, _ in unit))
    if len(unit) == 1:
        return _Passing(v, own, has_fired, slides)
    u = _ratios(functions, [block for block, _ in unit])
    along = u * ca.dot(u, own)
    passes_zero = ca.mmax(ca.logic_and(has_fired, ca.fabs(along) >= ca.fabs(own - along)))
    return _Passing(ca.dot(u, v), ca.dot(u, own), passes_zero, slides)


def _ratios(functions: SystemFunctions, blocks: Sequence[JointFriction]) -> Number:
    """Speeds (m,) of joints of one freedom, as a unit vector: what the effort that moves them most makes of them."""
    system, state = functions.system, functions.state
    A = unheld(system, state, [k for block in blocks for k in block.held or (block.velocity,)])[2][: system.tree.nv, :]
    moved = ca.vertcat(*(speed_and_slip(system, state, block)[1].J for block in blocks)) @ A
    best, most = moved[:, 0], ca.dot(moved[:, 0], moved[:, 0])
    for k in range(1, moved.shape[1]):
        square = ca.dot(moved[:, k], moved[:, k])
        best, most = ca.if_else(square > most, moved[:, k], best), ca.fmax(square, most)
    return best / ca.sqrt(ca.if_else(most > 0, most, 1))
