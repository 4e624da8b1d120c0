"""Events of contacts: shapes touch, and leave each other.

Every point has two crossing functions, neither of which may become negative. While it is free, the depth must not be
positive while the law pushes; while it touches, depth and push must not be negative by more than their round-off, so
that it does not touch again at the same instant. A contact that rests has no events.
"""

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.hybrid.contacts.rubbing import place
from cardan.system.contacts.shapes import ContactBlock
from cardan.system.state import blocks_at
from cardan.system.system import System

TOUCHING_WORDS = ("touches", "leaves")
"""What happens to a contact at each crossing function of one of its points."""
TOUCH_EVENTS = len(TOUCHING_WORDS)


def touching_words(system: System) -> list[tuple[str, str]]:
    """Contact of each crossing function of shapes, and what happens to it there."""
    points = (block.name for block in system.contacts for _ in range(block.count))
    return [(name, did) for name in points for did in TOUCHING_WORDS]


def touching_conditions(functions: SystemFunctions) -> list[Number]:
    """The crossing functions of all points of all contacts."""
    out: list[Number] = []
    for block, z in _contacts(functions):
        for point in block.states(functions.state.motion, z):
            depth, push = point.at.depth, block.push(point)
            slack = ROUND_OFF * (1 + ca.norm_inf(point.at.touch.point))
            held = ca.fmin(depth + slack, push + ROUND_OFF)
            touches = point.touching > 0.5
            out += [ca.if_else(touches, 1, -ca.fmin(depth, push)), ca.if_else(touches, held, 1)]
    return out


def after_touching(functions: SystemFunctions, x: Number, fired: Number) -> Number:
    """The state x after the events of contacts that have `fired`."""
    k = 0
    for block, z in _contacts(functions):
        first = place(functions, block.names[0])
        for i, point in enumerate(block.states(functions.state.motion, z)):
            at = first + i * block.width
            met, left = fired[k] > 0, fired[k + 1] > 0
            changes = ca.logic_or(met, left)
            k += TOUCH_EVENTS
            lost = block.law.elastic_energy(point.at.k, point.at.depth) * ca.if_else(left, 1, ca.if_else(met, -1, 0))
            x[at] = ca.if_else(left, 0, ca.if_else(met, 1, x[at]))
            rest = range(at + 1, at + block.width)
            for j in rest:
                x[j] = ca.if_else(changes, 0, x[j])
            if block.law.keeps_approach:
                x[at + 1] = ca.if_else(met, ca.fmax(point.at.speed, 0), x[at + 1])
            for state in (-2, -1):
                x[first + len(block.names) + state] += lost
    return x


def _contacts(functions: SystemFunctions) -> list[tuple[ContactBlock, Number]]:
    """The contacts with their states."""
    blocks = blocks_at(functions.system, functions.state)
    return [(block, z) for block, z, _ in blocks if isinstance(block, ContactBlock)]
