"""`chart_page`: results of runs over time as an HTML page with its program and its numbers inside."""

from collections.abc import Sequence
from typing import Any

from cardan.results.channel import shown_in
from cardan.results.trajectory import Trajectory
from cardan.view.animation.page import page
from cardan.view.names import find_channel
from cardan.view.scene.document import packed


def chart_page(
    runs: Sequence[Trajectory],
    names: Sequence[str],
    labels: Sequence[str],
    title: str,
    units: str = "rad",
    zoom: tuple[float, float] | None = None,
) -> str:
    """The page as text."""
    content = {
        "title": title,
        "runs": [{"label": label, "t": packed(run.t)} for run, label in zip(runs, labels, strict=True)],
        "zoomed": None if zoom is None else [*map(float, zoom)],
        "panels": [_panel(runs, name, units) for name in names],
    }
    return page(title, content, "cardan.view.charts")


def _panel(runs: Sequence[Trajectory], name: str, units: str) -> dict[str, Any]:
    first, _ = find_channel(runs[0], name)
    curves = []
    for k, run in enumerate(runs):
        channel, component = find_channel(run, name)
        values = shown_in(channel.unit, units)[1] * run.array(channel.name).reshape(len(run), len(channel.columns))
        for column in range(values.shape[1]) if component is None else [component]:
            word = channel.components[column] if channel.components and component is None else ""
            drawn = {"run": k, "column": column, "component": word, "name": channel.columns[column]}
            curves.append({**drawn, "values": packed(values[:, column])})
    unit, _ = shown_in(first.unit, units)
    return {"name": name, "unit": unit, "description": first.description, "curves": curves}
