"""A sweep as a figure: one panel per variable; lines over an axis or over time, or a map over two axes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import nearest
from cardan.results.status import ENDINGS
from cardan.safety.text import for_plot
from cardan.view.plot import check_image
from cardan.view.style import COLOURS, RUN_COLOURS, coloured, new_figure

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = 7  # lines up to which each has a colour of its own and a place in the legend


def plot_sweep(sweep: "xarray.Dataset", names: Sequence[str] | None = None, path: str | Path | None = None) -> "Figure":
    """Return a figure of a sweep, and write it to a file if a path is given.

    A reduced variable is drawn over the axis of the sweep; with two axes as lines if one has few values, else as a map.
    A variable over time is drawn over time, its lines coloured by the first axis. Gaps are runs without a value.
    """
    if path is not None:
        check_image(Path(path))
    outputs = [str(name) for name in sweep.data_vars if name not in ENDINGS]
    for name in names or ():
        if name not in outputs:
            raise KeyError(f'no output of the sweep is called "{name}"; {nearest(name, outputs)}')
    axes = [str(dim) for dim in sweep["status"].dims if sweep.sizes[dim] > 1] or [str(sweep["status"].dims[0])]
    if len(axes) > 2:
        raise ValueError(f"a picture shows two axes at most, not {', '.join(axes)}; choose values of the others")
    drawn = [panel for name in names or outputs for panel in _panels(sweep, name, axes)]
    if not drawn:
        raise ValueError("there is nothing to plot; give outputs")

    figure, panels = new_figure(len(drawn), 1, shared=False)
    for (panel,), (values, label) in zip(panels, drawn, strict=True):
        if "time" in values.dims:
            _over_time(figure, panel, sweep, values, axes)
        elif len(axes) == 2 and min(sweep.sizes[axis] for axis in axes) > FEW:
            _map(panel, sweep, values, axes, label)
            continue
        else:
            _over_axis(panel, sweep, values, axes)
        panel.set_ylabel(label)
    if title := sweep.attrs.get("title"):
        figure.suptitle(for_plot(title), x=0.01, ha="left")
    if path is not None:
        figure.savefig(Path(path))
    return figure


def _panels(sweep: "xarray.Dataset", name: str, axes: Sequence[str]) -> list[tuple["xarray.DataArray", str]]:
    """Values over the axes, and over time if they are not reduced, with a label; one for each component."""
    values = sweep[name]
    values = values.isel({dim: 0 for dim in sweep["status"].dims if dim not in axes})
    unit = values.attrs.get("units")
    last = [dim for dim in values.dims if dim not in (*axes, "time")]
    listed = [(name, values)]
    if last:
        listed = [(f"{name}.{part}", values.isel({last[0]: k})) for k, part in enumerate(sweep[last[0]].values)]
    return [(one.transpose(*axes, ...), for_plot(f"{label} [{unit}]" if unit else label)) for label, one in listed]


def _places(sweep: "xarray.Dataset", axis: str) -> tuple[np.ndarray, str]:
    """Values along an axis and their label; where several quantities vary along it, the first one's are taken."""
    chosen = axis
    if axis not in sweep.coords or sweep[axis].dtype.kind not in "iuf":
        numbers = [str(n) for n, x in sweep.coords.items() if x.dims == (axis,) and x.dtype.kind in "iuf"]
        chosen = numbers[0] if numbers else axis
    values = sweep[chosen].values
    unit = sweep[chosen].attrs.get("units")
    if values.dtype.kind not in "iuf":
        values = np.arange(len(values))
    return values, for_plot(f"{chosen} [{unit}]" if unit else chosen)


def _over_axis(panel: "Axes", sweep: "xarray.Dataset", values: "xarray.DataArray", axes: Sequence[str]) -> None:
    """Lines over the longer axis, one for each value of the other."""
    axis, *others = sorted(axes, key=lambda name: -sweep.sizes[name])
    x, label = _places(sweep, axis)
    lines = values.transpose(axis, *others).values.reshape(len(x), -1)
    ordered = bool(np.all(np.diff(x) > 0) or np.all(np.diff(x) < 0))  # else draws, which no line connects
    names: Sequence[str | None] = [None]
    if others:
        y, name = _places(sweep, others[0])
        names = [f"{value:.4g}" for value in y]
    for k, legend in enumerate(names):
        style = {"linestyle": "-" if ordered else "", "marker": "o", "markersize": 3}
        panel.plot(x, lines[:, k], color=RUN_COLOURS[k % len(RUN_COLOURS)], label=legend, **style)
    if others:
        _legend(panel, name)
    panel.margins(x=0.02)
    panel.set_xlabel(label)


def _over_time(
    figure: "Figure", panel: "Axes", sweep: "xarray.Dataset", values: "xarray.DataArray", axes: Sequence[str]
) -> None:
    """Lines over time, coloured by the value of the first axis."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    y, label = _places(sweep, axes[0])
    t = sweep["time"].values
    scale = ScalarMappable(Normalize(float(np.min(y)), float(np.max(y))), colormaps[COLOURS])
    few = len(y) <= FEW
    for k, value in enumerate(y):
        lines = values.values[k].reshape(-1, len(t)).T
        colour = RUN_COLOURS[k] if few else scale.to_rgba(float(value))
        first, *_ = panel.plot(t, lines, color=colour, linewidth=1.2 if few else 0.8)
        first.set_label(f"{value:.4g}")
    if few:
        _legend(panel, label)
    else:
        figure.colorbar(scale, ax=panel, label=label)
    panel.set_xlabel("time [s]")


def _map(panel: "Axes", sweep: "xarray.Dataset", values: "xarray.DataArray", axes: Sequence[str], label: str) -> None:
    """Colours over two axes, with contours; runs without a value are left grey."""
    (y, y_label), (x, x_label) = (_places(sweep, axis) for axis in axes)
    panel.set_facecolor("0.85")
    coloured(panel, x, y, np.ma.masked_invalid(values.values), label)
    panel.set_xlabel(x_label)
    panel.set_ylabel(y_label)


def _legend(panel: "Axes", title: str) -> None:
    """Values of an axis beside the panel, where they cover no line."""
    beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
    panel.legend(title=title, **beside, fontsize="small", frameon=False)
