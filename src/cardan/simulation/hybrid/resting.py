"""Which joints with friction come to rest at an event, and which are held: joints of one freedom are one unit.

One of them whose velocity alone passes zero is at its dead centre.
"""

from __future__ import annotations

from functools import reduce

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.holding import Passing, place, rests_with
from cardan.system.friction import JointFriction, Solved
from cardan.system.holding import set_of_joint, speed_and_slip

__all__ = [
    "acceleration_of",
    "comes_to_rest",
    "is_held",
    "joints_of_set",
    "speed_of",
]


def is_held(functions: SystemFunctions, block: JointFriction) -> Number:
    """Whether friction holds a joint and all that move only together with it."""
    out = ca.SX(1)
    for _, at in joints_of_set(functions, block):
        out = ca.logic_and(out, functions.symbols.inputs["x"][at] ** 2 < 0.5)
    return out


def joints_of_set(functions: SystemFunctions, block: JointFriction) -> list[tuple[JointFriction, int]]:
    """The joints that move only together with that of `block`, and the places of their slip signs."""
    own = set_of_joint(functions.system, block)
    return [(each, place(functions, each.names[0])) for each in functions.system.sticking if each.velocity in own]


def speed_of(functions: SystemFunctions, block: JointFriction) -> Number:
    """The speed of a joint; that of a relative motion is zero where it is round-off."""
    return speed_and_slip(functions.system, functions.state, block)[0]


def acceleration_of(functions: SystemFunctions, block: JointFriction, found: Solved) -> Number:
    """The acceleration of a joint along its motion."""
    return speed_and_slip(functions.system, functions.state, block)[1].accelerations(found.a)[0]


def comes_to_rest(functions: SystemFunctions, k: int, fired: Number, found: Solved) -> Number:
    """Whether the joint number k comes to rest, and with it those that move only together with it.

    All sliding joints of its set are at rest then, or come to rest with it (`rests_with`); else this joint alone passes
    its dead centre.
    """
    joints, t = functions.system.sticking, functions.state.t
    unit = joints_of_set(functions, joints[k])
    if len(unit) == 1:
        return fired[3 * k] > 0
    passing = [  # the ratio of their speeds is known while another one sticks
        Passing(speed_of(functions, each), acceleration_of(functions, each, found), fired[3 * joints.index(each)] > 0)
        for each, _ in unit
    ]
    all_at_rest = ca.SX(1)
    for (_, at), one in zip(unit, passing, strict=True):
        at_rest = reduce(ca.logic_or, (rests_with(one, other, t) for other in passing if other is not one))
        at_rest = ca.logic_or(one.passes_zero, at_rest)
        all_at_rest = ca.logic_and(all_at_rest, ca.logic_or(functions.symbols.inputs["x"][at] ** 2 < 0.5, at_rest))
    return ca.logic_and(reduce(ca.logic_or, (one.passes_zero for one in passing)), all_at_rest)
