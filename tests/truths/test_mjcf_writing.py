"""Models written as MJCF: read back, and read by MuJoCo, they have the mass matrix of the model and closed loops."""

from itertools import pairwise

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.formats.test_urdf import warned

mujoco = pytest.importorskip("mujoco")

ROUND_OFF = 3e-12  # some hundred operations on numbers up to 1e2, and bounds of 1e-12 for moments that are 0
SOLID = {"mass": 2, "com": [0.1, 0.2, 0.3], "inertia": [0.4, 0.5, 0.6, 0.01, 0.02, 0.03]}


def place(body, *position, **rotation):
    return {"body": body, "position": list(position), **rotation}


def chain(*joints):
    """Bodies a, b, c … that joints carry, one the next, at places that are turned on both sides."""
    names = ["ground", *"abcdefgh"[: len(joints)]]
    ends = [
        {"parent": place(near, 0.1, 0.2, 0.3, rpy=[0.1, 0.2, 0.3]), "child": place(far, 0.3, 0, 0.1, rpy=[1, 0, 2])}
        for near, far in pairwise(names)
    ]
    data = {f"j{k}": {**end, **joint} for k, (end, joint) in enumerate(zip(ends, joints, strict=True))}
    return cardan.Model(bodies=dict.fromkeys(names[1:], SOLID), joints=data)


