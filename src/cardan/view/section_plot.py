"""Section forces over time: normal and shear forces above, torsion and bending below."""

from pathlib import Path
from typing import TYPE_CHECKING

from cardan.safety.text import for_plot
from cardan.view.plot import check_image
from cardan.view.style import RUN_COLOURS, RUN_DASHES, new_figure

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

_PANELS = (("normal", "shear_y", "shear_z"), ("torsion", "bending_y", "bending_z"))


def plot_section(found: "xarray.Dataset", path: str | Path | None = None) -> "Figure":
    """Return a figure of section forces over time, and write it to a file."""
    if path is not None:
        check_image(Path(path))
    figure, grid = new_figure(2, 1)
    for (axes,), names in zip(grid, _PANELS, strict=True):
        for k, name in enumerate(names):
            axes.plot(found["time"], found[name], color=RUN_COLOURS[k], linestyle=RUN_DASHES[k], label=for_plot(name))
        axes.set_ylabel(for_plot(f"[{found[names[0]].attrs['units']}]"))
        axes.legend(frameon=False, fontsize="small")
    grid[-1][0].set_xlabel("time [s]")
    figure.suptitle(for_plot(f"section at {found.attrs['section']}"), x=0.01, ha="left")
    if path is not None:
        figure.savefig(Path(path))
    return figure
