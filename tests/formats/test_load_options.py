"""Options of `cardan.load`: what they make of a robot, and links without inertia, with and without the least one."""

from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import cardan
from cardan.cli.program import program
from cardan.errors import ModelError
from cardan.formats.yaml import loads
from cardan.view.studio.model_file import file_of
from tests.formats.test_urdf import PUMA, joint, link, robot, warned

ROBOTS = Path(__file__).parent / "robots"
MASSLESS = ROBOTS / "massless.urdf"
MIMIC = ROBOTS / "massless_mimic.urdf"


def test_a_path_may_be_a_text_and_limits_become_stops():
    assert cardan.load(str(PUMA), stops=True).joints["waist"].limits is not None


def test_options_are_refused_by_name_where_a_format_has_them_not():
    with pytest.raises(ModelError, match=r"stops= is no option of \.yaml files\n    leave it out"):
        cardan.load("four_bar", stops=True)
    with pytest.raises(ModelError, match=r"base is 'loose'\n    write 'fixed' or 'free'"):
        cardan.load(PUMA, base="loose")


def test_a_free_base_falls(tmp_path):
    """The mass centre of a robot that nothing holds falls with g, whatever its joints do."""
    arm = '<inertial><origin xyz="0.3 0 0"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    turning = joint("j", "revolute", "base", "arm", '<axis xyz="0 1 0"/>')
    (tmp_path / "r.urdf").write_text(robot(link("base"), link("arm", arm), turning))
    model = cardan.load(tmp_path / "r.urdf", base="free")
    assert (model.joints["base_free"].type, model.joints["base_free"].parent) == ("free", "ground")
    dyn, q = cardan.compile(model), [0, 0, 0, 1, 0, 0, 0, 0.3]
    force = np.zeros(7)
    force[6] = 5.0
    a = dyn.forward_dynamics(q, np.zeros(7), force)
    rate = dyn.mass_matrix(q)[:3] @ a  # of the momentum of 3 kg
    assert rate == pytest.approx([0, 0, -3 * 9.81], abs=1e-12)  # some hundred operations on numbers up to 30
    (tmp_path / "r.urdf").write_text(
        robot(link("world", ""), link("trunk"), joint("fly", "floating", "world", "trunk"))
    )
    assert list(cardan.load(tmp_path / "r.urdf").joints) == ["fly"]
    with pytest.raises(ModelError, match="the joint 'fly' floats already"):
        cardan.load(tmp_path / "r.urdf", base="free")


def test_doubts_are_accepted_and_friction_is_regularized(tmp_path):
    doubtful = '<inertial><mass value="1"/><inertia ixx="5" iyy="1" izz="1"/></inertial>'
    turning = joint("j", "revolute", "base", "arm", '<axis xyz="0 1 0"/><dynamics friction="0.2"/>')
    (tmp_path / "r.urdf").write_text(robot(link("base", ""), link("arm", doubtful), turning))
    model, texts = warned(cardan.load, tmp_path / "r.urdf", accept=["inertia"], regularize=0.01)
    assert texts == []
    assert model.joints["j"].friction.regularize.value == 0.01
    assert "accept: [inertia]" in warned(cardan.load, tmp_path / "r.urdf")[1][0]


@pytest.mark.parametrize(("path", "name"), [(MASSLESS, "grip"), (MIMIC, "j2")])
def test_links_without_inertia_have_all_but_forward_dynamics(path, name):
    dyn = cardan.compile(cardan.load(path))
    q, v, a = np.array([[0.02, 0.02], [0.5, 0.5], [0.3, 0.3]])
    M = np.diag([0.02 + 2 * 0.2**2, 0]) if path == MASSLESS else np.zeros((2, 2))
    assert dyn.mass_matrix(q) == pytest.approx(M, abs=1e-16)  # two operations on numbers up to 0.1
    weight = np.array([-2 * 9.81 * 0.2 * np.cos(q[0]), 0]) if path == MASSLESS else np.zeros(2)
    assert dyn.inverse_dynamics(q, v, a) == pytest.approx(M @ a + weight, abs=1e-14)
    assert len(dyn.forward_kinematics(q)) == 2
    with pytest.raises(ModelError, match=rf"coordinate '{name}' has no inertia(.|\n)*inertia=\"minimal\""):
        dyn.forward_dynamics(q, v, a)


def test_the_least_inertia_lets_all_joints_accelerate():
    """The arm falls as without its massless finger, to √ε of its acceleration, and the finger slides down it."""
    model = cardan.load(MASSLESS, inertia="minimal")
    q, v = np.array([0.3, 0.0]), np.array([0.5, 0])
    a = cardan.compile(model).forward_dynamics(q, v, np.zeros(2))
    assert a[0] == pytest.approx(2 * 9.81 * 0.2 * np.cos(0.3) / 0.1, rel=1e-7)  # I = 0.1 kg m² about the shoulder
    assert a[1] == pytest.approx(9.81 * np.sin(0.3) + 0.4 * 0.5**2, rel=1e-7)  # g along x, and x ω²
    run = cardan.simulate(cardan.load(MIMIC, inertia="minimal"), until=0.1)
    assert run.ok


def test_the_command_line_has_the_options_of_load():
    def run(*words):
        return CliRunner().invoke(program(), ["simulate", str(MASSLESS), "--until", "0.01", *words])

    assert run("--inertia", "minimal", "--stops").exit_code == 0
    assert "load it with --inertia minimal" in run().stderr
    shown = CliRunner().invoke(program(), ["show", str(ROBOTS / "rt.urdf"), "--base", "free", "--yaml"])
    assert "base_link_free: {type: free, parent: ground, child: base_link}" in shown.stdout
    refused = CliRunner().invoke(program(), ["mobility", "four_bar", "--base", "free"])
    assert (refused.exit_code, "--base is no option of .yaml files" in refused.stderr) == (2, True)


def test_every_command_that_reads_a_model_has_all_options_of_load_with_its_defaults():
    commands = typer.main.get_command(program()).commands
    defaults = {name: value or None for name, value in cardan.load.__kwdefaults__.items()}
    for name in {*commands} - {"gallery", "plot", "loads", "warm"}:  # which read runs, or nothing
        found = {option.name: option.default or None for option in commands[name].params}
        assert {key: found.get(key, "none") for key in defaults} == defaults, name


def test_the_studio_reads_a_robot_as_it_is_told():
    opened = file_of(ROBOTS / "rt.urdf", base="free", stops=True)
    assert loads(opened.text) == cardan.load(ROBOTS / "rt.urdf", base="free", stops=True)
    with pytest.raises(ModelError, match=r"stops= is no option of \.yaml files"):
        cardan.studio("four_bar", browser=False, stops=True)
