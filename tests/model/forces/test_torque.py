"""The torque whose components are given keeps the contract of forces."""

from cardan.model.forces.torque import AppliedTorque
from tests.contracts.force_contract import ENDS, ForceContract


class TestAppliedTorque(ForceContract):
    sample = AppliedTorque(**ENDS, value=["0.1 N*m", "2*cos(3*t)", "-slider.vx"], frame="child")
