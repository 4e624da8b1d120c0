"""MJCF files → models: what their elements mean, what is left out, what is refused."""

import random
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cardan
from cardan.cli.program import program
from cardan.errors import ModelError
from cardan.formats import load, save
from cardan.formats.mjcf import load_mjcf
from cardan.formats.mjcf.words import ATTRIBUTES, SECTIONS
from cardan.formats.registry import format_of
from tests.formats.test_urdf import warned

MASS = '<inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>'


@pytest.fixture
def read(tmp_path):
    """Reads a text as an MJCF file."""

    def read(inside, around="", **options):
        text = f'<mujoco model="m">{around}<worldbody>{inside}</worldbody></mujoco>'
        (tmp_path / "m.xml").write_text(text)
        return load_mjcf(tmp_path / "m.xml", **options)

    return read


def body(name, *inside, place=""):
    return f'<body name="{name}" {place}>{"".join(inside) or MASS}</body>'


def values(numbers):
    return [entry.value for entry in numbers]


def test_bodies_stand_inside_each_other(read):
    model = read(body("a", MASS, body("b", MASS, '<joint name="j" axis="1 0 0"/>', place='pos="0 0 1"')))
    expected = cardan.Model(
        name="m",
        bodies={"a": {"mass": 2, "inertia": [1, 1, 1]}, "b": {"mass": 2, "inertia": [1, 1, 1]}},
        joints={
            "a_fixed": {"type": "fixed", "parent": "ground", "child": "a"},
            "j": {"type": "revolute", "parent": {"body": "a", "position": [0, 0, 1]}, "child": "b", "axis": [1, 0, 0]},
        },
    )
    assert model == expected


@pytest.mark.parametrize(
    ("kind", "expected"), [("hinge", "revolute"), ("slide", "prismatic"), ("ball", "spherical"), ("free", "free")]
)
def test_every_type_of_joint(read, kind, expected):
    model = read(body("a", MASS, f'<joint type="{kind}"/>'))
    assert [(name, joint.type) for name, joint in model.joints.items()] == [(f"a_{kind}", expected)]


def test_a_free_body_starts_where_the_file_puts_it(read):
    model = read(body("a", MASS, "<freejoint/>", place='pos="1 2 3" euler="0 0 90"'))
    found = cardan.assemble(model).q
    assert [found[f"a_free.{x}"] for x in "xyz"] == [1, 2, 3]
    assert found["a_free.qz"] == pytest.approx(np.sqrt(0.5), abs=1e-15)
    assert not read(body("a", MASS, "<freejoint/>")).initial


def test_several_joints_of_a_body_have_massless_bodies_between(read):
    model = read(body("a", MASS, '<joint name="x" type="slide"/>', '<joint name="y"/>', '<joint name="z"/>'))
    assert list(model.bodies) == ["a_x", "a_y", "a"]
    assert [(joint.parent, joint.child) for joint in model.joints.values()] == [
        ("ground", "a_x"),
        ("a_x", "a_y"),
        ("a_y", "a"),
    ]


@pytest.mark.parametrize(
    "orientation",
    [
        'quat="0.5 0 0 0.5"',
        'axisangle="0 0 2 90"',
        'euler="0 0 90"',
        'xyaxes="0 1 0 -3 1 0"',
        'euler="90 0 0"" eulerseq="zyx',
        'axisangle="0 0 1 1.5707963267948966"" angle="radian',
    ],
)
def test_orientations_that_are_a_quarter_turn_about_z(read, orientation):
    place, _, compiler = orientation.partition('"" ')
    around = f'<compiler {compiler}"/>' if compiler else ""
    place = f'{place}"' if compiler else place
    joint = read(body("a", MASS, "<joint/>", place=place), around).joints["a_hinge"]
    assert values(joint.parent.rpy) == pytest.approx([0, 0, np.pi / 2], abs=1e-15)


