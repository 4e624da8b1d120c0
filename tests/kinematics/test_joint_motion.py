"""Where joints carry their bodies: positive coordinates move the child along or about an axis of the parent marker."""

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

from cardan.kinematics.build import build
from cardan.kinematics.motion import motion
from cardan.model import Model
from tests.selection import each

ROUND_OFF = 1e-14  # some twenty operations on numbers of size one
AXIS = np.array([2.0, -1.0, 2.0]) / 3
OTHER = np.array([1.0, 2.0, 0.0]) / np.sqrt(5)  # perpendicular to AXIS


def turn(axis, angle):
    """Rotation matrix."""
    return Rotation.from_rotvec(np.asarray(axis) * angle).as_matrix()


def pose(R, p):
    """4×4."""
    return np.block([[R, np.reshape(p, (3, 1))], [np.zeros((1, 3)), 1]])


QUATERNION = np.array([0.5, -0.1, 0.7, 0.5])
CASES = {
    "revolute": ({"axis": AXIS}, [0.7], turn(AXIS, 0.7), [0, 0, 0]),
    "prismatic": ({"axis": AXIS}, [0.7], np.eye(3), 0.7 * AXIS),
    "screw": ({"axis": AXIS, "lead": 0.3}, [0.7], turn(AXIS, 0.7), 0.3 * 0.7 / (2 * np.pi) * AXIS),
    "cylindrical": ({"axis": AXIS}, [0.4, 0.7], turn(AXIS, 0.7), 0.4 * AXIS),
    "universal": ({"axes": [AXIS, OTHER]}, [0.7, -0.4], turn(AXIS, 0.7) @ turn(OTHER, -0.4), [0, 0, 0]),
    "planar": ({}, [0.4, -0.3, 0.7], turn([0, 0, 1], 0.7), [0.4, -0.3, 0]),
    "spherical": ({}, QUATERNION, Rotation.from_quat(QUATERNION, scalar_first=True).as_matrix(), [0, 0, 0]),
    "free": ({}, [1, 2, 3, *QUATERNION], Rotation.from_quat(QUATERNION, scalar_first=True).as_matrix(), [1, 2, 3]),
    "fixed": ({}, [], np.eye(3), [0, 0, 0]),
}


def body_pose(model, q, body):
    """T_WB at the coordinates q."""
    tree = build(model, p=ca.DM(0, 1))
    state = motion(tree, ca.DM(np.asarray(q, float)), ca.DM(tree.nv, 1))
    place = tree.places[body]
    return np.array(ca.DM(state.T_WL[place.link] @ place.T_LM))


def keys(kind):
    """Keys of a joint as plain lists."""
    return {key: np.asarray(value).tolist() for key, value in CASES[kind][0].items()}


@each("kind", CASES)
def test_child_moves_positively(kind):
    _, q, R, p = CASES[kind]
    joint = {"type": kind, "parent": "ground", "child": "body", **keys(kind)}
    model = Model(bodies={"body": {"mass": 1}}, joints={"j": joint})
    np.testing.assert_allclose(body_pose(model, q, "body"), pose(R, p), rtol=0, atol=ROUND_OFF)


@each("kind", CASES)
def test_markers_place_the_joint_on_both_bodies(kind):
    """T_WB = T_WP T_PM T_J T_BN⁻¹ with markers M on the parent and N on the child."""
    _, q, R, p = CASES[kind]
    on_parent = {"position": [0.1, 0.2, 0.3], "rpy": [0.4, 0, 0]}
    on_child = {"position": [0, -0.5, 0], "rpy": [0, 0, 1.1]}
    T_PM, T_BN = pose(turn([1, 0, 0], 0.4), [0.1, 0.2, 0.3]), pose(turn([0, 0, 1], 1.1), [0, -0.5, 0])
    bodies = {"base": {"mass": 1, "markers": {"m": on_parent}}, "body": {"mass": 1, "markers": {"n": on_child}}}
    joints = {
        "foot": {"type": "prismatic", "parent": "ground", "child": "base", "axis": "z"},
        "j": {"type": kind, "parent": "base.m", "child": "body.n", **keys(kind)},
    }
    expected = pose(np.eye(3), [0, 0, 0.2]) @ T_PM @ pose(R, p) @ np.linalg.inv(T_BN)
    model = Model(bodies=bodies, joints=joints)
    np.testing.assert_allclose(body_pose(model, [0.2, *q], "body"), expected, rtol=0, atol=ROUND_OFF)


@each("kind", CASES)
def test_a_joint_crossed_from_child_to_parent_keeps_its_meaning(kind):
    """Here the joint's child is the one on the ground: T_child = T_parent T_PM T_J."""
    _, q, R, p = CASES[kind]
    bodies = {
        "near": {"mass": 1},
        "far": {"mass": 1, "markers": {"m": {"position": [0.1, 0.2, 0.3], "rpy": [0.4, 0, 0]}}},
    }
    joints = {
        "j": {"type": kind, "parent": "far.m", "child": "near", **keys(kind)},
        "foot": {"type": "prismatic", "parent": "ground", "child": "near", "axis": "z"},
    }
    model = Model(bodies=bodies, joints=joints)
    T_near, T_far = (body_pose(model, [*q, 0.2], name) for name in ("near", "far"))
    np.testing.assert_allclose(T_near, pose(np.eye(3), [0, 0, 0.2]), rtol=0, atol=ROUND_OFF)
    T_FM = pose(turn([1, 0, 0], 0.4), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(T_far @ T_FM @ pose(R, p), T_near, rtol=0, atol=ROUND_OFF)
