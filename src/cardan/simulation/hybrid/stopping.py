"""Events of end stops: a joint meets its lower or upper stop, and leaves it again.

Three crossing functions for each joint: the ways left to both stops while it is free, and the force of the stop while
it is there. Of stops by impact they are at least zero, however they got below; of elastic stops they fall through zero,
since a damped one lets go before the joint is back at its bound. An impact changes all velocities by Δv = A P, with the
accelerations A per unit effort on the joint and P = −(1 + ε) v/A_j. Impacts of one instant follow each other; none adds
energy.
"""

from __future__ import annotations

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.integration import FALLING, INVARIANT
from cardan.kinematics.tree import Number
from cardan.system.holding import held_efforts, pushed
from cardan.system.stops import JointStops

__all__ = ["STOPPING_WORDS", "after_stopping", "stopping_conditions", "stopping_directions"]

STOPPING_WORDS = ("meets its lower stop", "meets its upper stop", "leaves its stop")
"""What happens to a joint at each of its three crossing functions."""


def stopping_directions(functions: SystemFunctions) -> list[int]:
    """Direction of each crossing function of stops.

    Parameters
    ----------
    functions : functions of the integrated system.
    """
    out = []
    for block in functions.system.stops:
        out += [INVARIANT] * 3 if block.is_rigid else [FALLING] * 3
    return out


def stopping_conditions(functions: SystemFunctions) -> list[Number]:
    """The crossing functions of all joints with stops.

    Parameters
    ----------
    functions : functions of the integrated system.
    """
    system, state = functions.system, functions.state
    out: list[Number] = []
    held = held_efforts(system, state, functions.accelerations_and_multipliers) if system.stops else None
    for block in system.stops:
        at = functions.symbols.inputs["x"][_place(functions, block)]
        q, is_free = state.q[block.coordinate], at**2 < 0.5
        for bound, way in ((block.law.lower, 1), (block.law.upper, -1)):
            out.append(
                ca.SX(1) if bound is None else ca.if_else(is_free, way * (q - bound), 1 if block.is_rigid else -1)
            )
        assert held is not None
        force = held[block.velocity] if block.is_rigid else block.effort(state.motion, at)
        out.append(ca.if_else(is_free, 1 if block.is_rigid else -1, -at * force))
    return out


def after_stopping(functions: SystemFunctions, x: Number, fired: Number) -> Number:
    """The state x after the events of stops that have `fired`.

    Parameters
    ----------
    functions : functions of the integrated system.
    x : state before.
    fired : 1 for each crossing that happens, else 0.
    """
    nq, nv = functions.coordinates.counts
    speeds = list(range(nq, nq + nv))
    for k, block in enumerate(functions.system.stops):
        lower, upper, leaves = (fired[3 * k + i] > 0 for i in range(3))
        place, speed = _place(functions, block), nq + block.velocity
        meets = ca.logic_or(lower, upper)
        at = ca.if_else(lower, -1, 1)
        meets = ca.logic_and(meets, at * x[speed] > 0)  # one that leaves its stop may still be beyond it by round-off
        if block.is_rigid:
            restitution = 0 if block.law.restitution is None else block.law.restitution
            A, v = pushed(functions.system, functions.state, block.velocity), x[speed]
            P = ca.if_else(meets, -(1 + restitution) * v / A[block.velocity], 0)
            heat = 0.5 * (1 - restitution**2) * v**2 / A[block.velocity]
            rests = restitution == 0
            x[speeds] = x[speeds] + A * P
            x[speed] = ca.if_else(meets, -restitution * v, x[speed])
            x[place + 1] = ca.if_else(meets, P, x[place + 1])
            x[place + 2] = x[place + 2] + ca.if_else(meets, heat, 0)
            bounds = [x[block.coordinate] if bound is None else bound for bound in (block.law.lower, block.law.upper)]
            bound = ca.if_else(at < 0, bounds[0], bounds[1])
            x[block.coordinate] = ca.if_else(ca.logic_and(meets, rests), bound, x[block.coordinate])
            at = ca.if_else(rests, at, 0)
        x[place] = ca.if_else(meets, at, ca.if_else(leaves, 0, x[place]))
    return x


def _place(functions: SystemFunctions, block: JointStops) -> int:
    """Place of the state that says at which stop a joint is, among the integrated states."""
    names = functions.system.state_names
    return int(functions.symbols.inputs["x"].shape[0]) - len(names) + names.index(block.names[0])
