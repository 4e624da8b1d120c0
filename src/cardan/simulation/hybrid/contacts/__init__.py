"""Events of contacts: joints stick, slide and turn, meet their stops and leave them, and shapes touch.

In: the state before an event, which crossing functions have passed zero, the solutions of complementarity problems.
Out: crossing functions, these problems, the state after the event, what has happened to each contact. `sticking` and
`turning` decide what friction holds, `problems` about stops by impact, `stopping` about elastic ones, `touching` about
shapes.
"""

from cardan.simulation.hybrid.contacts.coming_to_rest import (
    acceleration_of,
    coming_to_rest,
    group_of_joint,
    is_held,
    joints_of_set,
    speed_of,
)
from cardan.simulation.hybrid.contacts.joints import FRICTION_EVENTS, SLIGHTLY, STOP_EVENTS, change_of_slip, place
from cardan.simulation.hybrid.contacts.problems import Holding

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
