"""The prismatic joint keeps the contract of joints."""

from cardan.model.joints.prismatic import Prismatic
from tests.contracts.joint_contract import JointContract


class TestPrismatic(JointContract):
    sample = Prismatic(parent="ground", child="body", axis=(1, -2, 0.5))
    size = (1, 1)
