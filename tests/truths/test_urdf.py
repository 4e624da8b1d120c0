"""Robots in URDF: an arm with turned inertial frames by hand, and Pinocchio's own reading of the same files.

Pinocchio's order of joints is another one, its quaternions are (x, y, z, w), and a floating base's velocity stands in
body axes, linear part first; here it is (v in parent axes; ω in body axes). So v' = T v, and a' = T a + Ṫ v.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cardan

HERE = Path(__file__).parent
PUMA = HERE.parents[1] / "examples" / "puma560.urdf"
GRIPPER = HERE / "models" / "gripper.urdf"
ROUND_OFF = 1e-13  # some hundred operations on numbers up to 1e2 in two programs

TURNED = ([0.3, -0.2, 0.5], [-1.1, 0.7, 0.2])  # rpy of the inertial frames
MASS, MOMENTS = (2.0, 1.5), (np.diag([0.01, 0.02, 0.025]), np.diag([0.004, 0.012, 0.011]))
COM = np.array([[0.2, 0.03, 0.01], [0.15, -0.02, 0.04]])
LENGTH, G = 0.4, 9.81
LINK = """<link name="{}"><inertial><origin xyz="{} {} {}" rpy="{} {} {}"/><mass value="{}"/>
  <inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """Two links that turn about y, one behind the other along x."""
    links = [LINK.format(f"link-{k}", *COM[k], *TURNED[k], MASS[k], *np.diag(MOMENTS[k])) for k in range(2)]
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(
        f"""<robot name="arm"><link name="base"/>{"".join(links)}
        <joint name="a" type="continuous"><parent link="base"/><child link="link-0"/><axis xyz="0 2 0"/></joint>
        <joint name="b" type="continuous"><origin xyz="{LENGTH} 0 0"/><parent link="link-0"/><child link="link-1"/>
          <axis xyz="0 1 0"/></joint></robot>"""
    )
    return cardan.load(path)


def by_hand(q, v):
    """M and M a + h − M a = C v + g of the arm; a point (x, z) turned by q about y is (x c + z s, −x s + z c)."""
    I_yy = [(R @ J @ R.T)[1, 1] for R, J in zip(Rotation.from_euler("xyz", TURNED).as_matrix(), MOMENTS, strict=True)]
    (x1, z1), (x2, z2) = COM[:, [0, 2]]
    about = [I_yy[0] + MASS[0] * (x1**2 + z1**2), I_yy[1] + MASS[1] * (x2**2 + z2**2)]
    s, c = np.sin(q[1]), np.cos(q[1])
    along, rate = MASS[1] * LENGTH * (x2 * c + z2 * s), MASS[1] * LENGTH * (-x2 * s + z2 * c)
    M = np.array(
        [[about[0] + about[1] + MASS[1] * LENGTH**2 + 2 * along, about[1] + along], [about[1] + along, about[1]]]
    )
    second = MASS[1] * G * (-x2 * np.cos(q.sum()) - z2 * np.sin(q.sum()))
    first = MASS[0] * G * (-x1 * np.cos(q[0]) - z1 * np.sin(q[0])) - MASS[1] * G * LENGTH * np.cos(q[0])
    return M, np.array([rate * (2 * v[0] * v[1] + v[1] ** 2) + first + second, -rate * v[0] ** 2 + second])


def test_an_arm_with_turned_inertial_frames(arm):
    dyn = cardan.compile(arm)
    for q, v in np.random.default_rng(1).uniform(-3, 3, (8, 2, 2)):
        M, h = by_hand(q, v)
        assert abs(dyn.mass_matrix(q) - M).max() < ROUND_OFF
        assert abs(dyn.bias(q, v) - h).max() < ROUND_OFF * 1e2


