"""Force kinds, one file each: record with the law of a wrench between two markers.

In: the motion of the two markers. Out: wrench on the child and potential energy. It knows no body but by name.
"""

from __future__ import annotations

from cardan.model.forces.force import Force
from cardan.model.forces.load import Load, MarkerMotion, Wrench
from cardan.model.forces.spring_damper import SpringDamper
from cardan.model.forces.torque import Torque
from cardan.model.forces.torsion_spring import TorsionSpring

__all__ = ["FORCES", "Force", "Load", "MarkerMotion", "SpringDamper", "Torque", "TorsionSpring", "Wrench"]

FORCES: dict[str, type[Load]] = {
    "spring_damper": SpringDamper,
    "torsion_spring": TorsionSpring,
    "force": Force,
    "torque": Torque,
}
