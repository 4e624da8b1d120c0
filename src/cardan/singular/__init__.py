"""Singular positions: how near a motion comes to them, whether it keeps its branch, and what accelerations are there.

In: the log of a run's steps, or instants and states. Out: distances, passages, events, accelerations and multipliers.
The room knows no result by name and no option of a run. Its chosen numbers are in `tolerances`.
"""

from cardan.singular.check import Event, check
from cardan.singular.limits import Complete, EquationsOfMotion, Rows, limits
from cardan.singular.passages import passages
from cardan.singular.step_log import StepLog, distance

__all__ = ["Complete", "EquationsOfMotion", "Event", "Rows", "StepLog", "check", "distance", "limits", "passages"]
