"""The revolute joint keeps the contract of joints."""

from cardan.model.joints.revolute import Revolute
from tests.contracts.joint_contract import JointContract


class TestRevolute(JointContract):
    sample = Revolute(parent="ground", child="body", axis=(1, -2, 0.5))
    size = (1, 1)
