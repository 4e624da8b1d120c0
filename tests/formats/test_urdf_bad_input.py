"""Files that are no URDF files: an error with file, line, fault and cure; never a crash, never a long wait."""

import random
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from cardan.errors import ModelError
from cardan.formats import load
from cardan.formats.xml.tree import MAX_SIZE, parse
from cardan.formats.yaml_tree import MAX_NODES, MAX_OPEN
from tests.formats.test_urdf import MASS, PUMA, joint, link, one_joint, robot

ARM = one_joint("revolute")
FAULTS = {
    "no text": ("", "this is not XML: no element found"),
    "cut short": (ARM[: len(ARM) // 2], "this is not XML"),
    "not closed": ("<robot><link>", "this is not XML"),
    "bytes": ("\x00\x01", "this is not XML"),
    "unknown encoding": ('<?xml version="1.0" encoding="no-such"?><robot/>', "this is not XML"),
    "a document type": (f"<!DOCTYPE robot [<!ENTITY a 'b'>]>{ARM}", "declares a document type"),
    "SDF": ("<sdf/>", "this is an SDF file, not a URDF file"),
    "another document": ("<svg/>", "outermost element <svg>, not a URDF file"),
    "a macro": ('<robot><xacro:macro name="a"/></robot>', "this is a xacro file"),
    "a property": (ARM.replace('value="1"', 'value="${m}"'), "this is a xacro file"),
    "no link": ("<robot/>", "the robot has no link"),
    "a link without a name": ("<robot><link/></robot>", "<link> has no attribute name"),
    "two links of one name": (robot(link("a"), link("a")), "there are two links 'a', the other one in line 1"),
    "two joints of one name": (ARM.replace("</robot>", joint("j", "fixed", "base", "arm") + "</robot>"), "two joints"),
    "no parent": (ARM.replace('<parent link="base"/>', ""), "joint 'j': the joint has no <parent>"),
    "an unknown link": (ARM.replace('<child link="arm"/>', '<child link="amr"/>'), "there is no link 'amr'"),
    "itself": (ARM.replace('<parent link="base"/>', '<parent link="arm"/>'), "connects 'arm' with itself"),
    "two carriers": (ARM.replace("</robot>", joint("k", "fixed", "base", "arm") + "</robot>"), "both carry the link"),
    "two roots": (ARM.replace("</robot>", link("b") + "</robot>"), "no joint carries the links 'base', 'b'"),
    "a ring": (
        ARM.replace("</robot>", link("b") + link("c") + joint("k", "fixed", "b", "c") + joint("l", "fixed", "c", "b"))
        + "</robot>",
        "in a ring back to it",
    ),
    "an unknown type": (ARM.replace("revolute", "revolut"), "there is no joint of type 'revolut'"),
    "no type": (ARM.replace('type="revolute"', ""), "<joint> has no attribute type"),
    "an axis of length 0": (one_joint("revolute", '<axis xyz="0 0 0"/>'), "the axis has length 0"),
    "two numbers": (one_joint("revolute", '<axis xyz="0 1"/>'), "xyz of <axis> has 2 numbers in place of 3"),
    "a comma": (one_joint("revolute", '<origin xyz="0,5 0 1"/>'), "xyz of <origin> is '0,5'"),
    "not a number": (one_joint("revolute", '<origin xyz="nan 0 1"/>'), "which is no finite number"),
    "infinite": (one_joint("revolute", '<origin xyz="1e999 0 1"/>'), "which is no finite number"),
    "two origins": (one_joint("fixed", "<origin/><origin/>"), "<joint> has 2 elements <origin>"),
    "no mass": (ARM.replace('<mass value="1"/>', ""), "link 'arm': <inertial> has no <mass>"),
    "no inertia": (ARM.replace('<inertia ixx="1" iyy="1" izz="1"/>', ""), "<inertial> has no <inertia>"),
    "no moment": (ARM.replace('izz="1"', ""), "<inertia> has no attribute izz"),
    "a negative mass": (ARM.replace('value="1"', 'value="-1"'), "bodies.arm.mass"),
    "negative damping": (one_joint("revolute", '<dynamics damping="-1"/>'), "joints.j.damping"),
    "mimics itself": (one_joint("revolute", '<mimic joint="j"/>'), "the joint mimics itself"),
    "mimics nothing that moves": (
        robot(
            *(link("base", ""), link("a"), link("b"), joint("j", "fixed", "base", "a")),
            joint("k", "revolute", "a", "b", '<mimic joint="j"/>'),
        ),
        "the joint 'j' of type fixed has not one motion",
    ),
    "no geometry": (ARM.replace(MASS, MASS + "<visual/>"), "<visual> has no geometry"),
    "no size": (
        ARM.replace(MASS, MASS + "<visual><geometry><box/></geometry></visual>"),
        "<box> has no attribute size",
    ),
    "only the ground": (robot(link("base", "")), "the model has no bodies"),
}


@pytest.mark.parametrize(("text", "fault"), FAULTS.values(), ids=FAULTS)
def test_faults_have_file_line_and_cure(tmp_path, text, fault):
    path = tmp_path / "r.urdf"
    path.write_text(text)
    with pytest.raises(ModelError) as error:
        load(path)
    assert fault in str(error.value)
    assert str(error.value).startswith(f"{path}:1: ")
    assert all(issue.cure for issue in error.value.issues)


def test_the_line_is_that_of_the_fault_and_all_are_reported(tmp_path):
    path = tmp_path / "r.urdf"
    text = robot(link("base", ""), "\n", link("a", MASS.replace("1", "x")), "\n", link("b", MASS.replace("1", "y")))
    path.write_text(text.replace("</robot>", "\n<joint name='j' type='t'/></robot>"))
    with pytest.raises(ModelError) as error:
        load(path)
    assert "2 errors" not in str(error.value)  # the joint is met first: without its ends there is no tree
    path.write_text(
        text.replace("</robot>", joint("j", "fixed", "base", "a") + joint("k", "fixed", "a", "b") + "</robot>")
    )
    with pytest.raises(ModelError) as error:
        load(path)
    assert [issue.line for issue in error.value.issues] == [2, 3]


def test_a_missing_file_is_answered_with_those_that_are_there(tmp_path):
    (tmp_path / "robot.urdf").write_text(ARM)
    with pytest.raises(ModelError, match=r"\.urdf: the file cannot be read.*\n.*did you mean 'robot.urdf'"):
        load(tmp_path / "robt.urdf")


XACRO = """<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r"><xacro:property name="m" value="2"/>
  <xacro:macro name="arm" params="name"><link name="${name}"><inertial><mass value="${m/4}"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro>
  <link name="base"/><xacro:arm name="a"/><joint name="j" type="revolute"><parent link="base"/><child link="a"/></joint>
</robot>"""


def test_a_xacro_file_runs_only_if_it_is_trusted(tmp_path, monkeypatch):
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    with pytest.raises(ModelError, match=r"(?s)arm.urdf.xacro:\d: this is a xacro file.*xacro FILE.*trust=True"):
        load(path)
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ModelError, match=r"xacro files need the library xacro\n    pip install xacro"):
        load(path, trust=True)

    def process_file(name):
        if "fails" in Path(name).read_text():
            raise ValueError("Invalid parameter")
        plain = XACRO[: XACRO.index("<xacro:p")] + XACRO[XACRO.index('<link name="base') :]
        return SimpleNamespace(toxml=lambda: plain.replace('<xacro:arm name="a"/>', link("a")))

    monkeypatch.setitem(sys.modules, "xacro", SimpleNamespace(process_file=process_file))
    assert load(path, trust=True).bodies["a"].mass.value == 1
    path.write_text("fails")
    with pytest.raises(ModelError, match=r"xacro cannot write it out: Invalid parameter(.|\n)*a shell with ROS"):
        load(path, trust=True)


def test_the_library_xacro_writes_macros_out(tmp_path):
    pytest.importorskip("xacro")
    (tmp_path / "arm.xacro").write_text(XACRO)
    assert load(tmp_path / "arm.xacro", trust=True).bodies["a"].mass.value == 0.5


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("a.slx", "FMU"),
        ("a.mo", "FMU"),
        ("a.adm", "URDF"),
        ("a.usd", "URDF"),
        ("a.STEP", "URDF"),
        ("run.nc", "cardan animate"),
    ],
)
def test_files_of_other_programs_have_a_hint(name, cure):
    with pytest.raises(ModelError, match=rf"(?s)'{name}' has no extension of a model file.*{cure}"):
        load(name)


