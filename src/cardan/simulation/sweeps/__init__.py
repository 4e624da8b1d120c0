"""Sweeps: many runs of one model over a grid of values, integrated together.

In: a Model and arguments of which some are lists. Out: a dataset with an axis for each list.
"""

from cardan.simulation.sweeps.study import resumed
from cardan.simulation.sweeps.sweep import sweep

__all__ = ["resumed", "sweep"]