def test_the_puma_is_that_of_the_published_tables():
    """The same arm in standard Denavit-Hartenberg frames meets the tables of `test_puma560.py`."""
    published = cardan.compile(cardan.load(HERE / "models" / "puma560.yaml"), motors="none")
    read = cardan.compile(cardan.load(PUMA))
    q, v, a = np.random.default_rng(2).uniform(-2, 2, (3, 20, 6))
    assert abs(read.mass_matrix(q) - published.mass_matrix(q)).max() < ROUND_OFF
    assert abs(read.inverse_dynamics(q, v, a) - published.inverse_dynamics(q, v, a)).max() < 1e2 * ROUND_OFF


@pytest.fixture(scope="module", params=["puma", "gripper", "gripper written again"])
def peer(request, tmp_path_factory):
    """(Pinocchio's functions, Cardan's functions) of one file."""
    path = PUMA if request.param == "puma" else GRIPPER
    model = cardan.load(path, stops=True)  # without bounds Pinocchio turns angles into pairs of sine and cosine
    if "written" in request.param:
        path = tmp_path_factory.mktemp("written") / "again.urdf"
        cardan.save(model, path)
    return Peer(path), cardan.compile(model)


class Peer:
    """A URDF file as Pinocchio reads it, with the coordinates and velocities of Cardan."""

    def __init__(self, path):
        self.pin = pytest.importorskip("pinocchio")
        self.model = self.pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        names = [name for name in cardan.load(path).joints if self.model.existJointName(name)]
        joints = [self.model.joints[self.model.getJointId(name)] for name in names]
        self.order = [np.concatenate([at(one) + np.arange(size(one)) for one in joints]) for at, size in _RANGES]
        self.flies = joints[0].nq == 7

    def q(self, q):
        """Coordinates in Pinocchio's order."""
        out = np.empty(self.model.nq)
        out[self.order[0]] = np.concatenate([q[:3], np.roll(q[3:7], -1), q[7:]]) if self.flies else q
        return out

    def T(self, q, v):
        """(T, Ṫ v) with v' = T v."""
        T, shift = np.zeros((len(v), len(v))), np.zeros(len(v))
        T[self.order[1], np.arange(len(v))] = 1
        if self.flies:
            E = Rotation.from_quat(q[3:7], scalar_first=True).as_matrix().T
            T[np.ix_(self.order[1][:3], range(3))] = E
            shift[self.order[1][:3]] = -np.cross(v[3:6], E @ v[:3])
        return T, shift


_RANGES = ((lambda joint: joint.idx_q, lambda joint: joint.nq), (lambda joint: joint.idx_v, lambda joint: joint.nv))


def states(peer, dyn):
    """Random states, quaternions of unit length."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = rng.uniform(-2, 2, peer.model.nq)
        q[3:7] /= np.linalg.norm(q[3:7]) if peer.flies else 1
        yield q, *rng.uniform(-2, 2, (2, peer.model.nv))


def test_pinocchio_has_the_same_mass_matrix_and_efforts(peer):
    peer, dyn = peer
    for q, v, a in states(peer, dyn):
        T, shift = peer.T(q, v)
        M = peer.pin.crba(peer.model, peer.data, peer.q(q))
        assert abs(dyn.mass_matrix(q) - T.T @ (np.triu(M) + np.triu(M, 1).T) @ T).max() < ROUND_OFF
        bias = peer.pin.nonLinearEffects(peer.model, peer.data, peer.q(q), T @ v) + M @ shift
        assert abs(dyn.bias(q, v) - T.T @ bias).max() < 1e2 * ROUND_OFF
        tau = peer.pin.rnea(peer.model, peer.data, peer.q(q), T @ v, T @ a + shift)
        assert abs(dyn.inverse_dynamics(q, v, a) - T.T @ tau).max() < 1e2 * ROUND_OFF


def test_pinocchio_puts_every_link_in_the_same_place(peer):
    peer, dyn = peer
    for q, _, _ in states(peer, dyn):
        peer.pin.framesForwardKinematics(peer.model, peer.data, peer.q(q))
        poses = dyn.forward_kinematics(q)
        assert len(poses) >= 5
        for name, pose in poses.items():
            frame = peer.model.getFrameId(name, peer.pin.FrameType.BODY)
            assert abs(pose - peer.data.oMf[frame].homogeneous).max() < ROUND_OFF
