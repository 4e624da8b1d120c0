"""The events of all contacts: friction that sticks, stops, friction without one solution, shapes that touch."""

import casadi as ca

from cardan.functions.system_functions import SystemFunctions
from cardan.integration import INVARIANT
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.contacts.impacts import STOP_EVENTS, Impacts
from cardan.simulation.hybrid.contacts.indeterminacy import INDETERMINATE, rubbing_names, solvable_conditions
from cardan.simulation.hybrid.contacts.rubbing import FRICTION_EVENTS
from cardan.simulation.hybrid.contacts.sticking import (
    after_sticking,
    sticking_conditions,
    sticking_directions,
    sticking_words,
)
from cardan.simulation.hybrid.contacts.stopping import after_elastic_stops, stopping_conditions, stopping_words
from cardan.simulation.hybrid.contacts.touching import after_touching, touching_conditions, touching_words
from cardan.system.contacts import Solved
from cardan.system.system import System

Words = tuple[tuple[str, str], ...]
"""Contact of each crossing function, and what happens to it there."""


def contact_words(system: System) -> Words:
    """What happens at each crossing function of contacts."""
    unsolved = [(name, INDETERMINATE) for name in rubbing_names(system)]
    return (*sticking_words(system), *stopping_words(system), *unsolved, *touching_words(system))


def contact_directions(functions: SystemFunctions) -> list[int]:
    """Direction of each crossing function of contacts."""
    of_friction = sticking_directions(functions)
    return of_friction + [INVARIANT] * (len(contact_words(functions.system)) - len(of_friction))


def contact_conditions(functions: SystemFunctions, found: Solved, rest: float) -> list[Number]:
    """The crossing functions of all contacts."""
    return [
        *sticking_conditions(functions, found, rest),
        *stopping_conditions(functions, found),
        *solvable_conditions(functions, found),
        *touching_conditions(functions),
    ]


def after_contacts(
    functions: SystemFunctions, x: Number, fired: Number, y: Number, rest: float
) -> tuple[Number, Number, Number]:
    """The state x after the events of contacts that have `fired`, what has happened, and whether the run ends."""
    sticks = FRICTION_EVENTS * len(functions.system.sticking)
    stops = sticks + STOP_EVENTS * len(functions.system.stops)
    solved = stops + len(rubbing_names(functions.system))
    happened, of_stops = ca.SX(fired), Impacts(functions, fired, y)
    x = after_elastic_stops(functions, x, fired[sticks:stops])
    x = after_touching(functions, x, fired[solved:])
    if sticks:
        x, happened[:sticks] = after_sticking(functions, x, fired[:sticks], rest)
    if of_stops.m:
        slid = ca.SX(x)
        x = of_stops.after(x)
        happened = of_stops.happened(x, slid, happened)
    return x, happened, ca.mmax(ca.vertcat(ca.SX(0), fired[stops:solved]))