X = [1, 2, 3]
MODELS = {
    "one motion each": chain({"type": "revolute", "axis": X, "armature": 0.1}, {"type": "prismatic", "axis": X}),
    "ball": chain({"type": "spherical"}, {"type": "fixed"}, {"type": "universal", "axes": ["x", "y"]}),
    "two motions": chain({"type": "cylindrical", "axis": X}, {"type": "translational"}),
    "planar": chain({"type": "planar"}, {"type": "revolute", "axis": X}),
    "turned round": cardan.Model(
        bodies={"a": SOLID, "b": SOLID, "c": SOLID},
        joints={
            "h": {"type": "revolute", "parent": "ground", "child": "a", "axis": X},
            "i": {"type": "universal", "axes": ["x", "y"], "parent": place("b", 1, 0, 0, rpy=[1, 2, 3]), "child": "a"},
            "j": {"type": "prismatic", "axis": X, "parent": "c", "child": place("b", 1, 0, 0, rpy=[1, 2, 3])},
        },
        initial={"h": 0.3, "i.r1": 0.2, "i.r2": -0.3, "j": 0.4},
    ),
    "free": cardan.Model(
        bodies={"a": SOLID, "b": SOLID},
        joints={
            "f": {"type": "free", "parent": "ground", "child": place("a", 0.1, 0.2, 0.3, rpy=[1, 2, 3])},
            "h": {"type": "revolute", "parent": "a", "child": "b", "axis": X},
        },
        initial={"f": {"position": [1, 2, 3], "rpy": [0.1, 0.2, 0.3]}, "h": 0.5, "f.wx": 2, "h.v": 1},
    ),
    "massless between": cardan.Model(
        bodies={"a": SOLID, "between": {}, "b": SOLID},
        joints={
            "h": {"type": "revolute", "parent": "ground", "child": "a", "axis": X},
            "i": {"type": "prismatic", "parent": "a", "child": place("between", 1, 0, 0, rpy=[1, 2, 3]), "axis": "x"},
            "j": {"type": "revolute", "parent": place("between", 1, 2, 0), "child": place("b", 1, 0, 3), "axis": "y"},
        },
        initial={"h": 0.3, "i": 0.2, "j": -0.3},
    ),
    "coupled": cardan.Model(
        bodies={"a": SOLID, "b": SOLID},
        joints={
            "h": {"type": "cylindrical", "parent": "ground", "child": "a", "axis": X},
            "i": {"type": "revolute", "parent": "a", "child": "b", "axis": "x"},
        },
        constraints={"c": {"type": "coupler", "terms": {"h.d": 1, "h.r": 0.2, "i": 3}, "offset": 0.4}},
    ),
    "welded": cardan.Model(
        bodies={"a": SOLID, "b": SOLID},
        joints={
            "h": {"type": "revolute", "parent": "ground", "child": "a", "axis": X},
            "i": {"type": "spherical", "parent": "ground", "child": "b"},
            "w": {"type": "fixed", "parent": place("a", rpy=[0, 0, 0.2]) | {"position": [0, 0, 0]}, "child": "b"},
        },
        initial={"h": 0.3},
    ),
    **{name: name for name in ("slider_crank", "four_bar", "planar_3rrr", "bricard", "flyball_governor", "woodpecker")},
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_mass_matrix_stays_the_same(tmp_path, model):
    model = cardan.load(model) if isinstance(model, str) else model
    cardan.save(model, tmp_path / "m.xml")
    back = cardan.load(tmp_path / "m.xml")
    start, found = cardan.assemble(model), cardan.assemble(back)
    own = list(start.v)
    others = [own.index(name) if name in own else own.index(name.replace("_", ".")) for name in found.v]
    M = cardan.compile(model).mass_matrix(list(start.q.values()))[np.ix_(others, others)]
    assert abs(cardan.compile(back).mass_matrix(list(found.q.values())) - M).max() < ROUND_OFF
    assert list(found.v.values()) == pytest.approx([start.v[own[k]] for k in others], abs=ROUND_OFF)
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data, theirs = mujoco.MjData(peer), np.zeros(M.shape)
    if peer.nkey:
        mujoco.mj_resetDataKeyframe(peer, data, 0)
    mujoco.mj_forward(peer, data)
    for k, unit in enumerate(np.eye(len(M))):
        mujoco.mj_mulM(peer, data, theirs[k], unit)
    assert abs(theirs - M).max() < ROUND_OFF
    assert data.ne == 0 or abs(data.efc_pos[: data.ne]).max() < 1e-10  # ‖Φ‖ after assembly


def test_a_loop_that_left_and_came_back_moves_the_same(tmp_path):
    """Two points of its axis close it, one equation of which is redundant."""
    model = cardan.load("four_bar")
    cardan.save(model, tmp_path / "m.xml")
    own, found = (cardan.simulate(one, until=0.3) for one in (model, cardan.load(tmp_path / "m.xml")))
    for name in ("A.q", "B.q", "D.q"):
        assert found[name].values[-1] == pytest.approx(own[name].values[-1], abs=1e-10)  # of runs with rtol 1e-8


LOADS = {
    "spring and damper": {
        "spring": {"type": "spring_damper", "parent": "a", "child": place("c", 0.1, 0.2, 0.3), "stiffness": "k"}
        | {"damping": 2, "rest_length": 0.3},
        "damper": {"type": "spring_damper", "parent": place("ground", 1, 1, 1), "child": "b", "damping": 3},
        "cord": {"type": "spring_damper", "parent": place("ground", 1, 1, 1), "child": "b", "stiffness": 20},
    },
    "lift": {"lift": {"type": "force", "child": "b.com", "value": [0, 0, "0.7*2*9.81"]}},
}
LAWS = {
    "numbers": {"j0": "3*k/50", "j1.wy": 0.5, "j2": -1},
    "servos": {"j0": "k*(0.4 - j0) - 2*j0.v", "j2": "min(max(k*(0.2 - j2), -1.5), 2.5)"},
}


@pytest.mark.parametrize(
    ("forces", "inputs"),
    [*((one, {}) for one in LOADS.values()), *(({}, one) for one in LAWS.values())],
    ids=[*LOADS, *LAWS],
)
def test_what_acts_accelerates_bodies_the_same(tmp_path, forces, inputs):
    """In MuJoCo at its keyframe, and when it is read back."""
    carried = chain({"type": "revolute", "axis": X}, {"type": "spherical"}, {"type": "prismatic", "axis": X})
    start = {"j0": 0.3, "j2": 0.2, "j0.v": 0.5, "j1.wx": 0.4, "j2.v": -0.3}
    model = cardan.Model(
        bodies=carried.bodies,
        joints=carried.joints,
        parameters={"k": 50},
        forces=forces,
        initial=start,
        inputs=inputs,
    )
    _, texts = warned(cardan.save, model, tmp_path / "m.xml")
    assert texts == []
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    mujoco.mj_forward(peer, data)
    names = [name.removesuffix(".v") for name in cardan.assemble(model).v]
    for one in (model, cardan.load(tmp_path / "m.xml")):
        run = cardan.simulate(one, until=1e-6, motors="none")
        a = [run[f"{name}.a"].values[0] for name in names]
        assert a == pytest.approx(data.qacc.tolist(), rel=1e-9, abs=1e-9)  # MuJoCo's solver has no constraints here


def test_laws_that_no_actuator_has_are_told_0(tmp_path):
    clamped = "min(max(j0, -1), 1)"
    model = chain({"type": "revolute", "axis": X}, {"type": "spherical"}).replace(
        inputs={"j0": f"{clamped} + {clamped}", "j1.wx": "-j1.wx", "j1.wy": {"table": [[0, 1], [1, 2]]}}
    )
    _, texts = warned(cardan.save, model, tmp_path / "m.xml")
    assert texts == [
        "m.xml: left out, as it is not written in MJCF: "
        "laws of inputs, in place of which actuators are told 0 (j0, j1.wx, j1.wy)"
    ]
    assert [str(one) for one in cardan.load(tmp_path / "m.xml").inputs.values()] == [
        "j0_ctrl",
        "j1_wx_ctrl",
        "j1_wy_ctrl",
    ]


def test_motors_are_told_their_voltage(tmp_path):
    cardan.save(cardan.load("overhead_crane"), tmp_path / "m.xml")
    back = cardan.load(tmp_path / "m.xml")
    assert (str(back.inputs["drive"]), back.parameters["drive_ctrl"].value) == ("drive_ctrl", 10)


def test_pairs_of_shapes_touch(tmp_path):
    """A ball rests on the floor; on a slope it slides with g (sin α − μ cos α) in MuJoCo, too."""
    slope, g = 0.5, 9.81
    model = cardan.Model(
        gravity=[g * np.sin(slope), 0, -g * np.cos(slope)],
        bodies={
            "ground": {"shapes": [{"type": "plane", "name": "floor"}]},
            "block": {"mass": 1, "inertia": [1] * 3, "shapes": [{"type": "sphere", "radius": 0.1}]},
        },
        joints={"fly": {"type": "translational", "parent": "ground", "child": "block"}},
        contacts={"rub": {"between": ["block", "ground.floor"], "stiffness": 1e5, "friction": {"coefficient": 0.2}}},
        initial={"fly.z": 0.1},
    )
    _, texts = warned(cardan.save, model, tmp_path / "m.xml")
    assert texts[-1].endswith(": of contacts, stiffness, damping and shapes that are no geoms (rub)")
    peer = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(peer)
    mujoco.mj_resetDataKeyframe(peer, data, 0)
    while data.time < 1:
        mujoco.mj_step(peer, data)
    assert data.qpos[2] == pytest.approx(0.1, abs=2e-3)  # as deep as MuJoCo's usual contacts give way
    assert data.qvel[0] == pytest.approx(g * (np.sin(slope) - 0.2 * np.cos(slope)), rel=0.03)  # its cone is a pyramid
    assert cardan.load(tmp_path / "m.xml", contacts=True).contacts


def test_what_joints_resist_is_written(tmp_path):
    keys = {
        "stiffness": 3,
        "damping": 0.2,
        "rest": 0.4,
        "friction": {"effort": 0.5},
        "limits": {"lower": -1, "upper": 2},
    }
    model = chain({"type": "revolute", "axis": X, **keys})
    cardan.save(model, tmp_path / "m.xml")
    back = cardan.load(tmp_path / "m.xml", stops=True)
    for key in keys:
        assert getattr(back.joints["j0"], key) == getattr(model.joints["j0"], key)


def test_shapes_are_written(tmp_path):
    shapes = [
        {"type": "box", "size": [1, 2, 3], "position": [1, 2, 3], "color": "#ff0000"},
        {"type": "sphere", "radius": 1},
        {"type": "cylinder", "radius": 1, "length": 2},
        {"type": "capsule", "radius": 1, "length": 2},
    ]
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4")
    mesh = {"type": "mesh", "file": str(tmp_path / "part.obj"), "scale": 0.1}
    joint = {"type": "revolute", "parent": "ground", "child": "a", "axis": "x"}
    model = cardan.Model(
        bodies={"a": {**SOLID, "shapes": [*shapes, mesh]}, "ground": {"shapes": [{"type": "plane"}]}},
        joints={"h": joint},
    )
    cardan.save(model, tmp_path / "m.xml")
    back = cardan.load(tmp_path / "m.xml")
    assert [(one.type, one.color) for one in back.bodies["a"].shapes] == [
        (one.type, one.color) for one in model.bodies["a"].shapes
    ]
    assert back.bodies["a"].shapes[0].size == model.bodies["a"].shapes[0].size
    assert back.bodies["a"].shapes[4].scale == 0.1
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).ngeom == 6
    wheel = cardan.Model(
        bodies={"a": {**SOLID, "shapes": [{"type": "wheel", "radius": 1, "rim": 0.1}]}}, joints={"h": joint}
    )
    _, texts = warned(cardan.save, wheel, tmp_path / "m.xml")
    assert texts == ["m.xml: shapes of type wheel, not drawn (a)"]


