"""Files of runs: what belongs to one format or to none of them."""

import contextlib
import json

import numpy as np
import pytest

from cardan.results import RunFileError, load_run, save_run
from cardan.results.storage import files


def test_a_csv_file_cut_at_the_end_of_a_line_is_refused(run, tmp_path):
    path = save_run(run, tmp_path / "run.csv")
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-2]), encoding="utf-8")
    with pytest.raises(RunFileError, match="says 5 instants, but it holds 3; it was cut short"):
        load_run(path)


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
        (lambda head: head.update(format="9"), None),
        (lambda head: head.update(message=[1]), "message: Input should be a valid string"),
        (lambda head: head.update(status=3), "status: Input should be a valid string"),
        (lambda head: head.update(status="dancing"), "its header is damaged"),
        (lambda head: head.update(instants=None), "instants: Input should be a valid integer"),
        (lambda head: head.update(statistics=[]), "statistics: Input should be a valid dictionary"),
        (lambda head: head.update(report=[]), "report: Input should be a valid dictionary"),
        (lambda head: head["report"].update(energy_error="x"), "report.energy_error: Input should be a valid number"),
        (lambda head: head.update(passages=[[]]), "passages.0: Input should be a dictionary"),
        (lambda head: head.update(provenance={"settings": 1}), "provenance.settings: Input should be a valid dict"),
        (lambda head: head.update(states=[1]), "states.0: Input should be a valid tuple"),
        (lambda head: head.update(states=[["nowhere", "m"]]), "not in it: nowhere"),
        (lambda head: head.update(works=["nowhere"]), "not in it: nowhere"),
        (lambda head: head.update(states=[["box.position", "m"]]), None),
        (lambda head: head.update(channels=7), None),
        (lambda head: head["channels"][0].update(unit=7), None),
        (lambda head: head["channels"][0].update(components="xyz"), None),
        (lambda head: head.clear(), None),
        (
            lambda head: head["channels"].append({"name": "lost", "unit": "m", "components": [], "kind": "output"}),
            "not in it: lost",
        ),
    ],
)
def test_a_header_that_does_not_fit_its_file_is_refused(run, tmp_path, change, text):
    path = save_run(run, tmp_path / "run.csv")
    _edit(path, change)
    if text is None:  # refused with some reason, or of no consequence
        with contextlib.suppress(RunFileError):
            load_run(path).to_dataset()
        return
    with pytest.raises(RunFileError, match=text):
        load_run(path)


@pytest.mark.parametrize("extension", [".nc", ".parquet"])
@pytest.mark.parametrize("head", ["[]", "7", "null", '{"channels": 1}', "{"])
def test_a_header_that_is_no_table_is_refused(run, tmp_path, extension, head, monkeypatch):
    for module in ("dataset", "storage.parquet"):
        monkeypatch.setattr(f"cardan.results.{module}.header", lambda *_: json.loads(head) if head != "{" else {})
    path = save_run(run, tmp_path / f"run{extension}")
    with pytest.raises(RunFileError):
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


def test_parquet_without_pyarrow_names_the_extra(run, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    with pytest.raises(RunFileError, match="pyarrow, which is not installed; pip install pyarrow"):
        save_run(run, tmp_path / "run.parquet")
    assert not list(tmp_path.iterdir())
