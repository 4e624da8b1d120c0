"""Random trees against Pinocchio: poses, Jacobians, mass matrix, inverse and forward dynamics.

Pinocchio's quaternions are (x, y, z, w), and a free body's velocity stands in body axes, linear part first; here it is
(v in parent axes; ω in body axes). So v' = T v with T depending on the attitude, and a' = T a + Ṫ v.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cardan
from tests.truths.trees import NQ, NV, random_tree, states

pin = pytest.importorskip("pinocchio")

SEEDS = range(4)
ROUND_OFF = 1e-11  # thousands of operations on numbers up to 1e2 in two programs
AMPLIFIED = 1e-9  # the same through a solve with a condition number up to 1e3


class Peer:
    """One tree in Pinocchio."""

    def __init__(self, tree):
        self.tree, self.model = tree, pin.Model()
        self.model.gravity.linear = np.array([0, 0, -9.81])
        self.ids, self.frames = [], []
        for i, joint in enumerate(tree.joints):
            parent = 0 if joint.parent < 0 else self.ids[joint.parent]
            placement = pin.SE3(joint.T_PM)
            if joint.parent >= 0:
                placement = pin.SE3(np.linalg.inv(tree.joints[joint.parent].T_BN)) * placement
            self.ids.append(self.model.addJoint(parent, self._kind(joint), placement, joint.name))
            T_NB = pin.SE3(np.linalg.inv(joint.T_BN))
            self.model.appendBodyToJoint(self.ids[i], pin.Inertia(joint.mass, joint.com, joint.inertia), T_NB)
            self.frames.append(self.model.addFrame(pin.Frame(f"b{i}", self.ids[i], 0, T_NB, pin.FrameType.OP_FRAME)))
        self.data = self.model.createData()

    @staticmethod
    def _kind(joint):
        if joint.type in ("revolute", "prismatic"):
            return {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}[
                joint.type
            ](joint.axis)
        return {"spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}[joint.type]()

    def q(self, q):
        """Coordinates in Pinocchio's order."""
        out = q.copy()
        for joint, part in zip(self.tree.joints, self.tree.slices(NQ), strict=True):
            if joint.type in ("spherical", "free"):
                out[part][-4:] = np.roll(q[part][-4:], -1)
        return out

    def T(self, q, v):
        """(T, Ṫ v)."""
        T, shift = np.eye(len(v)), np.zeros(len(v))
        for joint, at, part in zip(self.tree.joints, self.tree.slices(NQ), self.tree.slices(NV), strict=True):
            if joint.type == "free":
                E = Rotation.from_quat(q[at][3:], scalar_first=True).as_matrix().T
                linear = slice(part.start, part.start + 3)
                T[linear, linear] = E
                shift[linear] = -np.cross(v[part][3:], E @ v[linear])
        return T, shift


@pytest.fixture(scope="module", params=SEEDS)
def case(request):
    """(peer, Cardan's functions, states)."""
    tree = random_tree(request.param, depth_first=True)  # CRBA takes subtrees for consecutive indices
    return Peer(tree), cardan.compile(tree.model), states(tree, request.param)


def test_poses_and_jacobians(case):
    peer, dyn, (q, v, _) = case
    poses = dyn.forward_kinematics(q)
    jacobians = {name: dyn.jacobian(q, name) for name in ("b2", "b6")}  # each is a program of its own to compile
    for k in range(len(q)):
        pin.computeJointJacobians(peer.model, peer.data, peer.q(q[k]))
        pin.updateFramePlacements(peer.model, peer.data)
        T, _ = peer.T(q[k], v[k])
        for name, frame in zip(poses, peer.frames, strict=True):
            np.testing.assert_allclose(poses[name][k], peer.data.oMf[frame].homogeneous, rtol=0, atol=ROUND_OFF)
        for name, jacobian in jacobians.items():
            frame = peer.frames[int(name[1:])]
            J = pin.getFrameJacobian(peer.model, peer.data, frame, pin.LOCAL_WORLD_ALIGNED) @ T
            np.testing.assert_allclose(jacobian[k], np.vstack([J[3:], J[:3]]), rtol=0, atol=ROUND_OFF)


