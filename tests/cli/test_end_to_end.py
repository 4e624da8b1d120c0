"""The commands with nothing replaced: from a name of the gallery to files, as a person types it."""

import math
import subprocess
import sys
from importlib import import_module

import pytest
from tests.mechanisms import IMPOSSIBLE, WITH_MOTORS
from tests.selection import of_gallery

import cardan
from cardan.formats import gallery
from cardan.formats.yaml import loads
from cardan.results import load_run

command = import_module("cardan.cli.commands.simulate")

# Steady speed R Km u / (d Ra + R² Km Ke) of the crane at 10 V; tolerance: the payload's pull, mp g tan(0.05) / 32002
SPEED = pytest.approx(4000 / 32002, abs=2e-5)


def test_a_run_is_simulated_saved_and_drawn(cardan_cli, tmp_path):
    result = cardan_cli("simulate", "overhead_crane", "--times", "0:1:0.01", "-o", "run.nc", "--plot", "run.png")
    assert result.exit_code == 0, result.output
    assert "overhead crane: completed at t = 1 s" in result.stdout
    assert "of the returned instants" not in result.stdout  # extremes are those of the whole motion
    run = load_run(tmp_path / "run.nc")
    assert run.array("travel.v")[-1] == SPEED
    assert run["drive.current"].attrs["units"] == "A"
    drawn = cardan_cli("plot", "run.nc", "--names", "drive.current,travel.v", "--force")
    assert drawn.stdout == "wrote run.png\n"


def test_the_package_runs_as_a_module():
    ran = subprocess.run([sys.executable, "-m", "cardan", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"cardan {cardan.__version__}\n"


CASES = [(name, "simplified" if name in WITH_MOTORS else "none") for name in gallery()]


@pytest.mark.parametrize(("name", "motors"), of_gallery([case for case in CASES if case not in IMPOSSIBLE]))
def test_every_model_of_the_gallery_runs(cardan_cli, tmp_path, name, motors):
    result = cardan_cli("simulate", name, "--until", "0.1", "--motors", motors, "-o", "run.parquet")
    assert result.exit_code == 0, result.output
    report = load_run(tmp_path / "run.parquet").report
    # rtol is 1e-8 per step, and errors of a few tens of steps add up in part; a joule where next to nothing moves
    assert report.energy_error < 1e-7 * max(report.energy_scale, 1.0)


@pytest.mark.parametrize("words", [["--rtol", "-1"], ["--step", "1ms"], ["--method", "rk4"]])
def test_wrong_settings_are_wrong_input(cardan_cli, words):
    result = cardan_cli("simulate", "compound_pendulum", "--until", "0.1", *words)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")


def test_a_changed_parameter_is_in_the_model_that_the_file_carries(cardan_cli, tmp_path):
    words = ["--motors", "simplified", "--set", "mp=1.2kg", "--input", "drive=5V", "--until", "0.2", "-o", "run.csv"]
    assert cardan_cli("simulate", "overhead_crane", *words).exit_code == 0
    provenance = load_run(tmp_path / "run.csv").provenance
    model = loads(provenance.source)
    assert (model.parameters["mp"].value, model.inputs["drive"].value) == (1.2, 5.0)
    assert provenance.settings["motors"] == "simplified"


def test_a_run_repeats_from_the_model_that_its_file_carries(cardan_cli, tmp_path):
    words = ["--times", "0:0.2:0.1", "-q"]
    assert cardan_cli("simulate", "overhead_crane", *words, "--set", "mp=1.2kg", "-o", "first.csv").exit_code == 0
    first = load_run(tmp_path / "first.csv")
    (tmp_path / "model.yaml").write_text(first.provenance.source, encoding="utf-8")
    assert cardan_cli("simulate", "model.yaml", *words, "-o", "second.csv").exit_code == 0
    assert (load_run(tmp_path / "second.csv").x == first.x).all()


def test_ctrl_c_keeps_what_was_computed(cardan_cli, monkeypatch, tmp_path):
    class Impatient(command.Bar):
        def __call__(self, fraction):
            raise KeyboardInterrupt

    monkeypatch.setattr(command, "Bar", Impatient)
    words = ["--method", "rk4", "--step", "0.1ms", "--until", "5", "-o", "run.csv"]
    result = cardan_cli("simulate", "overhead_crane", *words)
    assert result.exit_code == 130
    assert "interrupted at t = " in result.stdout
    run = load_run(tmp_path / "run.csv")
    assert run.status == "interrupted"
    assert 0 < run.t[-1] < 5


def test_equations_of_the_crane_as_a_script_run(cardan_cli):
    words = ["--motors", "simplified", "--only", "C,M,B", "--format", "sympy"]
    values = {"swing": 0.3, "swing.v": 2.0, "mt": 2, "mp": 0.85, "L": 0.7, "Im": 1e-3, "r": 10, "rw": 0.025}
    values |= {"Km": 1, "Ra": 1}
    scope = {}
    exec(cardan_cli("equations", "overhead_crane", *words).stdout, scope)
    mass, coriolis, inputs = ([float(x) for x in scope[name].subs(values)] for name in "MCB")
    coupling = 0.85 * 0.7 * math.cos(0.3)  # mp L cos q2, Hoang & Vuong, eq. (34)
    # round-off of a handful of operations
    assert mass == pytest.approx([162.85, coupling, coupling, 0.4165], rel=1e-14)
    assert coriolis == pytest.approx([0.0, -0.85 * 0.7 * 2.0 * math.sin(0.3), 0, 0], rel=1e-14)
    assert inputs == pytest.approx([400.0, 0], rel=1e-14)
