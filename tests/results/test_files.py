"""Contract of every file format: what is saved comes back bit for bit, and damage is named."""

import json

import numpy as np
import pytest

from cardan.results import RunFileError, Trajectory, comma_separated, load_run, netcdf, parquet, save_run

EXTENSIONS = [".nc", ".csv", ".parquet", ".NC"]
every_format = pytest.mark.parametrize("extension", EXTENSIONS)


@every_format
def test_a_run_comes_back_bit_for_bit(run, tmp_path, extension):
    path = save_run(run, tmp_path / f"run{extension}")
    back = load_run(path)
    for name in ("t", "x", "w"):
        np.testing.assert_array_equal(getattr(back, name), getattr(run, name))
    for name in ("state_names", "state_units", "work_names", "status", "message", "report"):
        assert getattr(back, name) == getattr(run, name)
    assert back.channels == run.channels
    for name in run.names:
        np.testing.assert_array_equal(back.array(name), run.array(name))


@every_format
def test_model_version_and_settings_are_inside(run, tmp_path, extension):
    back = load_run(save_run(run, tmp_path / f"run{extension}")).provenance
    assert (back.model, back.source, back.version) == ("slider", run.provenance.source, run.provenance.version)
    assert back.settings == {"rtol": 1e-8, "inputs": {"drive": [1.0, 2.0]}, "a": None}


@every_format
def test_states_are_always_stored_with_the_chosen_channels(run, tmp_path, extension):
    back = load_run(save_run(run, tmp_path / f"run{extension}", ["drive.current", "slide.v"]))
    assert back.names == ("slide.q", "slide.v", "work.drive", "drive.current")
    with pytest.raises(KeyError, match=r"box\.position"):
        back["box.position"]


@every_format
def test_a_loaded_run_can_be_saved_again(run, tmp_path, extension):
    once = load_run(save_run(run, tmp_path / f"once{extension}"))
    twice = load_run(save_run(once, tmp_path / f"twice{extension}"))
    np.testing.assert_array_equal(twice.array("box.position"), run.array("box.position"))


@every_format
@pytest.mark.parametrize("count", [0, 1])
def test_a_run_of_one_instant_or_none(tmp_path, extension, count):
    short = Trajectory(np.zeros(count), np.ones((count, 1)), ("a.q",), ("m",))
    back = load_run(save_run(short, tmp_path / f"run{extension}"))
    assert back.x.shape == (count, 1)


@every_format
def test_a_model_of_300_kb(run, tmp_path, extension):
    long = Trajectory(
        run.t, run.x, run.state_names, run.state_units, provenance=type(run.provenance)("m", "a" * 300_000)
    )
    assert len(load_run(save_run(long, tmp_path / f"run{extension}")).provenance.source) == 300_000


@every_format
def test_an_existing_file_survives_a_save_that_breaks_off(run, tmp_path, extension, monkeypatch):
    path = save_run(run, tmp_path / f"run{extension}")
    before = path.read_bytes()

    def broken(run, names, path):
        path.write_bytes(before[:10])
        raise OSError("no space left")

    for module in (netcdf, comma_separated, parquet):
        monkeypatch.setattr(module, "write", broken)
    with pytest.raises(OSError, match="no space left"):
        save_run(run, path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@every_format
def test_an_unknown_channel_leaves_no_file(run, tmp_path, extension):
    with pytest.raises(KeyError, match="ghost"):
        save_run(run, tmp_path / f"run{extension}", ["ghost"])
    assert not list(tmp_path.iterdir())


@every_format
def test_a_file_of_something_else_is_refused(tmp_path, extension):
    path = tmp_path / f"alien{extension}"
    path.write_text("time,value\n0,1\n")
    with pytest.raises(RunFileError, match=f"alien{extension}: cannot be read as {extension}"):
        load_run(path)


@every_format
def test_a_file_cut_short_is_refused(run, tmp_path, extension):
    path = save_run(run, tmp_path / f"run{extension}")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 3])
    with pytest.raises(RunFileError, match="cannot be read"):
        load_run(path)


def test_a_csv_file_cut_at_the_end_of_a_line_is_refused(run, tmp_path):
    path = save_run(run, tmp_path / "run.csv")
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-2]), encoding="utf-8")
    with pytest.raises(RunFileError, match="says 5 instants, but it holds 3; it was cut short"):
        load_run(path)


@every_format
def test_a_missing_file_and_a_missing_folder_are_os_errors(run, tmp_path, extension):
    with pytest.raises(FileNotFoundError):
        load_run(tmp_path / f"none{extension}")
    with pytest.raises(OSError, match="nowhere"):
        save_run(run, tmp_path / "nowhere" / f"run{extension}")


@pytest.mark.parametrize("name", ["run.xlsx", "run", "run.NC2"])
def test_an_unknown_extension_names_the_known_ones(run, tmp_path, name):
    with pytest.raises(RunFileError, match=r"\.nc, \.csv, \.parquet"):
        save_run(run, tmp_path / name)
    with pytest.raises(RunFileError, match=r"\.nc, \.csv, \.parquet"):
        load_run(tmp_path / name)


def test_a_dataset_without_a_header_is_not_a_run(run, tmp_path):
    path = tmp_path / "bare.nc"
    run.to_dataset(["slide.q"]).drop_attrs().to_netcdf(path, engine="scipy")
    with pytest.raises(RunFileError, match="no attribute `cardan`"):
        load_run(path)


def test_a_parquet_table_without_a_header_is_not_a_run(tmp_path):
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0]}), tmp_path / "bare.parquet")
    with pytest.raises(RunFileError, match="no entry `cardan`"):
        load_run(tmp_path / "bare.parquet")


def _edit(path, change):
    """Rewrite the JSON header of a CSV file."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    comments = [line for line in lines[1:] if line.startswith("#")]
    head = json.loads("".join(line[1:] for line in comments))
    change(head)
    path.write_text("".join([lines[0], f"# {json.dumps(head)}\n", *lines[1 + len(comments) :]]), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda head: head.update(format=99), "written in format 99"),
        (lambda head: head.pop("states"), "its header is damaged"),
        (lambda head: head.pop("instants"), "its header is damaged"),
        (lambda head: head.update(report={"luck": 1}), "its header is damaged"),
        (
            lambda head: head["channels"].append({"name": "lost", "unit": "m", "components": [], "kind": "output"}),
            "not in it: lost",
        ),
    ],
)
def test_a_header_that_does_not_fit_its_file_is_refused(run, tmp_path, change, text):
    path = save_run(run, tmp_path / "run.csv")
    _edit(path, change)
    with pytest.raises(RunFileError, match=text):
        load_run(path)


def test_csv_opens_in_pandas_with_units_in_the_titles(run, tmp_path):
    import pandas

    table = pandas.read_csv(save_run(run, tmp_path / "run.csv"), comment="#")
    assert list(table)[:2] == ["time [s]", "slide.q [m]"]
    np.testing.assert_array_equal(table["box.position.x [m]"], run.x[:, 0])


def test_netcdf_opens_in_xarray_with_units_and_labelled_axes(run, tmp_path):
    import xarray

    content = xarray.load_dataset(save_run(run, tmp_path / "run.nc"), engine="scipy")
    assert content["drive.current"].attrs["units"] == "A"
    assert list(content["axis"].to_numpy()) == ["x", "y", "z"]
