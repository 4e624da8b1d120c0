"""Geoms of MJCF and collision shapes of URDF as contacts: which meet, with which friction, and how stiff they are."""

import pytest
from typer.testing import CliRunner

import cardan
from cardan.cli.program import program
from cardan.errors import ModelError
from tests.formats.test_urdf import MASS, joint, link, robot, warned

RULES = """<mujoco>
  <default><geom size="0.1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" friction="0.5 0.01 0.001"/>
    <body name="table"><geom name="top" pos="2 0 1"/>
      <body name="lever" pos="2 0 2"><joint axis="0 1 0"/><geom name="knob" pos="0.3 0 0"/></body>
    </body>
    <body name="a" pos="0 0 1"><freejoint/><geom name="a1"/><geom name="a2" pos="0 0 1" solref="0.04 0.5" solmix="3"/>
      <body name="b" pos="0 1 0"><joint axis="1 0 0"/><geom name="b1" friction="2 0.02 0.002" condim="6"/>
        <body name="c" pos="0 1 0"><geom name="c1" priority="1" condim="1"/>
          <body name="d" pos="0 1 0"><joint axis="1 0 0"/><geom name="d1" condim="4" solref="-500 -20"/></body>
        </body>
      </body>
    </body>
    <body name="e" pos="4 0 1">
      <freejoint/><geom name="e1" contype="2" conaffinity="4"/><geom name="e2" contype="0" conaffinity="0"/>
    </body>
    <body name="f" pos="6 0 1">
      <freejoint/><geom name="f1" contype="4" conaffinity="0" friction="0.3" solimp="0.8 0.9"/>
    </body>
  </worldbody>
  <contact>
    <exclude body1="a" body2="lever"/>
    <pair geom1="a1" geom2="b1" condim="3" friction="0.7"/>
    <pair geom1="f1" geom2="floor" solref="0.001 1"/>
    <pair geom1="d1" geom2="c1"/>
  </contact>
</mujoco>"""
PAIRS = {
    ("a1", "b1"): (3, [0.7, 0.005, 0.0001], [0.02, 1.0], 0.95),
    ("a1", "d1"): (4, [1.0, 0.005, 0.0001], [-500.0, -20.0], 0.95),
    ("a2", "d1"): (4, [1.0, 0.005, 0.0001], [-500.0, -20.0], 0.95),
    ("c1", "d1"): (3, [1.0, 0.005, 0.0001], [0.02, 1.0], 0.95),
    ("e1", "f1"): (3, [1.0, 0.005, 0.0001], [0.02, 1.0], 0.925),
    ("floor", "a1"): (3, [1.0, 0.01, 0.001], [0.02, 1.0], 0.95),
    ("floor", "a2"): (3, [1.0, 0.01, 0.001], [0.035, 0.625], 0.95),
    ("floor", "b1"): (6, [2.0, 0.02, 0.002], [0.02, 1.0], 0.95),
    ("floor", "c1"): (1, [1.0, 0.005, 0.0001], [0.02, 1.0], 0.95),
    ("floor", "d1"): (4, [1.0, 0.01, 0.001], [-500.0, -20.0], 0.95),
    ("floor", "f1"): (3, [1.0, 0.005, 0.0001], [0.004, 1.0], 0.95),  # in a run not below two steps of 2 ms
    ("floor", "knob"): (3, [1.0, 0.01, 0.001], [0.02, 1.0], 0.95),
    ("knob", "b1"): (6, [2.0, 0.02, 0.002], [0.02, 1.0], 0.95),
    ("knob", "c1"): (1, [1.0, 0.005, 0.0001], [0.02, 1.0], 0.95),
    ("knob", "d1"): (4, [1.0, 0.005, 0.0001], [-500.0, -20.0], 0.95),
    ("top", "a1"): (3, [1.0, 0.005, 0.0001], [0.02, 1.0], 0.95),
    ("top", "a2"): (3, [1.0, 0.005, 0.0001], [0.035, 0.625], 0.95),
    ("top", "b1"): (6, [2.0, 0.02, 0.002], [0.02, 1.0], 0.95),
    ("top", "c1"): (1, [1.0, 0.005, 0.0001], [0.02, 1.0], 0.95),
    ("top", "d1"): (4, [1.0, 0.005, 0.0001], [-500.0, -20.0], 0.95),
    ("top", "knob"): (3, [1.0, 0.005, 0.0001], [0.02, 1.0], 0.95),
}
"""What MuJoCo 4.0.0 reports in `mjData.contact` with a margin of 100 m: condim, friction, solref and solimp[1]."""
YIELDS = {
    **{"floor": 0, "top": 0, "knob": 0.076191196, "a1": 0.086303415, "a2": 0.086303415, "b1": 0.086316254},
    **{"c1": 0.064882897, "d1": 0.138774208, "e1": 0.119366207, "f1": 0.238732415},
}
"""`body_invweight0` [1/kg] of MuJoCo 4.0.0, by geom."""


