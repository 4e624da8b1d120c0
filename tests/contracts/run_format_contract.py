"""What every file format of runs satisfies: a class with its extension, `class TestParquet(RunFormatContract)`.

What is saved comes back bit for bit, with names and units, and a damaged file is refused by name.
"""

from typing import ClassVar

import numpy as np
import pytest

from cardan.results import RunFileError, Trajectory, load_run, save_run
from cardan.results.storage import comma_separated, matlab, netcdf, parquet
from tests.selection import each


class RunFormatContract:
    """Round trips, names and units, partial files and refusals, of the `run` without any mechanism."""

    extension: ClassVar[str]

    def test_a_run_comes_back_bit_for_bit(self, run, tmp_path):
        path = save_run(run, tmp_path / f"run{self.extension}")
        back = load_run(path)
        for name in ("t", "x", "w"):
            np.testing.assert_array_equal(getattr(back, name), getattr(run, name))
        for name in ("state_names", "state_units", "work_names", "status", "message", "report"):
            assert getattr(back, name) == getattr(run, name)
        assert back.channels == run.channels
        for name in run.names:
            np.testing.assert_array_equal(back.array(name), run.array(name))

    def test_model_version_and_settings_are_inside(self, run, tmp_path):
        back = load_run(save_run(run, tmp_path / f"run{self.extension}")).provenance
        assert (back.model, back.source, back.version) == ("slider", run.provenance.source, run.provenance.version)
        assert back.settings == {"rtol": 1e-8, "inputs": {"drive": [1.0, 2.0]}, "a": None}

    def test_states_are_always_stored_with_the_chosen_channels(self, run, tmp_path):
        back = load_run(save_run(run, tmp_path / f"run{self.extension}", ["drive.current", "slide.v"]))
        assert back.names == ("slide.q", "slide.v", "work.drive", "drive.current")
        with pytest.raises(KeyError, match=r"box\.position"):
            back["box.position"]

    def test_a_loaded_run_can_be_saved_again(self, run, tmp_path):
        once = load_run(save_run(run, tmp_path / f"once{self.extension}"))
        twice = load_run(save_run(once, tmp_path / f"twice{self.extension}"))
        np.testing.assert_array_equal(twice.array("box.position"), run.array("box.position"))

    @each("count", [0, 1])
    def test_a_run_of_one_instant_or_none(self, tmp_path, count):
        short = Trajectory(np.zeros(count), np.ones((count, 1)), ("a.q",), ("m",))
        back = load_run(save_run(short, tmp_path / f"run{self.extension}"))
        assert back.x.shape == (count, 1)

    def test_a_model_of_300_kb(self, run, tmp_path):
        long = Trajectory(
            run.t, run.x, run.state_names, run.state_units, provenance=type(run.provenance)("m", "a" * 300_000)
        )
        assert len(load_run(save_run(long, tmp_path / f"run{self.extension}")).provenance.source) == 300_000

    def test_an_existing_file_survives_a_save_that_breaks_off(self, run, tmp_path, monkeypatch):
        path = save_run(run, tmp_path / f"run{self.extension}")
        before = path.read_bytes()

        def broken(run, names, file):
            file.write(before[:10])
            raise OSError("no space left")

        for module in (netcdf, comma_separated, parquet, matlab):
            monkeypatch.setattr(module, "write", broken)
        with pytest.raises(OSError, match="no space left"):
            save_run(run, path)
        assert path.read_bytes() == before
        assert [entry.name for entry in tmp_path.iterdir()] == [path.name]

    def test_an_unknown_channel_leaves_no_file(self, run, tmp_path):
        with pytest.raises(KeyError, match="ghost"):
            save_run(run, tmp_path / f"run{self.extension}", ["ghost"])
        assert not list(tmp_path.iterdir())

    def test_a_file_of_something_else_is_refused(self, tmp_path):
        path = tmp_path / f"alien{self.extension}"
        path.write_text("time,value\n0,1\n")
        with pytest.raises(RunFileError, match=f"alien{self.extension}: cannot be read as {self.extension}"):
            load_run(path)

    def test_a_file_cut_short_is_refused(self, run, tmp_path):
        path = save_run(run, tmp_path / f"run{self.extension}")
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 3])
        with pytest.raises(RunFileError, match="cannot be read"):
            load_run(path)

    def test_a_missing_file_and_a_missing_folder_are_os_errors(self, run, tmp_path):
        with pytest.raises(FileNotFoundError):
            load_run(tmp_path / f"none{self.extension}")
        with pytest.raises(OSError, match="nowhere"):
            save_run(run, tmp_path / "nowhere" / f"run{self.extension}")

    def test_units_come_back_with_the_names(self, run, tmp_path):
        back = load_run(save_run(run, tmp_path / f"run{self.extension}"))
        assert back.names == run.names
        for name in run.names:
            assert back[name].attrs["units"] == run[name].attrs["units"]
            assert back[name].dims == run[name].dims

    def test_the_extension_may_be_written_in_capitals(self, run, tmp_path):
        path = save_run(run, tmp_path / f"run{self.extension.upper()}")
        np.testing.assert_array_equal(load_run(path).x, run.x)
