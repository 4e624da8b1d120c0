"""The modal joint keeps the contract of joints, but closes no loop."""

import pytest

import cardan
from cardan.errors import ModelError
from cardan.model.flexible.joint import Modal
from tests.contracts.joint_contract import JointContract


class TestModal(JointContract):
    sample = Modal(
        parent="ground",
        child="body",
        shifts=[[0.3, -0.2, 1.0], [0.1, 0.7, -0.4]],
        turns=[[0.2, 0.9, -0.3], [0.0, -0.4, 0.8]],
    )
    size = (2, 2)

    test_closure_holds_in_every_position_of_the_joint = None
    test_closure_in_a_plane_is_what_is_left_of_it_there = None
    test_rows_have_names_of_their_own = None

    def test_it_has_no_closure(self, joint):
        with pytest.raises(NotImplementedError, match="modal"):
            joint.closure(None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"of": "pin"}, "joints.a.of: there is no joint 'pin' of type modal with coordinates of its own"),
        ({"turns": [[0, 0, 0]] * 2}, "joints.a.shifts: shifts, turns and points are not all of the same number"),
        ({"points": [[1, 0, 0, 0]]}, "joints.a.shifts: shifts, turns and points are not all of the same number"),
        ({"cut": True}, "joints.a.cut: a modal joint closes no loop\n    cut another joint of the loop"),
    ],
)
def test_what_fits_no_body_is_refused(changed, said):
    node = {"type": "modal", "parent": "ground", "child": "b", "shifts": [[1, 0, 0]], "turns": [[0, 0, 0]]}
    with pytest.raises(ModelError) as error:
        cardan.Model(bodies={"b": {"mass": 1}}, joints={"a": node | changed})
    assert said in str(error.value)
