"""What vendors' MJCF files say, one thing at a time, against MuJoCo: M, and the efforts of springs and dampers."""

import numpy as np
import pytest

import cardan

mujoco = pytest.importorskip("mujoco")

ROUND_OFF = 1e-12  # some hundred operations on numbers up to 1e2
ROD = '<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0.1 0"/>'


@pytest.fixture
def both(tmp_path):
    """Reads a text in MuJoCo and here: M of both, and bias of both, at one random position and velocity."""

    def both(text, **options):
        path = tmp_path / "m.xml"
        path.write_text(f"<mujoco>{text}</mujoco>")
        peer = mujoco.MjModel.from_xml_path(str(path))
        data, rng = mujoco.MjData(peer), np.random.default_rng(2)
        mujoco.mj_integratePos(peer, data.qpos, rng.uniform(-1, 1, peer.nv), 1)
        data.qvel[:] = rng.uniform(-1, 1, peer.nv)
        mujoco.mj_forward(peer, data)
        M = np.zeros((peer.nv, peer.nv))
        for k, unit in enumerate(np.eye(peer.nv)):
            mujoco.mj_mulM(peer, data, M[k], unit)
        dyn = cardan.compile(cardan.load(path, **options))
        q, v = np.array(data.qpos) - offset(peer), np.array(data.qvel)
        return dyn.mass_matrix(q), M, dyn.bias(q, v), data.qfrc_bias - data.qfrc_passive

    return both


def offset(peer):
    """Coordinates of MuJoCo where those of a model are zero: `ref` of joints of one motion."""
    found = np.zeros(peer.nq)
    for k, kind in enumerate(peer.jnt_type):
        if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            found[peer.jnt_qposadr[k]] = peer.qpos0[peer.jnt_qposadr[k]]
    return found


def world(*joints):
    bodies = (f'<body pos="0 {k} 0">{joint}{ROD}</body>' for k, joint in enumerate(joints))
    return f"<worldbody>{''.join(bodies)}</worldbody>"


READ = {
    "armature": world(*(f'<joint type="{kind}" armature="0.1"/>' for kind in ("hinge", "slide", "ball", "free"))),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_equations_are_those_of_mujoco(both, text):
    M, M_peer, h, h_peer = both(text)
    assert abs(M - M_peer).max() < ROUND_OFF
    assert abs(h - h_peer).max() < ROUND_OFF
