"""Maps of workspaces: what is drawn, what is hatched, what is refused."""

import numpy as np
import pytest

import cardan
from cardan.view import plot_workspace

AXIS = np.linspace(-1, 1, 15)


@pytest.fixture(scope="module")
def plane():
    """The plane around an arm of two links."""
    return cardan.workspace(cardan.load("scara"), "link2.tip", {"link2.tip.x": AXIS, "link2.tip.y": AXIS})


def test_a_map_shows_what_is_reached_and_hatches_the_rest(plane, tmp_path):
    figure = plot_workspace(plane, ["manipulability", "condition"], tmp_path / "map.svg")
    panel = figure.axes[0]
    (mesh,) = [c for c in panel.collections if c.__class__.__name__ == "QuadMesh"]
    shown = mesh.get_array()
    assert (~np.ma.getmaskarray(shown) == plane.reachable.values.T).all()
    assert any(patch.get_hatch() for patch in panel.patches)
    assert panel.get_xlabel() == "link2.tip.x [m]"
    assert (tmp_path / "map.svg").stat().st_size > 1000


def test_a_line_hatches_where_nothing_is_reached(plane):
    figure = plot_workspace(plane.isel({"link2.tip.y": [7]}), ["condition"])
    (panel,) = figure.axes
    (line,) = panel.lines
    assert np.isfinite(line.get_ydata()).sum() == plane.reachable.values[:, 7].sum()
    assert panel.get_yscale() == "log"
    assert any(c.get_hatch() for c in panel.collections)


def test_what_cannot_be_drawn_is_refused(plane, tmp_path):
    with pytest.raises(KeyError, match='no quantity "bearing_force"'):
        plot_workspace(plane, ["bearing_force"])
    with pytest.raises(ValueError, match="one or two axes, not none"):
        plot_workspace(plane.isel({"link2.tip.x": [3], "link2.tip.y": [3]}))
    with pytest.raises(ValueError, match="no image has the extension"):
        plot_workspace(plane, None, tmp_path / "map.xyz")
    with pytest.raises(FileNotFoundError):
        plot_workspace(plane, None, tmp_path / "nowhere" / "map.png")
