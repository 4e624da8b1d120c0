"""Pictures of results.

In: runs and names of results, or a model. Out: matplotlib figures and image files, a drawing in SVG, pages, films and
reports. The only room that knows a drawing library; what it shows is computed below, and it never opens a window.
"""

from cardan.view.animation import Animation, animate
from cardan.view.drawing.draw import Drawing, draw
from cardan.view.load_plots import plot_bearing, plot_drive, plot_sizing
from cardan.view.plot import check_image, plot
from cardan.view.reports import report
from cardan.view.section_plot import plot_section
from cardan.view.sweep_plot import plot_sweep
from cardan.view.workspace_plot import plot_workspace

__all__ = [
    "Animation",
    "Drawing",
    "animate",
    "check_image",
    "draw",
    "plot",
    "plot_bearing",
    "plot_drive",
    "plot_section",
    "plot_sizing",
    "plot_sweep",
    "plot_workspace",
    "report",
]
