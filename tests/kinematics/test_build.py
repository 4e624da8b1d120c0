"""From names to indices: order, places, parameters, rotors, and what cannot be built."""

import casadi as ca
import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.kinematics.build import build, velocity_of
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import GROUND
from cardan.model import Model
from cardan.model.motors.dc import Dc
from tests.selection import each

ROUND_OFF = 1e-14  # some twenty operations on numbers of size one

BODIES = {
    "base": {"mass": 1, "markers": {"tip": {"position": ["L", 0, 0], "rpy": [0, 0, "90 deg"]}}},
    "arm": {"mass": "2*m", "com": [0.1, 0.2, 0.3]},
    "hand": {"mass": "k"},
}
JOINTS = {
    "wrist": {"type": "spherical", "parent": "arm.com", "child": "hand"},
    "elbow": {"type": "cylindrical", "parent": "base.tip", "child": "arm", "axis": "x", "damping": [0.1, 0.2]},
    "foot": {"type": "revolute", "parent": "ground", "child": "base", "axis": "-z", "stiffness": "3*m", "rest": 0.2},
}
PARAMETERS = {"m": 0.5, "L": "2*m + 1", "k": 3}


@pytest.fixture
def model():
    """Three bodies whose joints stand in the file from the tip to the ground."""
    return Model(parameters=PARAMETERS, bodies=BODIES, joints=JOINTS)


def test_coordinates_stand_in_file_order_whatever_the_tree_does(model):
    tree = build(model)
    assert [link.joint for link in tree.links] == ["foot", "elbow", "wrist"]
    names = [entry.name for entry in tree.coordinates]
    assert names == ["wrist.qw", "wrist.qx", "wrist.qy", "wrist.qz", "elbow.d", "elbow.r", "foot"]
    names = [entry.name for entry in tree.velocities]
    assert names == ["wrist.wx", "wrist.wy", "wrist.wz", "elbow.d", "elbow.r", "foot"]
    assert [entry.unit for entry in tree.velocities] == ["rad/s"] * 3 + ["m/s", "rad/s", "rad/s"]
    assert tree.neutral == (1, 0, 0, 0, 0, 0, 0)
    assert [(link.q, link.v) for link in tree.links] == [((6,), (5,)), ((4, 5), (3, 4)), ((0, 1, 2, 3), (0, 1, 2))]
    assert (tree.nq, tree.nv) == (7, 6)
    assert tree.path(2) == (2, 1, 0)


def test_the_order_of_the_file_does_not_change_the_motion(model):
    turned = model.replace(joints=dict(reversed(list(model.joints.items()))))
    q = {"wrist": [0.5, 0.5, -0.5, 0.5], "elbow": [0.3, -0.2], "foot": [0.9]}
    poses = []
    for variant in (model, turned):
        tree = build(variant, p=ca.DM([0.5, 2, 3]))
        state = motion(tree, ca.DM([x for joint in variant.joints for x in q[joint]]), ca.DM(tree.nv, 1))
        place = tree.places["hand"]
        poses.append(np.array(ca.DM(state.T_WL[place.link] @ place.T_LM)))
    np.testing.assert_array_equal(*poses)


