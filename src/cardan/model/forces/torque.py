"""Torque on a body, its components expressions of time and motion.   Source: docs/notation.md §7"""

from typing import Literal

import casadi as ca

from cardan.model.forces.force import in_world
from cardan.model.forces.load import Load, MarkerFrame, MarkerMotion, Wrench
from cardan.model.quantities.fields import TorqueSignal


class AppliedTorque(Load):
    """Torque `value` on the child; its opposite acts on the parent."""

    type: Literal["torque"] = "torque"
    transmits = ("moment",)
    value: tuple[TorqueSignal, TorqueSignal, TorqueSignal]  # [N m]
    frame: MarkerFrame = "world"  # axes of the components: world, parent marker or child marker

    follows_motion = True

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        return Wrench(in_world(self.frame, self.value, a, b), ca.DM(3, 1))
