"""A mechanism as a linear system around one of its states.

In: a Model and a state. Out: matrices with their names, and modes.
"""

from cardan.simulation.linear.control_systems import from_control
from cardan.simulation.linear.linearization import Linearization, Mode
from cardan.simulation.linear.linearize import linearize
from cardan.simulation.linear.lqr import OptimalFeedback, lqr

__all__ = ["Linearization", "Mode", "OptimalFeedback", "from_control", "linearize", "lqr"]
