"""Events of dry friction: a joint comes to rest and sticks, or its holding effort is used up and it slides.

Each joint has three crossing functions: σ v while it slides, with its slip sign σ, falling through zero; holding − φ
and holding + φ while it sticks, with the friction effort φ, at least zero. A joint that stops sticks if friction can
hold it, |φ| ≤ holding, as if it stuck. Else it slides on at once, against φ.

Where several joints break away at one instant, what one does changes what the others need, and static friction may
allow several answers. The smallest change is made: only the joint that passes its limit the most, relative to what it
needs, slides; then all are measured again, and the next one slides at the same instant, until none passes its limit. A
joint that slides from rest against its own acceleration is decided again; of those that slide from rest one sticks
again where all fit then. Each event lets a joint slide or ends the instant, so that there are few events, never 2^k.

Joints that come to rest or break away at one instant, as the equal arms of a robot do, are decided one after the other:
each with those before it as they were decided, and with those after it held if they come to rest. One that breaks away
together with others stays where these have freed it from load.

Joints of one freedom come to rest, stick and break away together: they are one unit here. One of them whose velocity
alone passes zero is at its dead centre and turns round; one that is there as the others begin to move gets its slip
sign as soon as it moves.
"""

from collections.abc import Sequence
from functools import cached_property, reduce

import casadi as ca

from cardan.codegen import NEEDED
from cardan.frozen import dataclass, replace
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import FALLING, INVARIANT
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM, WRITTEN
from cardan.simulation.hybrid.contacts.coming_to_rest import coming_to_rest
from cardan.simulation.hybrid.contacts.responses import PARTS, Responses
from cardan.simulation.hybrid.contacts.rubbing import SLIGHTLY, RubbingJoint, change_of_slip, rubbing_joints
from cardan.simulation.hybrid.contacts.turning import (
    after_turning,
    along_its_direction,
    turned_by_half_right,
    turning_conditions,
    velocity_of,
)
from cardan.system.contacts import Solved
from cardan.system.contacts.unknown_efforts import stopped
from cardan.system.drives import indirect_motions
from cardan.system.system import System

STICKING_WORDS = ("stops", "slides backwards", "slides forwards")
"""What happens to a joint at each of its three crossing functions."""
TURNING_WORDS = ("stops", "slides", "slides")
"""The same of a joint that slides in several directions."""
REVERSES = "reverses"  # a joint that stops and slides on at once, the other way


def sticking_words(system: System) -> list[tuple[str, str]]:
    """Joint of each crossing function of friction, and what happens to it there."""
    several = {block.name: block.sticks_in_several_directions for block in system.sticking}
    return [(name, did) for name, turns in several.items() for did in (TURNING_WORDS if turns else STICKING_WORDS)]


def sticking_directions(functions: SystemFunctions) -> list[int]:
    """Direction of each crossing function of friction."""
    lines = [bool(joint.block.parts) and not joint.turns_freely for joint in rubbing_joints(functions)]
    return [direction for is_line in lines for direction in (FALLING, INVARIANT, FALLING if is_line else INVARIANT)]


def sticking_conditions(functions: SystemFunctions, found: Solved, rest: float) -> list[Number]:
    """The crossing functions of all joints with friction."""
    at_stop, out = stopped(functions.system, functions.state), list[Number]()
    for joint in rubbing_joints(functions):
        if joint.turns_freely:
            out += turning_conditions(joint, found, rest)
        else:
            out += _conditions(joint, found, rest, at_stop.get(joint.block.velocity, ca.SX(0)))
    return out


def _conditions(joint: RubbingJoint, found: Solved, rest: float, at_stop: Number) -> list[Number]:
    """The crossing functions of a joint with one velocity."""
    slides, slip_sign, (efforts, limit) = joint.slides, joint.z[0], joint.efforts_and_limit(found)
    has_no_slip_sign = ca.logic_not(ca.logic_or(slides, joint.is_held))
    holds = ca.logic_not(ca.logic_or(slides, at_stop > 0.5))
    moves = joint.moves(found) if len(joint.set) > 1 else [ca.SX(0)]
    against = ca.SX(0)
    if _may_turn(joint.functions.system):
        against = ca.logic_and(joint.is_at_rest(found), joint.turns_round(found))

    def slides_so(moving: Number, spare: Number, turns: Number) -> Number:
        at_once = ca.if_else(turns, -SLIGHTLY, 1)
        return ca.if_else(has_no_slip_sign, moving, ca.if_else(holds, spare, at_once))

    first = ca.if_else(slides, slip_sign * joint.speed, -1)  # not yet above zero: it has to slide before it can stop
    if joint.block.parts:
        spare = limit**2 - sum(efforts[k] ** 2 for k in joint.block.held)  # the root has no rate at zero
        starts = slides_so(-ca.norm_1(ca.vertcat(*moves)), spare, against)
        return [first, starts, ca.if_else(slides, turned_by_half_right(joint, rest), 1)]
    phi = efforts[joint.block.velocity]
    return [
        first,
        *(slides_so(w * moves[0], limit - w * phi, ca.logic_and(against, w * slip_sign > 0)) for w in (1, -1)),
    ]


