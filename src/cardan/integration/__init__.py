"""Initial value problem → solution: methods, step control, projection, dense output, ensembles.

In: a `Problem` of compiled functions, sizes, inputs and tolerances. Out: a `Solution` with its `Outcome`. The room
knows no mechanism: its states are numbers, some of which are positions and velocities.
"""

from cardan.integration.driver import MOST_STEPS, Progress, Watch, integrate
from cardan.integration.events import (
    EITHER,
    EVENTS,
    FALLING,
    INVARIANT,
    NO_BOUND,
    NOTED,
    RAPID,
    RESOLUTION,
    RISING,
    EventLog,
    Events,
)
from cardan.integration.methods import METHODS, warm
from cardan.integration.outcome import Outcome
from cardan.integration.problem import NativeFunction, Problem, segments_between
from cardan.integration.solution import Log, Solution, Statistics

__all__ = [
    "EITHER",
    "EVENTS",
    "FALLING",
    "INVARIANT",
    "METHODS",
    "MOST_STEPS",
    "NOTED",
    "NO_BOUND",
    "RAPID",
    "RESOLUTION",
    "RISING",
    "EventLog",
    "Events",
    "Log",
    "NativeFunction",
    "Outcome",
    "Problem",
    "Progress",
    "Solution",
    "Statistics",
    "Watch",
    "integrate",
    "segments_between",
    "warm",
]
