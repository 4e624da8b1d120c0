"""The spherical joint keeps the contract of joints."""

from cardan.model.joints.friction import Friction
from cardan.model.joints.spherical import Spherical
from tests.contracts.joint_contract import JointContract


class TestSpherical(JointContract):
    sample = Spherical(
        parent="ground",
        child="body",
        friction=Friction.model_validate({"coefficient": 0.1, "radius": 0.2, "regularize": 0.01}),
    )
    size = (4, 3)
