"""The planar joint keeps the contract of joints."""

from cardan.model.joints.planar import Planar
from tests.contracts.joint_contract import JointContract


class TestPlanar(JointContract):
    sample = Planar(parent="ground", child="body")
    size = (3, 3)
