"""The cylindrical joint keeps the contract of joints."""

from cardan.model.joints.cylindrical import Cylindrical
from tests.contracts.joint_contract import JointContract


class TestCylindrical(JointContract):
    sample = Cylindrical(parent="ground", child="body", axis=(0, -1, 0))
    size = (2, 2)
