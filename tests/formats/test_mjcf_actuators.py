"""Actuators and keyframes of MJCF files: what is left out by name, what is refused."""

import math
import re

import pytest

import cardan
from cardan.errors import ModelError
from tests.formats.test_mjcf import MASS
from tests.formats.test_urdf import warned

ARM = f"""<worldbody><site name="s"/><body name="a">{MASS}<joint name="j"/></body>
    <body name="b">{MASS}<joint name="k" type="ball"/></body><body name="c">{MASS}<joint name="f" type="free"/></body>
    </worldbody><tendon><spatial name="cord"/><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>"""


@pytest.fixture
def read(tmp_path):
    def read(actuator, around=""):
        (tmp_path / "m.xml").write_text(f"<mujoco>{around}{ARM}<actuator>{actuator}</actuator></mujoco>")
        return cardan.load(tmp_path / "m.xml")

    return read


def test_what_actuators_are_told_are_parameters(read):
    model = read('<motor name="j" joint="j" gear="5"/><position joint="j" kp="2"/><motor joint="k" gear="0 3 0"/>')
    assert {name: one.value for name, one in model.parameters.items()} == {
        **{"j_ctrl": 0, "position_ctrl": 0, "motor_ctrl": 0}
    }
    assert {name: str(one) for name, one in model.inputs.items()} == {
        "j": "5*j_ctrl + 2*(position_ctrl - j)",
        "k.wy": "3*motor_ctrl",
    }
    fast = cardan.simulate(model, until=0.1, parameters={"position_ctrl": 1.0})
    slow = cardan.simulate(model, until=0.1)
    assert fast["j.q"].values[-1] > slow["j.q"].values[-1]
    disabled = read('<motor joint="j"/>', '<option><flag actuation="disable"/></option>')
    assert not disabled.inputs


def test_the_range_of_a_joint_bounds_what_its_actuator_is_told(tmp_path):
    """0.8 of 80° about 20°, whatever the gear is; 0.8 of 2 m about 1 m; as MuJoCo compiles them."""
    text = f"""<mujoco><compiler angle="degree"/><default><position inheritrange="0.8" kp="3"/></default><worldbody>
        <body>{MASS}<joint name="j" range="-20 60"/></body>
        <body>{MASS}<joint name="k" type="slide" range="0 2"/></body></worldbody>
        <actuator><position name="p" joint="j" gear="2"/><position name="s" joint="k"/></actuator></mujoco>"""
    (tmp_path / "m.xml").write_text(text)
    found = cardan.load(tmp_path / "m.xml").inputs
    bounds = {name: re.findall(r"_ctrl, (\S+)\), (\S+)\)", str(one))[0] for name, one in found.items()}
    assert [float(one) for one in bounds["j"]] == pytest.approx([-math.radians(12), math.radians(52)])
    assert [float(one) for one in bounds["k"]] == pytest.approx([0.2, 1.8])


NOTED = {
    "no range": ('<position name="m" joint="j" inheritrange="1"/>', "inheritrange of actuators without a joint", True),
    "muscle": ('<muscle name="m" joint="j"/>', "actuators of type muscle (m)", False),
    "lag": ('<general name="m" joint="j" dyntype="filter"/>', "time constants of actuators (m)", True),
    "filter": ('<position name="m" joint="j" timeconst="0.1"/>', "time constants of actuators (m)", True),
    "integrator": (
        '<general name="m" joint="j" dyntype="integrator"/>',
        "actuators with dyntype integrator (m)",
        False,
    ),
    "gain": (
        '<general name="m" joint="j" gaintype="user"/>',
        "actuators with a gain or bias that is not affine",
        False,
    ),
    "cord": ('<motor name="m" tendon="cord"/>', "actuators on what has no coordinates of its own (m)", False),
    "crank": ('<motor name="m" cranksite="s"/>', "actuators on what has no coordinates of its own (m)", False),
    "angle of a ball": ('<position name="m" joint="k"/>', "actuators on what has no coordinates of its own", False),
    "parent's axes": ('<motor name="m" jointinparent="k"/>', "actuators on what has no coordinates of its own", False),
    "rotor of a tendon": ('<motor name="m" tendon="t" armature="1"/>', "armature of actuators other than", True),
    "curved damping": ('<motor name="m" joint="j" damping="1 2"/>', "damping of actuators other than one number", True),
    "free rotor": (
        '<motor name="m" joint="f" armature="1"/><joint/>',
        "armature of actuators other than one number",
        True,
    ),
    "servo": ('<dcmotor name="m" joint="j" input="pos"/>', "dcmotors with another input than a voltage", False),
    "heat": (
        '<dcmotor name="m" joint="j" motorconst="1" resistance="1" thermal="1 1 1 0 0 0"/>',
        "thermal of dcmotor (m)",
        True,
    ),
    "both": (
        '<dcmotor name="d" joint="j" motorconst="1" resistance="1"/><motor name="m" joint="j"/>',
        "actuators of other kinds beside dcmotor",
        True,
    ),
}


