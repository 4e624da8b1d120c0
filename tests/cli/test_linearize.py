"""`cardan linearize`: modes in the terminal, matrices with their names in a file."""

import json

import numpy as np
from scipy.io import loadmat

import cardan


def test_the_modes_of_a_pendulum(cardan_cli):
    result = cardan_cli("linearize", "compound_pendulum", "--initial", "pendulum=0")
    assert result.exit_code == 0
    assert "compound pendulum: not all small motions decay" in result.stdout  # nothing damps it
    assert "states: pendulum.q, pendulum.v" in result.stdout
    frequency = (1.5 * 9.81 / 0.8) ** 0.5  # closed form of a thin rod
    assert f"{frequency:.5g}" in result.stdout
    assert f"{frequency / (2 * np.pi):.5g}" in result.stdout


def test_of_what_cannot_move_no_motion_decays(cardan_cli, tmp_path):
    path = tmp_path / "post.yaml"
    path.write_text(
        "cardan: 1\nbodies: {post: {mass: 1}}\njoints: {foot: {type: fixed, parent: ground, child: post}}\n"
    )
    assert "nothing moves" in cardan_cli("linearize", str(path)).stdout


def test_files_hold_the_matrices_with_their_names(cardan_cli):
    words = (
        "linearize",
        "overhead_crane",
        "--input",
        "drive=0",
        "--equilibrium",
        "--of",
        "travel",
        "--set",
        "mp=1.2kg",
    )
    for file in ("crane.json", "crane.mat"):
        result = cardan_cli(*words, "-o", file)
        assert result.exit_code == 0
        assert f"wrote {file}" in result.stdout
    parameters, drive = {"mp": "1.2 kg"}, {"drive": 0}
    crane = cardan.load("overhead_crane")
    found = cardan.linearize(crane, parameters=parameters, inputs=drive, outputs=["travel"], equilibrium=True)
    with open("crane.json", encoding="utf-8") as file:
        content = json.load(file)
    cells = loadmat("crane.mat", squeeze_me=False)
    for name in "ABCD":
        np.testing.assert_array_equal(content[name], getattr(found, name))
        np.testing.assert_array_equal(cells[name], getattr(found, name))
    assert content["states"] == list(found.states) == [str(name[0]) for name in cells["states"].ravel()]
    assert (content["inputs"], content["outputs"], content["u"]) == (["drive"], ["travel"], {"drive": 0.0})
    np.testing.assert_array_equal(cells["x0"].ravel(), list(found.x.values()))


def test_refusals_are_wrong_input(cardan_cli):
    result = cardan_cli("linearize", "overhead_crane", "-o", "crane.csv")
    assert result.exit_code == 2
    assert "crane.csv must end in .json or .mat" in result.stderr
    result = cardan_cli("linearize", "stick_slip_slider")
    assert result.exit_code == 2
    assert "friction that sticks is not linear" in result.stderr


def test_a_wrong_output_is_named_by_its_option(cardan_cli):
    result = cardan_cli("linearize", "overhead_crane", "--of", "nope")
    assert (result.exit_code, result.stderr.startswith("error: --of: 'nope' is nothing")) == (2, True)


def test_names_of_states_are_whole_in_a_narrow_terminal(cardan_cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = cardan_cli("linearize", "overhead_crane").stdout.split("eigenvalue")[1]
    assert "drive.current" in rows
