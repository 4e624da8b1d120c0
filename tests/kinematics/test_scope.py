"""What names in expressions stand for, and what is said about those that stand for nothing."""

from functools import partial

import casadi as ca
import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.kinematics.build import build
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import motion
from cardan.kinematics.scope import evaluate, parameter_value, value
from cardan.model import Model
from cardan.model.quantities.scalar import Scalar
from tests.selection import each

Q = [0.3, 0.5, -0.1, 0.2, 0.5, 0.5, 0.5, 0.5]
V = [0.7, 1.0, 2.0, 3.0, -0.1, 0.2, -0.3]


@pytest.fixture(scope="module")
def scene():
    """(tree, state) of an arm with a motor, and of a body that has the same name as its joint."""
    bodies = {
        "arm": {"mass": 1, "com": [0.5, 0, 0], "markers": {"tip": {"position": ["L", 0, 0]}}},
        "kite": {"mass": 1},
    }
    joints = {
        "hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"},
        "kite": {"type": "free", "parent": "ground", "child": "kite"},
    }
    constants = dict.fromkeys(("resistance", "inductance", "torque_constant", "back_emf_constant"), 1)
    motor = {"type": "dc", "joint": "hinge", **constants}
    model = Model(parameters={"L": 2, "k": "3*L"}, bodies=bodies, joints=joints, motors={"drive": motor})
    tree = build(model, p=ca.DM([2, 6]))
    return tree, motion(tree, ca.DM(Q), ca.DM(V), t=ca.DM(0.9), z=ca.DM([4.0]))


@each(
    "name, expected",
    [
        ("t", 0.9),
        ("pi", np.pi),
        ("L", 2),
        ("k", 6),
        ("hinge", 0.3),
        ("hinge.q", 0.3),
        ("hinge.v", 0.7),
        ("kite.x", 0.5),
        ("kite.qy", 0.5),
        ("kite.vy", 2.0),
        ("kite.wz", -0.3),
        ("kite.wz.v", -0.3),
        ("drive.current", 4.0),
        ("arm.x", 0.0),
        ("arm.tip.x", 2 * np.cos(0.3)),
        ("arm.tip.vy", 0.7 * 2 * np.cos(0.3)),
        ("arm.com.vx", -0.7 * 0.5 * np.sin(0.3)),
        ("arm.tip.wz", 0.7),
        ("arm.position.y", 0.0),
        ("arm.tip.position.y", 2 * np.sin(0.3)),
        ("kite.position.z", 0.2),
    ],
)
def test_names_that_stand_for_something(scene, name, expected):
    assert float(value(*scene, name)) == pytest.approx(expected, abs=1e-15)  # round-off of one sine


def test_where_a_joint_and_a_body_share_a_name_the_joint_wins(scene):
    """The joint's angular velocity is in child axes, that of the body's point in world axes."""
    tree, state = scene
    in_world = np.array(ca.DM(jacobian(tree, state, tree.places["kite"]))) @ V
    assert float(value(tree, state, "kite.wx")) == V[4]
    assert float(value(tree, state, "kite.position.wx")) == pytest.approx(in_world[0], abs=1e-15)
    assert in_world[0] != pytest.approx(V[4], abs=0.01)


@each(
    "name, cure",
    [
        ("hing.v", "did you mean 'hinge.v'"),
        ("arm.tip.xx", "arm.tip.x"),
        ("driv.current", "drive.current"),
        ("hinge.current", ""),
    ],
)
def test_names_that_stand_for_nothing(scene, name, cure):
    with pytest.raises(ModelError, match=f"the name '{name}' stands for nothing") as error:
        value(*scene, name)
    assert cure in error.value.issues[0].cure


def test_only_parameters_where_nothing_moves():
    p = ca.DM([2, 3])
    assert float(parameter_value(("a", "b"), p, "b")) == 3
    assert float(parameter_value(("a", "b"), p, "pi")) == np.pi
    with pytest.raises(ModelError, match="the name 'swing' is not a parameter"):
        parameter_value(("a", "b"), p, "swing")


def test_a_literal_zero_is_a_structural_one_and_a_parameter_never_is():
    lookup = partial(parameter_value, ("a",), ca.DM([0.0]))
    assert evaluate(Scalar.read(0), lookup).nnz() == 0
    assert evaluate(Scalar.read("0 mm"), lookup).nnz() == 0
    assert evaluate(Scalar.read("a"), lookup).nnz() == 1
    assert float(evaluate(Scalar.read("2*cos(a) + 1"), lookup)) == 3
