"""Notebooks run as they stand, their cells show something, and what they say is so; the site runs them in a kernel."""

import ast
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from cardan.errors import ModelWarning

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def _shown(value):
    """What a notebook gets of the value of a cell."""
    found = [getattr(value, f"_repr_{kind}_", lambda: None)() for kind in ("html", "svg", "png")]
    return next((one for one in found if one), repr(value))


def _run(code, names):
    """The value of a cell's last expression, if it ends with one."""
    *first, last = ast.parse(code).body
    is_shown = isinstance(last, ast.Expr) and not code.rstrip().endswith(";")
    exec(compile(ast.Module(first if is_shown else [*first, last], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if is_shown else None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert not [cell for cell in cells if cell["outputs"] or cell["execution_count"]]  # the site makes them
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # printed motor constants, docs/errata.md
        for cell in cells:
            value = _run("".join(cell["source"]), names)
            assert value is None or len(_shown(value)) > 2
    _EXPECTED[path.stem](names)


def _first_hour(names):
    stopped = names["stopped"]
    assert abs(stopped.array("travel.q")[-1]) < 0.02  # of 2 m
    assert np.abs(stopped.array("swing.q")[stopped.t > 4]).max() < np.radians(1)
    assert np.abs(stopped.array("drive.voltage")).max() < 24


def _motor(names):
    assert names["speed"] * 30 / np.pi == pytest.approx(7580, rel=2e-3)  # of the sheet, whose figures have three digits
    assert np.abs(names["run"].array("lag")).max() < 0.05


def _study(names):
    """A load that is driven at a constant speed for one period hangs still; the motor's own lag makes a few ms."""
    grid, period = names["degrees"], 2 * np.pi * np.sqrt(names["degrees"].L.values / 9.81)
    near = np.array([grid.isel(L=k).where(grid["T"] < 1.4 * period[k]).idxmin("T") for k in range(grid.L.size)])
    assert np.abs(near - period).max() < 0.125  # a step of the grid


_EXPECTED = {"first_hour": _first_hour, "motor_from_its_datasheet": _motor, "study_with_a_sweep": _study}
