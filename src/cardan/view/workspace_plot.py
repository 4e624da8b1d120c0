"""A workspace as a figure: a panel per quantity, lines over one axis or a map over two; what is not reached hatched."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import nearest
from cardan.safety.text import for_plot
from cardan.view.plot import check_image
from cardan.view.style import RUN_COLOURS, coloured, new_figure

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEFAULT = ("condition", "type1", "type2")
MAP = 5.0, 3.8  # width of a figure of maps, and height of each [inch]
WORDS = {
    "condition": "condition number [-]",
    "manipulability": "manipulability",
    "type1": "distance to type 1 [-]",
    "type2": "distance to type 2 [-]",
    "largest_effort": "largest effort",
    "bearing_force": "largest bearing force",
    "bearing_moment": "largest bearing moment",
}


def plot_workspace(
    found: "xarray.Dataset", names: Sequence[str] | None = None, path: str | Path | None = None
) -> "Figure":
    """Return a figure of a workspace, and write it to a file if a path is given."""
    if path is not None:
        check_image(Path(path))
    known = [name for name in WORDS if name in found]
    for name in names or ():
        if name not in known:
            raise KeyError(f'the workspace has no quantity "{name}" that can be drawn; {nearest(name, known)}')
    axes = [str(dim) for dim in found["status"].dims if found.sizes[dim] > 1]
    if len(axes) not in (1, 2):
        raise ValueError(f"a picture shows one or two axes, not {', '.join(axes) or 'none'}; give lists for these")
    flat = found.squeeze(drop=True)
    chosen = list(names or DEFAULT)
    figure, panels = new_figure(len(chosen), 1, shared=False)
    if len(axes) == 2:
        figure.set_size_inches(MAP[0], MAP[1] * len(chosen))
    for (panel,), name in zip(panels, chosen, strict=True):
        draw = _map if len(axes) == 2 else _line
        draw(panel, flat, name, axes)
    if title := found.attrs.get("title"):
        figure.suptitle(for_plot(title), x=0.01, ha="left")
    if path is not None:
        figure.savefig(Path(path))
    return figure


def _label(found: "xarray.Dataset", name: str) -> str:
    unit = found[name].attrs.get("units")
    word = WORDS.get(name, name)
    return for_plot(f"{word} [{unit}]" if unit else word)


def _line(panel: "Axes", found: "xarray.Dataset", name: str, axes: Sequence[str]) -> None:
    """A quantity over one axis; what is not reached is hatched."""
    x, values = found[axes[0]].values, _finite(found[name].values)
    panel.plot(x, values, color=RUN_COLOURS[0], marker="o", markersize=2)
    if name == "condition":
        panel.set_yscale("log")
    missing = ~found["reachable"].values
    panel.fill_between(
        x, 0, 1, where=missing, transform=panel.get_xaxis_transform(), facecolor="none", edgecolor="0.6", hatch="///"
    )
    panel.set_xlabel(_label(found, axes[0]))
    panel.set_ylabel(_label(found, name))


def _map(panel: "Axes", found: "xarray.Dataset", name: str, axes: Sequence[str]) -> None:
    """Colours over two axes, with contours; what is not reached is hatched."""
    from matplotlib.patches import Rectangle

    x_name, y_name = axes
    x, y = found[x_name].values, found[y_name].values
    z = np.ma.masked_invalid(_finite(found[name].transpose(y_name, x_name).values))
    panel.add_patch(
        Rectangle((0, 0), 1, 1, transform=panel.transAxes, facecolor="0.95", edgecolor="0.6", hatch="///", zorder=0)
    )
    coloured(panel, x, y, z, _label(found, name), logarithmic=name == "condition")
    if found[x_name].attrs.get("units") == found[y_name].attrs.get("units"):
        panel.set_aspect("equal")
    panel.set_xlabel(_label(found, x_name))
    panel.set_ylabel(_label(found, y_name))


def _finite(values: np.ndarray) -> np.ndarray:
    """Values with infinite ones left out."""
    return np.where(np.isfinite(values), values, np.nan)
