"""How figures look: colours that colour-blind readers can tell apart, thin grids, room for the data."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RUN_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe & Ito, Color Universal Design (2008), strongest first."""

RUN_DASHES = ("-", "--", "-.", ":")
"""Later runs are dashed, so that curves that coincide show both."""

COLOURS = "viridis"
"""Colours of maps, and of more lines than can be told apart."""

MARGINS = 1.0
"""Of the height of a figure, what its head and foot get together [inch]."""


def new_figure(rows: int, columns: int, *, shared: bool = True) -> tuple["Figure", list[list["Axes"]]]:
    """Return an empty figure with a grid of panels whose rows share the value axis."""
    from cardan.view.shown_figure import ShownFigure

    size = 7.0 if columns == 1 else 9.0, MARGINS + (1.75 if shared else 2.5) * rows
    figure = ShownFigure(figsize=size, dpi=150, layout="constrained")
    ratios = [2.0, *[1.0] * (columns - 1)]
    panels = figure.subplots(rows, columns, squeeze=False, sharex="col" if shared else "none", width_ratios=ratios)
    for axes in panels.flat:
        axes.grid(color="0.88", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0)
        axes.ticklabel_format(axis="y", useOffset=False)
    figure.align_ylabels(panels[:, 0])
    return figure, [list(row) for row in panels]


def coloured(
    panel: "Axes", x: "np.ndarray", y: "np.ndarray", z: "np.ma.MaskedArray", label: str, *, logarithmic: bool = False
) -> None:
    """Draw values z (ny, nx) over two axes as colours with contours; the scale is beside the panel."""
    import numpy as np
    from matplotlib.colors import LogNorm

    low, high = (float(z.min()), float(z.max())) if z.count() else (1.0, 1.0)
    scale = LogNorm(low, high) if logarithmic and 0 < low < high else None
    panel.grid(visible=False)
    image = panel.pcolormesh(x, y, z, cmap=COLOURS, norm=scale, shading="nearest", rasterized=True, zorder=1)
    if high > low and min(z.shape) > 1:
        levels = np.geomspace(low, high, 8)[1:-1] if scale is not None else 6
        lines = panel.contour(x, y, z, levels=levels, colors="white", linewidths=0.7, zorder=2)
        panel.clabel(lines, fontsize=7)
    panel.figure.colorbar(image, ax=panel, label=label)
