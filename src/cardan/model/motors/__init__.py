"""Motor kinds, one file each, which is named as the `type` of the motor: the law of rotor and circuit.

In: the motor's keys and CasADi numbers. Out: torque, back-EMF and current. It knows no joint but by name.
"""

from cardan.model.motors.motor import Motor
from cardan.model.records.kinds import Kinds

__all__ = ["MOTORS", "Motor"]

MOTORS = Kinds(__name__, "dc")
"""All motor kinds by their `type`."""
