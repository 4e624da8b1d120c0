"""Derivatives of a run by parameters and initial values, exact, integrated beside its state.

In: a Model, a time span and names. Out: arrays of derivatives over time, by result and by parameter.
"""

from cardan.simulation.sensitivities.record import Sensitivities
from cardan.simulation.sensitivities.sensitivities import sensitivities

__all__ = ["Sensitivities", "sensitivities"]
