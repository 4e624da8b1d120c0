"""The fixed joint keeps the contract of joints."""

from cardan.model.joints.fixed import Fixed
from tests.contracts.joint_contract import JointContract


class TestFixed(JointContract):
    sample = Fixed(parent="ground", child="body")
    size = (0, 0)