@pytest.fixture
def read(tmp_path):
    """The model, with contacts, in a text, and the texts of the warnings."""

    def read(text, suffix="xml"):
        path = tmp_path / f"m.{suffix}"
        path.write_text(text)
        return warned(cardan.load, path, contacts=True)

    return read


def world(inside, around=""):
    return f"<mujoco>{around}<worldbody>{inside}</worldbody></mujoco>"


def ball(name, attributes="", z=1):
    return f'<body name="{name}" pos="0 0 {z}"><freejoint/><geom name="{name}1" size="0.1" {attributes}/></body>'


FLOOR = '<geom name="floor" type="plane" size="1 1 1"/>'


def sides(contact):
    return frozenset(side.split(".")[1] for side in contact.between)


def test_pairs_and_friction_are_those_that_mujoco_reports(read):
    model, _ = read(RULES)
    found = {sides(contact): contact for contact in model.contacts.values()}
    assert set(found) == {frozenset(pair) for pair in PAIRS}
    for pair, (condim, (sliding, spinning, rolling), (first, second), d) in PAIRS.items():
        contact = found[frozenset(pair)]
        friction = contact.friction
        given = [getattr(friction, key, None) for key in ("coefficient", "spinning", "rolling")]
        wanted = [sliding if condim > 1 else None, spinning if condim > 3 else None, rolling if condim > 4 else None]
        assert [None if one is None else one.value for one in given] == wanted
        edges = (condim - 1) / (sliding**2 * (1 + sliding**2)) if condim > 1 else 1  # as the depths below show
        s = edges * (-first if first < 0 else 1 / (first * second) ** 2)
        stiffness = s / (1 - d) / sum(YIELDS[geom] for geom in pair)
        assert contact.stiffness.value == pytest.approx(stiffness, rel=1e-7)  # digits of the recorded numbers


@pytest.mark.parametrize(
    ("solref", "depth", "e"),
    [
        ("0.02 1", 1.962000e-4, 0.135358),
        ("0.05 0.3", 1.103625e-4, 0.451035),
        ("-20000 -30", 2.452500e-5, 0.731756),
    ],
)
def test_a_ball_rests_as_deep_and_bounces_as_much_as_in_mujoco(read, solref, depth, e):
    """The numbers are those of MuJoCo 4.0.0 in steps of 10 µs, of whose order the error of its restitution is."""
    own = f'mass="2" condim="1" priority="1" solref="{solref}" solimp="0.95 0.95 0.001"'
    model, _ = read(world(FLOOR + ball("a", own, z=0.1)))
    run = cardan.simulate(model, until="1 s")
    assert 0.1 - run["a_free.z.q"][-1] == pytest.approx(depth, rel=1e-6)
    model, _ = read(world(FLOOR + ball("a", own, z=0.11), '<option gravity="0 0 0"/>'))
    run = cardan.simulate(model, initial={"a_free.vz": -0.01}, until="3 s")
    assert run["a_free.vz.v"][-1] / 0.01 == pytest.approx(e, rel=1e-3)


@pytest.mark.parametrize(
    ("option", "condim", "depth"),
    [
        ("", 3, 1.962e-4 / 1.9054878),
        ("", 4, 1.962e-4 / 2.8582317),
        ('<option impratio="10"/>', 3, 1.962e-4 / 19.054878),
        ('<option impratio="10" cone="elliptic"/>', 3, 1.962e-4),
    ],
)
def test_a_ball_rests_as_deep_as_in_mujoco_with_every_cone_of_friction(read, option, condim, depth):
    own = f'mass="2" condim="{condim}" friction="0.8" priority="1" solimp="0.95 0.95 0.001"'
    model, _ = read(world(FLOOR + ball("a", own), option))
    assert 2 * 9.81 / model.contacts["a1_floor"].stiffness.value == pytest.approx(depth, rel=1e-7)


