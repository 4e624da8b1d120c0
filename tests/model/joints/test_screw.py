"""The screw joint keeps the contract of joints."""

from cardan.model.joints.screw import Screw
from tests.contracts.joint_contract import JointContract


class TestScrew(JointContract):
    sample = Screw(parent="ground", child="body", axis=(0, 0, -1), lead="5 mm")
    size = (1, 1)
