"""Runs in .mat files keep the contract of formats, and are columns with names that MATLAB allows."""

import numpy as np
import pytest
from scipy.io import loadmat, savemat
from tests.contracts.run_format_contract import RunFormatContract

from cardan.results import RunFileError, load_run, save_run
from cardan.results.storage.matlab import variables


class TestMatlab(RunFormatContract):
    extension = ".mat"


def test_results_are_columns_with_their_names_and_units(run, tmp_path):
    content = loadmat(save_run(run, tmp_path / "run.mat"))
    np.testing.assert_array_equal(content["time"], run.t[:, None])
    table = {
        str(n[0]): (str(v[0]), "".join(u))
        for n, v, u in zip(*(content[k].ravel() for k in ("names", "variables", "units")), strict=True)
    }
    assert set(table) == set(run.names)
    for name, (variable, unit) in table.items():
        np.testing.assert_array_equal(content[variable], run.array(name).reshape(len(run), -1))
        assert unit == run.channels[name].unit


def test_names_are_identifiers_and_differ():
    names = ["a.b", "a_b", "time", "2.x", "x" * 70, "x" * 71, "ä.q"]
    words = variables(names)
    assert words[:4] == ["a_b", "a_b_2", "time_2", "x"]
    assert len(set(words)) == len(names)
    assert all(word.isidentifier() and word.isascii() and len(word) <= 63 for word in words)


def test_other_mat_files_are_no_runs(tmp_path):
    savemat(tmp_path / "other.mat", {"x": 1})
    with pytest.raises(RunFileError, match="no variable `cardan`"):
        load_run(tmp_path / "other.mat")