def test_long_names_make_no_long_messages(tmp_path):
    """A file may have names of some MB."""
    name = "a" * 100_000
    path = tmp_path / "r.urdf"
    for text in (robot(link(name), link("b")), ARM.replace('link="arm"', f'link="{name}"')):
        path.write_text(text)
        with pytest.raises(ModelError) as error:
            load(path)
        assert len(str(error.value)) < 1000
    path.write_text(robot(link("a-" * 10**5)))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        load(path)
    assert [len(str(one.message)) < 1000 for one in found] == [True]


def test_the_size_is_bounded(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes(b" " * (MAX_SIZE + 1))
    with pytest.raises(ModelError, match="has more than 10 MB"):
        load(path)
    with pytest.raises(ModelError, match=f"more than {MAX_NODES} elements"):
        parse(b"<a>" + b"<b/>" * MAX_NODES + b"</a>")
    with pytest.raises(ModelError, match=f"more than {MAX_OPEN} elements stand inside"):
        parse(b"<a>" * (MAX_OPEN + 1))


def test_damaged_files_are_refused_with_a_place(tmp_path):
    """Characters taken out, put in or exchanged: the file is read, or refused by its name and a line."""
    rng, text, path = random.Random(3), PUMA.read_text(), tmp_path / "r.urdf"
    begin = text.index('<link name="link6">')  # a short arm, so that many variants are read
    short = '<robot name="r"><link name="link5"/>' + text[begin : text.index('<joint name="waist"')]
    short += text[text.index('<joint name="flange"') :]
    pieces = ["<", ">", '"', "/", "-", "&", "\x00", "1e999", " ", "<link/>", "name", "é", "</joint>", "0"]
    refused = []
    for _ in range(300):
        at, cut = rng.randrange(len(short)), rng.choice([0, 0, 1, 3, 20])
        path.write_text(short[:at] + rng.choice(["", *pieces]) + short[at + cut :])
        try:
            load(path)
        except ModelError as error:
            refused.append(error)
    assert 50 < len(refused) < 300
    assert all(issue.line for error in refused for issue in error.issues)
    assert all(error.file == str(path) for error in refused)
