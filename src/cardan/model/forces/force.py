"""Force at a marker, its components expressions of time and motion.   Source: docs/notation.md §7"""

from typing import Literal

import casadi as ca

from cardan.model.forces.load import Load, MarkerFrame, MarkerMotion, Number, Wrench
from cardan.model.quantities.fields import ForceSignal


class AppliedForce(Load):
    """Force `value` on the child at its marker; its opposite acts on the parent at the same point."""

    type: Literal["force"] = "force"
    transmits = ("force",)
    value: tuple[ForceSignal, ForceSignal, ForceSignal]  # [N]
    frame: MarkerFrame = "world"  # axes of the components: world, parent marker or child marker

    follows_motion = True

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        return Wrench(ca.DM(3, 1), in_world(self.frame, self.value, a, b))


def in_world(frame: MarkerFrame, value: tuple[Number, Number, Number], a: MarkerMotion, b: MarkerMotion) -> Number:
    """Components `value` in the axes of `frame`, as a vector (3,) in world axes."""
    vector = ca.vertcat(*value)
    return {"world": vector, "parent": a.R @ vector, "child": b.R @ vector}[frame]
