"""Models → URDF files: read again they move as the model does, and what URDF does not hold is named."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cardan
from cardan.errors import ModelError
from cardan.formats import load, save
from cardan.spatial.rotations import to_rpy
from tests.formats.test_urdf import PUMA, warned
from tests.selection import each

ROBOTS = Path(__file__).parent / "robots"
ROUND_OFF = 1e-12  # some hundred operations on numbers up to 1e1, and frames that are inverted


def turned(rng):
    """A frame somewhere on a body."""
    return {"position": rng.uniform(-1, 1, 3).tolist(), "rpy": rng.uniform(-3, 3, 3).tolist()}


def body(rng):
    a = rng.uniform(-1, 1, (3, 3))
    inertia = a @ a.T + np.eye(3)  # positive definite, and a body has it: no moment is above the sum of the others
    entries = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    markers = {"a": turned(rng), "b": turned(rng)}
    return {"mass": rng.uniform(1, 3), "com": rng.uniform(-1, 1, 3).tolist(), "inertia": entries, "markers": markers}


def tree(seed):
    """Five bodies on joints between turned markers, every second joint from its child to its parent."""
    rng = np.random.default_rng(seed)
    bodies = {f"b{k}": body(rng) for k in range(5)}
    joints = {"j0": {"type": "revolute", "parent": {"body": "ground", **turned(rng)}, "child": "b0.a", "axis": "-y"}}
    for k, kind in enumerate(("prismatic", "revolute", "fixed", "revolute"), start=1):
        ends = (f"b{(k - 1) // 2}.b", f"b{k}.a")
        parent, child = ends if k % 2 else ends[::-1]
        axis = {} if kind == "fixed" else {"axis": rng.uniform(-1, 1, 3).tolist(), "damping": 0.1 * k}
        joints[f"j{k}"] = {"type": kind, "parent": parent, "child": child, **axis}
    return cardan.Model(bodies=bodies, joints=joints)


def again(model, folder):
    save(model, folder / "r.urdf")
    return load(folder / "r.urdf")


@pytest.mark.parametrize("seed", range(2))
def test_a_tree_that_is_written_and_read_moves_alike(seed, tmp_path):
    model = tree(seed)
    read = again(model, tmp_path)
    first, second = cardan.compile(model), cardan.compile(read)
    q, v, a = np.random.default_rng(seed).uniform(-2, 2, (3, 10, 4))
    assert abs(first.mass_matrix(q) - second.mass_matrix(q)).max() < ROUND_OFF * 1e2
    assert abs(first.inverse_dynamics(q, v, a) - second.inverse_dynamics(q, v, a)).max() < ROUND_OFF * 1e3
    poses = first.forward_kinematics(q), second.forward_kinematics(q)
    for name, record in model.bodies.items():
        marker = record.markers["a"]
        T = np.eye(4)
        T[:3, :3] = Rotation.from_euler("xyz", [one.value for one in marker.rpy]).as_matrix()
        T[:3, 3] = [one.value for one in marker.position]
        assert abs(poses[0][name] @ T - poses[1][name]).max() < ROUND_OFF


def test_a_file_that_was_read_is_written_as_it_was(tmp_path):
    model = load(PUMA)
    assert again(model, tmp_path) == model


@each("angles", [[0.3, -0.8, 1.9], [-3, 1.2, 3], [0.4, np.pi / 2, 0.9], [0.4, -np.pi / 2, -2], [0, 0, 0]])
def test_angles_of_a_rotation(angles):
    R = Rotation.from_euler("xyz", angles).as_matrix()
    np.testing.assert_allclose(Rotation.from_euler("xyz", to_rpy(R)).as_matrix(), R, rtol=0, atol=1e-15)


def test_what_a_joint_has_makes_the_round_trip(tmp_path):
    ends = {"parent": "ground", "child": "a", "axis": [0, 0, 1]}
    keys = {"damping": 0.2, "friction": {"effort": 3}, "effort_limit": 40, "velocity_limit": 3}
    for more in ({}, {"limits": {"lower": -1, "upper": 2}}, {"limits": {"lower": -1}}):
        for kind in ("revolute", "prismatic"):
            model = cardan.Model(
                bodies={"a": {"mass": 1}}, joints={"j": {"type": kind, **ends, **keys, **more}}, name="r"
            )
            save(model, tmp_path / "r.urdf")
            assert load(tmp_path / "r.urdf", stops=True) == model


def test_limits_of_a_robot_make_the_round_trip(tmp_path):
    """Reading and writing change no limit, and what the second file says is all that the first one says."""
    model = load(ROBOTS / "rt.urdf")
    assert [bound.value for bound in model.joints["turn"].position_limits] == [-1, 2]
    read = again(model, tmp_path)
    for name, record in model.joints.items():
        if record.type != "fixed":
            assert read.joints[name].replace(parent="ground", child="x") == record.replace(parent="ground", child="x")
    texts = [(tmp_path / "r.urdf").read_text()]
    save(read, tmp_path / "r.urdf")
    assert [(tmp_path / "r.urdf").read_text()] == texts


@pytest.mark.parametrize("kind", ["free", "planar", "fixed"])
def test_joints_without_an_axis(tmp_path, kind):
    place = {"body": "ground", "position": [1, 2, 3], "rpy": [0, 0, 0.5]}
    model = cardan.Model(
        bodies={"a": {"mass": 1}}, joints={"j": {"type": kind, "parent": place, "child": "a"}}, name="r"
    )
    assert again(model, tmp_path) == model


def test_a_coupler_is_a_mimic(tmp_path):
    joints = {name: {"type": "prismatic", "parent": "ground", "child": name, "axis": "x"} for name in "abc"}
    terms = {"first": {"a": 2, "b": 1}, "second": {"a": 1, "c": -4}}
    couplers = {name: {"type": "coupler", "terms": one, "offset": 0.6} for name, one in terms.items()}
    model = cardan.Model(bodies={name: {"mass": 1} for name in "abc"}, joints=joints, constraints=couplers)
    read = again(model, tmp_path)
    assert list(read.constraints) == ["a_mimic", "c_mimic"]  # a follows b already, so that c follows a
    assert list(cardan.assemble(read).q.values()) == pytest.approx([0.3, 0, -0.075], abs=1e-12)
    for found in (cardan.assemble(one, {"b": 0.2}).q for one in (model, read)):
        assert [found[name] for name in "abc"] == pytest.approx([0.2, 0.2, -0.1], abs=1e-12)  # linear equations


def test_a_capsule_is_written_as_its_cylinder_and_its_ends(tmp_path):
    shape = {"type": "capsule", "radius": 1, "length": "2 * L", "position": [1, 0, 0], "rpy": [0, np.pi / 2, 0]}
    joints = {"j": {"type": "free", "parent": "ground", "child": "a"}}
    model = cardan.Model(bodies={"a": {"mass": 1, "shapes": [shape]}}, joints=joints, parameters={"L": 2})
    save(model, tmp_path / "r.urdf")
    tube, *balls = load(tmp_path / "r.urdf").bodies["a"].shapes
    assert (tube.type, tube.length.value, tube.rpy[1].value) == ("cylinder", 4, np.pi / 2)
    assert [[entry.value for entry in ball.position] for ball in balls] == [[3, 0, 0], [-1, 0, 0]]
    assert [ball.radius.value for ball in balls] == [1, 1]


def test_shapes_are_written_with_colour_and_place(tmp_path):
    shapes = [
        {"type": "box", "size": [1, 2, "3*L"], "position": [0, 0, 1], "color": "#ff8000"},
        {"type": "cylinder", "radius": 0.1, "length": 0.5, "color": "red"},
        {"type": "sphere", "radius": 0.2, "density": 1000},
        {"type": "mesh", "file": str(tmp_path / "a.stl"), "scale": 0.001},
    ]
    (tmp_path / "a.stl").write_text("solid")
    joints = {"j": {"type": "fixed", "parent": "ground", "child": "a"}}
    model = cardan.Model(bodies={"a": {"shapes": shapes}}, joints=joints, parameters={"L": 2})
    body = again(model, tmp_path).bodies["a"]
    assert [shape.type for shape in body.shapes] == ["box", "cylinder", "sphere", "mesh"]
    assert [entry.value for entry in body.shapes[0].size] == [1, 2, 6]
    assert [shape.color for shape in body.shapes] == ["#ff8000", "", "", ""]
    assert (body.shapes[3].file, body.shapes[3].scale) == (str(tmp_path / "a.stl"), 0.001)
    assert body.mass.value == pytest.approx(1000 * 4 / 3 * np.pi * 0.2**3, rel=1e-15)


def test_what_urdf_does_not_hold_is_named_once(tmp_path):
    joints = {
        "j": {
            "type": "revolute",
            "parent": "ground",
            "child": "a",
            "axis": "z",
            "stiffness": 2,
            "friction": {"coefficient": 0.1, "radius": 0.1},
            "limits": {"lower": 0, "restitution": 0.5},
        },
        "k": {"type": "planar", "parent": "a", "child": "b", "damping": [1, 1, 1]},
    }
    bodies = {name: {"mass": 1, "inertia": [1, 1, 1]} for name in "ab"}
    model = cardan.Model(bodies=bodies, joints=joints, gravity=[0, 0, -1], initial={"j": 0.1}, outputs={"x": "b.x"})
    _, texts = warned(save, model, tmp_path / "r.urdf")
    assert texts == [
        f"r.urdf: left out, as URDF does not hold it: {what}"
        for what in (
            "outputs (x)",
            "initial (j)",
            "gravity, which is 9.81 m/s² along −z there",
            "stiffness of joints (j)",
            "friction other than of a given effort (j)",
            "restitution and stiffness of stops (j)",
            "damping of joints (k)",
        )
    ]
    model = cardan.Model(bodies={"a": {"mass": 1}}, joints={"j": {"type": "free", "parent": "ground", "child": "a"}})
    assert warned(save, model.replace(name="a\x0b", gravity=[0, 0, "-9.81 m/s^2"]), tmp_path / "r.urdf")[1] == []
    assert load(tmp_path / "r.urdf").name == "a"


REFUSED = {
    "four_bar": "joints.C: the joint closes a loop; URDF describes trees",
    "door_two_hinges": "the joint closes a loop",
    "screw_press": "URDF has no joint of type screw",
    "car_axis": "URDF has only constraints of two joints of one motion",
}


@pytest.mark.parametrize(("name", "fault"), REFUSED.items(), ids=REFUSED)
def test_what_urdf_cannot_say_of_the_mechanism_is_refused(tmp_path, name, fault):
    with pytest.raises(ModelError) as error:
        save(load(name), tmp_path / "r.urdf")
    assert fault in str(error.value)
    assert "as YAML" in str(error.value)
    assert not list(tmp_path.iterdir())


def test_couplers_in_a_ring_are_refused(tmp_path):
    joints = {name: {"type": "prismatic", "parent": "ground", "child": name, "axis": "x"} for name in "ab"}
    couplers = {name: {"type": "coupler", "terms": {"a": 1, "b": 1}} for name in ("first", "second")}
    model = cardan.Model(bodies={name: {"mass": 1} for name in "ab"}, joints=joints, constraints=couplers)
    with pytest.raises(ModelError, match=r"constraints.second: the joint would have to follow two others"):
        save(model, tmp_path / "r.urdf")
