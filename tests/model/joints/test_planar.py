"""The planar joint keeps the contract of joints."""

from cardan.model.joints.friction import Friction
from cardan.model.joints.planar import Planar
from tests.contracts.joint_contract import JointContract


class TestPlanar(JointContract):
    sample = Planar(
        parent="ground", child="body", friction=Friction.model_validate({"coefficient": 0.1, "regularize": 0.01})
    )
    size = (3, 3)
