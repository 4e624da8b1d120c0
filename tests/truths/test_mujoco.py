"""Random trees against MuJoCo: poses, Jacobians, mass matrix, bias forces and accelerations.

MuJoCo's coordinates are Cardan's: (w, x, y, z), a free body's velocity in world axes and its angular velocity in
body axes. Only their order differs, which follows MuJoCo's numbering of the joints. Its body frame is put at the
joint's marker.
"""

from xml.etree import ElementTree

import numpy as np
import pytest

import cardan
from tests.truths.trees import NQ, NV, random_tree, states

mujoco = pytest.importorskip("mujoco")

SEEDS = range(4)
ROUND_OFF = 1e-10  # as for Pinocchio, and MuJoCo takes the principal axes of inertias by iteration
AMPLIFIED = 1e-8  # the same through a solve with a condition number up to 1e3
KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball", "free": "free"}


def text(numbers):
    """Numbers as MJCF writes them, to the last digit."""
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def mjcf(tree):
    """The tree as an MJCF document."""
    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "compiler", angle="radian")
    ElementTree.SubElement(root, "option", gravity="0 0 -9.81")
    elements = {-1: ElementTree.SubElement(root, "worldbody")}
    for i, joint in enumerate(tree.joints):
        T = joint.T_PM if joint.parent < 0 else np.linalg.inv(tree.joints[joint.parent].T_BN) @ joint.T_PM
        place = {"pos": text(T[:3, 3]), "xyaxes": text(T[:3, :2].T)}
        body = elements[i] = ElementTree.SubElement(elements[joint.parent], "body", name=f"b{i}", **place)
        axis = {"axis": text(joint.axis)} if joint.type in ("revolute", "prismatic") else {}
        ElementTree.SubElement(body, "joint", name=joint.name, type=KINDS[joint.type], **axis)
        T_NB = np.linalg.inv(joint.T_BN)
        I = T_NB[:3, :3] @ joint.inertia @ T_NB[:3, :3].T
        entries = text([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        com = text(T_NB[:3, :3] @ joint.com + T_NB[:3, 3])
        ElementTree.SubElement(body, "inertial", mass=repr(joint.mass), pos=com, fullinertia=entries)
    return ElementTree.tostring(root, encoding="unicode")


class Peer:
    """One tree in MuJoCo."""

    def __init__(self, tree):
        self.tree = tree
        self.model = mujoco.MjModel.from_xml_string(mjcf(tree))
        self.data = mujoco.MjData(self.model)
        starts = [self.model.joint(joint.name) for joint in tree.joints]
        self.q_at = np.concatenate(
            [np.arange(NQ[j.type]) + at.qposadr[0] for j, at in zip(tree.joints, starts, strict=True)]
        )
        self.v_at = np.concatenate(
            [np.arange(NV[j.type]) + at.dofadr[0] for j, at in zip(tree.joints, starts, strict=True)]
        )

    def set(self, q, v, tau):
        """Put the tree into a state under efforts, and evaluate everything."""
        self.data.qpos[self.q_at], self.data.qvel[self.v_at], self.data.qfrc_applied[self.v_at] = q, v, tau
        mujoco.mj_forward(self.model, self.data)

    def mass_matrix(self):
        """M, column by column."""
        n = self.model.nv
        columns = np.zeros((n, n))
        for k in range(n):
            mujoco.mj_mulM(self.model, self.data, columns[k], np.eye(n)[k])
        return columns[np.ix_(self.v_at, self.v_at)]

    def jacobian(self, body, point):
        """(6, nv), angular part first."""
        linear, angular = np.zeros((2, 3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, linear, angular, point, self.model.body(body).id)
        return np.vstack([angular, linear])[:, self.v_at]


@pytest.fixture(scope="module", params=SEEDS)
def case(request):
    """(peer, Cardan's functions, states)."""
    tree = random_tree(request.param)
    return Peer(tree), cardan.compile(tree.model), states(tree, request.param, number=5)


def test_everything(case):
    peer, dyn, (q, v, tau) = case
    M, h, a = dyn.mass_matrix(q), dyn.bias(q, v), dyn.forward_dynamics(q, v, tau)
    poses = dyn.forward_kinematics(q)
    jacobians = {body: dyn.jacobian(q, body) for body in ("b2", "b6")}  # each is a program of its own to compile
    for k in range(len(q)):
        peer.set(q[k], v[k], tau[k])
        theirs = peer.mass_matrix()
        np.testing.assert_allclose(M[k], theirs, rtol=0, atol=ROUND_OFF * np.abs(theirs).max())
        np.testing.assert_allclose(
            h[k], peer.data.qfrc_bias[peer.v_at], rtol=0, atol=ROUND_OFF * 100
        )  # efforts up to 1e2
        np.testing.assert_allclose(
            a[k], peer.data.qacc[peer.v_at], rtol=0, atol=AMPLIFIED * 100
        )  # accelerations up to 1e2
        for i, (body, pose) in enumerate(poses.items()):
            place = peer.data.body(body)
            T_WN = np.block([[place.xmat.reshape(3, 3), place.xpos[:, None]], [np.zeros((1, 3)), 1]])
            np.testing.assert_allclose(pose[k] @ peer.tree.joints[i].T_BN, T_WN, rtol=0, atol=ROUND_OFF)
        for body, jacobian in jacobians.items():
            np.testing.assert_allclose(
                jacobian[k], peer.jacobian(body, poses[body][k, :3, 3]), rtol=0, atol=ROUND_OFF * 10
            )
