"""SDF files → models: what their elements mean, what is left out, what they include, and faults of the files."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cardan
from cardan.errors import ModelError
from cardan.formats import load, save
from cardan.formats.registry import format_of
from cardan.formats.sdf import document
from cardan.formats.xml.tree import MAX_SIZE
from cardan.formats.yaml import dump
from tests.formats.test_urdf import warned

MASS = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
BALL = '<collision name="{0}"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>'
MU = "<surface><friction><ode><mu>{}</mu></ode></friction></surface>"
Z = "<axis><xyz>0 0 1</xyz></axis>"


def sdf(*parts, version="1.9"):
    return f'<sdf version="{version}">{"".join(parts)}</sdf>'


def model(*parts, name="m", version="1.9"):
    return sdf(f'<model name="{name}">{"".join(parts)}</model>', version=version)


def link(name, inside="", mass=MASS):
    return f'<link name="{name}">{mass}{inside}</link>'


def joint(name, kind, parent, child, inside=Z):
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


def pose(words, **attributes):
    return f"<pose{''.join(f' {key}={value!r}' for key, value in attributes.items())}>{words}</pose>"


@pytest.fixture
def read(tmp_path):
    """Reads a text as an SDF file."""

    def read(text, **options):
        (tmp_path / "r.sdf").write_text(text)
        return load(tmp_path / "r.sdf", **options)

    return read


def place(end):
    """Body, position and rotation (3×3) of one end of a joint."""
    if isinstance(end, str):
        return end, np.zeros(3), np.eye(3)
    position, rpy = ([float(one.value) for one in getattr(end, key) or ()] or [0, 0, 0] for key in ("position", "rpy"))
    return end.body, np.array(position), Rotation.from_euler("xyz", rpy).as_matrix()


# links


def test_a_link_is_a_body(read):
    inertia = "".join(f"<{key}>{value}</{key}>" for key, value in zip(ENTRIES, TENSOR, strict=True))
    turned = f"<inertial>{pose('0.1 0 -0.2 0.3 -0.8 1.9')}<mass>2</mass><inertia>{inertia}</inertia></inertial>"
    found = read(model(link("a", mass=turned), joint("j", "fixed", "world", "a", "")))
    body = found.bodies["a"]
    R = Rotation.from_euler("xyz", [0.3, -0.8, 1.9]).as_matrix()
    expected = R @ [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]] @ R.T
    xx, yy, zz, xy, xz, yz = (entry.value for entry in body.inertia)
    np.testing.assert_allclose([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], expected, rtol=0, atol=1e-15)
    assert (found.name, body.mass.value, [one.value for one in body.com]) == ("m", 2, [0.1, 0, -0.2])


ENTRIES, TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (1, 2, 2.5, 0.1, 0.2, 0.3)


def test_a_link_without_inertial_has_what_sdf_says(read):
    found, words = warned(read, model(link("a", mass=""), link("b", mass="<inertial><mass>3</mass></inertial>")))
    assert [one.value for one in found.bodies["a"].inertia][:3] == [1, 1, 1]
    assert [one.mass.value for one in found.bodies.values()] == [1, 3]
    assert "links without mass, which SDF makes 1 in SI units (m::a)" in words[0]
    assert "links without inertia, which SDF makes 1 in SI units (m::a, m::b)" in words[1]
    with pytest.raises(ModelError, match="the link has no mass"):
        read(model(link("a", mass="")), strict=True)


def test_shapes_have_poses_sizes_and_colours(read):
    inside = (
        f'<visual name="v">{pose("0 0 1 0 0 90", degrees="true")}<geometry><box><size>1 2 3</size></box></geometry>'
        "<material><diffuse>1 0 0.5 1</diffuse></material></visual>"
        f'<visual name="w">{pose("0 0 1 0 0 0", relative_to="f")}'
        "<geometry><capsule><radius>0.1</radius><length>0.5</length></capsule></geometry></visual>"
    )
    frame = f'<frame name="f">{pose("1 0 0 0 0 0")}</frame>'
    box, capsule = read(model(link("a", inside), frame)).bodies["a"].shapes
    assert (box.type, [one.value for one in box.size], box.color) == ("box", [1, 2, 3], "#ff0080")
    assert box.rpy[2].value == pytest.approx(np.pi / 2)
    assert (capsule.type, [one.value for one in capsule.position]) == ("capsule", [1, 0, 1])


# frames


@pytest.mark.parametrize(
    ("version", "there", "axis"),
    [
        ("1.4", "1 0 0 0 0 0.5", "<axis><xyz>1 0 0</xyz></axis>"),
        ("1.6", "1 0 0 0 0 0.5", "<axis><xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"),
        ("1.9", "1 0 0 0 0 0.5", '<axis><xyz expressed_in="__model__">1 0 0</xyz></axis>'),
        ("1.9", "1 0 0 0 0 0.5", '<axis><xyz expressed_in="f">0 -1 0</xyz></axis>'),
        ("1.11", "1 0 0 0 0 28.64788975654116", f"<axis><xyz>{math.cos(0.5)!r} {-math.sin(0.5)!r} 0</xyz></axis>"),
    ],
)
def test_axes_of_all_versions(read, version, there, axis):
    """The same axis, along x of the model, of a link that is turned by 0.5 rad about z."""
    parts = link("a", pose(there, degrees=str(version == "1.11").lower())), joint("j", "revolute", "world", "a", axis)
    frame = '<frame name="f"><pose>0 0 0 0 0 1.5707963267948966</pose></frame>'
    found = read(model(*parts, frame if version == "1.9" else "", version=version)).joints["j"]
    body, p, R = place(found.parent)
    np.testing.assert_allclose(R @ [one.value for one in found.axis], [1, 0, 0], rtol=0, atol=1e-15)
    assert (body, p.tolist(), found.child) == ("ground", [1, 0, 0], "a")


def test_poses_follow_frames_joints_and_models(read):
    """A link relative to a joint, which is relative to a frame on a link, in a model that is placed in another one."""
    arm = (
        f'<model name="arm">{pose("0 2 0 0 0 1.5707963267948966")}{link("a", pose("1 0 0 0 0 0"))}'
        f'<frame name="f" attached_to="a">{pose("0 0 1 0 0 0")}</frame>'
        f"{link('b', pose('0 0 3 0 0 0', relative_to='j'))}"
        f"{joint('j', 'revolute', 'f', 'b', pose('0 0 2 0 0 0', relative_to='f') + Z)}</model>"
    )
    found = read(model(arm, link("c", pose("0 0 1 0 0 0")), joint("k", "fixed", "c", "arm::a", "")))
    assert list(found.bodies) == ["c", "arm_a", "arm_b"]
    body, p, _ = place(found.joints["arm_j"].parent)
    assert (body, p.tolist()) == ("arm_a", [0, 0, 3])
    body, p, _ = place(found.joints["arm_j"].child)
    assert (body, p.tolist()) == ("arm_b", [0, 0, -3])
    body, p, R = place(found.joints["k"].parent)
    assert (body, p.tolist()) == ("c", [0, 3, -1])  # round-off of a turn by 90° is cleaned away
    np.testing.assert_allclose(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], rtol=0, atol=1e-15)


def test_what_no_joint_holds_flies_and_what_is_static_stands(read):
    flying = f'<model name="m">{pose("1 2 3 0 0 0.5")}{link("a")}{link("b")}{joint("j", "revolute", "b", "a")}</model>'
    floor = f'<model name="floor"><static>true</static>{pose("0 0 -1 0 0 0")}{link("slab")}</model>'
    found = read(sdf(f'<world name="w">{flying}{floor}</world>'))
    assert list(found.joints) == ["floor_slab_fixed", "b_free", "j"]
    assert place(found.joints["floor_slab_fixed"].parent)[1].tolist() == [0, 0, -1]
    assert [one.value for one in found.initial["b_free"].position] == [1, 2, 3]
    assert [one.value for one in found.gravity] == [0, 0, -9.8]  # the default of worlds


def test_a_joint_whose_child_is_static_holds_its_parent(read):
    """A rod on a wall: θ̈ = m g l/(I + m l²) about the axis, and the coordinate is that of the wall against the rod."""
    mass = f"<inertial>{pose('0.5 0 0 0 0 0')}<mass>1</mass></inertial>"
    wall = f'<model name="wall"><static>1</static>{link("stone")}</model>'
    rod = f'<model name="rod">{link("bar", mass=mass)}</model>'
    hinge = joint("j", "revolute", "rod::bar", "wall::stone", "<axis><xyz>0 1 0</xyz></axis>")
    found = read(sdf(f'<world name="w">{wall}{rod}{hinge}</world>', version="1.11"))
    assert list(found.joints) == ["wall_stone_fixed", "j"]
    acceleration = cardan.compile(found).forward_dynamics([0.0], [0.0], [0.0])
    assert acceleration == pytest.approx([-9.8 * 0.5 / 1.25], rel=1e-14)  # round-off


def test_gravity_is_that_of_the_world_and_a_link_may_be_without(read):
    inside = "<gravity>0</gravity>"
    text = sdf(
        f'<world name="w"><gravity>0 0 -2</gravity><model name="m">{link("a", inside)}{link("b")}</model></world>'
    )
    run = cardan.simulate(read(text), until=1.0)
    assert run["a.position"][-1, 2] == pytest.approx(0, abs=1e-12)
    assert run["b.position"][-1, 2] == pytest.approx(-1, rel=1e-9)
    older = sdf('<world name="w"><physics><gravity>0 0 -3</gravity></physics>', model(link("a"))[19:-6], "</world>")
    assert read(older).gravity[2].value == -3


# joints


def test_limits_dampers_and_springs(read):
    limit = "<limit><lower>-1</lower><upper>inf</upper><effort>-1</effort><velocity>3</velocity></limit>"
    dynamics = (
        "<dynamics><damping>0.1</damping><friction>0.2</friction>"
        "<spring_stiffness>4</spring_stiffness><spring_reference>0.5</spring_reference></dynamics>"
    )
    text = model(link("a"), joint("j", "revolute", "world", "a", f"<axis><xyz>0 0 1</xyz>{limit}{dynamics}</axis>"))
    found = read(text).joints["j"]
    assert [found.damping.value, found.stiffness.value, found.rest.value] == [0.1, 4, 0.5]
    assert (found.friction.effort.value, found.velocity_limit.value, found.effort_limit) == (0.2, 3, None)
    assert found.position_limits[0].value == -1
    assert found.position_limits[1].value > 1e38
    assert read(text, stops=True).joints["j"].limits.lower.value == -1
    assert read(text, regularize=0.01).joints["j"].friction.regularize.value == 0.01
    assert read(text.replace("<lower>-1", "<lower>-1e16")).joints["j"].position_limits is None


def test_two_axes_have_dampers_and_stops_of_their_own(read):
    axes = "".join(
        f"<{tag}><xyz>{xyz}</xyz><dynamics><damping>{d}</damping></dynamics><limit><lower>-1</lower></limit></{tag}>"
        for tag, xyz, d in (("axis", "1 0 0", 0.1), ("axis2", "0 1 0", 0.2))
    )
    found, words = warned(read, model(link("a"), joint("j", "revolute2", "world", "a", axes)), stops=True)
    assert [one.value for one in found.joints["j"].damping] == [0.1, 0.2]
    assert [found.joints["j"].limits[key].lower.value for key in ("r1", "r2")] == [-1, -1]
    assert words == []


@pytest.mark.parametrize(
    ("inside", "lead"),
    [
        ("<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02),
        ("<thread_pitch>-628.3185307179587</thread_pitch>", 0.01),
    ],
)
def test_screws_have_a_lead(read, inside, lead):
    """The older word is an angle per advance, against the sense of a right-handed thread."""
    found = read(model(link("a"), joint("j", "screw", "world", "a", inside + Z)))
    assert found.joints["j"].lead.value == pytest.approx(lead, rel=1e-15)


def test_a_joint_that_mimics_another_one(read):
    mimic = '<mimic joint="j"><multiplier>-2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>'
    parts = (
        joint("j", "revolute", "world", "a"),
        joint("k", "revolute", "world", "b", Z.replace("</axis>", f"{mimic}</axis>")),
    )
    run = cardan.simulate(read(model(link("a"), link("b"), *parts)), until=0.5, inputs={"j": 1.0})
    np.testing.assert_allclose(run["k.q"], -2 * (run["j.q"] - 0.1) + 0.5, rtol=0, atol=1e-9)
    assert abs(run["j.q"][-1]) > 0.01


def test_a_gearbox_couples_two_joints(read):
    """Gears of 1:4 whose one hinge is given from the wheel to the frame: θ₂ = −4 θ₁ against the frame."""
    axes = "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2>"
    words = f"<gearbox_ratio>4</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>{axes}"
    parts = (
        *(joint("hold", "fixed", "world", "base", ""), joint("j", "revolute", "base", "a")),
        *(joint("k", "revolute", "b", "base"), joint("gear", "gearbox", "a", "b", words)),
    )
    text = model(link("base"), link("a"), link("b"), *parts)
    run = cardan.simulate(read(text), until=0.5, inputs={"j": 1.0})
    np.testing.assert_allclose(run["k.q"], -4 * run["j.q"], rtol=0, atol=1e-9)  # θ₁ = j; θ₂ = (−1)(−k) about −z
    # M = 1 + 16 of unit moments of inertia that 1 N m turns from rest
    np.testing.assert_allclose(run["j.q"][-1], 0.5 * 0.5**2 / 17, rtol=1e-8)
    with pytest.raises(ModelError, match="no revolute joint of its own joins 'm::b' with 'm::base'"):
        read(text.replace('"k" type="revolute"', '"k" type="prismatic"'))
    with pytest.raises(ModelError, match="its <axis2> is not along that of the joint 'm::k'"):
        read(text.replace("0 0 -1", "0 1 -1"))
    with pytest.raises(ModelError, match="no revolute joint of its own joins 'm::a' with 'm::base'"):
        read(text.replace("<child>b</child>", "<child>a</child>"))


def test_joints_close_loops(read):
    """A parallelogram, whose coupler does not turn."""
    bars = link("a", pose("0 0 0 0 0 0")), link("b", pose("0 0 1 0 0 0")), link("c", pose("2 0 0 0 0 0"))
    y = "<axis><xyz>0 1 0</xyz>{}</axis>"
    damped = y.format("<dynamics><damping>0.1</damping></dynamics>")
    hinges = [
        ("j", "world", "a", damped),
        ("k", "a", "b", y.format("")),
        ("l", "world", "c", y.format("")),
        ("n", "b", "c", pose("0 0 1 0 0 0") + y.format("")),
    ]
    text = model(*bars, *(joint(name, "revolute", a, b, inside) for name, a, b, inside in hinges))
    found = read(text)
    run = cardan.simulate(found, until=0.5, inputs={"j": 3.0})
    assert run["j.q"][-1] > 0.1
    np.testing.assert_allclose(run["b.position"][:, 0], np.sin(run["j.q"]), rtol=0, atol=1e-9)
    assert found.joints["j"].damping.value == 0.1
    all_damped, words = warned(read, text.replace(y.format(""), damped))
    assert "damping of joints that close loops of such joints (n)" in words[0]
    assert (all_damped.joints["n"].cut, all_damped.joints["n"].damping) == (True, None)


def test_names_of_joints_may_be_those_of_links_in_older_files(read):
    found = read(
        model(
            link("a"), link("b"), joint("a", "revolute", "world", "a"), joint("b", "fixed", "a", "b", ""), version="1.5"
        )
    )
    assert list(found.bodies) == ["a", "b"]
    assert [one.type for one in found.joints.values()] == ["revolute", "fixed"]


# contacts


def test_collision_shapes_touch_as_gazebo_lets_them(read):
    """Shapes of one model touch only where it says so; those of others always, the floor among them."""
    text = sdf(
        '<world name="w"><gravity>0 0 -9.81</gravity>',
        f'<model name="m">SELF{"".join(link(name, BALL.format(name)) for name in "ab")}</model>',
        f'<model name="floor"><static>1</static>{pose("0 0 -1 0 0 0")}',
        link("slab", f'<collision name="c"><geometry><plane/></geometry>{MU.format(0.3)}</collision>', ""),
        "</model></world>",
    )
    assert list(read(text.replace("SELF", ""), contacts=True).contacts) == ["a_c", "b_c"]
    everything = text.replace("SELF", "<self_collide>1</self_collide>")
    found, words = warned(read, everything, contacts=True)
    assert words == []
    assert list(found.contacts) == ["a_b", "a_c", "b_c"]
    assert [one.friction.coefficient.value for one in found.contacts.values()] == [1, 0.3, 0.3]
    assert read(everything).contacts == {}


# files


def test_models_are_included_and_placed(read, tmp_path):
    parts = tmp_path / "parts"
    (parts / "wheel").mkdir(parents=True)
    (parts / "wheel" / "model.sdf").write_text(model(link("rim"), name="wheel"))
    text = sdf(
        '<world name="w"><include><uri>model://parts/wheel</uri></include>',
        f"<include><uri>parts/wheel/model.sdf</uri>{pose('0 5 0 0 0 0')}<name>second</name><static>1</static>",
        "</include>",
        "<include><uri>model://sun</uri></include></world>",
    )
    found, words = warned(read, text)
    assert list(found.bodies) == ["rim", "second_rim"]
    assert place(found.joints["second_rim_fixed"].parent)[1].tolist() == [0, 5, 0]
    assert any("included models that are not found, left out (model://sun)" in one for one in words)
    with pytest.raises(ModelError, match="is not in the folder or package of the file"):
        read(text, strict=True)


def test_parts_of_a_merged_model_are_those_of_the_one_that_includes_it(read, tmp_path):
    """Their poses and axes stay in the frame of the included model, which is at x = 1 m, turned by 90° about z."""
    parts = (
        link("cam", pose("0 1 0 0 0 0")),
        link("lens", pose("0 0 1 0 0 0", relative_to="cam")),
        f'<frame name="eye">{pose("0 0 5 0 0 0")}</frame>',
        joint("focus", "revolute", "eye", "lens", '<axis><xyz expressed_in="__model__">1 0 0</xyz></axis>'),
        f'<model name="lid">{pose("0 2 0 0 0 0")}{link("cap")}</model>',
        joint("hood", "fixed", "__model__", "lid::cap", ""),
    )
    (tmp_path / "camera.sdf").write_text(model(*parts, name="camera"))
    there = pose("1 0 0 0 0 90", degrees="true")
    found = read(
        model(
            link("base", pose("0 0 10 0 0 0")),
            f'<include merge="true"><uri>camera.sdf</uri>{there}</include>',
            joint("mount", "fixed", "base", "cam", ""),
        )
    )
    assert list(found.bodies) == ["base", "cam", "lens", "lid_cap"]
    body, position, R = place(found.joints["mount"].parent)
    assert body == "base"
    np.testing.assert_allclose(position, [0, 0, -10], atol=1e-15)
    np.testing.assert_allclose(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    body, position, R = place(found.joints["focus"].parent)
    assert body == "cam"
    np.testing.assert_allclose(position, [0, 0, 1], atol=1e-15)
    assert [one.value for one in found.joints["focus"].axis] == [1, 0, 0]
    body, position, _ = place(found.joints["hood"].parent)
    assert body == "cam"
    np.testing.assert_allclose(position, [0, 1, 0], atol=1e-15)


def test_a_file_outside_is_included_only_where_it_is_allowed(tmp_path):
    for name in ("robot", "wheel"):
        (tmp_path / name).mkdir()
    (tmp_path / "wheel" / "model.sdf").write_text(model(link("rim")))
    path = tmp_path / "robot" / "r.sdf"
    path.write_text(model("<include><uri>model://wheel</uri></include>"))
    with pytest.raises(
        ModelError, match=r"r.sdf:1: model://wheel is not in the folder or package of the file\n.*allow="
    ):
        load(path)
    assert list(load(path, allow=tmp_path).bodies) == ["m_rim"]
    path.write_text(model("<include><uri>../wheel/model.sdf</uri></include>"))
    with pytest.raises(ModelError, match="is not in the folder"):
        load(path)


def test_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "r.sdf"
    path.write_text(model(link("a"), "\n", joint("j", "revolute", "world", "a")))
    assert {key: format_of(path).lines(path)[key] for key in (("bodies", "a"), ("joints", "j"))} == {
        ("bodies", "a"): 1,
        ("joints", "j"): 2,
    }


def test_other_elements_are_left_out_with_a_line(read):
    parts = '<plugin name="p"/>', link("a", '<sensor name="s"/><inertail/>'), joint("j", "revolute", "world", "a")
    found, words = warned(read, model(*parts))
    assert len(found.bodies) == 1
    assert "left out: plugins, sensors, lights and the like (<plugin> in line 1, <sensor> in line 1)" in words[0]
    assert "left out: unknown elements <inertail>, perhaps <inertial> (line 1)" in words[1]


def test_models_are_not_written_as_sdf(read, tmp_path):
    found = read(model(link("a")))
    with pytest.raises(ModelError, match="models are not written as SDF"):
        save(found, tmp_path / "again.sdf")
    assert "bodies:" in dump(found)


# faults

ARM = model(link("a"), joint("j", "revolute", "world", "a"))
FAULTS = {
    "cut short": (ARM[: len(ARM) // 2], "this is not XML"),
    "another document": ("<robot/>", "outermost element <robot>, not an SDF file"),
    "no version": ("<sdf/>", "<sdf> has no attribute version"),
    "no link": (model(), "the file has no link"),
    "a link in no model": (sdf(link("a")), "the file has no link"),
    "no name": (model("<link/>"), "<link> has no attribute name"),
    "two links": (model(link("a"), link("a")), "there are two links 'a'"),
    "a link and a frame": (
        model(link("a"), '<frame name="a"/>'),
        "there is another link, frame or model 'a', or SDF itself has it",
    ),
    "no type": (ARM.replace(' type="revolute"', ""), "<joint> has no attribute type"),
    "an unknown type": (ARM.replace("revolute", "revolut"), "there is no joint of type 'revolut'"),
    "no parent": (ARM.replace("<parent>world</parent>", ""), "the joint has no <parent>"),
    "an unknown link": (ARM.replace("<child>a<", "<child>b<"), "there is no link or frame 'b'"),
    "an unknown frame": (ARM.replace(Z, pose("1 0 0 0 0 0", relative_to="f") + Z), "there is no link or frame 'f'"),
    "the world as child": (ARM.replace("<child>a<", "<child>world<"), "cannot be the world"),
    "itself": (ARM.replace("<parent>world<", "<parent>a<"), "connects 'm::a' with itself"),
    "no axis": (ARM.replace(Z, ""), "the joint has no <axis> with <xyz>"),
    "an axis of length 0": (ARM.replace("0 0 1", "0 0 0"), "the axis has length 0"),
    "two numbers": (ARM.replace("0 0 1", "0 1"), "xyz of <axis> has 2 numbers in place of 3"),
    "not a number": (ARM.replace("<mass>1", "<mass>nan"), "value of <mass> is 'nan', which is no finite number"),
    "too large": (ARM.replace("<mass>1", "<mass>1e999"), "which is no finite number"),
    "a negative mass": (ARM.replace("<mass>1", "<mass>-1"), "bodies.a.mass"),
    "a pitch of 0": (
        ARM.replace("revolute", "screw").replace(Z, f"<thread_pitch>0</thread_pitch>{Z}"),
        "thread_pitch is 0",
    ),
    "a quaternion of 0": (
        model(link("a", pose("0 0 0 0 0 0 0", rotation_format="quat_xyzw"))),
        "the quaternion is 0",
    ),
    "a pose of five": (model(link("a", pose("0 0 0 0 0"))), "value of <pose> has 5 numbers in place of 6"),
    "poses in a ring": (
        model(link("a", pose("1 0 0 0 0 0", relative_to="b")), link("b", pose("1 0 0 0 0 0", relative_to="a"))),
        "its pose is relative to one that is relative to it",
    ),
    "attached in a ring": (
        model(
            *(link("a"), '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'),
            joint("j", "fixed", "world", "f", pose("0 0 0 0 0 0", relative_to="a")),
        ),
        "it is attached to what is attached to it",
    ),
    "an empty model": (
        model('<model name="e"/>', link("a"), joint("j", "fixed", "e", "a", "")),
        "the model 'm::e' has no link",
    ),
    "masses of shapes": (model(link("a", mass='<inertial auto="true"/>')), "masses of shapes are not read"),
    "a placement frame": (
        sdf(f'<model name="m" placement_frame="a">{link("a")}</model>'),
        "placement_frame is not read",
    ),
    "no radius": (
        model(link("a", '<visual name="v"><geometry><sphere/></geometry></visual>')),
        "<sphere> has no attribute radius",
    ),
    "two worlds": (sdf('<world name="a"/><world name="b"/>'), "<sdf> has 2 elements <world>"),
    "no uri": (model("<include/>"), "<include> has no attribute uri"),
    "itself included": (model("<include><uri>r.sdf</uri></include>"), "r.sdf includes itself"),
}


@pytest.mark.parametrize(("text", "fault"), FAULTS.values(), ids=FAULTS)
def test_faults_have_file_line_and_cure(tmp_path, text, fault):
    path = tmp_path / "r.sdf"
    path.write_text(text)
    with pytest.raises(ModelError) as error:
        load(path)
    assert fault in str(error.value)
    assert str(error.value).startswith(f"{path}:1: ")
    assert all(issue.cure for issue in error.value.issues)


def test_files_that_are_included_have_their_own_lines(read, tmp_path):
    (tmp_path / "b.sdf").write_text(
        "\n\n<sdf version='1.9'>\n<model name='b'><link name='a'><pose>x</pose></link></model></sdf>"
    )
    with pytest.raises(ModelError, match=r"r.sdf:1: .*b.sdf:4: .*'x'"):
        read(model("<include><uri>b.sdf</uri></include>"))
    (tmp_path / "b.sdf").write_text("<sdf version='1.9'>\n<model>")
    with pytest.raises(ModelError, match=r"r.sdf:1: b.sdf:2: this is not XML"):
        read(model("<include><uri>b.sdf</uri></include>"))
    (tmp_path / "b.sdf").write_text("<sdf version='1.9'/>")
    with pytest.raises(ModelError, match=r"b.sdf has 0 models"):
        read(model("<include><uri>b.sdf</uri></include>"))


def test_the_size_of_what_is_included_is_bounded(read, tmp_path, monkeypatch):
    """Each file includes the next one ten times."""
    monkeypatch.setattr(document, "MAX_NODES", 5000)
    for k in range(8):
        inside = "".join(f"<include><uri>f{k + 1}.sdf</uri><name>n{i}</name></include>" for i in range(10))
        (tmp_path / f"f{k}.sdf").write_text(model(inside, link("a")))
    (tmp_path / "f8.sdf").write_text(model(link("a")))
    with pytest.raises(ModelError, match="the included files have more than"):
        read(model("<include><uri>f0.sdf</uri></include>"))
    monkeypatch.setattr(document, "MAX_SIZE", 5000)  # bytes: a long file may have few elements
    (tmp_path / "f8.sdf").write_text(model(link("a"), " " * 2000))
    with pytest.raises(ModelError, match=r"the included files have more than .* MB"):
        read(model("".join(f"<include><uri>f8.sdf</uri><name>n{i}</name></include>" for i in range(3))))
    (tmp_path / "r.sdf").write_bytes(b" " * (MAX_SIZE + 1))
    with pytest.raises(ModelError, match="has more than 10 MB"):
        load(tmp_path / "r.sdf")
