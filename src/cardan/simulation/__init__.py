"""A model and a time span become a trajectory: the call is read, prepared, integrated in phases and judged.

In: a Model and the arguments of `simulate`. Out: a Trajectory with its status. It knows no joint and no law of motion.
"""

from cardan.integration import warm
from cardan.simulation.setup import Setup, prepare
from cardan.simulation.simulator import simulate

__all__ = ["Setup", "prepare", "simulate", "warm"]
