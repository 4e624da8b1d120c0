"""Singular positions: the distance to them, whether a motion keeps its branch, and the accelerations at them.

In: the log of a run's steps, or instants and states. Out: distances, passages, events, accelerations and multipliers.
The room knows no names of results and no options of a run. Its tuned numbers are in `tolerances`.
"""

from cardan.singular.drive_hold import keeps_hold, lost_hold
from cardan.singular.events import NO_FAILURE, Event, check
from cardan.singular.limits import Complete, EquationsOfMotion, Rows, limits
from cardan.singular.passages import passages
from cardan.singular.step_log import StepLog, distance

__all__ = [
    "NO_FAILURE",
    "Complete",
    "EquationsOfMotion",
    "Event",
    "Rows",
    "StepLog",
    "check",
    "distance",
    "keeps_hold",
    "limits",
    "lost_hold",
    "passages",
]