def _may_turn(system: System) -> bool:
    """Whether a joint at rest may be about to slide against its slip sign.

    Where all friction has a given bound, `_decisions` leaves none, unless drives of other joints act against it.
    """
    return any(each.law.follows_load for each in system.frictions) or bool(indirect_motions(system.tree))


def after_sticking(functions: SystemFunctions, x: Number, fired: Number, rest: float) -> tuple[Number, Number]:
    """The state x after the events of friction that have `fired`, and what has happened (3 f,), 1 for each event of
    the log.
    """
    respond, joints = Responses(functions), rubbing_joints(functions)
    found = respond(functions.state.z, needed=ca.mmax(fired))
    rests = coming_to_rest(joints, fired, found)
    released = _released(joints, fired, found)
    events = list[_Event]()
    for k, joint in enumerate(joints):
        own = fired[3 * k : 3 * k + 3]
        starts = ca.mmax(own[1:2] if joint.block.parts else own[1:]) > 0
        events.append(_Event(own, starts, rests[k], released[k]))
    for joint, event in zip(joints, events, strict=True):
        x = _begun(joint, x, event, found)
    state = replace(functions.state, z=ca.SX(x[-functions.system.nz :]))
    begun = [replace(joint, state=state) for joint in joints]
    (decisions, z), happened = _decisions(joints, begun, events, found, respond), ca.SX(fired)
    for k, (joint, event) in enumerate(zip(joints, events, strict=True)):
        if joint.turns_freely:
            holds, held = _may_stick([begun[k]], respond, z, (), event.rests)
            x, what = after_turning(joint, x, event.rests, event.released, rest, (holds, held))
        else:
            x, what = _settled(joint, x, event, decisions[joint.block.velocity], rest)
        happened[3 * k : 3 * k + 3] = what
    return x, happened


@dataclass(frozen=True)
class _Event:
    """What has happened to a joint at an event."""

    fired: Number  # (3,) 1 for each of its crossing functions that has fired
    starts: Number  # whether it starts to slide from rest, or slides against its own acceleration
    rests: Number  # whether it comes to rest, and not alone at its dead centre
    released: Number  # whether it breaks away

    @property
    def passes_zero(self) -> Number:
        """Whether its velocity passes zero."""
        return self.fired[0] > 0


@dataclass(frozen=True)
class _Decision:
    """What is decided for a joint, and for all that have one freedom with it."""

    holds: Number  # whether friction can hold them
    slip_sign: Number  # in which this joint slides otherwise
    is_repeated: Number  # whether they are decided although they do not come to rest


def _begun(joint: RubbingJoint, x: Number, event: _Event, found: Solved) -> Number:
    """The state x in which a joint that breaks away has its slip sign, and one at its dead centre has turned round."""
    efforts, _ = joint.efforts_and_limit(found)
    x = joint.begun(x, event.released, [efforts[k] for k in joint.velocities])
    if joint.turns_freely:
        return x
    x = joint.stopped(x, ca.logic_or(event.rests, event.released))
    not_resting, before = ca.logic_not(event.rests), joint.z[0]
    x[joint.at] = ca.if_else(ca.logic_and(event.passes_zero, not_resting), -before, x[joint.at])
    if len(joint.set) > 1:
        strays = ca.logic_not(ca.logic_or(joint.slides, joint.is_held))
        x = joint.begun(x, ca.logic_and(strays, event.starts), [-each for each in joint.moves(found)])
    if joint.block.parts:
        turns = ca.logic_and(before > 0.5, ca.logic_and(event.fired[2] > 0, not_resting))
        x = joint.directed(x, turns, velocity_of(joint) / joint.block.speed(joint.state.motion))
    return x


