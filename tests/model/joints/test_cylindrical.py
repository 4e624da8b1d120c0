"""The cylindrical joint keeps the contract of joints."""

from cardan.model.joints.cylindrical import Cylindrical
from cardan.model.joints.friction import Friction
from tests.contracts.joint_contract import JointContract


class TestCylindrical(JointContract):
    sample = Cylindrical(
        parent="ground",
        child="body",
        axis=(0, -1, 0),
        friction=Friction.model_validate({"coefficient": 0.1, "radius": 0.2, "length": 0.3, "regularize": 0.01}),
    )
    size = (2, 2)
