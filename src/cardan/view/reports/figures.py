"""Figures of a report: plots as SVG inside the page."""

from __future__ import annotations

import io
import re
from itertools import count
from typing import TYPE_CHECKING

from cardan.analysis.sizing.duty import duties_of
from cardan.results.trajectory import Trajectory
from cardan.safety.text import for_markup
from cardan.view.load_plots import plot_drive
from cardan.view.names import MOST, moving_states
from cardan.view.plot import plot
from cardan.view.tables import duty_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def motion_figures(run: Trajectory, units: str) -> str:
    """Figures of the states that move, of the outputs, and of the drives' efforts and currents."""
    kinds = {name: run.channels[name].kind for name in run.names if name not in run.state_names}
    outputs = [name for name, kind in kinds.items() if kind == "output"]
    drives = [
        name
        for name in run.names
        if (name.endswith(".effort") and kinds.get(name) == "drive" and run.array(name).any())
        or name.endswith((".input_torque", ".voltage"))
    ]
    groups = {"States": list(moving_states([run])), "Outputs": outputs, "Drives": drives}
    number, parts = count(1), []
    for title, names in groups.items():
        if names:
            figure = plot(run, names[:MOST], title="", units=units)
            parts.append(f"<h3>{title}</h3>\n{as_svg(figure, f'{title.lower()} over time', f'plot{next(number)}-')}")
            left = ", ".join(names[MOST:])
            parts.append(f"<p>Not drawn: {for_markup(left)}.</p>\n" if left else "")
    return "".join(parts)


def drive_figures(run: Trajectory) -> str:
    """What a run asks of each motor, and its torque over its speed."""
    duties, parts = duties_of(run), []
    for one in duties[:MOST]:
        drawn = as_svg(plot_drive(run, one.drive), "torque over speed", f"{one.drive}-")
        parts.append(f"<h3>{for_markup(one.drive)}</h3>\n{drawn}")
    return "".join([duty_table(duties), *parts])


def as_svg(figure: Figure, words: str, prefix: str) -> str:
    """A figure as an SVG element that can stand in a page beside others."""
    from matplotlib import rc_context

    stream = io.StringIO()
    with rc_context({"svg.hashsalt": "cardan", "svg.fonttype": "none"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\1{prefix}", text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{for_markup(words)}" class="plot" ', 1)