def _decisions(
    joints: Sequence[RubbingJoint],
    begun: Sequence[RubbingJoint],
    events: Sequence[_Event],
    found: Solved,
    respond: Responses,
) -> tuple[dict[int, _Decision], Number]:
    """By velocity the decisions about joints with one velocity, and the states of the blocks with them; of one freedom
    at most is decided again.

    `begun` are the joints once those that break away have begun to slide. Each is decided with those before it as they
    were decided, and with those after it at rest, if they come to rest.
    """
    of = {joint.block.velocity: event for joint, event in zip(joints, events, strict=True)}
    fits = _Fits(joints, begun, respond)
    released, one_decided = ca.mmax(ca.vertcat(*(event.released for event in events))), ca.SX(0)
    out, z, earlier = dict[int, _Decision](), ca.SX(begun[0].state.z), ca.SX(0)
    for joint in joints:
        if joint.turns_freely or joint.block.velocity in out:
            continue
        unit = joint.unit
        after = [each for each in begun if each.block.velocity in joint.set]
        resting = [(each, of[each.block.velocity].rests) for each in joints if each.block.velocity not in out]
        rests = reduce(ca.logic_or, (of[each.block.velocity].rests for each in unit))
        again = reduce(ca.logic_or, (ca.logic_and(each.slides, of[each.block.velocity].starts) for each in unit))
        starts = [ca.logic_and(each.slides, ca.logic_not(of[each.block.velocity].rests)) for each in unit]
        from_rest = ca.logic_and(ca.logic_and(reduce(ca.logic_or, starts), joint.is_at_rest(found)), released)
        leaves = reduce(ca.logic_or, (of[each.block.velocity].released for each in unit))
        tied, earlier = ca.logic_and(leaves, earlier), ca.logic_or(leaves, earlier)
        holds, held = _may_stick(after, respond, z, resting, reduce(ca.logic_or, (again, from_rest, tied), rests))
        from_rest = ca.logic_and(from_rest, fits(held, joint.set, from_rest))
        is_repeated = ca.logic_and(ca.logic_or(again, from_rest), ca.logic_not(one_decided))
        one_decided = ca.logic_or(one_decided, is_repeated)
        stays = reduce(ca.logic_and, (_is_clear_of_its_limit(each, held) for each in after), holds)
        is_repeated = ca.logic_or(is_repeated, ca.logic_and(tied, stays))
        slides = ca.logic_and(ca.logic_or(rests, is_repeated), ca.logic_not(holds))
        slip_signs = _slip_signs(after, respond, z, held, slides)
        for each, slip_sign in zip(unit, slip_signs, strict=True):
            out[each.block.velocity] = _Decision(holds, slip_sign, is_repeated)
            at, decided = _among_blocks(each), ca.logic_or(rests, is_repeated)
            z[at] = ca.if_else(decided, ca.if_else(holds, 0, slip_sign), z[at])
    return out, z


def _is_clear_of_its_limit(joint: RubbingJoint, held: Solved) -> Number:
    """Whether a joint that others have freed from load as they broke away needs clearly less than its limit."""
    needed, limit = joint.needed_and_limit(held)
    return needed < (1 - WRITTEN) * limit


def _among_blocks(joint: RubbingJoint) -> int:
    """Place of the slip sign of a joint among the states of the blocks."""
    system = joint.functions.system
    return system.state_names.index(joint.block.names[0]) - system.nx + system.nz


def _settled(joint: RubbingJoint, x: Number, event: _Event, decision: _Decision, rest: float) -> tuple[Number, Number]:
    """The state x in which a joint that comes to rest, or is decided again, sticks or slides; and what has happened."""
    at, decided = joint.at, ca.logic_or(event.rests, decision.is_repeated)
    x[at] = ca.if_else(decided, ca.if_else(decision.holds, 0, decision.slip_sign), x[at])
    happened = change_of_slip(joint.z[0], x[at], ca.logic_or(decided, event.passes_zero))
    x = joint.stopped(x, decision.is_repeated)
    if joint.block.parts:
        happened = ca.vertcat(happened[0], ca.logic_or(happened[1], happened[2]), 0)
        starts = ca.logic_and(ca.logic_or(decided, event.released), x[at] != 0)
        x = along_its_direction(joint, x, starts, rest)
    return x, happened


def _released(joints: Sequence[RubbingJoint], fired: Number, found: Solved) -> list[Number]:
    """Whether each joint breaks away: the one that passes its limit the most, and others within round-off of it."""
    parts = dict[int, Number]()
    for k, joint in enumerate(joints):
        leaves = ca.logic_and(joint.is_held, ca.logic_or(fired[3 * k + 1] > 0, fired[3 * k + 2] > 0))
        needed, limit = joint.needed_and_limit(found)  # above its limit, or above zero where it has none
        parts[joint.block.velocity] = ca.if_else(leaves, (needed - limit) / ca.if_else(leaves, needed, 1), -1)
    least = ca.fmax(ca.mmax(ca.vertcat(*parts.values())) - ROUND_OFF, -1 + ROUND_OFF)
    return [reduce(ca.logic_or, (parts[k] >= least for k in joint.set)) for joint in joints]