def test_euler_angles_about_axes_that_stand_still(read):
    """XYZ: first about x, then y, then z of the parent, as roll, pitch and yaw."""
    for sequence, angles in (("XYZ", "10 20 30"), ("zyx", "30 20 10")):
        text = body("a", MASS, "<joint/>", place=f'euler="{angles}"')
        joint = read(text, f'<compiler eulerseq="{sequence}"/>').joints["a_hinge"]
        assert values(joint.parent.rpy) == pytest.approx(np.radians([10, 20, 30]), abs=1e-15)


def test_what_a_joint_has(read):
    keys = 'damping="0.1" stiffness="5" springref="30" ref="10" frictionloss="0.2" armature="1" range="-90 90"'
    model, texts = warned(read, body("a", MASS, f'<joint name="j" {keys}/>'))
    joint = model.joints["j"]
    assert [joint.damping.value, joint.stiffness.value, joint.friction.effort.value] == [0.1, 5, 0.2]
    assert joint.armature.value == 1
    assert joint.rest.value == pytest.approx(np.radians(20), abs=1e-15)
    assert texts == ["m.xml: left out: ref, so that coordinates begin at 0 (j)"]
    assert values(joint.position_limits) == pytest.approx(np.radians([-100, 80]), abs=1e-15)
    limits = read(body("a", MASS, f'<joint name="j" {keys}/>'), stops=True).joints["j"].limits
    assert [limits.lower.value, limits.upper.value] == pytest.approx(np.radians([-100, 80]), abs=1e-15)
    slide = read(body("a", MASS, '<joint name="j" type="slide" range="-1 2" limited="true"/>'), stops=True).joints["j"]
    assert [slide.limits.lower.value, slide.limits.upper.value] == [-1, 2]
    free = read(body("a", MASS, '<joint name="j" range="-1 2"/>'), '<compiler autolimits="false"/>', stops=True)
    assert free.joints["j"].limits is None
    ball, texts = warned(read, body("a", MASS, '<joint name="j" type="ball" damping="0.3" stiffness="1"/>'))
    assert (ball.joints["j"].damping.value, list(ball.forces)) == (0.3, ["j_spring"])
    assert not texts
    _, texts = warned(read, body("a", MASS, '<joint name="j" springdamper="0.1 1" springyield="1" armature="0.0"/>'))
    assert texts == [
        "m.xml: left out: springyield, beyond which a spring gives way (j)",
    ]


def test_a_free_joint_with_friction_slides_and_turns_to_rest(read):
    """From 1 m/s by 1.5 m/s², and from 3 rad/s by 3 rad/s²; its weight along z is less than its friction."""
    key = '<keyframe><key qpos="1 2 3 1 0 0 0" qvel="0 1 0 0 3 0"/></keyframe><option gravity="0 0 -1"/>'
    text = body("a", MASS, '<joint name="j" type="free" frictionloss="3"/>', place='pos="9 9 9" euler="0 0 90"')
    model, texts = warned(read, text, key)
    assert not texts
    assert [joint.type for joint in model.joints.values()] == [*["prismatic"] * 3, "spherical"]
    run = cardan.simulate(model, until=2)
    ends = [run.array(name)[-1] for name in ("j_x.q", "j_y.q", "j_z.q", "j.qw.q", "j.qy.q")]
    expected = [1, 2 + 1 / 3, 3, np.cos(0.75), np.sin(0.75)]  # a turn by 1.5 rad
    assert ends == pytest.approx(expected, abs=1e-6)  # of a ball, friction ends at a speed that is not quite zero
    start = cardan.assemble(read(text)).q
    assert [start[f"j_{axis}"] for axis in "xyz"] == [9, 9, 9]
    assert start["j.qz"] == pytest.approx(np.sqrt(0.5), abs=1e-15)


def test_frames_that_mujoco_would_align_are_those_of_the_file(read):
    for compiler, align, count in (
        ("", 'align="true"', 1),
        ('alignfree="true"', "", 1),
        ('alignfree="true"', 'align="false"', 0),
    ):
        _, texts = warned(read, body("a", MASS, f'<freejoint name="j" {align}/>'), f"<compiler {compiler}/>")
        assert texts == ["m.xml: left out: align: coordinates are those of the frame in the file (j)"] * count


