"""What joints that friction or stops by impact may hold do at an event.

In: the state before the event, which crossing functions have passed zero, the solutions of complementarity problems.
Out: these problems, the state after the event, what has happened to each joint. It does not know how the problems are
solved, nor what friction holds, about which `sticking` decides.
"""

from cardan.simulation.hybrid.holding.coming_to_rest import (
    acceleration_of,
    coming_to_rest,
    group_of_joint,
    is_held,
    joints_of_set,
    speed_of,
)
from cardan.simulation.hybrid.holding.joints import FRICTION_EVENTS, SLIGHTLY, STOP_EVENTS, change_of_slip, place
from cardan.simulation.hybrid.holding.problems import Holding

__all__ = [
    "FRICTION_EVENTS",
    "SLIGHTLY",
    "STOP_EVENTS",
    "Holding",
    "acceleration_of",
    "change_of_slip",
    "coming_to_rest",
    "group_of_joint",
    "is_held",
    "joints_of_set",
    "place",
    "speed_of",
]
