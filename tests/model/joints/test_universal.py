"""The universal joint keeps the contract of joints."""

from cardan.model.joints.universal import Universal
from tests.contracts.joint_contract import JointContract


class TestUniversal(JointContract):
    sample = Universal(parent="ground", child="body", axes=((1, 1, 0), (1, -1, 2)))
    size = (2, 2)