def _may_stick(
    joints: Sequence[RubbingJoint],
    respond: Responses,
    z: Number,
    resting: Sequence[tuple[RubbingJoint, Number]],
    needed: Number,
) -> tuple[Number, Solved]:
    """Whether friction can hold a joint at rest, or together those of one freedom, and the motion with them held.

    Those of `resting` come to rest with them if the number beside them is 1.
    """
    still = ca.SX(z)
    for each, rests in (*resting, *((each, ca.SX(1)) for each in joints)):
        at = _among_blocks(each)
        still[at] = ca.if_else(rests, 0, still[at])
    held = respond(still, needed=needed)
    holds = ca.SX(held.is_solved) if any(each.block.law.follows_load for each in joints) else ca.SX(1)
    for each in joints:
        required, limit = each.needed_and_limit(held)
        # zero where no effort holds the joint, such as a slider at its dead centre
        pivot = ca.fabs(held.determinant) if each.block.law.follows_load else 1
        holds = ca.logic_and(holds, pivot * required <= pivot * limit)
    if joints[0].group.freedoms > 1 and not joints[0].turns_freely:
        holds = ca.logic_and(holds, ca.norm_1(ca.vertcat(*(held.strays[each.block.velocity] for each in joints))) == 0)
    return holds, held


def _slip_signs(
    joints: Sequence[RubbingJoint], respond: Responses, z: Number, held: Solved, needed: Number
) -> list[Number]:
    """The slip signs with which joints of one freedom would move, 0 for one that slides in several directions or at its
    dead centre; `held` is the motion with them held.
    """
    if joints[0].group.freedoms > 1:  # against what would hold them; friction of the others matters
        strays = [held.strays[each.block.velocity] for each in joints]
        against = [-ca.sign(held.held[each.block.velocity]) for each in joints]
        return [ca.if_else(own != 0, ca.sign(own), sign) for own, sign in zip(strays, against, strict=True)]
    free, signs = respond(z, {each.block.velocity: ca.SX(0) for each in joints}, needed=needed), []
    for each in joints:
        a = each.acceleration(free)
        noise = 0 if len(joints) == 1 else ROUND_OFF_OF_SUM * each.size(free)
        signs.append(ca.if_else(ca.fabs(a) > noise, ca.sign(a), 0))
    return signs


@dataclass(frozen=True, eq=False)
class _Fits:
    """Whether a motion with some joints at rest agrees with the slip signs of `begun`; the law is written once."""

    joints: Sequence[RubbingJoint]
    begun: Sequence[RubbingJoint]  # once those that break away have begun to slide
    respond: Responses

    def __call__(self, found: Solved, held: Sequence[int], needed: Number) -> Number:
        """The answer for the motion `found` with the joints of velocities `held` at rest."""
        s, rests = self.respond.functions.symbols.inputs, ca.SX([joint.block.velocity in held for joint in self.joints])
        z, entries = self.begun[0].state.z, found.entries(PARTS)
        return self._function(needed, s["t"], s["x"], s["u"], s["p"], z, rests, entries)

    @cached_property
    def _function(self) -> ca.Function:
        s, rests, z = self.respond.functions.symbols.inputs, ca.SX.sym("rests", len(self.joints)), self.begun[0].state.z
        z, found = ca.SX.sym("z", z.shape[0]), self.respond.unknown
        begun = [replace(joint, state=replace(joint.state, z=z)) for joint in self.begun]
        arguments = [ca.SX.sym("needed"), s["t"], s["x"], s["u"], s["p"], z, rests, found.entries(PARTS)]
        names = [NEEDED, "t", "x", "u", "p", "z", "rests", "found"], ["fits"]
        fits = _fits(self.joints, begun, found, ca.vertsplit(rests))
        return ca.Function("fits", arguments, [fits], *names, {"never_inline": True})


def _fits(
    joints: Sequence[RubbingJoint], begun: Sequence[RubbingJoint], found: Solved, rests: Sequence[Number]
) -> Number:
    """Whether all joints that stick are within their limits, and all that slide from rest begin to move as their slip
    signs say.
    """
    out, at_stop = ca.SX(1), stopped(begun[0].functions.system, begun[0].state)
    for before, joint, rest in zip(joints, begun, rests, strict=True):
        sticks = ca.logic_or(rest, joint.z[0] ** 2 < 0.5)
        needed, limit = joint.needed_and_limit(found)
        within, ahead = needed <= limit, ca.SX(1)
        if not joint.turns_freely:
            within = ca.logic_or(within, at_stop.get(joint.block.velocity, ca.SX(0)) > 0.5)
            ahead = ca.logic_not(ca.logic_and(before.is_at_rest(found), joint.turns_round(found)))
        out = ca.logic_and(out, ca.if_else(sticks, within, ahead))
    return out
