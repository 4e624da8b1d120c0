"""Events of dry friction: a joint comes to rest and sticks, or its holding effort is used up and it slides.

Each joint has three crossing functions: s v while it slides, with its way s, falling through zero; holding − φ and
holding + φ while it sticks, with the friction effort φ, at least zero. What follows is `holding`'s affair, but for
mechanisms in which friction follows a load: there a joint that stops sticks if friction can hold it, |a| ≤ H · holding
with its acceleration a without friction and H its acceleration per unit of effort, or |φ| ≤ holding, as if it stuck,
where its own friction follows the load. Else it slides on at once, in the direction of a.

Where several joints break away at one instant, what one does changes what the others need. A joint that slides from
rest against its own acceleration is decided anew with the ways of the others, one joint after another, until all fit.
"""

from __future__ import annotations

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.integration import FALLING, INVARIANT
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF_OF_SUM
from cardan.simulation.hybrid.holding import SLIGHTLY, change_of_way, place
from cardan.system.friction import JointFriction, Solved
from cardan.system.holding import at_stops, clear_speed, may_stick
from cardan.system.response import response

__all__ = ["REVERSES", "STICKING_WORDS", "after_sticking", "sticking_conditions", "sticking_directions"]

STICKING_WORDS = ("stops", "slides backwards", "slides forwards")
"""What happens to a joint at each of its three crossing functions."""
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


def sticking_conditions(functions: SystemFunctions) -> list[Number]:
    """The crossing functions of all joints with friction.

    Parameters
    ----------
    functions : functions of the integrated system.
    """
    joints = _joints(functions)
    if not joints:
        return []
    found, stops = response(functions.system, functions.state), at_stops(functions.system, functions.state)
    out: list[Number] = []
    for block in joints:
        way, v = functions.symbols.inputs["x"][place(functions, block.names[0])], _speed(functions, block)
        slides, phi = way**2 > 0.5, found.phi[block.velocity]
        holding = found.limits[block.velocity] if block.law.follows_load else block.law.holding
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


def after_sticking(functions: SystemFunctions, x: Number, fired: Number) -> tuple[Number, Number]:
    """The state x after the events of friction that have `fired`, in mechanisms in which friction follows a load, and
    what has happened (3 f,), 1 for each event that is to be told.

    Parameters
    ----------
    functions : functions of the integrated system.
    x : state before.
    fired : 1 for each crossing that happens, else 0.
    """
    told, earlier = ca.SX(fired), ca.SX(0)  # whether a joint before is decided anew
    for k, block in enumerate(_joints(functions)):
        rests, backwards, forwards = (fired[3 * k + i] > 0 for i in range(3))
        at, speed = place(functions, block.names[0]), functions.coordinates.counts[0] + block.velocity
        leaves = ca.logic_or(backwards, forwards)
        astray = ca.logic_and(functions.symbols.inputs["x"][at] ** 2 > 0.5, leaves)
        anew = ca.logic_and(astray, ca.logic_not(earlier))
        earlier = ca.logic_or(earlier, astray)
        holds, free = may_stick(functions.system, functions.state, block)
        way = ca.if_else(holds, 0, ca.sign(free))
        breaks_away = ca.logic_and(leaves, ca.logic_not(astray))
        x[at] = ca.if_else(ca.logic_or(rests, anew), way, ca.if_else(breaks_away, ca.if_else(forwards, 1, -1), x[at]))
        if block.relative is None:
            x[speed] = ca.if_else(ca.logic_or(rests, leaves), 0, x[speed])
        found = change_of_way(functions.symbols.inputs["x"][at], x[at], rests)
        for i, side in enumerate((0, -1, 1)):
            told[3 * k + i] = ca.if_else(astray, ca.logic_and(anew, way == side), found[i])
    return x, told