def test_classes_of_defaults(read):
    around = """<default><joint damping="1"/><geom type="box" size="1 1 1" density="3" quat="0 1 0 0"/>
        <default class="inner"><joint axis="1 0 0"/><geom density="5"/></default></default>
        <default><geom rgba="1 0 0 1"/></default>"""
    parts = ('<joint name="{0}"/>', "<geom/>")
    text = body("a", *parts).format("j") + body("b", *parts, place='childclass="inner"').format("k")
    model = read(text + body("c", '<joint name="l" class="main"/>', '<geom class="inner" euler="0 0 0"/>'), around)
    assert [joint.damping.value for joint in model.joints.values()] == [1, 1, 1]
    assert [values(joint.axis)[0] for joint in model.joints.values()] == [0, 1, 0]
    assert [one.mass.value for one in model.bodies.values()] == [24, 40, 40]
    assert [one.shapes[0].color for one in model.bodies.values()] == ["#ff0000", "", ""]  # as in MuJoCo: added later
    assert [one.shapes[0].rpy is None for one in model.bodies.values()] == [False, False, True]


def test_masses_come_from_the_body_or_its_geoms(read):
    geom = '<geom type="box" size="0.5 1 1.5" mass="12" pos="0 0 1"/>'
    for setting, mass in (("auto", 2), ("true", 12), ("false", 2)):
        assert read(body("a", MASS, geom), f'<compiler inertiafromgeom="{setting}"/>').bodies["a"].mass.value == mass
    own = read(body("a", geom)).bodies["a"]
    assert values(own.com) == [0, 0, 1]
    assert values(own.inertia) == pytest.approx([13, 10, 5, 0, 0, 0])  # m/12 (b² + c²) of edges 1, 2, 3
    assert read(body("a", geom), '<compiler inertiafromgeom="false"/>').bodies["a"].mass.value == 0
    nothing = '<geom type="plane" size="1 1 1"/><geom size="1" mass="0"/><geom size="1" density="0"/>'
    assert read(body("a", nothing)).bodies["a"].mass.value == 0


def test_shapes_of_geoms(read):
    geoms = '<geom size="1"/><geom type="cylinder" size="1 2"/><geom type="capsule" size="1" fromto="0 0 0 0 0 3"/>'
    model, texts = warned(read, body("a", geoms + '<geom type="ellipsoid" size="1 2 3"/>'))
    assert [shape.type for shape in model.bodies["a"].shapes] == ["sphere", "cylinder", "capsule"]
    capsule = model.bodies["a"].shapes[2]
    assert (capsule.length.value, values(capsule.position)) == (3, [0, 0, 1.5])
    assert texts == [
        "m.xml: left out: contacts of geoms, which contacts=True reads",
        "m.xml: shapes of type ellipsoid, not drawn",
    ]


