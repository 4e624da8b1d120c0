"""What vendors' MJCF files say, one thing at a time, against MuJoCo: M, and the efforts of springs and dampers."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError

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
        if mujoco.mjtJoint(kind) in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            found[peer.jnt_qposadr[k]] = peer.qpos0[peer.jnt_qposadr[k]]
    return found


def world(*joints):
    """A world of rods, each with its joints."""
    bodies = (f'<body pos="0 {k} 0">{joint}{ROD}</body>' for k, joint in enumerate(joints))
    return f"<worldbody>{''.join(bodies)}</worldbody>"


BOUNDS = world("<joint/>", '<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/><joint/>')
FEW = """<body><inertial pos="0.1 0 0" mass="2"/><joint/></body><body pos="1 2 0"><joint/></body>"""
GROUPS = world('<joint/><geom size="1" group="3"/>')
READ = {
    "armature": world(*(f'<joint type="{kind}" armature="0.1"/>' for kind in ("hinge", "slide", "ball", "free"))),
    "springs": '<compiler angle="radian"/>'
    + world(
        '<joint type="ball" stiffness="10" damping="0.5"/>',
        '<joint type="free" stiffness="20" damping="0.5"/>',
        '<joint axis="0 1 1" stiffness="10 3 40" damping="0.5 0.2 0.3" springref="0.3"/>',
        '<joint axis="1 1 0" type="slide" stiffness="0 0 40" damping="0 0.2" springref="-0.3" ref="0.2" pos="1 1 1"/>',
    ),
    "weight held": '<option gravity="1 0 -9"/>' + world("<joint/>").replace("<body", '<body gravcomp="0.7"'),
    "timed springs": world('<joint springdamper="0.1 0.7" springref="30" armature="0.01"/>')
    + world('<joint type="slide" axis="1 0 0" springdamper="0.2 1"/><joint springdamper="0.1 0.5" stiffness="9"/>'),
    "bounds": f'<compiler boundmass="1.5" boundinertia="0.02" balanceinertia="true"/>{BOUNDS}',
    "bounds of nothing": f'<compiler boundmass="0.1" boundinertia="0.02"/><worldbody>{FEW}</worldbody>',
    "groups": f'<compiler inertiagrouprange="0 2"/>{GROUPS}',
    "total mass": f'<compiler settotalmass="7"/>{GROUPS}',
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_equations_are_those_of_mujoco(both, text):
    M, M_peer, h, h_peer = both(text)
    assert abs(M - M_peer).max() < ROUND_OFF
    assert abs(h - h_peer).max() < ROUND_OFF


def test_a_free_joint_with_friction_is_that_of_mujoco_and_its_friction(both):
    """As slides and a ball in the place of six numbers; MuJoCo has its friction among the constraints."""
    text = world('<joint type="free" stiffness="20" damping="0.5" armature="0.1" frictionloss="1"/>')
    M, M_peer, h, h_peer = both(text.replace("<body", '<body euler="10 20 30"'))
    assert abs(M - M_peer).max() < ROUND_OFF
    assert abs(h - h_peer)[:3] == pytest.approx(1, abs=ROUND_OFF)
    assert np.linalg.norm((h - h_peer)[3:]) == pytest.approx(1, abs=ROUND_OFF)


CORNERS = "0 0 0  1 0 0  1 0.2 0  0.3 0.3 0  0.2 1 0  0 1 0"  # of an L, whose prism is not convex
FACES = "0 5 3  5 4 3  0 3 1  3 2 1  6 9 11  11 9 10  6 7 9  9 7 8 " + "  ".join(
    f"{k} {(k + 1) % 6} {(k + 1) % 6 + 6}  {k} {(k + 1) % 6 + 6} {k + 6}" for k in range(6)
)
L = f'vertex="{CORNERS}  {CORNERS.replace("0  ", "0.5  ").removesuffix("0")}0.5" face="{FACES}"'
MESHES = {
    **{kind: f'{L} inertia="{kind}"' for kind in ("legacy", "exact", "convex", "shell")},
    "placed": f'{L} inertia="exact" refpos="0.1 0.2 0.3" refquat="0.5 0.5 0.1 0.7" scale="0.5 1 2"',
    "mirrored": f'{L} inertia="exact" scale="-0.5 0.5 0.5"',
    "corners": 'vertex="0 0 0  1 0 0  0 1 0  0 0 1  0.1 0.1 0.1"',
}


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
@pytest.mark.parametrize("mass", ["", 'mass="3"', 'density="20"'])
def test_masses_of_meshes_are_those_of_mujoco(both, mesh, mass):
    """Its corners have single precision."""
    geom = f'<geom type="mesh" mesh="m" pos="0.1 0.2 0.3" euler="10 20 30" {mass}/>'
    M, M_peer, h, h_peer = both(
        f'<asset><mesh name="m" {mesh}/></asset><worldbody><body><joint type="ball"/>{geom}</body></worldbody>'
    )
    assert abs(M - M_peer).max() < 1e-6 * abs(M_peer).max()
    assert abs(h - h_peer).max() < 1e-6 * abs(h_peer).max()


def test_masses_of_meshes_in_mujocos_own_format(both, tmp_path):
    corners = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.3, 0], [0, 0, 0.4]], "<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "<i4")
    counts = np.array([4, 4, 4, 4], "<i4")
    whole = b"".join([counts.tobytes(), corners.tobytes(), corners.tobytes(), bytes(32), faces.tobytes()])
    (tmp_path / "part.msh").write_bytes(whole)
    body = '<worldbody><body><joint/><geom type="mesh" mesh="part"/></body></worldbody>'
    M, M_peer, *_ = both(f'<asset><mesh file="part.msh"/></asset>{body}')
    assert abs(M - M_peer).max() < 1e-6 * abs(M_peer).max()
    for damaged in (whole[:-1], whole[:-4] + b"\x09\0\0\0", b"abc"):
        (tmp_path / "part.msh").write_bytes(damaged)
        with pytest.raises(ModelError, match=r"part\.msh is damaged"):
            cardan.load(tmp_path / "m.xml")


def test_masses_of_meshes_in_files(both, tmp_path):
    (tmp_path / "parts").mkdir()
    lines = [f"v {' '.join(map(str, one))}" for one in ([0, 0, 0], [0, 2, 0], [0, 0, 3], [4, 0, 0])]
    faces = ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (tmp_path / "parts" / "wedge.obj").write_text("\n".join(lines + faces))
    M, M_peer, *_ = both(
        """<compiler meshdir="parts" strippath="true"/>
        <asset><mesh file="far/away/wedge.obj" scale="0.1 0.1 0.1"/></asset>
        <worldbody><body><joint/><geom type="mesh" mesh="wedge"/></body></worldbody>"""
    )
    assert abs(M - M_peer).max() < 1e-6 * abs(M_peer).max()


ARMS = """<worldbody><site name="s" pos="0.5 0.8 0.1"/>
  <body name="a"><joint name="j" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/>
    <site name="sa" pos="0.3 0 0" euler="0 30 0"/></body>
  <body name="b" pos="0.55 0.2 0"><freejoint name="k"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 -0.3 0.1 0"/>
    <site name="sb" type="capsule" size="0.01" fromto="-0.6 0.05 0.1 -0.6 0 -0.1"/></body>
  <body name="c" pos="0.5 1 0"><joint name="l" axis="0 1 0" ref="20"/><joint name="x" type="slide" ref="0.1"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 -0.3 0 0"/></body></worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="l" coef="-1"/></fixed>
    <fixed name="u"><joint joint="x" coef="3"/></fixed></tendon>"""
EQUALITIES = {
    "sites": '<connect site1="sa" site2="sb"/>',
    "a site of the world": '<connect site1="s" site2="sb"/>',
    "weld of sites": '<weld site1="sa" site2="sb"/>',
    "relpose": '<weld body1="a" body2="b" relpose="0.4 0.1 0 1 0.1 0.2 0.3"/>',
    "joints": '<joint joint1="j" joint2="l" polycoef="0.1 0.5 0.3 -0.2 0.1"/>',
    "one joint": '<joint joint1="l" polycoef="0.1 0 0 0 0"/>',
    "tendons": '<tendon tendon1="t" tendon2="u" polycoef="0.2 -1 0 0 0"/>',
    "curved tendons": '<tendon tendon1="u" tendon2="t" polycoef="0.02 0.1 0.3 0 0"/>',
    "one tendon": '<tendon tendon1="t" polycoef="0.1 0 0 0 0"/>',
}


@pytest.mark.parametrize("text", EQUALITIES.values(), ids=EQUALITIES)
def test_constraints_are_those_of_mujoco(tmp_path, text):
    """Where ours are met, theirs are, and both restrict the same velocities."""
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco>{ARMS}<equality>{text}</equality></mujoco>")
    model = cardan.load(path)
    found = cardan.assemble(model, {name: {"guess": 0.3} for name in ("j", "l")})
    q = np.array(list(found.q.values()))
    peer = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    data.qpos[:] = q + offset(peer)
    mujoco.mj_forward(peer, data)
    assert abs(data.efc_pos[: data.ne]).max() < 1e-9  # ‖Φ‖ after assembly
    ours = cardan.compile(model).constraint_jacobian(q)
    theirs = data.efc_J.reshape(-1, peer.nv)[: data.ne]
    assert np.linalg.matrix_rank(ours, 1e-9) == np.linalg.matrix_rank(theirs, 1e-9) > 0
    projected = theirs.T @ np.linalg.lstsq(theirs.T, ours.T, rcond=None)[0]
    assert abs(projected - ours.T).max() < 1e-9


DRIVEN = """<option><flag contact="disable"/></option><compiler angle="radian"/>
  <default><position kp="30" kv="2"/><motor gear="2" ctrlrange="-0.3 0.3"/><default class="weak">
    <general forcerange="-1 1"/></default>
    <default class="other"><general gainprm="7" biastype="affine" biasprm="1 2 -3"/></default></default>
  <worldbody><body name="fly"><freejoint name="f"/><geom type="box" size="0.1 0.2 0.3"/>
    <site name="s" pos="1 0 0" euler="0 1 0"/>
    <body pos="0 0 1"><joint name="j" axis="0 1 0" ref="0.2" actuatorfrcrange="-9 7"/>
      <geom type="capsule" size="0.1" fromto="0 0 0 0.3 0 0"/>
    <body pos="1 0 0"><joint name="k" axis="1 1 0" type="slide"/><geom size="0.1"/>
    <body pos="1 0 0"><joint name="b" type="ball"/><geom type="box" size="0.1 0.2 0.3"/></body></body></body></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="k" coef="-0.5"/></fixed></tendon>"""
RANGED = """</actuator><tendon>
  <fixed name="r" limited="false" range="-0.2 0.6"><joint joint="k" coef="3"/></fixed></tendon><actuator>"""
CORD = """</actuator><worldbody><site name="w" pos="2 1 0"/></worldbody>
  <tendon><spatial name="c" {}><site site="s"/><site site="w"/></spatial></tendon><actuator>"""
ACTUATORS = {
    "motor": '<motor name="j" joint="j"/>',
    "position": '<position joint="j" gear="3"/>',
    "damping ratio": '<position joint="j" kp="20" dampratio="0.7"/><motor joint="k" armature="0.3"/>',
    "ratio on a tendon": '<position tendon="t" kp="20" gear="0.5" dampratio="0.7"/>',
    "within its force": '<position joint="k" class="weak"/>',
    "velocity": '<velocity joint="k" kv="4" gear="2" armature="0.2" damping="0.3"/>',
    "general": '<general joint="j" gaintype="affine" gainprm="2 3 4" biastype="affine" biasprm="5 6 7"/>',
    "two": '<motor joint="j"/><general joint="j" gainprm="40"/>',
    "general defaults": '<position joint="k" class="other"/><general joint="j" class="other"/>',
    "DC motor": '<dcmotor joint="k" gear="3" motorconst="2 0.5" resistance="4" armature="0.1" damping="0.2"/>',
    "nominal": '<dcmotor joint="k" nominal="10 3 20" ctrlrange="0 0.2"/>',
    "tendon": '<position tendon="t" ctrlrange="0 0.1"/>',
    "ball": '<velocity joint="b" gear="1 2 3"/>',
    "free": '<motor joint="f" gear="1 2 3 4 0 6"/>',
    "site": '<motor site="s" gear="1 2 3 4 0 6"/>',
    "site of the world": '<motor site="s" gear="1"/><motor joint="j"/>',
    "range of a tendon": RANGED + '<position tendon="r" inheritrange="0.5"/>',
    "cord": CORD.format('stiffness="30" damping="2" springlength="0.4"') + '<motor joint="j"/>',
    "cord at rest": CORD.format('stiffness="30"') + '<motor joint="j"/>',
    "damper": CORD.format('damping="3"') + '<motor joint="j"/>',
}


@pytest.mark.parametrize("text", ACTUATORS.values(), ids=ACTUATORS)
def test_actuators_accelerate_as_in_mujoco(tmp_path, text):
    """At the start, which the first keyframe gives with what each actuator is told."""
    peer = mujoco.MjModel.from_xml_string(f"<mujoco>{DRIVEN}<actuator>{text}</actuator></mujoco>")
    data, rng = mujoco.MjData(peer), np.random.default_rng(3)
    mujoco.mj_integratePos(peer, data.qpos, rng.uniform(-1, 1, peer.nv), 1)
    data.qvel[:], data.ctrl[:] = rng.uniform(-1, 1, peer.nv), 0.5
    mujoco.mj_forward(peer, data)
    words = {key: " ".join(map(repr, getattr(data, key).tolist())) for key in ("qpos", "qvel", "ctrl")}
    attributes = " ".join(f'{name}="{value}"' for name, value in words.items())
    key = f"<keyframe><key {attributes}/><key/></keyframe>"
    (tmp_path / "m.xml").write_text(f"<mujoco>{DRIVEN}<actuator>{text}</actuator>{key}</mujoco>")
    motors = "simplified" if "dcmotor" in text else "none"
    run = cardan.simulate(cardan.load(tmp_path / "m.xml"), until=1e-6, motors=motors)
    names = [*(f"f.v{x}" for x in "xyz"), *(f"f.w{x}" for x in "xyz"), "j.v", "k.v", *(f"b.w{x}" for x in "xyz")]
    found = [run[f"{name.removesuffix('.v')}.a"].values[0] for name in names]
    assert found == pytest.approx(
        data.qacc.tolist(), rel=1e-9, abs=1e-9
    )  # MuJoCo's solver of constraints has none here