def test_a_loaded_robot_is_the_same_in_yaml_and_stands(read, tmp_path):
    foot = '<geom name="foot" type="{}" pos="0 0 -0.2" size="{}"/>'
    bodies = [
        f'<body name="b{k}" pos="{k} 0 0.3"><freejoint/>{foot.format(kind, size).replace("foot", f"foot{k}")}</body>'
        for k, (kind, size) in enumerate(
            {"sphere": "0.1", "capsule": "0.1 0.1", "box": "0.1 0.1 0.1", "cylinder": "0.1 0.1"}.items()
        )
    ]
    model, texts = read(world(FLOOR + "".join(bodies), '<default><geom condim="4"/></default>'))
    cardan.save(model, tmp_path / "again.yaml")
    assert cardan.load(tmp_path / "again.yaml") == model
    shown = CliRunner().invoke(program(), ["show", str(tmp_path / "m.xml"), "--contacts", "--yaml"])
    assert "foot0_floor: {" in shown.stdout
    assert "m.xml: left out: contacts between box and cylinder (foot2 – foot3)" in texts
    edges = "friction against spinning and rolling at edges and corners (foot2 – floor, foot3 – floor)"
    assert f"m.xml: left out: {edges}" in texts
    names = [f"foot{k}_floor" for k in range(4)]
    run = cardan.simulate(model, until="1 s")
    weights = [9.81 * body.mass.value for body in model.bodies.values()]
    assert [run[f"{name}.normal"][-1] for name in names] == pytest.approx(weights, rel=1e-3)  # some spin to rest


def test_links_of_a_robot_meet_but_for_those_that_a_joint_joins(read):
    def arm(name):
        return link(name, f'{MASS}<collision name="{name}"><geometry><sphere radius="0.1"/></geometry></collision>')

    at = '<origin xyz="0 0 1"/>'
    joints = [
        joint("j1", "revolute", "base", "a", at),
        joint("j2", "fixed", "a", "b", at),
        joint("j3", "revolute", "b", "c", at),
        joint("j4", "revolute", "c", "d", at),
    ]
    model, _ = read(robot(*map(arm, ("base", "a", "b", "c", "d")), *joints), "urdf")
    found = {sides(contact) for contact in model.contacts.values()}
    assert found == {frozenset(pair) for pair in (("base", "c"), ("base", "d"), ("a", "d"), ("b", "d"))}
    assert {contact.friction.coefficient.value for contact in model.contacts.values()} == {1}


def test_what_has_no_counterpart_is_named(read):
    bodies = ball("a", 'margin="0.01"') + '<body name="b"><freejoint/><geom type="ellipsoid" size="1 2 3"/></body>'
    pair = '<contact><pair geom1="a1" geom2="floor" friction="1 2"/></contact>'
    wheels = "".join(f'<body><joint/><geom name="w{k}" size="1"/></body>' for k in (1, 2))
    model, texts = read(f"<mujoco><worldbody>{FLOOR}{bodies}{wheels}</worldbody>{pair}</mujoco>")
    for what in (
        "contacts between ellipsoid and sphere (a1 – b_ellipsoid",
        "margin of geoms (a1)",
        "friction that differs by direction, in place of which the first number holds (a1)",
        "contacts of bodies whose centres of mass cannot move (w1 – w2, w1 – floor, w2 – floor)",
    ):
        assert what in "".join(texts)
    assert "contacts of geoms" not in "".join(texts)
    _, (text,) = read(world(FLOOR + ball("a"), '<option gravity="0 0 0"/>'))
    assert text == "m.xml: left out: friction of contacts without gravity (a1 – floor)"
    model, texts = read(world(FLOOR + ball("a"), '<option><flag contact="disable"/></option>'))
    assert (dict(model.contacts), texts) == ({}, [])


def test_neighbours_meet_where_a_flag_says_so(read):
    near = '<body name="b"><joint/><geom name="b1" size="0.1" pos="1 0 0"/></body>'
    text = world(ball("a").replace("</body>", f"{near}</body>"))
    assert not read(text)[0].contacts
    assert read(text.replace("<world", '<option><flag filterparent="disable"/></option><world'))[0].contacts


@pytest.mark.parametrize(
    ("attributes", "around", "fault"),
    [
        ('condim="2"', "", "condim of <geom> is 2; write 1, 3, 4 or 6"),
        ('solref="0.02 -1"', "", "solref of <geom> is 0.02 -1"),
        ('friction="-1"', "", "friction of <geom> is -1"),
        ("", '<contact><pair geom1="a1" geom2="flor"/></contact>', "there is no geom 'flor'"),
        ("", '<contact><exclude body1="a" body2="b"/></contact>', "there is no body 'b'"),
    ],
)
def test_bad_contacts_are_refused_with_their_line(read, attributes, around, fault):
    with pytest.raises(ModelError, match=r"m\.xml:1: ") as caught:
        read(f"<mujoco>{around}<worldbody>{FLOOR}{ball('a', attributes)}</worldbody></mujoco>")
    assert fault.partition(";")[0] in str(caught.value)


def test_yaml_has_its_contacts_itself():
    with pytest.raises(ModelError, match=r"contacts= is no option of \.yaml files"):
        cardan.load("four_bar", contacts=True)