def test_meshes_are_drawn_from_their_files(read, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/arm.stl").write_text("solid")
    around = """<compiler meshdir="parts"/><default><mesh scale="0.001 0.001 0.001"/></default><asset>
        <mesh file="arm.stl"/><mesh name="flat" file="arm.stl" scale="1 1 0.5"/><mesh name="gone" file="b.stl"/>
        </asset>"""
    geoms = [f'<geom type="mesh" mesh="{name}" pos="0 0 1"/>' for name in ("arm", "flat", "gone", "made")]
    model, texts = warned(read, body("a", MASS, *geoms, '<geom type="box" mesh="arm" mass="0"/>'), around)
    (shape,) = model.bodies["a"].shapes
    assert (shape.file, shape.scale, values(shape.position)) == (str(tmp_path / "parts/arm.stl"), 0.001, [0, 0, 1])
    assert texts[1:] == [
        "m.xml: meshes that are mirrored, moved or scaled by direction, not drawn (arm.stl)",
        "m.xml: meshes not found in the folder or package of the file, not drawn; allow= gives other folders "
        "(parts/b.stl)",
        "m.xml: meshes that are in no file, not drawn (made)",
        "m.xml: shapes of type box, not drawn",
    ]


def test_cords_other_than_linear_springs_between_two_sites_are_noted(read):
    """A straight one with a limit keeps its spring."""
    sites = {"a": ("s", "t"), "b": ("u",)}
    bodies = (
        body(name, MASS, "".join(f'<joint/><site name="{one}"/>' for one in ones)) for name, ones in sites.items()
    )
    cords = {
        "slack": ('stiffness="1" springlength="1 2"', "su"),
        "curved": ('stiffness="1 2"', "su"),
        "wound": ('stiffness="1"', "stu"),
        "inside": ('damping="1"', "st"),
        "limited": ('stiffness="5" springlength="2 2" range="0 3"', "us"),
    }
    listed = "".join(
        f'<spatial name="{name}" {keys}>{"".join(f"""<site site="{site}"/>""" for site in ends)}</spatial>'
        for name, (keys, ends) in cords.items()
    )
    model, texts = warned(read, "".join(bodies), f"<tendon>{listed}</tendon>")
    assert (
        "m.xml: left out: springs, friction and limits of tendons (slack, curved, wound, inside, … 5 in all)" in texts
    )
    (spring,) = model.forces.values()
    assert (spring.stiffness.value, spring.damping.value, spring.rest_length.value) == (5, 0, 2)
    assert (spring.parent, spring.child) == ("b", "a")


def test_what_drives_or_acts_is_left_out(read):
    around = """<option gravity="0 0 -1" density="1.2"/><tendon><spatial name="cord" range="0 1"/><fixed name="rest"/>
        </tendon><sensor/><asset/><visual/><statistic/><deformable><skin/><flex name="cloth"/></deformable>"""
    model, texts = warned(read, body("a", MASS, '<joint name="j"/>', place='mocap="true"'), around)
    assert values(model.gravity) == [0, 0, -1]
    assert texts == [
        "m.xml: left out: mocap (a)",
        "m.xml: left out: springs, friction and limits of tendons (cord)",
        "m.xml: left out: deformable flex (cloth)",
        "m.xml: left out: forces of the fluid around (line 1)",
        "m.xml: skins, not drawn (line 2)",
    ]


KEYS = 'damping="1" stiffness="2" frictionloss="3" range="-1 1"'


@pytest.mark.parametrize(
    ("flag", "kept"),
    [
        ("spring", {"damping", "friction", "limits"}),
        ("damper", {"stiffness", "friction", "limits"}),
        ("passive", {"friction", "limits"}),
        ("frictionloss", {"damping", "stiffness", "limits"}),
        ("limit", {"damping", "stiffness", "friction"}),
        ("constraint", {"damping", "stiffness"}),
        ("contact", {"damping", "stiffness", "friction", "limits"}),
    ],
)
def test_what_a_flag_disables_is_not_there(read, flag, kept):
    around = f'<option><flag {flag}="disable"/></option><equality><joint joint1="j"/></equality>'
    model = read(body("a", MASS, f'<joint name="j" {KEYS}/>'), around, stops=True)
    joint = model.joints["j"]
    assert {key for key in ("damping", "stiffness", "friction", "limits") if getattr(joint, key) is not None} == kept
    assert bool(model.constraints) == (flag != "constraint")
    assert values(model.gravity) == [0, 0, -9.81]


def test_gravity_and_equalities_can_be_disabled(read):
    around = '<option gravity="0 0 -1"><flag gravity="disable" equality="disable"/></option><equality><odd/></equality>'
    model = read(body("a", MASS, '<joint name="j"/>'), around)
    assert (values(model.gravity), list(model.constraints)) == ([0, 0, 0], [])


def test_misspelt_words_are_named(read):
    joint = '<joint name="j" dampng="1"/>'
    around = '<wordbody/><default><geom masss="1" x:y="0" xmlns:x="u"/></default>'
    _, texts = warned(read, body("a", MASS, joint), around)
    assert texts == [
        "m.xml: left out: unknown elements <wordbody>, perhaps <worldbody> (line 1)",
        "m.xml: left out: unknown attribute masss of <geom>, perhaps mass (line 1)",
        "m.xml: left out: unknown attribute dampng of <joint>, perhaps damping (line 1)",
    ]


def test_the_words_are_those_of_mujoco():
    """Its schema has one element a line, `joint (*)  attributes…`, with further attributes in lines of their own."""
    mujoco = pytest.importorskip("mujoco")
    found: list[tuple[str, int, set[str]]] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if begins := re.match(r"(\s*)(\S+) \(.\)(.*)", line):
            found.append((begins[2], len(begins[1]), set(begins[3].split())))
        elif found:
            found[-1][2].update(line.split())
    depth = next(depth for tag, depth, _ in found if tag == "compiler")
    sections = {tag.replace("(world)body", "worldbody") for tag, at, _ in found if at == depth}
    assert sections <= set(SECTIONS)
    inside = False
    for tag, at, words in found:
        inside = tag in ("default", "(world)body") if at == depth else inside
        name = tag.replace("(world)", "")
        if name == "compiler" or (inside and at <= 2 * depth and name in ATTRIBUTES):
            assert words <= ATTRIBUTES[name], name


def test_relations_of_joints_are_couplers(read):
    text = body("a", MASS, '<joint name="j"/>') + body("b", MASS, '<joint name="k"/>')
    around = """<equality><joint joint1="j" joint2="k" polycoef="0.1 -2 0 0 0"/><joint active="false" joint1="j"/>
        </equality>"""
    found = cardan.assemble(read(text, around), {"k": 0.3}).q
    assert found["j"] == pytest.approx(0.1 - 2 * 0.3, abs=1e-12)  # one Newton step on a linear equation
    shorter = read(text, around.replace("0.1 -2 0 0 0", "0.1 -2"))
    assert shorter.constraints == read(text, around).constraints
    offset = cardan.assemble(read(text, around.replace("0.1 -2 0 0 0", "0.1")), {"k": 0.3}).q
    assert offset["j"] == pytest.approx(0.1 + 0.3, abs=1e-12)
    held = read(text, '<equality><joint joint1="j" polycoef="0.2 0 0 0 0"/></equality>')
    assert cardan.assemble(held).q["j"] == pytest.approx(0.2, abs=1e-12)


def test_a_constraint_of_one_body_holds_it_to_the_world(read):
    """Also where other bodies and joints have no names."""
    text = body("a", MASS, '<joint name="j"/>') + f"<body>{MASS}<joint/></body>"
    loop = read(text, '<equality><connect body1="a" anchor="0 0 1"/></equality>').joints["a_connect"]
    assert (loop.parent.body, loop.child.body) == ("ground", "a")


def test_names_are_made_to_fit(read):
    model, texts = warned(read, body("left-arm", MASS, '<joint name="j.1"/>') + f"<body>{MASS}<joint/><joint/></body>")
    assert list(model.bodies) == ["left_arm", "body_2_body_2_hinge", "body_2"]
    assert list(model.joints) == ["j_1", "body_2_hinge", "body_2_hinge_2"]
    assert texts == ["m.xml: renamed, as names have letters, digits and _ (left-arm → left_arm, j.1 → j_1)"]


MESH, INWARDS = '<mujoco><asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1" ', "0 1 2 0 2 3 0 3 1 1 3 2"
MESHED = '</asset><worldbody><body><geom type="mesh" mesh="a"/></body></worldbody></mujoco>'
REFUSED = {
    "another document": ("<svg/>", "outermost element <svg>, not an MJCF file"),
    "URDF": ("<robot/>", "this is a URDF file, not an MJCF file"),
    "no XML": ("<mujoco>", "this is not XML"),
    "no bodies": ("<mujoco/>", "the file has no body"),
    "replicate": ("{<replicate/>}", "<replicate> is not read"),
    "a stranger": ("{<bdy/>}", "<bdy> does not stand in a body"),
    "global places": ('<mujoco><compiler coordinate="global"/></mujoco>', "global coordinates are not read"),
    "angle": ('<mujoco><compiler angle="turn"/></mujoco>', "angle is 'turn'"),
    "eulerseq": ('<mujoco><compiler eulerseq="xyw"/></mujoco>', "eulerseq is 'xyw'"),
    "class": ('{<body><joint class="leg"/></body>}', "there is no default class 'leg'"),
    "nameless class": ("<mujoco><default><default/></default></mujoco>", "inside another has no name"),
    "two bodies": ('{<body name="a"/><body name="a"/>}', "there are two bodies 'a'"),
    "two joints": ('{<body><joint name="a"/><joint name="a"/></body>}', "there are two joints 'a'"),
    "joint type": ('{<body><joint type="hing"/></body>}', "there is no joint of type 'hing'"),
    "axis": ('{<body><joint axis="0 0 0"/></body>}', "the axis has length 0"),
    "range": ('{<body><joint range="1 0"/></body>}', "the range goes from"),
    "free inside": ("{<body><body><freejoint/></body></body>}", "a free joint stands alone in a body of the world"),
    "free and more": ("{<body><freejoint/><joint/></body>}", "a free joint stands alone"),
    "orientations": ('{<body quat="1 0 0 0" euler="0 0 0"/>}', "given in 2 ways: quat, euler"),
    "quaternion": ('{<body quat="0 0 0 0"/>}', "quat of <body> has length 0"),
    "inertials": ("{<body><inertial/><inertial/></body>}", "two elements <inertial>"),
    "sizes": ('{<body><geom type="box" size="1 1"/></body>}', "size of <geom> is 1 1 0"),
    "huge size": ('{<body><geom size="1e300"/></body>}', "size of <geom> is '1e300', whose volume no number holds"),
    "tiny size": ('{<body><geom type="capsule" size="1e-300 1e-300"/></body>}', "whose volume no number holds"),
    "size": ('{<body><geom size="-1"/></body>}', "size of <geom> is -1"),
    "points": ('{<body><geom type="capsule" size="1" fromto="1 1 1 1 1 1"/></body>}', "points of fromto are the same"),
    "mesh": (
        '{<body><geom type="mesh" mesh="a"/></body>}',
        "a geom needs its mesh: meshes that are in no file, not drawn: a",
    ),
    "kind of mesh": (f"{MESH}inertia='odd'/>{MESHED}", "inertia of <mesh> is 'odd'"),
    "corner": (f"{MESH}face='0 1 4'/>{MESHED}", "a face of <mesh> names a vertex that it has not"),
    "flat": (f"{MESH.replace('0 0 1', '1 1 0')}/>{MESHED}", "needs its mesh: flat, without a convex hull: a"),
    "point": (f"{MESH}face='0 0 0'/>{MESHED}", "the mass of a geom needs its mesh: triangles without area: a"),
    "inside out": (f"{MESH}face='{INWARDS}' inertia='exact'/>{MESHED}", "the mesh a encloses no volume"),
    "folded": (f"{MESH}face='0 1 2 0 2 1' inertia='exact'/>{MESHED}", "the mesh a encloses no volume"),
    "fitted": ('{<body><geom type="box" size="1 1 1" mesh="a"/></body>}', "the mass of a geom of one fitted to a mesh"),
    "odd geom": ('{<body><geom type="sdf"/></body>}', "the mass of a geom of type sdf is not read"),
    "shell": ('{<body><geom size="1" shellinertia="true"/></body>}', "the mass of a geom of a shell is not read"),
    "equality": ("<mujoco><equality><flex/></equality></mujoco>", "the equality constraint <flex> is not read"),
    "no site": ('<mujoco><equality><connect site1="a" site2="b"/></equality></mujoco>', "there is no site 'a'"),
    "no tendon": ('<mujoco><equality><tendon tendon1="a"/></equality></mujoco>', "there is no tendon 'a'"),
    "spatial tendon": (
        '<mujoco><tendon><spatial name="a"/></tendon><equality><tendon tendon1="a"/></equality></mujoco>',
        "the constraint of the spatial tendon 'a' is not read",
    ),
    "nothing": (
        '{<body><joint name="a"/></body>}<equality><joint joint1="a" joint2="a"/></equality>',
        "the constraint holds for every motion",
    ),
    "no body": ('<mujoco><equality><weld body1="a"/></equality></mujoco>', "there is no body 'a'"),
    "the world alone": ('<mujoco><equality><weld body1="world"/></equality></mujoco>', "does not join two bodies"),
    "no anchor": ('<mujoco><equality><connect body1="a"/></equality></mujoco>', "<connect> has no attribute anchor"),
    "no joint": ('<mujoco><equality><joint joint1="a"/></equality></mujoco>', "there is no joint 'a'"),
}


@pytest.mark.parametrize(("text", "fault"), REFUSED.values(), ids=REFUSED)
def test_faults_have_file_line_and_cure(tmp_path, text, fault):
    path = tmp_path / "m.xml"
    inside, _, after = text.partition("}")
    text = f"<mujoco><worldbody>{inside[1:]}</worldbody>{after}</mujoco>" if text[0] == "{" else text
    path.write_text(text.replace("</mujoco>", "<worldbody><body name='z'/></worldbody></mujoco>"))
    with pytest.raises(ModelError) as error:
        load(path)
    assert fault in str(error.value)
    assert str(error.value).startswith(f"{path}:1: ")
    assert all(issue.cure for issue in error.value.issues)


def test_every_part_has_its_line(tmp_path):
    path = tmp_path / "m.mjcf"
    path.write_text(f'<mujoco>\n<worldbody>\n<body name="a">\n<joint name="j"/>\n{MASS}</body></worldbody></mujoco>')
    assert format_of(path).lines(path) == {("bodies", "a"): 3, ("joints", "j"): 4}
    assert list(load(path).joints) == ["j"]


def test_damaged_files_are_refused_with_a_place(tmp_path):
    """Characters taken out, put in or exchanged: the file is read, or refused by its name and a line."""
    legs = '<default><geom density="3"/><default class="l"><joint damping="1"/></default></default>'
    text = f"""<mujoco>{legs}<worldbody><body name="a" pos="0 0 1" quat="1 0 0 0" childclass="l"><joint axis="0 1 0"/>
        <geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/><frame euler="1 2 3"><body name="b">{MASS}<joint/></body>
        </frame></body></worldbody></mujoco>"""
    rng, path, refused = random.Random(5), tmp_path / "m.xml", []
    pieces = ["<", ">", '"', "/", "-", "&", "\x00", "1e999", " ", "<body/>", "name", "é", "</joint>", "0", "<frame>"]
    for _ in range(300):
        at, cut = rng.randrange(len(text)), rng.choice([0, 0, 1, 3, 20])
        path.write_text(text[:at] + rng.choice(["", *pieces]) + text[at + cut :])
        try:
            load(path)
        except ModelError as error:
            refused.append(error)
    assert 50 < len(refused) < 300
    assert all(issue.line for error in refused for issue in error.issues)
    assert all(error.file == str(path) for error in refused)


def test_the_page_on_mjcf_runs_as_it_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "mjcf.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```xml\n(.*?)```", page, re.DOTALL)
    Path("leg.xml").write_text(text)
    (commands,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    for line in commands.splitlines():
        done = CliRunner().invoke(program(), shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
    assert "type: revolute, parent: {body: thigh, position: [0, 0, -0.4]}, child: shank" in done.output
    save(load("leg.xml"), "leg.yaml")
    assert load("leg.yaml") == load("leg.xml")
