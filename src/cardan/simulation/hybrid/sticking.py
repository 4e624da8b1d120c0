"""Events of dry friction: a joint comes to rest and sticks, or its holding effort is used up and it slides.

Each joint has three crossing functions: s v while it slides, with its way s, falling through zero; holding − φ and
holding + φ while it sticks, with the friction effort φ, at least zero. What follows is `holding`'s affair, but for
mechanisms in which friction follows a load: there a joint that stops sticks if friction can hold it, |φ| ≤ holding, as
if it stuck. Else it slides on at once, against φ.

Where several joints break away at one instant, what one does changes what the others need, and static friction may
allow several answers. The smallest change is made: only the joint that passes its limit the most, relative to what it
needs, slides; then all are measured again, and the next one slides at the same instant, until none passes its limit. A
joint that slides from rest against its own acceleration is decided anew; one of those that slide from rest sticks again
where then all fit. Each event lets a joint slide or ends the instant, so that there are few of them, never 2^k.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.integration import FALLING, INVARIANT
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.simulation.hybrid.holding import SLIGHTLY, change_of_way, place
from cardan.simulation.hybrid.turning import after_turning, begin, turning_conditions
from cardan.system.friction import JointFriction, Solved
from cardan.system.holding import at_stops, clear_speed, may_stick
from cardan.system.response import response
from cardan.system.state import State, blocks_at

__all__ = [
    "REVERSES",
    "STICKING_WORDS",
    "TURNING_WORDS",
    "after_sticking",
    "sticking_conditions",
    "sticking_directions",
]

STICKING_WORDS = ("stops", "slides backwards", "slides forwards")
"""What happens to a joint at each of its three crossing functions."""
TURNING_WORDS = ("stops", "slides", "slides")
"""The same of a joint that slides in several directions."""
REVERSES = "reverses"  # a joint that stops and slides on at once, the other way


def _joints(functions: SystemFunctions) -> list[JointFriction]:
    return [block for block in functions.system.frictions if block.sticks]


def sticking_directions(functions: SystemFunctions) -> list[int]:
    """Direction of each crossing function of friction.

    Parameters
    ----------
    functions : functions of the integrated system.
    """
    return [FALLING, INVARIANT, INVARIANT] * len(_joints(functions))


def sticking_conditions(functions: SystemFunctions, rest: float) -> list[Number]:
    """The crossing functions of all joints with friction.

    Parameters
    ----------
    functions : functions of the integrated system.
    rest : speed below which friction in several directions holds [m/s, rad/s].
    """
    joints = _joints(functions)
    if not joints:
        return []
    found, stops = response(functions.system, functions.state), at_stops(functions.system, functions.state)
    out: list[Number] = []
    for block in joints:
        if block.parts:
            out += turning_conditions(functions, block, found, _limit(block, found), rest)
            continue
        way, v = functions.symbols.inputs["x"][place(functions, block.names[0])], _speed(functions, block)
        slides, phi, holding = way**2 > 0.5, found.phi[block.velocity], _limit(block, found)
        holds = ca.logic_not(ca.logic_or(slides, stops.get(block.velocity, ca.SX(0)) ** 2 > 0.5))
        astray = _astray(functions, block, found, way) if block.velocity in found.sizes else ca.SX(0)
        out += [
            ca.if_else(slides, way * v, -1),  # not yet above zero: it has to slide before it can stop
            ca.if_else(holds, holding - phi, ca.if_else(ca.logic_and(astray, way > 0), -SLIGHTLY, 1)),
            ca.if_else(holds, holding + phi, ca.if_else(ca.logic_and(astray, way < 0), -SLIGHTLY, 1)),
        ]
    return out


def _astray(functions: SystemFunctions, block: JointFriction, found: Solved, way: Number) -> Number:
    """Whether a joint at rest is about to slide against its `way`; never where all friction has a given bound."""
    if not any(each.law.follows_load for each in functions.system.frictions):
        return ca.SX(0)
    state = functions.state
    a = block.slip(functions.system.tree, state.motion).accelerations(found.a)[0]
    against = way * a < -ROUND_OFF_OF_SUM * found.sizes[block.velocity]
    return ca.logic_and(_speed(functions, block) == 0, against)


def _speed(functions: SystemFunctions, block: JointFriction) -> Number:
    """The speed of a joint; that of a relative motion is zero where it is round-off."""
    state = functions.state
    return state.v[block.velocity] if block.relative is None else clear_speed(block.relative, state)


def after_sticking(functions: SystemFunctions, x: Number, fired: Number, rest: float) -> tuple[Number, Number]:
    """The state x after the events of friction that have `fired`, and what has happened (3 f,), 1 for each event that
    is to be told; in mechanisms in which friction follows a load, or acts in several directions.

    Parameters
    ----------
    functions : functions of the integrated system.
    x : state before.
    fired : 1 for each crossing that happens, else 0.
    rest : speed below which friction in several directions holds [m/s, rad/s].
    """
    before, system = functions.symbols.inputs["x"], functions.system
    found, released = response(system, functions.state), _released(functions, fired)
    joints = [(block, place(functions, block.names[0])) for block in _joints(functions)]
    rests = [fired[3 * k] > 0 for k in range(len(joints))]
    for k, (block, at) in enumerate(joints):
        if block.parts:
            x = begin(x, at, released[k], block.axes(functions.state.motion), [found.phi[i] for i in block.held])
            continue
        x[at] = ca.if_else(released[k], -ca.sign(found.phi[block.velocity]), x[at])
        if block.relative is None:
            speed = functions.coordinates.counts[0] + block.velocity
            x[speed] = ca.if_else(ca.logic_or(rests[k], released[k]), 0, x[speed])
    state = replace(functions.state, z=ca.SX(x[-system.nz :]))
    told, taken, any_released = ca.SX(fired), ca.SX(0), ca.mmax(ca.vertcat(*released))
    for k, (block, at) in enumerate(joints):
        if block.parts:
            fell = ca.if_else(rests[k], 1, 0)
            x, told[3 * k : 3 * k + 3] = after_turning(functions, state, block, x, fell, released[k], rest)
            continue
        slides = before[at] ** 2 > 0.5
        astray = ca.logic_and(slides, ca.logic_or(fired[3 * k + 1] > 0, fired[3 * k + 2] > 0))
        holds, free, held = may_stick(system, state, block)
        starts = ca.logic_and(slides, ca.logic_and(_speed(functions, block) == 0, ca.logic_not(rests[k])))
        again = ca.logic_and(ca.logic_and(starts, any_released), _fits(functions, state, held, block))
        anew = ca.logic_and(ca.logic_or(astray, again), ca.logic_not(taken))
        taken = ca.logic_or(taken, anew)
        x[at] = ca.if_else(ca.logic_or(rests[k], anew), ca.if_else(holds, 0, ca.sign(free)), x[at])
        changed = change_of_way(before[at], x[at], rests[k])
        for i, side in enumerate((0, -1, 1)):  # one that goes on as before, decided anew, tells nothing
            turned = ca.logic_and(x[at] == side, x[at] != before[at])
            told[3 * k + i] = ca.if_else(anew, turned, changed[i])
    return x, told


def _released(functions: SystemFunctions, fired: Number) -> list[Number]:
    """Whether each joint breaks away: the one that passes its limit the most, and others within round-off of it."""
    found = response(functions.system, functions.state)
    leaves, parts = list[Number](), list[Number]()
    for k, block in enumerate(_joints(functions)):
        sticks = functions.symbols.inputs["x"][place(functions, block.names[0])] ** 2 < 0.5
        leaves.append(ca.logic_and(sticks, ca.logic_or(fired[3 * k + 1] > 0, fired[3 * k + 2] > 0)))
        needed = block.needed(found.phi)  # above its limit, or above zero where it has none
        parts.append(ca.if_else(leaves[-1], (needed - _limit(block, found)) / ca.if_else(leaves[-1], needed, 1), -1))
    most = ca.mmax(ca.vertcat(*parts)) - ROUND_OFF
    return [ca.logic_and(each, part >= most) for each, part in zip(leaves, parts, strict=True)]


def _fits(functions: SystemFunctions, state: State, found: Solved, held: JointFriction) -> Number:
    """Whether the motion `found`, with the joint of `held` at rest, fits to the ways in `state`.

    All joints that stick are within their limits, and all that slide from rest begin to move on their ways.
    """
    out, stops = ca.SX(1), at_stops(functions.system, state)
    z = {block.name: own[0] for block, own, _ in blocks_at(functions.system, state) if isinstance(block, JointFriction)}
    for block in _joints(functions):
        sticks = ca.SX(1) if block is held else z[block.name] ** 2 < 0.5
        within = block.needed(found.phi) <= _limit(block, found)
        if block.parts:
            out = ca.logic_and(out, ca.logic_or(ca.logic_not(sticks), within))
            continue
        within = ca.logic_or(within, stops.get(block.velocity, ca.SX(0)) ** 2 > 0.5)
        a = block.slip(functions.system.tree, state.motion).accelerations(found.a)[0]
        against = z[block.name] * a < -ROUND_OFF_OF_SUM * found.sizes[block.velocity]
        ahead = ca.logic_not(ca.logic_and(_speed(functions, block) == 0, against))
        out = ca.logic_and(out, ca.if_else(sticks, within, ahead))
    return out


def _limit(block: JointFriction, found: Solved) -> Number:
    """Largest effort of a joint while it sticks [N, N m]."""
    return found.limits[block.velocity] if block.law.follows_load else block.law.holding