@pytest.mark.parametrize(("text", "note", "is_read"), NOTED.values(), ids=NOTED)
def test_what_is_left_out_of_actuators_is_noted(read, text, note, is_read):
    around = '<default><joint armature="0.1"/></default>' if "<joint/>" in text else ""
    model, texts = warned(read, text.replace("<joint/>", ""), around)
    assert texts[0].startswith(f"m.xml: left out: {note}")
    assert bool(model.inputs) == is_read


REFUSED = {
    "joint": ('<motor joint="z"/>', "there is no joint 'z'"),
    "site": ('<motor site="z"/>', "there is no site 'z'"),
    "class": ('<motor joint="j" class="z"/>', "there is no default class 'z'"),
    "constant": ('<dcmotor joint="j" resistance="1"/>', "the motor has no constant or no resistance"),
    "resistance": ('<dcmotor joint="j" motorconst="1"/>', "the motor has no constant or no resistance"),
}


@pytest.mark.parametrize(("text", "fault"), REFUSED.values(), ids=REFUSED)
def test_faults_of_actuators_have_a_place(read, text, fault):
    with pytest.raises(ModelError, match=rf"m\.xml:3: {fault}"):
        read(text)


def test_a_keyframe_is_chosen_by_its_name(tmp_path):
    """Its positions and what it tells actuators; none: the positions in which the file describes the bodies."""
    keys = "".join(f'<key name="{name}" qpos="{q}" ctrl="{2 * q}"/>' for name, q in {"home": 0.5, "up": 1.5}.items())
    arm = f'<worldbody><body name="a">{MASS}<joint name="j"/></body></worldbody><actuator><motor joint="j"/></actuator>'
    (tmp_path / "m.xml").write_text(f"<mujoco>{arm}<keyframe>{keys}</keyframe></mujoco>")
    for name, q in {None: 0.5, "home": 0.5, "up": 1.5, "none": 0}.items():
        model = cardan.load(tmp_path / "m.xml", keyframe=name)
        assert (cardan.assemble(model).q["j"], model.parameters["motor_ctrl"].value) == (q, 2 * q)
    with pytest.raises(ModelError, match=r"m\.xml: there is no keyframe 'hme'\n    did you mean 'home'\?"):
        cardan.load(tmp_path / "m.xml", keyframe="hme")


def test_the_first_keyframe_is_the_start(tmp_path):
    """Of those that do not fit nothing is taken; loops and couplings may change what they say."""
    key = '<key qpos="0.5  2 0 0 0  1 2 3 1 0 0 0" qvel="7 {}"/>'.format("0 " * 9)

    def read(text):
        (tmp_path / "m.xml").write_text(f"<mujoco>{ARM}{text}</mujoco>")
        return cardan.load(tmp_path / "m.xml")

    start = cardan.assemble(read(f"<keyframe>{key}<key/></keyframe>"))
    assert (start.q["j"], start.q["k.qw"], start.q["f.z"]) == (0.5, 1, 3)
    assert start.v["j"] == 7
    _, texts = warned(read, '<keyframe><key qpos="1 2" ctrl="3"/></keyframe>')
    assert texts[0] == "m.xml: left out: qpos of a keyframe, which has 2 numbers for 12 (line 3)"
    coupled = read(f'<keyframe>{key}</keyframe><equality><joint joint1="j" polycoef="0.2 0 0 0 0"/></equality>')
    assert cardan.assemble(coupled).q["j"] == pytest.approx(0.2)
