"""`cardan sweep`: words become a grid of values; runs become a summary, files, a picture and an exit code."""

import csv

import numpy as np
import pyarrow.parquet
import pytest
import xarray

import cardan

CRANE = "overhead_crane"
SHORT = ("--until", "0.1", "--times", "0,0.05,0.1")

pytestmark = pytest.mark.filterwarnings("ignore::cardan.errors.ModelWarning")


@pytest.fixture
def swept(monkeypatch):
    """What `cardan.sweep` was called with, and what it returned."""
    calls, real = [], cardan.sweep

    def noted(model, **given):
        calls.append((model, given))
        return real(model, **given)

    monkeypatch.setattr(cardan, "sweep", noted)
    return calls


def test_ranges_and_lists_are_axes(cardan_cli, swept):
    words = ["--vary", "L=0.5m:90cm:3", "--vary", "drive=2V,5V,10V", "--vary", "swing.v=0,-1", *SHORT]
    done = cardan_cli("sweep", CRANE, *words)
    assert done.exit_code == 0, done.stderr
    ((model, given),) = swept
    assert model == cardan.load(CRANE)
    assert given["parameters"] == {"L": ["0.5m", pytest.approx(0.7), "90cm"]}
    assert given["inputs"] == {"drive": ["2V", "5V", "10V"]}
    assert given["initial"] == {"swing.v": [0.0, -1.0]}
    assert "3 × 3 × 2 = 18 runs: 18 completed" in done.stdout


def test_all_runs_are_changed_alike(cardan_cli, swept):
    words = "--vary L=0.5,0.6 --set mp=1.2kg --input drive=3V --initial swing=0.1 --guess travel=1 --motors simplified"
    more = "--method rk4 --step 1ms --rtol 1e-6 --atol 1e-7 --threads 2"
    assert cardan_cli("sweep", CRANE, *words.split(), *more.split(), *SHORT).exit_code == 0
    ((model, given),) = swept
    assert (model.parameters["mp"].value, model.inputs["drive"].value, model.initial["swing"].value) == (1.2, 3, 0.1)
    assert (given["motors"], given["method"], given["step"], given["threads"]) == ("simplified", "rk4", 1e-3, 2)
    assert (given["rtol"], given["atol"]) == (1e-6, 1e-7)


def test_a_prefix_says_what_a_name_is(cardan_cli, swept):
    for word in ("inputs.swing=0,1", "initial.swing=0,1"):
        assert cardan_cli("sweep", CRANE, "--motors", "none", "--vary", word, *SHORT).exit_code == 0
    assert [[name for name in ("inputs", "initial") if name in given] for _, given in swept] == [
        ["inputs"],
        ["initial"],
    ]


def test_an_output_may_have_a_name_of_its_own(cardan_cli):
    words = ["--vary", "L=1,2", "--outputs", "peak swing = max(abs(swing.q)), is_up=swing.q>=0", *SHORT]
    text = cardan_cli("sweep", CRANE, *words).stdout
    assert "peak swing" in text
    assert "is_up" in text


def test_the_summary_says_where_the_extremes_are(cardan_cli):
    done = cardan_cli(
        "sweep", CRANE, "--vary", "drive=2V,5V", "--outputs", "max(drive.current), final(payload.position)"
    )
    (current,) = [line for line in done.stdout.splitlines() if "max(drive.current)" in line]
    assert current.split()[1] == "A"
    assert "drive = 2" in current
    assert current.rstrip().endswith("drive = 5")
    assert "final(payload.position).z" in done.stdout
    assert not cardan_cli("sweep", CRANE, "--vary", "drive=2V,5V", *SHORT, "-q").stdout


def test_runs_that_cannot_be_assembled_are_counted(cardan_cli):
    words = ["slider_crank", "--initial", "crank=90deg", "--outputs", "max(crank.v)", *SHORT]
    done = cardan_cli("sweep", *words, "--vary", "l2=0.1,0.5")
    assert done.exit_code == 0
    assert "2 runs: 1 completed, 1 not_assembled" in done.stdout
    assert cardan_cli("sweep", *words, "--vary", "l2=0.1,0.12").exit_code == 2


