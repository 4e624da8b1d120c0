"""Pictures of sweeps: which panel shows a variable, what its axes are called, and what is refused."""

import numpy as np
import pytest

import cardan
from cardan.view import plot_sweep

pytestmark = pytest.mark.filterwarnings("ignore::cardan.errors.ModelWarning")


@pytest.fixture(scope="module")
def crane():
    return cardan.load("overhead_crane")


def sweep_of(crane, **values):
    outputs = ["max(drive.current)", "swing.q", "final(payload.position)"]
    lists = {
        "parameters": {k: x for k, x in values.items() if k != "drive"},
        "inputs": {"drive": values.get("drive", 5)},
    }
    return cardan.sweep(crane, times=np.linspace(0, 0.2, 11), outputs=outputs, **lists)


def panels(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def test_one_axis(crane, tmp_path):
    found = sweep_of(crane, L=[0.5, 0.7, 0.9])
    figure = plot_sweep(found, path=tmp_path / "s.png")
    current, swing, x, *_ = panels(figure)
    assert (current.get_xlabel(), current.get_ylabel()) == ("L [m]", "max(drive.current) [A]")
    np.testing.assert_array_equal(current.lines[0].get_xydata()[:, 1], found["max(drive.current)"])
    assert (swing.get_xlabel(), len(swing.lines)) == ("time [s]", 3)
    assert [text.get_text() for text in swing.get_legend().get_texts()] == ["0.5", "0.7", "0.9"]
    assert x.get_ylabel() == "final(payload.position).x [m]"
    assert (tmp_path / "s.png").stat().st_size > 1000


def test_many_lines_have_a_colour_bar(crane):
    (panel,) = panels(plot_sweep(sweep_of(crane, L=np.linspace(0.5, 0.9, 9)), ["swing.q"]))
    assert len(panel.lines) == 9
    assert panel.get_legend() is None


def test_two_axes_are_lines_or_a_map(crane):
    few = sweep_of(crane, L=np.linspace(0.5, 0.9, 9), drive=[2, 5])
    (lines,) = panels(plot_sweep(few, ["max(drive.current)"]))
    assert (lines.get_xlabel(), len(lines.lines)) == ("L [m]", 2)
    assert lines.get_legend().get_title().get_text() == "drive [V]"
    many = sweep_of(crane, L=np.linspace(0.5, 0.9, 9), drive=np.linspace(2, 10, 8))
    figure = plot_sweep(many, ["max(drive.current)"])
    (picture,) = panels(figure)
    assert (picture.get_xlabel(), picture.get_ylabel()) == ("drive [V]", "L [m]")
    assert picture.collections[0].get_array().shape == (9, 8)
    assert figure.axes[-1].get_ylabel() == "max(drive.current) [A]"


def test_draws_are_points_over_what_varies(crane):
    import xarray

    L = xarray.DataArray([0.9, 0.5, 0.7], dims="draw")
    (panel,) = panels(plot_sweep(sweep_of(crane, L=L), ["max(drive.current)"]))
    assert panel.get_xlabel() == "L [m]"
    assert panel.lines[0].get_linestyle() == "None"


def test_runs_without_a_value_are_gaps(crane):
    found = sweep_of(crane, L=np.linspace(0.5, 0.9, 9), drive=np.linspace(2, 10, 8))
    found["max(drive.current)"][2, 3] = np.nan
    (picture,) = panels(plot_sweep(found, ["max(drive.current)"]))
    assert picture.collections[0].get_array().mask.sum() == 1
    found["max(drive.current)"][:] = np.nan
    plot_sweep(found, ["max(drive.current)"])


def test_what_is_refused(crane):
    found = sweep_of(crane, L=[0.5, 0.7], drive=[2, 5], mp=[1, 2])
    with pytest.raises(ValueError, match="two axes at most"):
        plot_sweep(found)
    with pytest.raises(KeyError, match=r"swing\.q"):
        plot_sweep(found.isel(mp=0), ["swin.q"])
    with pytest.raises(ValueError, match="nothing to plot"):
        plot_sweep(found.isel(mp=0).drop_vars(["max(drive.current)", "swing.q", "final(payload.position)"]))