def test_markers_are_placed_in_the_world(model):
    tree = build(model, p=ca.DM([0.5, 2, 3]))
    state = motion(tree, ca.DM(tree.neutral), ca.DM(tree.nv, 1))
    poses = {name: np.array(ca.DM(state.T_WL[p.link] @ p.T_LM)) for name, p in tree.places.items() if p.link != GROUND}
    np.testing.assert_allclose(poses["base.tip"][:3, 3], [2, 0, 0], rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(poses["arm"][:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(poses["arm.com"][:3, 3], [2 - 0.2, 0.1, 0.3], rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(poses["hand"], poses["arm.com"], rtol=0, atol=ROUND_OFF)


def test_parameters_stay_symbols_and_literal_zeros_are_structural(model):
    tree = build(model)
    assert tree.parameters == ("m", "L", "k")
    assert [str(symbol) for symbol in ca.symvar(tree.p)] == ["m", "L", "k"]
    mass = tree.links[1].inertia.m
    assert float(ca.Function("m", [tree.p], [mass])([0.7, 0, 0])) == pytest.approx(1.4, rel=1e-15)
    assert ca.SX(tree.stiffness).nnz() == 1


def test_right_angles_are_exact(model):
    """A tip turned by 90° with a joint axis along x is a permutation; its entries fold into the graph."""
    R = build(model).links[1].T[:3, :3]
    assert set(np.abs(np.array(ca.DM(R))).ravel()) == {0.0, 1.0}


def motor(**keys):
    """Keys of a motor on the foot."""
    keys = {"joint": "foot", "ratio": 5, "rotor_inertia": 0.1, **keys}
    return {"type": "dc", "resistance": 1, "torque_constant": 1, "back_emf_constant": 1, **keys}


def test_rotors_are_there_unless_there_are_no_motors(model):
    driven = model.replace(motors={"drive": motor(), "turn": motor(joint="elbow.r", mounted_on="base")})
    for motors in ("full", "simplified"):
        tree = build(driven, motors)
        assert tree.signals == ("drive.current", "turn.current")
        assert [rotor.v for rotor in tree.rotors] == [5, 4]
        assert [rotor.carrier for rotor in tree.rotors] == [None, 0]
    assert build(driven, "none").rotors == ()
    assert build(driven, "none").signals == ()


def test_the_rotor_turns_about_the_joint_axis_unless_told_otherwise(model):
    p = ca.DM([0.5, 2, 3])
    plain = model.replace(motors={"turn": motor(joint="elbow.r", mounted_on="base")})
    tree = build(plain, p=p)
    R_BL = np.array(ca.DM(tree.links[0].T_LB[:3, :3])).T  # link axes in body axes
    np.testing.assert_allclose((R_BL @ np.array(ca.DM(tree.rotors[0].axis))).ravel(), [0, 1, 0], rtol=0, atol=ROUND_OFF)
    tilted = model.replace(motors={"turn": motor(joint="elbow.r", mounted_on="base", rotor_axis=[0, 3, 4])})
    axis = R_BL @ np.array(ca.DM(build(tilted, p=p).rotors[0].axis))
    np.testing.assert_allclose(axis.ravel(), [0, 0.6, 0.8], rtol=0, atol=ROUND_OFF)


@each(
    "keys, component, axis",
    [
        ({"type": "universal", "axes": ["x", "y"]}, ".r1", [1, 0, 0]),
        ({"type": "universal", "axes": ["x", "y"]}, ".r2", [0, 1, 0]),
        ({"type": "planar"}, ".y", [0, 1, 0]),  # of a shift: along it
        ({"type": "cylindrical", "axis": "-y"}, ".d", [0, -1, 0]),
        ({"type": "screw", "axis": "x", "lead": 0.1}, "", [1, 0, 0]),
    ],
)
def test_the_rotor_turns_about_the_axis_of_the_motion_it_drives(keys, component, axis):
    model = Model(
        bodies={"base": {"mass": 1, "inertia": [1, 1, 1]}, "tip": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={
            "ball": {"type": "spherical", "parent": "ground", "child": "base"},
            "wrist": {"parent": "base", "child": "tip", **keys},
        },
        motors={"turn": motor(joint=f"wrist{component}", mounted_on="base")},
    )
    np.testing.assert_allclose(np.array(ca.DM(build(model).rotors[0].axis)).ravel(), axis, rtol=0, atol=ROUND_OFF)


def test_a_motor_on_a_joint_with_several_velocities_names_one(model):
    joints = model.joints
    assert velocity_of(Dc(**{**motor(), "type": "dc", "joint": "elbow.d"}), joints) == ("elbow", ".d")
    with pytest.raises(ModelError, match=r"'elbow' is not one degree of freedom\n.*elbow\.d, elbow\.r"):
        velocity_of(Dc(**motor(joint="elbow")), joints)


def test_bodies_that_nothing_joins_to_the_ground_are_named(model):
    """A model says so itself; this one was put together without its checks."""
    joints = {name: joint for name, joint in model.joints.items() if name != "foot"}
    with pytest.raises(ModelError, match="nothing joins arm, base, hand to the ground"):
        build(model.unchecked(joints=joints))
