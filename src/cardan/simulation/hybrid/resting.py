"""Which joints with friction come to rest at an event, and which are held: joints of one freedom are one unit.

One of them whose velocity alone passes zero is at its dead centre. Of a group with several freedoms each joint rests
for itself until the others have one freedom; then these come to rest together (`sticking`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.holding import Passing, place, rests_with
from cardan.system.friction import JointFriction, Solved
from cardan.system.holding import group_of, set_of_joint, speed_and_slip
from cardan.system.unknown_efforts import stopped

__all__ = [
    "acceleration_of",
    "comes_to_rest",
    "has_last_freedom",
    "is_held",
    "joints_of_set",
    "slides_now",
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
    its dead centre. In a group with several freedoms either one set rests alone, or the last freedom comes to rest.
    """
    block = functions.system.sticking[k]
    group = group_of(functions.system, block)
    all_rest, set_rests = (
        _come_to_rest(functions, own, fired, found) for own in (group.velocities, group.set_of(block.velocity))
    )
    if group.freedoms == 1:
        return set_rests
    slides = slides_now(functions, block)
    return ca.logic_and(slides, ca.if_else(has_last_freedom(functions, block), all_rest, set_rests))


def _come_to_rest(functions: SystemFunctions, velocities: Sequence[int], fired: Number, found: Solved) -> Number:
    """Whether the joints with these velocities that slide come to rest together."""
    joints, state, system = functions.system.sticking, functions.state, functions.system
    unit = [block for block in joints if block.velocity in velocities]
    if len(unit) == 1:
        return fired[3 * joints.index(unit[0])] > 0
    passing = []
    for block in unit:
        a = acceleration_of(functions, block, found)
        slide = reduce(ca.logic_and, (slides_now(functions, each) for each, _ in joints_of_set(functions, block)))
        passing.append(Passing(speed_of(functions, block), a, fired[3 * joints.index(block)] > 0, slide))
    all_at_rest = ca.SX(1)
    for block, one in zip(unit, passing, strict=True):
        at_rest, own = one.passes_zero, set_of_joint(system, block)
        for each, other in zip(unit, passing, strict=True):
            if each is not block:
                has_same_freedom = each.velocity in own  # the ratio of their speeds is known while another one sticks
                seen = replace(other, slides=1) if has_same_freedom else other
                at_rest = ca.logic_or(at_rest, rests_with(one, seen, state.t))
        all_at_rest = ca.logic_and(all_at_rest, ca.logic_or(ca.logic_not(slides_now(functions, block)), at_rest))
    return ca.logic_and(reduce(ca.logic_or, (one.passes_zero for one in passing)), all_at_rest)


def slides_now(functions: SystemFunctions, block: JointFriction) -> Number:
    """Whether a joint slides."""
    return functions.symbols.inputs["x"][place(functions, block.names[0])] ** 2 > 0.5


def has_last_freedom(functions: SystemFunctions, block: JointFriction) -> Number:
    """Whether so much of a group with several freedoms is held that the others have one freedom."""
    group = group_of(functions.system, block)
    if group.freedoms == 1:
        return ca.SX(0)
    leads = [each for each in functions.system.sticking if any(each.velocity == own[0] for own in group.sets)]
    at_stop = stopped(functions.system, functions.state)
    held = [*(is_held(functions, each) for each in leads), *(at_stop[k] for k in group.alone)]
    return sum(held, ca.SX(0)) >= group.freedoms - 1
