"""Motor kinds, one file each: record with the law of rotor and circuit.

In: the motor's keys and CasADi numbers. Out: torque, back-EMF and current. It knows no joint but by name.
"""

from __future__ import annotations

from cardan.model.motors.dc import Dc
from cardan.model.motors.motor import Motor

__all__ = ["MOTORS", "Dc", "Motor"]

MOTORS: dict[str, type[Motor]] = {"dc": Dc}
