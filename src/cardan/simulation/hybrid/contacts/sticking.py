"""Events of dry friction: a joint comes to rest and sticks, or its holding effort is used up and it slides.

Each joint has three crossing functions: σ v while it slides, with its slip sign σ, falling through zero; holding − φ
and holding + φ while it sticks, with the friction effort φ, at least zero. A joint that stops sticks if friction can
hold it, |φ| ≤ holding, as if it stuck. Else it slides on at once, against φ.

Where several joints break away at one instant, what one does changes what the others need, and static friction may
allow several answers. The smallest change is made: only the joint that passes its limit the most, relative to what it
needs, slides; then all are measured again, and the next one slides at the same instant, until none passes its limit. A
joint that slides from rest against its own acceleration is decided again; of those that slide from rest one sticks
again where all fit then. Each event lets a joint slide or ends the instant, so that there are few events, never 2^k.

A joint that slides in several directions but has one freedom slides to and fro along a line. It is decided as one with
one velocity, that along the direction in which it began to slide (`turning`).

Joints of one freedom come to rest, stick and break away together: they are one unit here. One of them whose velocity
alone passes zero is at its dead centre and turns round; one that is there as the others begin to move gets its slip
sign as soon as it moves.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import FALLING, INVARIANT, RESOLUTION
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, WRITTEN
from cardan.simulation.hybrid.contacts import (
    SLIGHTLY,
    acceleration_of,
    change_of_slip,
    coming_to_rest,
    group_of_joint,
    is_held,
    joints_of_set,
    place,
    speed_of,
)
from cardan.simulation.hybrid.contacts.responses import Responses
from cardan.simulation.hybrid.contacts.turning import (
    after_turning,
    along_its_direction,
    along_velocity,
    begin,
    turned_by_half_right,
    turning_conditions,
)
from cardan.system.contacts import JointFriction, Solved
from cardan.system.contacts.holding import (
    acceleration_scale,
    clear_speed,
    efforts_and_limit,
    may_stick,
    set_of_joint,
    speed_and_slip,
    turns_freely,
)
from cardan.system.contacts.unknown_efforts import stopped
from cardan.system.drives import indirect_motions
from cardan.system.state import State, blocks_at
from cardan.system.system import System

STICKING_WORDS = ("stops", "slides backwards", "slides forwards")
"""What happens to a joint at each of its three crossing functions."""
TURNING_WORDS = ("stops", "slides", "slides")
"""The same of a joint that slides in several directions."""
REVERSES = "reverses"  # a joint that stops and slides on at once, the other way


def sticking_directions(functions: SystemFunctions) -> list[int]:
    """Direction of each crossing function of friction."""
    lines = [_is_along_line(functions, block) for block in functions.system.sticking]
    return [direction for is_line in lines for direction in (FALLING, INVARIANT, FALLING if is_line else INVARIANT)]


def sticking_conditions(functions: SystemFunctions, found: Solved, rest: float) -> list[Number]:
    """The crossing functions of all joints with friction."""
    joints = functions.system.sticking
    if not joints:
        return []
    at_stop = stopped(functions.system, functions.state)
    out: list[Number] = []
    for block in joints:
        if turns_freely(functions.system, block):
            out += turning_conditions(functions, block, *efforts_and_limit(block, found, functions.state.motion), rest)
            continue
        slip_sign, v = functions.symbols.inputs["x"][place(functions, block.names[0])], speed_of(functions, block)
        slides, (efforts, holding) = slip_sign**2 > 0.5, efforts_and_limit(block, found, functions.state.motion)
        has_no_slip_sign = ca.logic_not(ca.logic_or(slides, is_held(functions, block)))
        moves = _moves(functions, block, found) if len(set_of_joint(functions.system, block)) > 1 else [ca.SX(0)]
        holds = ca.logic_not(ca.logic_or(slides, at_stop.get(block.velocity, ca.SX(0)) > 0.5))
        against = _slides_against_sign(functions, block, found, slip_sign)
        out.append(ca.if_else(slides, slip_sign * v, -1))  # not yet above zero: it has to slide before it can stop
        if block.parts:
            spare = holding**2 - sum(efforts[k] ** 2 for k in block.held)  # the root has no rate at zero
            out += [
                _either(has_no_slip_sign, -ca.norm_1(ca.vertcat(*moves)), holds, spare, against),
                ca.if_else(slides, turned_by_half_right(functions, block, rest), 1),
            ]
            continue
        (moves,), phi = moves, efforts[block.velocity]
        out += [
            _either(has_no_slip_sign, moves, holds, holding - phi, ca.logic_and(against, slip_sign > 0)),
            _either(has_no_slip_sign, -moves, holds, holding + phi, ca.logic_and(against, slip_sign < 0)),
        ]
    return out


def _is_along_line(functions: SystemFunctions, block: JointFriction) -> bool:
    """Whether a joint that can slide in several directions has one freedom here: it then slides along one line only."""
    return bool(block.parts) and not turns_freely(functions.system, block)


def _either(has_no_slip_sign: Number, moves: Number, holds: Number, spare: Number, against: Number) -> Number:
    """A condition of sliding one way: the effort `spare` while friction `holds`; below zero where the joint does so."""
    return ca.if_else(has_no_slip_sign, moves, ca.if_else(holds, spare, ca.if_else(against, -SLIGHTLY, 1)))


def _moves(functions: SystemFunctions, block: JointFriction, found: Solved) -> list[Number]:
    """Velocities of the motions of a joint, or at rest numbers with the signs of accelerations, 0 for round-off."""
    state, system = functions.state, functions.system
    motions = [(clear_speed(part, state), part.slip(system.tree, state.motion)) for part in block.parts]
    moves = list[Number]()
    for v, slip in motions or [speed_and_slip(system, state, block)]:
        a = slip.accelerations(found.a)[0]
        begins = ca.fabs(a) > _noise(functions, block) * acceleration_scale(block, found)
        moves.append(ca.if_else(v != 0, v, ca.if_else(begins, SLIGHTLY * ca.sign(a), 0)))
    return moves


def _slides_against_sign(functions: SystemFunctions, block: JointFriction, found: Solved, slip_sign: Number) -> Number:
    """Whether a joint at rest is about to slide against its `slip_sign`.

    It never is where all friction has a given bound, unless drives of other joints act against it.
    """
    system = functions.system
    if not (any(each.law.follows_load for each in system.frictions) or indirect_motions(system.tree)):
        return ca.SX(0)
    against = slip_sign * acceleration_of(functions, block, found.a) < -_noise(functions, block) * acceleration_scale(
        block, found
    )
    return ca.logic_and(_is_at_rest(functions, block, found), against)


def _noise(functions: SystemFunctions, block: JointFriction) -> float:
    """Round-off of the acceleration of a joint, relative to the sizes of its terms.

    Sticking and sliding have different equations for the whole mechanism, whose solutions agree where a joint breaks
    away. Those of joints that share what they hold agree as two numbers do that are computed to be equal.
    """
    return WRITTEN if len(set_of_joint(functions.system, block)) > 1 else ROUND_OFF


def _is_at_rest(functions: SystemFunctions, block: JointFriction, found: Solved) -> Number:
    """Whether a joint has no velocity, and none of those that move only together with it.

    The projection of a program leaves round-off in a velocity that is zero. There a speed counts as zero if the joint
    would gain it within the round-off of the instant.
    """
    if indirect_motions(functions.system.tree):
        gained = RESOLUTION * ca.fabs(functions.state.t) * ca.fabs(acceleration_of(functions, block, found.a))
        return ca.fabs(speed_of(functions, block)) < ca.fmax(gained, sys.float_info.min)
    speeds = (ca.fabs(speed_of(functions, each)) for each, _ in joints_of_set(functions, block))
    return reduce(ca.logic_and, (speed < sys.float_info.min for speed in speeds))


def after_sticking(functions: SystemFunctions, x: Number, fired: Number, rest: float) -> tuple[Number, Number]:
    """The state x after the events of friction that have `fired`, and what has happened (3 f,), 1 for each event of
    the log.
    """
    respond, joints = Responses(functions), functions.system.sticking
    found = respond(functions.state.z)
    rests = coming_to_rest(functions, fired, found.a)
    events = _Events(fired, rests, _released(functions, fired, found), found)
    for k in range(len(joints)):
        x = _begun(functions, x, k, events, found)
    state = replace(functions.state, z=ca.SX(x[-functions.system.nz :]))
    decisions, happened = _decisions(functions, state, events, respond), ca.SX(fired)
    for k, block in enumerate(joints):
        own, released = slice(3 * k, 3 * k + 3), events.released[k]
        if turns_freely(functions.system, block):
            fell = ca.if_else(rests[k], 1, 0)
            x, happened[own] = after_turning(functions, state, block, x, fell, released, rest, respond)
        else:
            x, happened[own] = _settled(functions, x, k, events, decisions[block.velocity], rest)
    return x, happened


@dataclass(frozen=True)
class _Events:
    """What has happened to joints at an event, by their numbers."""

    fired: Number  # (3 f,) 1 for each crossing that happens, else 0
    rests: list[Number]  # whether each comes to rest, and not alone at its dead centre
    released: list[Number]  # whether each breaks away
    found: Solved  # accelerations and efforts before

    def passes_zero(self, k: int) -> Number:
        """Whether the velocity of a joint passes zero."""
        return self.fired[3 * k] > 0

    def starts(self, k: int, block: JointFriction) -> Number:
        """Whether a joint starts to slide from rest, or slides against its own acceleration."""
        start = self.fired[3 * k + 1] > 0
        return start if block.parts else ca.logic_or(start, self.fired[3 * k + 2] > 0)


@dataclass(frozen=True)
class _Decision:
    """What is decided for a joint, and for all that have one freedom with it."""

    holds: Number  # whether friction can hold them
    slip_sign: Number  # in which this joint slides otherwise
    is_repeated: Number  # whether they are decided although they do not come to rest


def _begun(functions: SystemFunctions, x: Number, k: int, events: _Events, found: Solved) -> Number:
    """The state x in which a joint that breaks away has its slip sign, and one at its dead centre has turned round."""
    block, before, released = functions.system.sticking[k], functions.symbols.inputs["x"], events.released[k]
    efforts, _ = efforts_and_limit(block, found, functions.state.motion)
    at = place(functions, block.names[0])
    if block.parts:
        x = begin(x, at, released, [efforts[i] for i in block.held])
    else:
        x[at] = ca.if_else(released, -ca.sign(efforts[block.velocity]), x[at])
    if turns_freely(functions.system, block):
        return x
    for i in block.own if block.relative is not None else (block.velocity,):
        speed = functions.coordinates.counts[0] + i
        x[speed] = ca.if_else(ca.logic_or(events.rests[k], released), 0, x[speed])
    turns = ca.logic_and(events.passes_zero(k), ca.logic_not(events.rests[k]))
    x[at] = ca.if_else(turns, -before[at], x[at])
    if len(set_of_joint(functions.system, block)) > 1:
        strays = ca.logic_not(ca.logic_or(before[at] ** 2 > 0.5, is_held(functions, block)))
        crosses = ca.logic_or(events.fired[3 * k + 1] > 0, events.fired[3 * k + 2] > 0)
        begins, moves = ca.logic_and(strays, crosses), _moves(functions, block, found)
        if block.parts:
            x = begin(x, at, begins, [-each for each in moves])
        else:
            x[at] = ca.if_else(begins, ca.sign(moves[0]), x[at])
    if block.parts:
        turns = ca.logic_and(events.fired[3 * k + 2] > 0, ca.logic_not(events.rests[k]))
        x = along_velocity(functions, block, x, ca.logic_and(before[at] > 0.5, turns))
    return x


def _decisions(functions: SystemFunctions, state: State, events: _Events, respond: Responses) -> dict[int, _Decision]:
    """By velocity the decisions about joints with one velocity; of one freedom at most is decided again."""
    joints, before, out, one_decided = (
        functions.system.sticking,
        functions.symbols.inputs["x"],
        dict[int, _Decision](),
        ca.SX(0),
    )
    for block in joints:
        if turns_freely(functions.system, block) or not _first(functions.system, block):
            continue
        unit = [each for each, _ in joints_of_set(functions, block)]
        resting = [(each, events.rests[joints.index(each)]) for each, _ in group_of_joint(functions, block)]
        holds, slip_signs, held = may_stick(functions.system, state, unit, respond, resting)
        is_repeated, starts = ca.SX(0), ca.SX(0)
        for each, at in joints_of_set(functions, block):
            k, slides = joints.index(each), before[at] ** 2 > 0.5
            is_repeated = ca.logic_or(is_repeated, ca.logic_and(slides, events.starts(k, each)))
            starts = ca.logic_or(starts, ca.logic_and(slides, ca.logic_not(events.rests[k])))
        from_rest = ca.logic_and(starts, _is_at_rest(functions, block, events.found))
        again = ca.logic_and(from_rest, ca.mmax(ca.vertcat(*events.released)))
        again = ca.logic_and(again, _fits(functions, state, held, unit))
        is_repeated = ca.logic_and(ca.logic_or(is_repeated, again), ca.logic_not(one_decided))
        one_decided = ca.logic_or(one_decided, is_repeated)
        out |= {
            each.velocity: _Decision(holds, slip_sign, is_repeated)
            for each, slip_sign in zip(unit, slip_signs, strict=True)
        }
    return out


def _settled(
    functions: SystemFunctions, x: Number, k: int, events: _Events, decision: _Decision, rest: float
) -> tuple[Number, Number]:
    """The state x in which a joint that comes to rest, or is decided again, sticks or slides; and what has happened."""
    block, before, rests = functions.system.sticking[k], functions.symbols.inputs["x"], events.rests[k]
    at = place(functions, block.names[0])
    decided = ca.if_else(decision.holds, 0, decision.slip_sign)
    x[at] = ca.if_else(ca.logic_or(rests, decision.is_repeated), decided, x[at])
    passed_zero = reduce(ca.logic_or, (rests, events.passes_zero(k), decision.is_repeated))
    happened = change_of_slip(before[at], x[at], passed_zero)
    for i in block.own if block.relative is not None else (block.velocity,):
        speed = functions.coordinates.counts[0] + i
        x[speed] = ca.if_else(decision.is_repeated, 0, x[speed])  # it was no more than round-off
    if block.parts:
        happened = ca.vertcat(happened[0], ca.logic_or(happened[1], happened[2]), 0)
        starts = reduce(ca.logic_or, (rests, decision.is_repeated, events.released[k]))
        x = along_its_direction(functions, block, x, ca.logic_and(starts, x[at] != 0), rest)
    return x, happened


def _first(system: System, block: JointFriction) -> bool:
    """Whether a joint is the first in the file of those that move only together with it."""
    own = set_of_joint(system, block)
    return next(each for each in system.frictions if each.velocity in own) is block


def _released(functions: SystemFunctions, fired: Number, found: Solved) -> list[Number]:
    """Whether each joint breaks away: the one that passes its limit the most, and others within round-off of it."""
    leaves, parts = list[Number](), list[Number]()
    for k, block in enumerate(functions.system.sticking):
        passes = ca.logic_or(fired[3 * k + 1] > 0, fired[3 * k + 2] > 0)
        leaves.append(ca.logic_and(is_held(functions, block), passes))
        efforts, limit = efforts_and_limit(block, found, functions.state.motion)
        needed = block.needed(efforts)  # above its limit, or above zero where it has none
        parts.append(ca.if_else(leaves[-1], (needed - limit) / ca.if_else(leaves[-1], needed, 1), -1))
    most = ca.mmax(ca.vertcat(*parts)) - ROUND_OFF
    first = [ca.logic_and(each, part >= most) for each, part in zip(leaves, parts, strict=True)]
    joints = functions.system.sticking
    units = ([joints.index(each) for each, _ in joints_of_set(functions, block)] for block in joints)
    return [reduce(ca.logic_or, (first[k] for k in unit)) for unit in units]


def _fits(functions: SystemFunctions, state: State, found: Solved, held: Sequence[JointFriction]) -> Number:
    """Whether the motion `found`, with the joints of `held` at rest, agrees with the slip signs in `state`.

    All joints that stick are within their limits, and all that slide from rest begin to move as their slip signs say.
    """
    out, at_stop = ca.SX(1), stopped(functions.system, state)
    z = {block.name: own[0] for block, own, _ in blocks_at(functions.system, state) if isinstance(block, JointFriction)}
    for block in functions.system.sticking:
        sticks = ca.SX(1) if block in held else z[block.name] ** 2 < 0.5
        efforts, limit = efforts_and_limit(block, found, state.motion)
        within = block.needed(efforts) <= limit
        if turns_freely(functions.system, block):
            out = ca.logic_and(out, ca.logic_or(ca.logic_not(sticks), within))
            continue
        within = ca.logic_or(within, at_stop.get(block.velocity, ca.SX(0)) > 0.5)
        a = speed_and_slip(functions.system, state, block)[1].accelerations(found.a)[0]
        against = z[block.name] * a < -_noise(functions, block) * acceleration_scale(block, found)
        ahead = ca.logic_not(ca.logic_and(_is_at_rest(functions, block, found), against))
        out = ca.logic_and(out, ca.if_else(sticks, within, ahead))
    return out
