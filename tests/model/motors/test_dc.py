"""The DC motor keeps the contract of motors."""

from cardan.model.motors.dc import Dc
from tests.contracts.motor_contract import JOINT, MotorContract


class TestDc(MotorContract):
    sample = Dc(**JOINT, resistance=0.5, inductance="2 mH", torque_constant=0.3, back_emf_constant=0.3)