H = {"type": "revolute", "parent": "ground", "child": "a", "axis": "x"}
REFUSED = {
    "screw": ({"h": {**H, "type": "screw", "lead": 1}}, {}, "joints.h: MJCF has no joint of type screw"),
    "reversed ball": (
        {"h": H, "i": {"type": "spherical", "parent": "b", "child": "a"}},
        {},
        "joints.i: MJCF has no joint of type spherical whose child is nearer to the ground",
    ),
    "free": (
        {"h": {"type": "free", "parent": place("ground", 1, 0, 0), "child": "a"}},
        {},
        "joints.h: a free joint of MJCF begins at the frame of the ground",
    ),
    "loop": (
        {"h": H, "i": {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x", "cut": True}},
        {},
        "joints.i: no equality constraint of MJCF closes a loop as a joint of type prismatic",
    ),
    "constraint": (
        {"h": H},
        {"c": {"type": "expression", "expression": "h"}},
        "constraints.c: MJCF has no constraint of type expression",
    ),
    "quaternion": (
        {"h": {"type": "spherical", "parent": "ground", "child": "a"}},
        {"c": {"type": "coupler", "terms": {"h.qx": 1}}},
        "constraints.c: MJCF couples no quaternions",
    ),
}


@pytest.mark.parametrize(("joints", "constraints", "fault"), REFUSED.values(), ids=REFUSED)
def test_what_mjcf_has_not_is_refused_by_name(tmp_path, joints, constraints, fault):
    names = dict.fromkeys(
        one["child"] if one["type"] != "spherical" or "b" not in str(one) else "b" for one in joints.values()
    )
    model = cardan.Model(bodies=dict.fromkeys(names, SOLID), joints=joints, constraints=constraints)
    with pytest.raises(ModelError) as error:
        cardan.save(model, tmp_path / "m.xml")
    assert fault in str(error.value)
    assert not (tmp_path / "m.xml").exists()


def test_a_chain_deeper_than_files_nest_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("cardan.formats.mjcf.writing.MAX_OPEN", 11)
    with pytest.raises(ModelError, match=r"bodies.b: more bodies hang on each other"):
        cardan.save(chain({"type": "revolute", "axis": X}, {"type": "revolute", "axis": X}), tmp_path / "m.xml")


def test_what_is_left_out_is_named(tmp_path):
    friction = {"coefficient": 0.1, "radius": 0.1}
    model = cardan.Model(
        bodies={"a": SOLID, "b": {"mass": 1, "inertia": [0, 0, 1]}},
        joints={
            "h": {**H, "friction": friction, "limits": {"lower": 0}},
            "i": {**H, "parent": "a", "child": "b"},
            "k": {"type": "fixed", "parent": place("ground", 9, 9, 9), "child": "a", "cut": True},
        },
        motors={
            "m": {"type": "dc", "joint": "i", "resistance": 1, "torque_constant": 1, "back_emf_constant": 1}
            | {"rotor_inertia": 0.1}
        },
        outputs={"x": "h"},
        forces={
            "pull": {"type": "force", "child": "a", "value": ["t", 0, 0]},
            "push": {"type": "force", "child": "a"} | {"value": [1, 0, 0]},
        },
        inputs={"m": "sin(t)", "h": 2},
    )
    _, texts = warned(cardan.save, model, tmp_path / "m.xml")
    assert [
        text.removeprefix("m.xml: ").removeprefix("left out, as it is not written in MJCF: ")[:40] for text in texts
    ] == [
        "moments of inertia that no body has, A +",
        "the start, which cannot be assembled: 'k",
        "friction other than of a given effort (h",
        "stops on one side (h)",
        "forces (pull, push)",
        "the turning of stators, with which rotor",
        "laws of inputs, in place of which actuat",
        "inputs (h)",
        "outputs (x)",
    ]
