"""What joints that friction or stops by impact may hold do at an event.

In: the state before the event, which crossing functions have passed zero, the solutions of complementarity problems.
Out: these problems, the state after the event, what has happened to each joint. It does not know how the problems are
solved, nor friction that follows a load or acts in several directions, about which `sticking` decides.
"""

from cardan.simulation.hybrid.holding.coming_to_rest import Passing, rests_with
from cardan.simulation.hybrid.holding.joints import FRICTION_EVENTS, SLIGHTLY, STOP_EVENTS, change_of_slip, place
from cardan.simulation.hybrid.holding.problems import Holding

__all__ = [
    "FRICTION_EVENTS",
    "SLIGHTLY",
    "STOP_EVENTS",
    "Holding",
    "Passing",
    "change_of_slip",
    "place",
    "rests_with",
]