def test_files(cardan_cli, tmp_path):
    words = ["--vary", "L=0.5,0.7,0.9", "--outputs", "max(swing.q/L),swing.q,max(swing.q, 0),payload.position", *SHORT]
    for name in ("s.nc", "s.csv", "s.parquet"):
        done = cardan_cli("sweep", CRANE, *words, "-o", name)
        assert done.exit_code == 0, done.stderr
        assert f"wrote {name}" in done.stdout
    expected = cardan.sweep(
        cardan.load(CRANE),
        times=[0, 0.05, 0.1],
        parameters={"L": [0.5, 0.7, 0.9]},
        outputs=["max(swing.q/L)", "swing.q", "max(swing.q, 0)", "payload.position"],
    )
    netcdf = xarray.load_dataset(tmp_path / "s.nc", engine="scipy")
    xarray.testing.assert_identical(
        netcdf.rename({"max(swing.q÷L)": "max(swing.q/L)"}).drop_attrs(), expected.drop_attrs()
    )
    assert netcdf["L"].attrs["units"] == "m"

    with (tmp_path / "s.csv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(line for line in file if not line.startswith("#"))
    table = dict(zip(head, zip(*rows, strict=True), strict=True))
    parquet = pyarrow.parquet.read_table(tmp_path / "s.parquet")
    assert head[:2] == ["L [m]", "time [s]"]
    assert parquet.column_names[:2] == ["L", "time"]
    assert parquet.schema.field("swing.q").metadata[b"unit"] == b"rad"
    assert len(rows) == parquet.num_rows == 9
    assert table["status"] == ("completed",) * 9
    one = expected["swing.q"].values.ravel()
    np.testing.assert_array_equal(np.array(table["swing.q [rad]"], float), one)
    np.testing.assert_array_equal(parquet["swing.q"].to_numpy(), one)
    np.testing.assert_array_equal(parquet["max(swing.q/L)"].to_numpy(), np.repeat(expected["max(swing.q/L)"].values, 3))
    np.testing.assert_array_equal(
        np.array(table["payload.position.x [m]"], float), expected["payload.position"].values[..., 0].ravel()
    )


def test_a_picture(cardan_cli, tmp_path):
    done = cardan_cli("sweep", CRANE, "--vary", "L=0.5:0.9:3", *SHORT, "--plot", "s.png")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")


def test_interrupted_sweeps_say_so(cardan_cli, monkeypatch):
    real = cardan.sweep

    def interrupted(model, **given):
        found = real(model, **given)
        found["status"] = found["status"].astype("U20")
        found["status"][:] = "interrupted"
        return found

    monkeypatch.setattr(cardan, "sweep", interrupted)
    assert cardan_cli("sweep", CRANE, "--vary", "L=0.5,0.6", *SHORT).exit_code == 130


def test_sweeps_of_which_no_run_ends_well_fail(cardan_cli):
    assert cardan_cli("sweep", CRANE, "--vary", "L=0.5,0.6", "--input", "drive=sqrt(-1-t)").exit_code == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "nothing varies; give --vary"),
        (["--vary", "L"], "is not of the form NAME=VALUES"),
        (["--vary", "Lx=1,2"], "did you mean 'L'"),
        (["--vary", "L=1:2"], "is not of the form begin:end:count"),
        (["--vary", "L=1:2:1"], "with a count of two or more"),
        (["--vary", "L=1m:2:3"], "write the unit at all of them"),
        (["--vary", "L=1m,2"], "write the unit at all of them"),
        (["--vary", "L=1kg:2kg:3"], "'1kg' is a mass"),
        (["--vary", "L=mt:2:3"], "with and without a unit"),
        (["--vary", "L=mt:mp:3"], "is an expression; give numbers"),
        (["--vary", "L=1 +:2m:3"], "1 +"),
        (["--vary", "L=1,2", "--vary", "L=3,4"], '"L" is given twice'),
        (["--vary", "swing=0,1", "--motors", "none"], "can be several things here"),
        (["--vary", "L=1,2", "--outputs", "swin.q"], "did you mean 'swing.q'"),
        (["--vary", "L=1,2", "--outputs", "a=swing.q,a=1"], "two outputs are called 'a'"),
        (["--vary", "L=1,2", "--outputs", "max(swing.q)-min(swing.q)"], "reductions, which stand alone"),
        (["--vary", "L=1,2", "--outputs", "a=max("], "error: --outputs: in 'max('"),
        (["--vary", "L=1,2", "--set", "mpp=1"], "no parameter"),
        (["--vary", "L=1,2", "-o", "s.xyz"], ".parquet"),
        (["--vary", "L=1,2", "--plot", "s.xyz"], ".svg"),
        (["--vary", "L=1,2", "--vary", "mp=1,2", "--vary", "mt=1,2", "--plot", "s.png"], "two axes at most"),
        (["--vary", "L=1,2", "--threads", "0"], "--threads"),
    ],
)
def test_what_is_refused(cardan_cli, words, text):
    done = cardan_cli("sweep", CRANE, *words, "--until", "0.1")
    assert done.exit_code == 2
    assert text in " ".join(done.stderr.replace("│", " ").split())


