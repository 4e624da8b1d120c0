"""Events of end stops: a joint meets its lower or upper stop, leaves it again, or comes to rest there.

Each joint has four crossing functions: the distances from both stops while it is free, the force of the stop while they
touch, and one that becomes negative when bouncing has ended. They may not become negative, whether they cross zero or
jump below it. An elastic stop touches a joint that is beyond its bound as long as spring and damper push: damped, it
lets go before the joint is back at its bound, and touches again if the joint turns round beyond it. Its function is the
smaller of depth and force while it touches, and the opposite while it does not. It lets go only where one of them is
below zero by more than its round-off, so that it does not touch again at the same instant. `holding` computes the
velocities after an impact.

Bounces get shorter and shorter, and end at the instant at which they accumulate. A joint that rebounds with a speed v
against the acceleration −a is back after 2 v/a, from a height of v²/2a; it rests where v, this time or this height is
below round-off: a joint that returns at such a v is not seen to pass its bound. An event puts the joint from up to a
round-off δ behind its bound back to it, which gains a δ of energy per mass, while restitution e takes (1 − e²) v²/2:
bounces stop shrinking at the height δ/(1 − e²). So this is the round-off of many bounces, 1/(1 − e²) but no more than a
run may have.

A joint that moves one way only is free while its velocity is above zero, and rests as at a lower stop from zero on.
"""

from __future__ import annotations

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.integration import EVENTS, RESOLUTION
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.simulation.hybrid.contacts.impacts import STOP_EVENTS
from cardan.simulation.hybrid.contacts.rubbing import SLIGHTLY, place
from cardan.system.contacts import Solved
from cardan.system.contacts.holding import held_efforts, unheld
from cardan.system.contacts.stops import JointStops
from cardan.system.system import System

STOPPING_WORDS = ("meets its lower stop", "meets its upper stop", "leaves its stop", "rests at its stop")
"""What happens to a joint at each of its crossing functions."""
ONE_WAY_WORDS = ("locks", "locks", "runs free", "locks")
"""The same of a joint that moves one way only."""


def stopping_words(system: System) -> list[tuple[str, str]]:
    """Joint of each crossing function of stops, and what happens to it there."""
    one_way = {block.name: block.law.one_way for block in system.stops}
    return [(name, did) for name, only in one_way.items() for did in (ONE_WAY_WORDS if only else STOPPING_WORDS)]


def stopping_conditions(functions: SystemFunctions, found: Solved) -> list[Number]:
    """The crossing functions of all joints with stops."""
    system, state = functions.system, functions.state
    out: list[Number] = []
    forces, accelerations = _without_round_off(functions, found)
    for block in system.stops:
        at, k = functions.symbols.inputs["x"][place(functions, block.names[0])], block.velocity
        is_free, inert, force = at**2 < 0.5, ca.SX(1), -at * forces[k] if block.is_rigid else ca.SX(0)
        for bound, side in ((block.law.lower, 1), (block.law.upper, -1)):
            distance = ca.SX(1) if bound is None else _distance(functions, block, bound, side)
            if bound is not None and not block.is_rigid:
                depth, push, slack = -distance, block.push(state.motion, side), ROUND_OFF * (1 + ca.fabs(bound))
                noise = block.law.force(slack, ROUND_OFF * ca.fabs(state.v[k]))
                force += ca.if_else(side * at < -0.5, ca.fmin(depth + slack, push + noise), 0)
                distance = -ca.fmin(depth, push)
            out.append(ca.if_else(is_free, distance, inert))
        out.append(ca.if_else(is_free, inert, force))
        if block.law.one_way:
            v = state.v[k]  # round-off of a joint that was just released is no motion backwards
            still = ca.if_else(accelerations[k] < 0, -SLIGHTLY, ca.fmax(v, 0))
            out.append(ca.if_else(is_free, ca.if_else(ca.fabs(v) <= ROUND_OFF, still, v), inert))
            continue
        rests = _rests(functions, block, accelerations[k]) if block.is_rigid else ca.SX(0)
        out.append(ca.if_else(ca.logic_and(is_free, rests), -SLIGHTLY, inert))
    return out


def _without_round_off(functions: SystemFunctions, found: Solved) -> tuple[dict[int, Number], dict[int, Number]]:
    """Forces of stops by impact and accelerations of their joints, by velocity; zero where they are below round-off."""
    system, state = functions.system, functions.state
    rows = [block.velocity for block in system.stops if block.is_rigid]
    if not rows:
        return {}, {}
    a, phi = found.a, found.phi
    held = held_efforts(system, state, (a, found.lam), phi)
    acting = [*rows, *(k for k in phi if k not in rows)]  # stops first, then friction
    size, A = unheld(system, state, acting)
    size = size[: len(rows)] + ca.fabs(A[rows, :]) @ ca.fabs(ca.vertcat(*(phi[k] for k in acting)))
    size = ROUND_OFF_OF_SUM * size
    forces = {k: ca.if_else(ca.fabs(held[k]) * A[k, i] > size[i], held[k], 0) for i, k in enumerate(rows)}
    return forces, {k: ca.if_else(ca.fabs(a[k]) > size[i], a[k], 0) for i, k in enumerate(rows)}


def _distance(functions: SystemFunctions, block: JointStops, bound: Number, side: int) -> Number:
    """Distance of a joint from its stop; zero where round-off makes that of a joint at a rigid stop negative."""
    distance, speed = side * (functions.state.q[block.coordinate] - bound), side * functions.state.v[block.velocity]
    if not block.is_rigid:
        return distance
    clear = ca.logic_and(speed >= -ROUND_OFF, distance > -ROUND_OFF * (1 + ca.fabs(bound)))
    return ca.if_else(clear, ca.fmax(distance, 0), distance)


def _rests(functions: SystemFunctions, block: JointStops, a: Number) -> Number:
    """Whether a joint at a stop returns to it in a time, or from a height, below round-off; its acceleration is a."""
    q, v = functions.state.q[block.coordinate], functions.state.v[block.velocity]
    moved = 2.0**-50 if functions.drifts else 0.0  # projection moves the joint by round-off
    many = ca.fmin(1 / (1 - block.law.rebound**2), EVENTS)  # bounces until their round-off is lost again
    found, instant = ca.SX(0), many * RESOLUTION * ca.fabs(functions.state.t)
    for bound, side in ((block.law.lower, 1), (block.law.upper, -1)):
        if bound is not None:
            touching = moved * (1 + ca.fabs(bound))
            speed, push, height = side * v, -side * a, many * (touching + 2.0**-50 * ca.fabs(bound))
            reached = touching + instant * (ca.fabs(speed) + ca.fabs(push) * instant)
            touches = ca.logic_and(side * (q - bound) <= reached, speed >= -ROUND_OFF)
            back = ca.logic_or(speed <= ca.fmax(ROUND_OFF, push * instant / 2), speed**2 <= 2 * push * height)
            found = ca.logic_or(found, ca.logic_and(push > 0, ca.logic_and(touches, back)))
    return found


def after_elastic_stops(functions: SystemFunctions, x: Number, fired: Number) -> Number:
    """The state x after the events of elastic stops that have `fired`."""
    for k, block in enumerate(functions.system.stops):
        if not block.is_rigid:
            lower, upper, leaves = (fired[STOP_EVENTS * k + i] > 0 for i in range(3))
            where = place(functions, block.names[0])
            x[where] = ca.if_else(leaves, 0, ca.if_else(lower, -1, ca.if_else(upper, 1, x[where])))
    return x
