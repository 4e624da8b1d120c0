"""Events of joints that move only together with two freedoms, of which some, such as balls, slide in both of them.

A joint along one motion sticks for itself while the others slide on (`sticking`): a crank rests, and the rod between
its balls spins. A ball at rest holds the whole group, so that all balls come to rest at one instant, and all joints
along one motion that still slide. A ball whose speed falls to that of rest brings the others to rest if they are as
slow as when the group starts, or if their speeds fall to zero with its own, w + ẇ τ ≈ 0 after its time τ; else it
passes a position in which it hardly moves, and slides on along its acceleration. If all efforts that hold the group are
within their limits it sticks. Else, and where it breaks away, it begins to move in its decisive motion
(`system.friction.two_freedom_joints`), in which some joints along one motion may rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import RESOLUTION
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.holding import FRICTION_EVENTS, change_of_slip, place
from cardan.simulation.hybrid.responses import Responses
from cardan.simulation.hybrid.turning import HALF_RIGHT, OPEN, begin
from cardan.system.friction import JointFriction, JointGroup, Solved, freedoms_of, size_and_direction
from cardan.system.holding import all_velocities, efforts_and_limit, speed_and_slip, unheld
from cardan.system.state import State

__all__ = ["after_two_freedom_events", "group_rests"]


@dataclass(frozen=True)
class _Moving:
    """A joint of a group at an event."""

    w: Number  # sliding velocity (k,)
    a: Number  # its rate (k,)
    slides: Number  # 1 while it slides
    passes_zero: Number  # 1 if its speed has just fallen to that of rest
    is_still: Number  # 1 if its speed is round-off, or that of rest


def _members(functions: SystemFunctions, group: JointGroup) -> list[tuple[int, JointFriction]]:
    """The joints of a group with their numbers among those that friction may hold."""
    joints = functions.system.sticking
    return [(k, block) for k, block in enumerate(joints) if block.velocity in group.velocities]


def _moving(functions: SystemFunctions, group: JointGroup, fired: Number, found: Solved, rest: float) -> list[_Moving]:
    system, state, out = functions.system, functions.state, list[_Moving]()
    for k, block in _members(functions, group):
        slides = functions.symbols.inputs["x"][place(functions, block.names[0])] ** 2 > 0.5
        passes = ca.logic_and(slides, fired[FRICTION_EVENTS * k] > 0)
        if block.velocity in group.two_freedom:
            assert block.relative is not None, "it slides by a relative motion"
            w = ca.SX(block.relative.velocities(state.motion))
            a = ca.vertcat(*(part.slip(system.tree, state.motion).accelerations(found.a) for part in block.parts))
            is_still = ca.norm_2(w) <= 2 * rest
            out.append(_Moving(w, a, slides, ca.logic_and(passes, is_still), is_still))
        else:
            v, slip = speed_and_slip(system, state, block)
            a = slip.accelerations(found.a)[0]
            out.append(_Moving(v, a, slides, passes, ca.fabs(v) <= RESOLUTION * ca.fabs(state.t) * ca.fabs(a)))
    return out


def group_rests(functions: SystemFunctions, group: JointGroup, fired: Number, found: Solved, rest: float) -> Number:
    """Whether all joints of a group that slide come to rest.

    One of them has no speed, and those of the others are no higher than as the group starts, or what remains of them
    when it has none is less than what they lose. At the lowest speeds only the former says so: the accelerations of a
    light rod about its axis then follow errors of the direction in which its balls slide.
    """
    moving, out = _moving(functions, group, fired, found, rest), ca.SX(0)
    for one in moving:
        square = ca.dot(one.a, one.a)
        left = -ca.dot(one.w, one.a) / ca.if_else(square > 0, square, 1)  # the time until it has no speed
        rests = one.passes_zero
        for other in (each for each in moving if each is not one):
            falls = ca.dot(other.w, other.w) + 2 * left * ca.dot(other.w, other.a) <= 0
            slow = ca.logic_or(other.is_still, ca.norm_2(other.w) <= 2 * OPEN * rest)  # as fast as when it starts
            free = reduce(ca.logic_or, (ca.logic_not(other.slides), slow, falls))
            rests = ca.logic_and(rests, free)
        out = ca.logic_or(out, rests)
    return out


def after_two_freedom_events(
    functions: SystemFunctions,
    state: State,
    group: JointGroup,
    x: Number,
    happened: Number,
    fired: Number,
    rests: Number,
    leaves: Number,
    found: Solved,
    rest: float,
    respond: Responses,
) -> tuple[Number, Number]:
    """The state x after the events of a group, and what has happened to all joints (3 f,)."""
    before, members, still = functions.symbols.inputs["x"], _members(functions, group), ca.SX(state.z)
    first = x.shape[0] - still.shape[0]
    for _, block in members:
        still[place(functions, block.names[0]) - first] = 0
    held = respond(still)
    within = (
        block.needed(efforts) <= limit for _, block in members for efforts, limit in [efforts_and_limit(block, held)]
    )
    sticks = ca.logic_and(rests, reduce(ca.logic_and, within))
    begins = ca.logic_or(leaves, ca.logic_and(rests, ca.logic_not(sticks)))
    now = ca.logic_or(sticks, begins)
    for (k, block), moving in zip(members, _moving(functions, group, fired, found, rest), strict=True):
        at, own = place(functions, block.names[0]), slice(FRICTION_EVENTS * k, FRICTION_EVENTS * (k + 1))
        if block.velocity in group.two_freedom:
            x, did = _turned(functions, block, moving, x, (sticks, begins, leaves), fired[own][0] > 0, held)
            happened[own] = did
            continue
        slip_sign = ca.if_else(held.at_rest[block.velocity], 0, -ca.sign(held.phi[block.velocity]))
        x[at] = ca.if_else(now, begins * slip_sign, x[at])
        passed_zero = ca.logic_or(rests, fired[own][0] > 0)
        happened[own] = ca.if_else(now, change_of_slip(before[at], x[at], passed_zero), happened[own])
    return _with_speeds(
        functions, group, [block for _, block in members], x, now, _start(group, held, rest) * begins
    ), happened


def _turned(
    functions: SystemFunctions,
    block: JointFriction,
    moving: _Moving,
    x: Number,
    modes: tuple[Number, Number, Number],
    fell: Number,
    held: Solved,
) -> tuple[Number, Number]:
    """The state x in which a joint that slides in all freedoms sticks, begins to slide, or has turned, and what has
    happened to it (3,).
    """
    (sticks, begins, leaves), at = modes, place(functions, block.names[0])
    axes, before = block.axes(functions.state.motion), functions.symbols.inputs["x"]
    x = begin(x, at, begins, axes, [held.phi[k] for k in block.held])
    new = axes @ ca.if_else(moving.is_still, size_and_direction(moving.a)[1], size_and_direction(moving.w)[1])
    turns = ca.logic_and(fell, ca.logic_not(ca.logic_or(sticks, begins)))
    d = slice(at + 1, at + 1 + axes.shape[0])
    x[d] = ca.if_else(sticks, 0, ca.if_else(turns, new, x[d]))
    x[at] = ca.if_else(sticks, 0, x[at])
    slid = before[at] > 0.5
    along = ca.dot(axes.T @ x[d], moving.w) > HALF_RIGHT * ca.norm_2(moving.w)
    goes_on = reduce(ca.logic_and, (slid, begins, along))
    stops = ca.logic_and(slid, ca.logic_or(sticks, ca.logic_and(begins, ca.logic_not(leaves))))
    return x, ca.logic_not(goes_on) * ca.vertcat(stops, begins, 0)


def _start(group: JointGroup, held: Solved, rest: float) -> Number:
    """Velocities (m,) with which a group begins to move.

    The slowest joint that slides in all freedoms has the speed 2 w₀, so that its velocity has a direction, unless
    others would be OPEN times as fast as that.
    """
    speeds = (ca.norm_2(ca.vertcat(*(held.begins[i] for i in group.held_by(k)))) for k in group.two_freedom)
    slowest = reduce(ca.fmin, speeds)  # of speeds that are at most 1
    return 2 * rest / ca.fmax(slowest, 1 / OPEN) * ca.vertcat(*(held.begins[k] for k in group.motions))


def _with_speeds(
    functions: SystemFunctions,
    group: JointGroup,
    blocks: Sequence[JointFriction],
    x: Number,
    now: Number,
    target: Number,
) -> Number:
    """The state x in which the joints of a group get velocities (m,) by the least impulse, if `now` is 1."""
    (nq, nv), state, motions = functions.coordinates.counts, functions.state, list(group.motions)
    every = unheld(functions.system, state, motions)[2]
    V = freedoms_of(every[motions, :], group.freedoms)
    change = (
        every[:nv, :] @ V @ _solve(V.T @ V @ V.T @ V, V.T @ (target - all_velocities(functions.system, state)[motions]))
    )
    for block in blocks:
        for k in block.own if block.relative is not None else (block.velocity,):
            x[nq + k] = ca.if_else(now, state.v[k], x[nq + k])
    for k in range(nv):
        x[nq + k] += ca.if_else(now, change[k], 0)
    for block in blocks:
        sticks = ca.logic_and(now, x[place(functions, block.names[0])] ** 2 < 0.5)
        for k in block.own if block.relative is not None else (block.velocity,):
            x[nq + k] = ca.if_else(sticks, 0, x[nq + k])
    return x


def _solve(A: Number, b: Number) -> Number:
    """Solution of two equations; zero where they are singular."""
    determinant = ca.det(A)
    return ca.vertcat(A[1, 1] * b[0] - A[0, 1] * b[1], A[0, 0] * b[1] - A[1, 0] * b[0]) / ca.if_else(
        determinant != 0, determinant, ca.inf
    )