def test_mass_matrix(case):
    peer, dyn, (q, v, _) = case
    M = dyn.mass_matrix(q)
    for k in range(len(q)):
        upper = np.triu(pin.crba(peer.model, peer.data, peer.q(q[k])))
        T, _ = peer.T(q[k], v[k])
        full = upper + np.triu(upper, 1).T
        np.testing.assert_allclose(M[k], T.T @ full @ T, rtol=0, atol=ROUND_OFF * np.abs(full).max())


def test_inverse_and_forward_dynamics(case):
    peer, dyn, (q, v, a) = case
    tau = dyn.inverse_dynamics(q, v, a)
    again = dyn.forward_dynamics(q, v, tau)
    for k in range(len(q)):
        T, shift = peer.T(q[k], v[k])
        theirs = pin.rnea(peer.model, peer.data, peer.q(q[k]), T @ v[k], T @ a[k] + shift)
        np.testing.assert_allclose(tau[k], T.T @ theirs, rtol=0, atol=ROUND_OFF * (1 + np.abs(theirs).max()))
        solved = pin.aba(peer.model, peer.data, peer.q(q[k]), T @ v[k], np.linalg.solve(T.T, tau[k]))
        np.testing.assert_allclose(again[k], np.linalg.solve(T, solved - shift), rtol=0, atol=AMPLIFIED)


def test_energies(case):
    peer, dyn, (q, v, _) = case
    kinetic, potential = dyn.energy(q, v)
    for k in range(len(q)):
        T, _ = peer.T(q[k], v[k])
        assert kinetic[k] == pytest.approx(
            pin.computeKineticEnergy(peer.model, peer.data, peer.q(q[k]), T @ v[k]), rel=ROUND_OFF
        )
        assert potential[k] == pytest.approx(
            pin.computePotentialEnergy(peer.model, peer.data, peer.q(q[k])), rel=ROUND_OFF
        )


def test_derivatives_of_forward_dynamics_are_those_of_linearize():
    """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ of a chain of turning and sliding joints in motion (`computeABADerivatives`)."""
    rng = np.random.default_rng(5)
    peer, bodies, joints, last = pin.Model(), {}, {}, 0
    for k, (kind, axis, joint) in enumerate(
        [
            ("revolute", "z", pin.JointModelRZ()),
            ("revolute", "x", pin.JointModelRX()),
            ("prismatic", "y", pin.JointModelPY()),
            ("revolute", "y", pin.JointModelRY()),
            ("prismatic", "x", pin.JointModelPX()),
        ]
    ):
        rpy, position, com = rng.uniform(-1, 1, 3), rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.2, 0.2, 3)
        I = np.diag(rng.uniform(0.05, 0.1, 3)) + 0.01 * (np.ones((3, 3)) - np.eye(3))
        last = peer.addJoint(last, joint, pin.SE3(pin.rpy.rpyToMatrix(*rpy), position), f"j{k}")
        peer.appendBodyToJoint(last, pin.Inertia(1.0 + k, com, I), pin.SE3.Identity())
        inertia = [*np.diag(I), I[0, 1], I[0, 2], I[1, 2]]
        bodies[f"b{k}"] = {"mass": 1 + k, "com": com.tolist(), "inertia": [float(entry) for entry in inertia]}
        place = {"body": f"b{k - 1}" if k else "ground", "position": position.tolist(), "rpy": rpy.tolist()}
        joints[f"j{k}"] = {"type": kind, "axis": axis, "parent": place, "child": f"b{k}"}
    q, v = rng.normal(size=(2, 5))
    start = {f"j{k}": float(q[k]) for k in range(5)} | {f"j{k}.v": float(v[k]) for k in range(5)}
    found = cardan.linearize(cardan.Model(bodies=bodies, joints=joints), start)
    data = peer.createData()
    pin.computeABADerivatives(peer, data, q, v, np.zeros(5))
    expected = np.block([[np.zeros((5, 5)), np.eye(5)], [data.ddq_dq, data.ddq_dv]])
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    np.testing.assert_allclose(found.A, expected, rtol=0, atol=AMPLIFIED * np.abs(expected).max())
    np.testing.assert_allclose(found.B[5:], inverse, rtol=0, atol=AMPLIFIED * np.abs(inverse).max())
