"""The free joint keeps the contract of joints."""

from cardan.model.joints.free import Free
from tests.contracts.joint_contract import JointContract


class TestFree(JointContract):
    sample = Free(parent="ground", child="body")
    size = (7, 6)
