"""A model in MJCF against MuJoCo's own reading of the file, and a pendulum by hand.

Coordinates and velocities are MuJoCo's, in the same order. Its bias is without springs and dampers.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cardan

WALKER = Path(__file__).parent / "models" / "walker.xml"
ROUND_OFF = 1e-12  # some thousand operations on numbers up to 1e2, and MuJoCo takes principal axes by iteration


def test_a_pendulum_of_a_rod_between_two_points(tmp_path):
    """θ = m (L²/3 + r²/4) about its end; the weight turns it by −m g (L/2) cos q about −y."""
    m, L, r = 3.0, 0.8, 0.05
    rod = f'<geom type="cylinder" size="{r}" fromto="0 0 0 {L} 0 0" mass="{m}"/>'
    (tmp_path / "rod.xml").write_text(
        f'<mujoco><worldbody><body><joint axis="0 -1 0"/>{rod}</body></worldbody></mujoco>'
    )
    dyn = cardan.compile(cardan.load(tmp_path / "rod.xml"))
    q = np.linspace(-2, 2, 5)[:, None]
    assert abs(dyn.mass_matrix(q) - m * (L**2 / 3 + r**2 / 4)).max() < ROUND_OFF
    assert abs(dyn.bias(q, 0 * q) - m * 9.81 * L / 2 * np.cos(q)).max() < ROUND_OFF


@pytest.fixture(scope="module")
def walker():
    """(MuJoCo, its model and data, Cardan's model and functions)."""
    mujoco = pytest.importorskip("mujoco")
    peer = mujoco.MjModel.from_xml_path(str(WALKER))
    model = cardan.load(WALKER)
    return mujoco, peer, mujoco.MjData(peer), model, cardan.compile(model)


def test_a_walker_moves_as_in_mujoco(walker):
    mujoco, peer, data, _, dyn = walker
    rng = np.random.default_rng(4)
    for _ in range(5):
        q, v = rng.uniform(-1, 1, peer.nq), rng.uniform(-1, 1, peer.nv)
        for at in (slice(3, 7), slice(-4, None)):
            q[at] /= np.linalg.norm(q[at])
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(peer, data)
        M = np.zeros((peer.nv, peer.nv))
        for k, unit in enumerate(np.eye(peer.nv)):
            mujoco.mj_mulM(peer, data, M[k], unit)
        assert abs(dyn.mass_matrix(q) - M).max() < ROUND_OFF
        assert abs(dyn.bias(q, v) - (data.qfrc_bias - data.qfrc_passive)).max() < 1e1 * ROUND_OFF
        for name, pose in dyn.forward_kinematics(q).items():
            if name != "thigh_hip_x":  # the massless body between the two hinges of the hip
                found = data.body(name)
                assert abs(pose[:3, 3] - found.xpos).max() < ROUND_OFF
                assert abs(pose[:3, :3] - found.xmat.reshape(3, 3)).max() < ROUND_OFF


@pytest.mark.parametrize("flag", ["gravity", "spring", "damper"])
def test_what_a_flag_disables_is_disabled_in_mujoco_too(tmp_path, flag):
    mujoco = pytest.importorskip("mujoco")
    geom = '<geom type="capsule" size="0.1 0.4" pos="1 0 0"/>'
    rod = f'<joint axis="0 1 0" stiffness="3" springref="20" damping="2"/>{geom}'
    (tmp_path / "rod.xml").write_text(
        f'<mujoco><option><flag {flag}="disable"/></option><worldbody><body>{rod}</body></worldbody></mujoco>'
    )
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "rod.xml"))
    data = mujoco.MjData(peer)
    data.qpos[:], data.qvel[:] = 0.3, 0.7
    mujoco.mj_forward(peer, data)
    bias = cardan.compile(cardan.load(tmp_path / "rod.xml")).bias([0.3], [0.7])
    assert abs(bias - (data.qfrc_bias - data.qfrc_passive)).max() < 1e2 * ROUND_OFF  # numbers up to 3e2


LOOPS = """<mujoco><compiler angle="degree"/><default><joint axis="0 1 0"/><geom type="capsule" size="0.02"/></default>
  <worldbody>
    <body name="crank" pos="0 0 1" euler="0 -60 0"><joint name="a"/><geom fromto="0 0 0 0.3 0 0"/>
      <body name="coupler" pos="0.3 0 0" euler="0 50 0"><joint name="b"/><geom fromto="0 0 0 0.8 0 0"/></body></body>
    <body name="rocker" pos="0.9 0 1" euler="0 -100 5">
      <joint name="c" type="ball"/><geom fromto="0 0 0 0.6 0 0"/></body>
    <body name="lid" pos="0 1 1" euler="10 20 30"><freejoint/><geom fromto="0 0 0 0.1 0 0"/></body>
  </worldbody>
  <equality><connect body1="coupler" body2="rocker" anchor="0.8 0.1 0.2"/><connect body1="crank" anchor="0 0.1 0"/>
    <weld body1="lid" body2="rocker"/></equality></mujoco>"""


def test_loops_are_closed_as_in_mujoco(tmp_path):
    """Where nothing has moved, the equations vanish and restrict the same velocities; one constraint is redundant."""
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "m.xml").write_text(LOOPS)
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    model = cardan.load(tmp_path / "m.xml")
    assert [name for name, joint in model.joints.items() if joint.cut] == [
        *("rocker_connect", "crank_connect", "rocker_weld")
    ]
    dyn = cardan.compile(model)
    assert abs(dyn.constraint(peer.qpos0)).max() < ROUND_OFF
    ours = dyn.constraint_jacobian(peer.qpos0)
    theirs = data.efc_J.reshape(-1, peer.nv)[: data.ne]
    assert np.linalg.matrix_rank(ours, ROUND_OFF) == np.linalg.matrix_rank(theirs, ROUND_OFF) == 9
    projected = theirs.T @ np.linalg.lstsq(theirs.T, ours.T, rcond=None)[0]
    assert abs(projected - ours.T).max() < ROUND_OFF  # both restrict the same velocities


def test_a_mesh_is_drawn_where_mujoco_has_it(tmp_path):
    """MuJoCo moves meshes to their centre and turns them to their principal axes, and poses of geoms back."""
    mujoco = pytest.importorskip("mujoco")
    corners = np.array([[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 1]])
    faces = np.zeros(4, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")]))
    faces["corners"] = corners[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]
    (tmp_path / "a.stl").write_bytes(bytes(80) + np.uint32(4).tobytes() + faces.tobytes())
    (tmp_path / "m.xml").write_text(
        """<mujoco><asset><mesh name="a" file="a.stl" scale="0.1 0.1 0.1"/></asset><worldbody><body name="b">
        <geom type="mesh" mesh="a" pos="0.1 0.2 0.3" euler="20 30 40"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
    )
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    theirs = data.geom_xpos[0] + peer.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T
    (shape,) = cardan.load(tmp_path / "m.xml").bodies["b"].shapes
    R = Rotation.from_euler("xyz", [one.value for one in shape.rpy]).as_matrix()
    ours = [one.value for one in shape.position] + shape.scale * corners @ R.T
    distances = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
    assert distances.min(axis=1).max() < 1e-6  # its corners have single precision


def test_the_walker_starts_where_mujoco_puts_it(walker):
    _, peer, _, model, _ = walker
    assert list(cardan.assemble(model).q.values()) == pytest.approx(peer.qpos0, abs=1e-15)
