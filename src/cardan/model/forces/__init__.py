"""Force kinds, one file each, which is named as the `type` of the force: the law of a wrench between two markers.

In: the motion of the two markers. Out: wrench on the child and potential energy. It knows no body but by name.
"""

from cardan.model.forces.load import Load, MarkerFrame, MarkerMotion, Wrench
from cardan.model.records.kinds import Kinds

__all__ = ["FORCES", "Load", "MarkerFrame", "MarkerMotion", "Wrench"]

FORCES = Kinds(__name__, "spring_damper", "torsion_spring", "force", "torque", "bushing", "beam")
"""All force kinds by their `type`."""
