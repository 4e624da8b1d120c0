"""The universal joint keeps the contract of joints."""

import pytest

from cardan.errors import ModelError
from cardan.model import Model
from cardan.model.joints.universal import Universal
from tests.contracts.joint_contract import JointContract
from tests.selection import each


class TestUniversal(JointContract):
    sample = Universal(parent="ground", child="body", axes=((1, 1, 0), (1, -1, 2)))
    size = (2, 2)


@each("cosine, accepted", [(3e-7, True), (3e-6, False)])
def test_axes_typed_with_seven_digits_are_perpendicular(cosine, accepted):
    joint = {"type": "universal", "parent": "ground", "child": "body", "axes": [[1, 0, 0], [cosine, 1, 0]]}
    given = {"bodies": {"body": {"mass": 1, "inertia": [1, 1, 1]}}, "joints": {"joint": joint}}
    if accepted:
        Model(**given)
    else:
        with pytest.raises(ModelError, match="they have to be perpendicular"):
            Model(**given)