def test_a_narrow_terminal_shows_whole_names_and_units(cardan_cli, monkeypatch):
    """At 80 columns names are continued on the next line; units are those that engineers write."""
    monkeypatch.setenv("COLUMNS", "80")
    name = "max(abs(drive.voltage*drive.current))"
    words = [
        "--vary",
        "L=0.5,0.6",
        "--vary",
        "d1=1,2",
        "--vary",
        "Im=1e-3,2e-3",
        "--outputs",
        f"{name},max(swing.effort)",
    ]
    done = cardan_cli("sweep", CRANE, *words, *SHORT)
    assert done.exit_code == 0, done.stderr
    assert "…" not in done.stdout
    rows = [line.strip().split("  ") for line in done.stdout.splitlines()]
    assert "".join(row[0] for row in rows).count(name) == 1
    units = [line.split()[1] for line in done.stdout.splitlines() if line.split()[:1] in (["L"], ["d1"], ["Im"])]
    assert units == ["m", "N*s/m", "kg*m^2"]
    assert "   W   " in done.stdout
    assert "   N*m   " in done.stdout


def test_a_store_goes_on_in_the_terminal(cardan_cli, tmp_path, monkeypatch):
    pytest.importorskip("zarr")
    from cardan.blocks import work
    from cardan.cli.commands.sweep import Bar

    def pressed(bar, fraction):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(work, "LONG", 1e-9)
    words = ["--vary", "L=0.5m:0.9m:16", "--outputs", "max(swing.q),swing.q", *SHORT, "--store", "study.zarr"]
    with monkeypatch.context() as patch:
        patch.setattr(Bar, "__call__", pressed)
        begun = cardan_cli("sweep", CRANE, *words)
    assert begun.exit_code == 130
    assert "8 runs are left; go on with: cardan sweep --resume study.zarr" in begun.stdout
    done = cardan_cli("sweep", "--resume", "study.zarr", "-o", "sweep.nc")
    assert done.exit_code == 0, done.stderr
    assert "16 runs: 16 completed" in done.stdout
    assert "all runs are in study.zarr" in done.stdout
    assert "max(swing.q)" in done.stdout
    assert xarray.load_dataset("sweep.nc", engine="scipy").sizes["L"] == 16
    again = cardan_cli("sweep", CRANE, *words)
    assert again.exit_code == 2
    assert "study.zarr is there already\n    give --resume to go on with it" in again.stderr


def test_a_cluster_is_handed_on(cardan_cli, monkeypatch):
    given = {}
    monkeypatch.setattr(cardan, "sweep", lambda model, **call: given.update(call) or exit(3))
    cardan_cli("sweep", CRANE, "--vary", "L=0.5,0.6", "--cluster", "local:4")
    assert given["client"] == "local:4"
    refused = cardan_cli("sweep", CRANE, "--vary", "L=0.5,0.6", "--cluster", "locally")
    assert refused.exit_code != 0


@pytest.mark.parametrize(
    "words",
    [
        ["crane"],
        ["--vary", "L=1,2"],
        ["--outputs", "swing.q"],
        ["--store", "b.zarr"],
        ["--set", "L=1"],
        ["--rtol", "1"],
    ],
)
def test_what_a_store_has_is_not_given_again(cardan_cli, words):
    done = cardan_cli("sweep", "--resume", "study.zarr", *words)
    assert done.exit_code == 2
    assert "a store that goes on has this itself" in done.stderr
    assert "no model is named" in cardan_cli("sweep").stderr
    assert "a store that goes on" in cardan_cli("sweep", CRANE, "--retry").stderr


def test_the_summary_says_why_runs_are_missing(cardan_cli):
    done = cardan_cli("sweep", "slider_crank", "--vary", "l2=0.1m,0.2m,0.5m", *SHORT, "--initial", "crank=90deg")
    assert "1 not_assembled" in done.stdout
    assert "1 of them: " in done.stdout
