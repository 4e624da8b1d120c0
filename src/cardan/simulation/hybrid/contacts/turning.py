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

import casadi as ca

from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.hybrid.contacts.rubbing import RubbingJoint
from cardan.system.contacts import Solved, least_solve
from cardan.system.contacts.holding import unheld

HALF_RIGHT = 0.5**0.5  # cosine of the angle by which the motion may turn until d is set again: half a right angle
OPEN = 10  # speed w₀ below which a motion rests, over the largest error that a step may leave in it, atol √n: its
# direction is open by 0.1 rad there, and so friction weaker by (0.1)²/2, half a percent


def turning_conditions(joint: RubbingJoint, found: Solved, rest: float) -> list[Number]:
    """The crossing functions of a joint that slides in several directions."""
    motion, block = joint.state.motion, joint.block
    efforts, limit = joint.efforts_and_limit(found)
    spare = limit**2 - sum(efforts[k] ** 2 for k in block.held)  # without the root, whose rate has no value at φ = 0
    ahead = block.along(motion, joint.z) - HALF_RIGHT * block.speed(motion) - (1 - HALF_RIGHT) * rest
    return [ca.if_else(joint.slides, ahead, -1), ca.if_else(joint.slides, 1, spare), ca.SX(1)]


def turned_by_half_right(joint: RubbingJoint, rest: float) -> Number:
    """The crossing function of the turning of a joint that slides along a line: it falls through zero at 45°."""
    motion = joint.state.motion
    along = joint.block.along(motion, joint.z)
    return along * ca.fabs(along) - HALF_RIGHT**2 * (joint.block.speed(motion) ** 2 - rest**2)


def velocity_of(joint: RubbingJoint) -> Number:
    """Its sliding velocity w (k,)."""
    assert joint.block.relative is not None, "it slides by a relative motion"
    return joint.block.relative.velocities(joint.state.motion)


def along_its_direction(joint: RubbingJoint, x: Number, starts: Number, rest: float) -> Number:
    """The state x of a joint that slides along a line: with the slip sign 1 it slides along d, with −1 along −d."""
    x[joint.d] = x[joint.at] * x[joint.d]
    x[joint.at] = x[joint.at] ** 2
    return _with_speed(joint, x, starts, 2 * rest * x[joint.d])


def after_turning(
    joint: RubbingJoint, x: Number, fell: Number, leaves: Number, rest: float, held: tuple[Number, Solved]
) -> tuple[Number, Number]:
    """The state x after the events of a joint that slides in several directions, and what has happened (3,).

    `held` says whether friction could hold it, and with which efforts.
    """
    w, (may_hold, found) = velocity_of(joint), held
    speed = ca.norm_2(w)
    stops, turns = ca.logic_and(fell, speed <= 2 * rest), ca.logic_and(fell, speed > 2 * rest)
    holds = ca.logic_and(stops, may_hold)
    slides_on = ca.logic_and(stops, ca.logic_not(may_hold))
    starts = ca.logic_or(leaves, slides_on)
    x = joint.begun(x, ca.logic_and(slides_on, ca.logic_not(leaves)), [found.phi[k] for k in joint.block.held])
    x = joint.directed(x, turns, w / speed)
    x = joint.directed(x, holds, ca.DM(*w.shape))
    x[joint.at] = ca.if_else(holds, 0, x[joint.at])
    d = x[joint.d]
    goes_on = ca.logic_and(slides_on, ca.dot(d, w) > HALF_RIGHT * speed)
    x = _with_speed(joint, x, ca.logic_or(holds, starts), ca.if_else(holds, 0, 2 * rest * d))
    return x, ca.logic_not(goes_on) * ca.vertcat(stops, starts, 0)


def _with_speed(joint: RubbingJoint, x: Number, now: Number, target: Number) -> Number:
    """The state x with the sliding velocity `target` (k,) of a joint if `now` is 1.

    A joint of the tree has velocities of its own; one that closes a loop, or that the mechanism leaves fewer freedoms,
    gets the velocity by the least impulse. Where such a joint has one freedom and begins to slide, velocities of the
    mechanism become no larger than its own: near a dead centre the mechanism moves fast while the joint hardly does.
    """
    (nq, nv), block = joint.functions.coordinates.counts, joint.block
    w = ca.SX(velocity_of(joint))
    J = ca.jacobian(w, joint.state.v)
    if block.own and joint.group.freedoms == len(block.held):
        v = ca.solve(J[:, list(block.own)], target)
        for i, k in enumerate(block.own):
            x[nq + k] = ca.if_else(now, v[i], x[nq + k])
        return x
    A = unheld(joint.functions.system, joint.state, block.held)[1][:nv, :]
    H, size = J @ A, ROUND_OFF * ca.trace(ca.fabs(J) @ ca.fabs(A))
    change = A @ least_solve(H, target - w, joint.group.freedoms, size)
    if joint.group.freedoms == 1:
        speed, largest = ca.norm_2(target), ca.norm_2(change)
        change = ca.if_else(largest > speed, speed / largest, 1) * change
    for k in range(nv):
        x[nq + k] += ca.if_else(now, change[k], 0)
    return joint.stopped(x, ca.logic_and(now, ca.dot(target, target) == 0))
