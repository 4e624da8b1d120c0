"""URDF files → models: what their elements mean, what is left out, and the way through YAML."""

import re
import shlex
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import cardan
from cardan.cli.program import program
from cardan.errors import ModelWarning
from cardan.formats import load, save
from cardan.formats.registry import format_of
from cardan.formats.yaml import dump, loads
from cardan.view.studio.model_file import file_of

PUMA = Path(__file__).parents[2] / "examples" / "puma560.urdf"
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
CUBE = '<visual><geometry><box size="1 1 1"/></geometry></visual>'


def robot(*parts):
    return f'<robot name="r">{"".join(parts)}</robot>'


def link(name, inside=MASS):
    return f'<link name="{name}">{inside}</link>'


def joint(name, kind, parent, child, inside=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


@pytest.fixture
def read(tmp_path):
    """Reads a text as a URDF file."""

    def read(text, **options):
        (tmp_path / "r.urdf").write_text(text)
        return load(tmp_path / "r.urdf", **options)

    return read


def one_joint(kind, inside="", more=""):
    return robot(link("base", ""), link("arm"), joint("j", kind, "base", "arm", inside), more)


def warned(call, *arguments, **options):
    """What a call returns, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call(*arguments, **options)
    return result, [str(one.message) for one in found if issubclass(one.category, ModelWarning)]


# links


def test_a_link_is_a_body(read):
    inside = """<inertial><origin xyz="0.1 0 -0.2"/><mass value="2"/>
        <inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>"""
    model = read(robot(link("base", ""), link("arm", inside), joint("j", "fixed", "base", "arm")))
    assert model.bodies["arm"] == cardan.Body(mass=2, com=[0.1, 0, -0.2], inertia=[1, 2, 2.5, 0.1, 0.2, 0.3])
    assert model.name == "r"


def test_inertia_is_turned_into_body_axes(read):
    inside = """<inertial><origin rpy="0.3 -0.8 1.9"/><mass value="2"/>
        <inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>"""
    body = read(robot(link("base", ""), link("arm", inside), joint("j", "fixed", "base", "arm"))).bodies["arm"]
    R = Rotation.from_euler("xyz", [0.3, -0.8, 1.9]).as_matrix()  # lower case: about fixed axes, as rpy
    expected = R @ [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]] @ R.T
    xx, yy, zz, xy, xz, yz = (entry.value for entry in body.inertia)
    found = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)  # a few operations on numbers up to 2.5


def test_a_negative_moment_that_is_round_off_is_zero(read):
    """As in the published file of a humanoid: ε m c² = 1e-19 kg m²."""
    inside = """<inertial><origin xyz="0 0 0.03045"/><mass value="0.526"/>
        <inertia ixx="-5.4e-20" iyy="-5.4e-20" izz="0"/></inertial>"""
    text = robot(link("base", ""), link("arm", inside), joint("j", "fixed", "base", "arm"))
    assert [one.value for one in read(text).bodies["arm"].inertia] == [0] * 6
    with pytest.raises(cardan.ModelError, match=r"negative principal moment, -5\.4e-19"):
        read(text.replace("e-20", "e-19"), strict=True)


def test_a_root_without_mass_and_shape_is_the_ground(read):
    model = read(robot(link("world", ""), link("arm"), joint("j", "revolute", "world", "arm")))
    assert list(model.bodies) == ["arm"]
    assert model.joints["j"].parent == "ground"


@pytest.mark.parametrize("inside", [MASS, CUBE])
def test_a_root_with_mass_or_shape_is_a_body_that_stands(read, inside):
    model = read(robot(joint("j", "revolute", "base", "arm"), link("arm"), link("base", inside)))
    assert list(model.bodies) == ["arm", "base"]
    assert list(model.joints) == ["base_fixed", "j"]
    assert (model.joints["base_fixed"].type, model.joints["base_fixed"].parent) == ("fixed", "ground")
    assert model.joints["j"].parent == "base"


def test_the_joint_of_the_root_takes_no_name_of_another(read):
    parts = link("base"), link("arm"), joint("base_fixed", "revolute", "base", "arm")
    assert list(read(robot(*parts)).joints) == ["base_fixed_2", "base_fixed"]


def test_shapes_are_those_of_the_visuals(read):
    inside = """
        <visual><origin xyz="0 0 1" rpy="0 0 0.5"/><geometry><cylinder radius="0.1" length="2"/></geometry>
            <material name="red"/></visual>
        <visual><geometry><sphere radius="0.3"/></geometry><material name=""><color rgba="0 0.5 1.5 1"/></material>
        </visual>
        <collision><geometry><box size="1 2 3"/></geometry></collision>"""
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    model = read(robot(red, link("base", ""), link("arm", MASS + inside), joint("j", "fixed", "base", "arm")))
    body = cardan.Body(
        mass=1,
        inertia=[1, 1, 1],
        shapes=[
            {
                "type": "cylinder",
                "radius": 0.1,
                "length": 2,
                "position": [0, 0, 1],
                "rpy": [0, 0, 0.5],
                "color": "#ff0000",
            },
            {"type": "sphere", "radius": 0.3, "color": "#0080ff"},
        ],
    )
    assert model.bodies["arm"] == body


def test_collision_shapes_stand_for_visuals_that_cannot_be_drawn(read):
    inside = """<visual><geometry><mesh filename="package://r/arm.fbx"/></geometry></visual>
        <visual><geometry><cone radius="1" length="1"/></geometry></visual>
        <collision><geometry><box size="1 2 3"/></geometry></collision>"""
    model, texts = warned(read, one_joint("fixed").replace(MASS, MASS + inside))
    assert [shape.type for shape in model.bodies["arm"].shapes] == ["box"]
    assert texts == [
        "r.urdf: meshes that are no STL, OBJ, glTF or COLLADA files, in whose place collision shapes or boxes are "
        "drawn (package://r/arm.fbx)",
        "r.urdf: shapes of type cone, not drawn (arm)",
    ]


# meshes


def mesh(filename, scale=""):
    shape = f'<visual><geometry><mesh filename="{filename}" {scale}/></geometry></visual>'
    return one_joint("fixed").replace(MASS, MASS + shape)


@pytest.mark.parametrize(
    ("filename", "place"),
    [
        ("meshes/a.stl", "meshes/a.stl"),
        ("file://meshes/a%20b.stl", "meshes/a b.stl"),
        ("package://puma/meshes/a.stl", "meshes/a.stl"),
        ("package://other/a.stl", "other/a.stl"),
    ],
)
def test_meshes_are_looked_for_beside_the_file_and_in_packages(tmp_path, filename, place):
    folder = tmp_path / "puma"
    (folder / place).parent.mkdir(parents=True)
    (folder / place).write_text("solid")
    (folder / "r.urdf").write_text(mesh(filename, 'scale="0.001 0.001 0.001"'))
    (shape,) = load(folder / "r.urdf").bodies["arm"].shapes
    assert (shape.file, shape.scale) == (str(folder / place), 0.001)


def test_meshes_outside_of_the_folder_are_shown_if_it_is_allowed(tmp_path):
    (tmp_path / "puma/meshes").mkdir(parents=True)
    (tmp_path / "puma/meshes/a.stl").write_text("solid")
    (tmp_path / "other").mkdir()
    for name in ("package://puma/meshes/a.stl", "../puma/meshes/a.stl"):
        (tmp_path / "other/r.urdf").write_text(mesh(name))
        model, texts = warned(load, tmp_path / "other/r.urdf")
        assert [shape.type for shape in model.bodies["arm"].shapes] == ["box"]
        assert "allow= gives other folders" in texts[0]
        (shape,) = load(tmp_path / "other/r.urdf", allow=tmp_path / "puma").bodies["arm"].shapes
        assert shape.file == str(tmp_path / "puma/meshes/a.stl")


@pytest.mark.parametrize("shape", ['mesh filename="a.stl" scale="1 1 -1"', 'sphere radius="0"', 'box size="1 0 1"'])
def test_shapes_that_cannot_be_drawn_are_left_out(read, tmp_path, shape):
    (tmp_path / "a.stl").write_text("solid")
    text = one_joint("fixed").replace(MASS, f"{MASS}<visual><geometry><{shape}/></geometry></visual>")
    model, texts = warned(read, text)
    assert [shape.type for shape in model.bodies["arm"].shapes] == (["box"] if "mesh" in shape else [])
    assert "differs by direction or mirrors them" in texts[0] or "size is not positive, not drawn (arm)" in texts[0]


# joints


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("revolute", {"type": "revolute", "axis": [0, 0, 1]}),
        ("continuous", {"type": "revolute", "axis": [0, 0, 1]}),
        ("prismatic", {"type": "prismatic", "axis": [0, 0, 1]}),
        ("fixed", {"type": "fixed"}),
        ("floating", {"type": "free"}),
        ("planar", {"type": "planar"}),
    ],
)
def test_every_type_of_joint(read, kind, expected):
    model = read(one_joint(kind, '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/>'))
    place = {"body": "ground", "position": [1, 2, 3], "rpy": [0.1, 0.2, 0.3]}
    wanted = cardan.Model(bodies={"arm": {"mass": 1}}, joints={"j": {"parent": place, "child": "arm", **expected}})
    assert model.joints == wanted.joints


@pytest.mark.parametrize("origin", ["", '<origin xyz="1 2 3" rpy="0.4 -0.5 2"/>'])
def test_a_planar_joint_moves_across_its_axis(read, origin):
    """At q = 0 the link stands at the origin; in motion its position keeps its component along the axis."""
    axis = np.array([1.0, -2, 0.5])
    model = read(one_joint("planar", f'{origin}<axis xyz="1 -2 0.5"/>'))
    poses = cardan.compile(model).forward_kinematics([[0, 0, 0], [0.7, -0.4, 0.9]])["arm"]
    R = Rotation.from_euler("xyz", [0.4, -0.5, 2]).as_matrix() if origin else np.eye(3)
    p = np.array([1, 2, 3]) if origin else np.zeros(3)
    np.testing.assert_allclose(poses[0][:3], np.column_stack([R, p]), rtol=0, atol=1e-15)  # round-off of entries to 3
    n, turn = R @ axis / np.linalg.norm(axis), poses[1][:3, :3] @ R.T
    assert n @ (poses[1][:3, 3] - p) == pytest.approx(0, abs=1e-14)
    np.testing.assert_allclose(turn, Rotation.from_rotvec(0.9 * n).as_matrix(), rtol=0, atol=1e-14)


def test_damping_friction_and_effort_are_those_of_the_joint(read):
    inside = '<dynamics damping="0.3" friction="0.2"/><limit effort="40" velocity="0" lower="0" upper="0"/>'
    record = read(one_joint("prismatic", inside)).joints["j"]
    assert (record.damping.value, record.friction.effort.value, record.effort_limit.value) == (0.3, 0.2, 40)
    none = read(one_joint("revolute", '<dynamics damping="0" friction="0"/><limit effort="0" velocity="0"/>'))
    assert (none.joints["j"].damping, none.joints["j"].friction, none.joints["j"].effort_limit) == (None, None, None)


def test_bounds_become_stops_where_they_are_asked_for(read):
    text = one_joint("revolute", '<limit lower="-1" upper="2" effort="3" velocity="4"/>')
    model, texts = warned(read, text)
    record = model.joints["j"]
    assert record.limits is None
    assert ([bound.value for bound in record.position_limits], record.velocity_limit.value) == ([-1, 2], 4)
    assert texts == []
    stopped, texts = warned(read, text, stops=True)
    limits = stopped.joints["j"].limits
    assert (limits.lower.value, limits.upper.value, limits.restitution) == (-1, 2, None)
    assert stopped.joints["j"].position_limits is None
    assert texts == []


def test_a_joint_that_mimics_another_is_coupled_to_it(read):
    parts = [
        *(link(name) for name in ("left", "right")),
        link("base", ""),
        joint("l", "prismatic", "base", "left"),
        joint("r", "prismatic", "base", "right", '<mimic joint="l" multiplier="-2" offset="0.1"/>'),
    ]
    model = read(robot(*parts))
    assert {name: factor.value for name, factor in model.constraints["r_mimic"].terms.items()} == {"r": 1, "l": 2}
    found = cardan.assemble(model, {"l": 0.3}).q
    assert found["r"] == pytest.approx(-2 * 0.3 + 0.1, abs=1e-12)  # one Newton step on a linear equation
    start = cardan.assemble(model).q
    assert (start["l"], start["r"]) == pytest.approx((0, 0.1), abs=1e-12)  # what others mimic starts at 0
    still = read(robot(*parts).replace('multiplier="-2"', 'multiplier="0"'))
    assert cardan.assemble(still, {"l": 0.3}).q["r"] == pytest.approx(0.1, abs=1e-12)


def test_elements_of_other_programs_are_left_out_and_misspelt_ones_named(read):
    quiet = "<gazebo/><transmission/><mujoco:compiler xmlns:mujoco='m'/>"
    _, texts = warned(read, one_joint("revolute", more=quiet))
    assert texts == []
    _, texts = warned(read, one_joint("revolute", "\n<limits/><foo/>"))
    assert texts == [
        "r.urdf: left out: unknown elements <limits>, perhaps <limit> (line 2)",
        "r.urdf: left out: unknown elements <foo> (line 2)",
    ]


def test_misspelt_attributes_are_named(read):
    text = one_joint("revolute", '<origin xzy="1 0 0"/><dynamics dampng="1"/>')
    _, texts = warned(read, text)
    assert texts == [
        "r.urdf: left out: unknown attribute xzy of <origin>, perhaps xyz (line 1)",
        "r.urdf: left out: unknown attribute dampng of <dynamics>, perhaps damping (line 1)",
    ]


# names


def test_names_are_made_to_fit(read):
    parts = link("base", ""), link("arm-1"), link("arm_1"), joint("2nd axis", "revolute", "base", "arm-1")
    model, texts = warned(read, robot(*parts, joint("t", "revolute", "arm-1", "arm_1")))
    assert list(model.bodies) == ["arm_1_2", "arm_1"]
    assert list(model.joints) == ["_2nd_axis", "t_2"]
    assert model.joints["t_2"].parent == "arm_1_2"
    assert texts == [
        "r.urdf: renamed, as names have letters, digits and _ (arm-1 → arm_1_2, 2nd axis → _2nd_axis, t → t_2)"
    ]


# through YAML, and in the program


def test_a_robot_makes_the_round_trip_through_yaml(tmp_path):
    model = load(PUMA)
    save(model, tmp_path / "puma.yaml")
    assert load(tmp_path / "puma.yaml") == model
    assert loads(dump(model)) == model


def test_every_part_has_its_line():
    lines = format_of(PUMA).lines(PUMA)
    text = PUMA.read_text().splitlines()
    assert 'name="link2"' in text[lines["bodies", "link2"] - 1]
    assert "<mass" in text[lines["bodies", "link2", "mass"] - 1]
    assert 'name="elbow"' in text[lines["joints", "elbow"] - 1]
    assert 'name="base_link"' in text[lines["joints", "base_link_fixed"] - 1]


def test_the_page_on_urdf_runs_as_it_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (PUMA.parents[1] / "docs" / "urdf.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```xml\n(.*?)```", page, re.DOTALL)
    Path("arm.urdf").write_text(text)
    (commands,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    for line in commands.splitlines():
        done = CliRunner().invoke(program(), shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
    assert "upper_arm: {mass: 4" in done.output
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict = {}
    exec(compile(code, "urdf.md", "exec"), names)
    assert load("arm.yaml") == names["arm"]
    assert names["tau"][1] < 0  # gravity pulls the forearm down about +y


def test_the_studio_opens_a_robot_as_a_new_model():
    file = file_of(PUMA)
    assert file.path is None
    assert file.model() == load(PUMA)
