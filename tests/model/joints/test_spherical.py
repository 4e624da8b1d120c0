"""The spherical joint keeps the contract of joints."""

from cardan.model.joints.spherical import Spherical
from tests.contracts.joint_contract import JointContract


class TestSpherical(JointContract):
    sample = Spherical(parent="ground", child="body")
    size = (4, 3)
