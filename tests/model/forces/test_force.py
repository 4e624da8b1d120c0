"""The force whose components are given keeps the contract of forces."""

from cardan.model.forces.force import AppliedForce
from tests.contracts.force_contract import ENDS, ForceContract


class TestAppliedForce(ForceContract):
    sample = AppliedForce(**ENDS, value=["2*cos(3*t)", "1 N", "-slider.vx"])
