"""Events of friction in several directions: a ball, sleeve or plate comes to rest, turns, or breaks away.

While it slides, friction acts along −sign(w·d) w/|w|, with the direction d in which it slid when this phase began. The
crossing function w·d − |w| cos 45° − (1 − cos 45°) w₀ falls through zero where the motion has turned by half a right
angle, and where it comes to rest: where |w| falls to w₀, or where w passes through zero. Where it has turned, d becomes
w/|w|. Where it rests, all motions are held if the effort that this needs is within the limit. If it is not, and where a
joint that sticks breaks away, the joint begins to slide against this effort.

A joint to which the mechanism leaves one freedom slides to and fro along a line. It comes to rest where w·d falls
through zero (`sticking`), and has turned where w·d |w·d| is less than (|w| cos 45°)², unless it is as slow as w₀: w·d
and |w| vanish together.

The angle is in the middle between 0, where errors of the direction would pass it, and 90°, where sign(w·d) would turn
friction round. A step may leave an error of atol √n in one of n states, since the mean square of all is at most atol².
w₀ is OPEN such errors: the direction is open by 1/OPEN rad there. The joint begins with the speed 2 w₀, since w = 0 has
no direction: as far above rest as rest is above zero, so that no fewer than OPEN errors bring it back. Up to this speed
a motion that turns counts as at rest; where it breaks away in its direction again at once it has not stopped, and no
event is logged.

Source: docs/decisions/0015-hybrid-runs
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.hybrid.contacts import place
from cardan.system.contacts import JointFriction, least_solve, size_and_direction
from cardan.system.contacts.holding import SolvedAt, group_of, may_stick, unheld
from cardan.system.state import State

HALF_RIGHT = 0.5**0.5  # cosine of the angle by which the motion may turn until d is set again: half a right angle
OPEN = 10  # speed w₀ below which a motion rests, over the largest error that a step may leave in it, atol √n: its
# direction is open by 0.1 rad there, and so friction weaker by (0.1)²/2, half a percent


def turning_conditions(
    functions: SystemFunctions, block: JointFriction, efforts: Mapping[int, Number], limit: Number, rest: float
) -> list[Number]:
    """The crossing functions of a joint that slides in several directions."""
    at = place(functions, block.names[0])
    z = functions.symbols.inputs["x"][at : at + len(block.names)]
    phi = ca.vertcat(*(efforts[k] for k in block.held))
    slides = z[0] > 0.5
    spare = limit**2 - ca.dot(phi, phi)  # without the root, whose rate has no value at φ = 0
    ahead = block.along(functions.state.motion, z) - HALF_RIGHT * block.speed(functions.state.motion)
    ahead -= (1 - HALF_RIGHT) * rest
    return [ca.if_else(slides, ahead, -1), ca.if_else(slides, 1, spare), ca.SX(1)]


def turned_by_half_right(functions: SystemFunctions, block: JointFriction, rest: float) -> Number:
    """The crossing function of the turning of a joint that slides along a line: it falls through zero at 45°."""
    at = place(functions, block.names[0])
    z, motion = functions.symbols.inputs["x"][at : at + len(block.names)], functions.state.motion
    along = block.along(motion, z)
    return along * ca.fabs(along) - HALF_RIGHT**2 * (block.speed(motion) ** 2 - rest**2)


def along_velocity(functions: SystemFunctions, block: JointFriction, x: Number, now: Number) -> Number:
    """The state x in which the direction of a joint is that of its velocity, where it turns `now`."""
    assert block.relative is not None, "it slides by a relative motion"
    motion, at = functions.state.motion, place(functions, block.names[0])
    d = block.relative.velocities(motion) / block.speed(motion)
    for k in range(d.shape[0]):
        x[at + 1 + k] = ca.if_else(now, d[k], x[at + 1 + k])
    return x


def along_its_direction(
    functions: SystemFunctions, block: JointFriction, x: Number, starts: Number, rest: float
) -> Number:
    """The state x of a joint that slides along a line: with the slip sign 1 it slides along d, with −1 along −d."""
    at = place(functions, block.names[0])
    d = slice(at + 1, at + len(block.names) - 1)
    x[d] = x[at] * x[d]
    x[at] = x[at] ** 2
    return _with_speed(functions, functions.state, block, x, starts, 2 * rest * x[d])


def begin(x: Number, at: int, now: Number, phi: Sequence[Number]) -> Number:
    """The state x in which a joint slides against the effort `phi` (k,), where it begins to `now`."""
    needed, along = size_and_direction(ca.vertcat(*phi))
    d = -along
    x[at] = ca.if_else(now, needed > 0, x[at])
    for k in range(d.shape[0]):
        x[at + 1 + k] = ca.if_else(now, d[k], x[at + 1 + k])
    return x


def after_turning(
    functions: SystemFunctions,
    state: State,
    block: JointFriction,
    x: Number,
    fell: Number,
    leaves: Number,
    rest: float,
    respond: SolvedAt,
) -> tuple[Number, Number]:
    """The state x after the events of a joint that slides in several directions, and what has happened (3,)."""
    assert block.relative is not None, "it slides by a relative motion"
    w, at = block.relative.velocities(state.motion), place(functions, block.names[0])
    speed = ca.norm_2(w)
    turned = w / speed
    stops = ca.logic_and(fell > 0, speed <= 2 * rest)
    turns = ca.logic_and(fell > 0, speed > 2 * rest)
    may_hold, _, held = may_stick(functions.system, state, [block], respond)
    holds = ca.logic_and(stops, may_hold)
    starts = ca.logic_or(leaves, ca.logic_and(stops, ca.logic_not(may_hold)))
    x = begin(x, at, ca.logic_and(starts, ca.logic_not(leaves)), [held.phi[k] for k in block.held])
    for k in range(turned.shape[0]):
        x[at + 1 + k] = ca.if_else(holds, 0, ca.if_else(turns, turned[k], x[at + 1 + k]))
    x[at] = ca.if_else(holds, 0, x[at])
    d = x[at + 1 : at + 1 + turned.shape[0]]
    goes_on = ca.logic_and(stops, ca.logic_and(starts, ca.dot(d, w) > HALF_RIGHT * speed))
    x = _with_speed(functions, state, block, x, ca.logic_or(holds, starts), ca.if_else(holds, 0, 2 * rest * d))
    return x, ca.logic_not(goes_on) * ca.vertcat(stops, starts, 0)


def _with_speed(
    functions: SystemFunctions, state: State, block: JointFriction, x: Number, now: Number, target: Number
) -> Number:
    """The state x with the sliding velocity `target` (k,) of a joint if `now` is 1.

    A joint of the tree has velocities of its own; one that closes a loop, or that the mechanism leaves fewer freedoms,
    gets the velocity by an impulse.
    """
    system, (nq, nv) = functions.system, functions.coordinates.counts
    assert block.relative is not None, "it slides by a relative motion"
    w = ca.SX(block.relative.velocities(state.motion))
    J = ca.jacobian(w, state.v)
    group = group_of(system, block)
    if group.freedoms < len(block.held):
        A = unheld(system, state, block.held)[2][:nv, :]
        change = _restricted_change(group.freedoms, J, A, target - w, target)
        is_zero = ca.dot(target, target) == 0
        for k in range(nv):
            x[nq + k] += ca.if_else(now, change[k], 0)
        for k in block.own:
            x[nq + k] = ca.if_else(ca.logic_and(now, is_zero), 0, x[nq + k])
        return x
    if block.own:
        own = list(block.own)
        v = ca.solve(J[:, own], target)
        for i, k in enumerate(own):
            x[nq + k] = ca.if_else(now, v[i], x[nq + k])
        return x
    A = unheld(system, state, block.held)[2][:nv, :]
    change = A @ ca.solve(J @ A, target - w)
    for k in range(nv):
        x[nq + k] += ca.if_else(now, change[k], 0)
    return x


def _restricted_change(freedoms: int, J: Number, A: Number, change: Number, target: Number) -> Number:
    """Changes of the velocities (nv,) by the least impulse that changes the sliding velocity of a joint.

    Where the joint has one freedom and begins to slide, those of the mechanism become no larger than its own: near a
    dead centre the mechanism moves fast while the joint hardly does.
    """
    out = A @ least_solve(J @ A, change, freedoms, ROUND_OFF * ca.trace(ca.fabs(J) @ ca.fabs(A)))
    if freedoms > 1:
        return out
    speed, largest = ca.norm_2(target), ca.norm_2(out)
    return ca.if_else(largest > speed, speed / largest, 1) * out
