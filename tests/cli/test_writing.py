"""Files that commands write: one rule for all of them."""

import pytest

import cardan
from cardan.results import save_run

FILES = {
    "equations": (("equations", "compound_pendulum", "-o", "made.tex"), "made.tex"),
    "export": (("export", "compound_pendulum", "-o", "made.py"), "made.py"),
    "simulate": (("simulate", "compound_pendulum", "--until", "0.1", "-o", "made.csv"), "made.csv"),
    "simulate --plot": (("simulate", "compound_pendulum", "--until", "0.1", "--plot", "made.png"), "made.png"),
    "plot": (("plot", "run.csv", "-o", "made.svg"), "made.svg"),
    "plot beside the run": (("plot", "run.csv"), "run.png"),
}
"""Command, and the file it writes."""


@pytest.fixture(scope="module")
def run():
    """A short run to draw."""
    return cardan.simulate(cardan.load("compound_pendulum"), until=0.1)


@pytest.mark.parametrize("command", FILES)
def test_a_file_is_replaced_only_with_force(cardan_cli, tmp_path, run, command):
    words, name = FILES[command]
    save_run(run, tmp_path / "run.csv")
    (tmp_path / name).write_text("mine")
    refused = cardan_cli(*words)
    assert refused.exit_code == 2
    assert f"{name} exists; add --force to replace it" in refused.stderr
    assert (tmp_path / name).read_text() == "mine"
    for force in ("--force", "-f"):
        done = cardan_cli(*words, force)
        assert done.exit_code == 0, done.output
        assert f"wrote {name}" in done.stdout
    assert (tmp_path / name).read_bytes() != b"mine"


@pytest.mark.parametrize("command", ["equations", "export", "simulate", "plot"])
def test_help_says_so(cardan_cli, command):
    assert "Replace files that exist" in cardan_cli(command, "--help").stdout
    assert "No command replaces a file unless --force is given." in cardan_cli("--help").stdout


def test_what_a_command_reads_is_not_replaced_even_with_force(cardan_cli, tmp_path):
    path = tmp_path / "pendulum.yaml"
    cardan.save(cardan.load("compound_pendulum"), path)
    before = path.read_text(encoding="utf-8")
    result = cardan_cli("equations", str(path), "-o", "pendulum.yaml", "--force")
    assert result.exit_code == 2
    assert "pendulum.yaml is what this command reads; name another file" in result.stderr
    assert path.read_text(encoding="utf-8") == before


def test_a_table_that_drives_the_run_is_not_replaced(cardan_cli, tmp_path):
    (tmp_path / "voltage.csv").write_text("t,u\n0,0\n1,10\n")
    result = cardan_cli("simulate", "overhead_crane", "--input", "drive=voltage.csv", "-o", "voltage.csv", "--force")
    assert result.exit_code == 2
    assert "voltage.csv is what this command reads" in result.stderr


@pytest.mark.parametrize("words", [("equations", "compound_pendulum"), ("plot", "run.csv")])
def test_folders(cardan_cli, tmp_path, run, words):
    save_run(run, tmp_path / "run.csv")
    (tmp_path / "there.png").mkdir()
    assert "there.png is a folder; name a file in it" in cardan_cli(*words, "-o", "there.png").stderr
    nowhere = cardan_cli(*words, "-o", "nowhere/made.png")
    assert (nowhere.exit_code, nowhere.stderr) == (2, "error: nowhere: there is no folder\n")
