"""Results over time, or over another result, as a figure: one panel per result, one line per run."""

import errno
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.results import Trajectory
from cardan.results.channel import check_units, shown_in
from cardan.results.trajectory import check_run
from cardan.safety.text import for_plot
from cardan.safety.writing import replacing
from cardan.view.charts import chart_page
from cardan.view.names import check_known, default_results, find_channel
from cardan.view.style import MARGINS, RUN_COLOURS, RUN_DASHES, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot(
    runs: Trajectory | Sequence[Trajectory],
    names: Sequence[str] | None = None,
    path: str | Path | None = None,
    *,
    x: str | None = None,
    equal: bool | None = None,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    zoom: tuple[float, float] | None = None,
    units: str = "rad",
) -> "Figure":
    """Return a figure of results over time or over one of them, and write it to a file if a path is given.

    Every result has a panel of its own, over time under a shared axis; several runs share the panels, to be
    compared. Dots mark the smallest and the largest value of the whole motion, also between the instants of a
    run. Nothing is shown on a screen and no global state of matplotlib changes.

    Parameters
    ----------
    runs : Trajectory or sequence of Trajectory
        What to draw.
    names : sequence of str, optional
        Results to draw, one panel each; ``"box.position.x"`` is one component of a vector. By default eight at most:
        the states that move by more than the absolute tolerance of the run, without those of friction and stops, then
        the model's outputs; of runs of different models, those that all have.
    path : str or Path, optional
        Image to write; the extension chooses the format (png, pdf, svg), or a page for the browser (html) in which
        time can be enlarged and values read; it needs no network.
    x : str, optional
        Result on the horizontal axis in place of time, one number at each instant: ``"swing.q"`` under ``"swing.v"``
        makes a phase portrait, ``"hook.position.x"`` under ``"hook.position.z"`` a path.
    equal : bool, optional
        Whether both axes have one scale; by default where both are components of one vector, as those of a path.
    labels : sequence of str, optional
        One per run, for the legend; by default the names of the models, or if they share one, the parameters and other
        settings in which the runs differ.
    title : str, optional
        Heading; by default the name of the model, if all runs share it.
    zoom : tuple of float, optional
        Two instants [s]: a second column shows the time between them enlarged; a page shows it first.
    units : "rad" or "deg"
        What angles and their derivatives are drawn in.

    Raises
    ------
    ModelError
        If something else than runs is given.
    KeyError
        If a run has no result of such a name.
    ValueError
        If there is nothing to draw, labels and runs differ in number, the zoom ends before it begins or `x` has no span
        of time to enlarge, `x` is a vector or the file a page, angles are wanted in other units, or matplotlib does not
        know the image format.
    FileNotFoundError
        If there is no folder for the image.
    """
    if path is not None:
        check_image(Path(path), pages=True)
    if x is not None and path is not None and _is_page(path):
        raise ValueError(f"{path}: a page shows results over time; leave x out, or write one of .png, .pdf, .svg")
    drawn = list(runs) if isinstance(runs, Sequence) and not isinstance(runs, str | Trajectory) else [runs]
    for run in drawn:
        check_run(run)
    check_units(units)
    shown = _names(drawn, names)
    legend = legend_texts(drawn, labels)
    if x is not None:
        _check_horizontal(drawn, x, zoom)
        shown = tuple(name for name in shown if names is not None or name != x)
    spans = [None] if zoom is None else [None, _interval(zoom)]

    figure, panels = new_figure(len(shown), len(spans), shared=x is None)
    for row, name in zip(panels, shown, strict=True):
        if x is not None:
            row[0].margins(x=0.05)
            row[0].set_xlabel(_title(drawn[0], x, units))
        for axes, span in zip(row, spans, strict=True):
            for index, run in enumerate(drawn):
                _draw(axes, run, name, index, span, units, x)
            if x is not None and (_are_of_one_vector(drawn[0], x, name) if equal is None else equal):
                axes.set_aspect("equal", "datalim")
        _label(row[0], _title(drawn[0], name, units), (figure.bbox.height - MARGINS * figure.dpi) / len(shown))
        if row[0].get_legend_handles_labels()[1]:
            above = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0}
            row[0].legend(**above, ncols=6, fontsize="small", frameon=False)
    if x is None:
        for axes in panels[-1]:
            axes.set_xlabel("time [s]")
        _limit(panels, drawn, spans)
    _head(figure, drawn, legend, title)
    _count(figure, drawn, shown, names is None)
    if path is not None and _is_page(path):
        head, *words = (text.replace(r"\$", "$") for text in (_heading(drawn, title), *legend))  # no formulas there
        with replacing(Path(path)) as stream:
            stream.write(chart_page(drawn, shown, words, head, units, zoom).encode())
    elif path is not None:
        figure.savefig(Path(path))
    return figure


def check_image(path: Path, pages: bool = False) -> None:
    """Refuse a path that `plot` cannot write to, before a run is computed for it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    known = FigureCanvasAgg.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in known and not (pages and _is_page(path)):
        formats = ".png, .pdf, .svg, .html" if pages else ".png, .pdf, .svg"
        raise ValueError(f'{path}: no image has the extension "{path.suffix}"; use one of {formats}')
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(path.parent))


def _is_page(path: str | Path) -> bool:
    return Path(path).suffix.lower() == ".html"


def _names(runs: Sequence[Trajectory], names: Sequence[str] | None) -> tuple[str, ...]:
    """Results to draw, each of them known to every run."""
    if not runs:
        raise ValueError("there is no run to plot")
    shown = default_results(runs) if names is None else tuple(names)
    if not shown:
        shared = [name for name in runs[0].names if all(name in run.channels for run in runs)]
        if len(runs) > 1 and runs[0].state_names:
            fault = "the runs have no state in common"
            raise ValueError(f"{fault}; choose results by names, all have {', '.join(shared)}" if shared else fault)
        raise ValueError(f"there is nothing to plot; results are {', '.join(runs[0].names)}")
    for run in runs:
        for name in shown:
            check_known(run, name)
    return shown


def _check_horizontal(runs: Sequence[Trajectory], x: str, zoom: tuple[float, float] | None) -> None:
    """Refuse what cannot be a horizontal axis."""
    if zoom is not None:
        raise ValueError(
            "a zoom enlarges a span of time, which the horizontal axis x does not show; leave one of them out"
        )
    for run in runs:
        check_known(run, x)
        channel, component = find_channel(run, x)
        if component is None and channel.components:
            raise ValueError(f"the horizontal axis {x} is a vector; choose one of {', '.join(channel.columns)}")


def _are_of_one_vector(run: Trajectory, x: str, name: str) -> bool:
    """Whether two results are components of one vector, whose plane they show."""
    (across, i), (up, k) = find_channel(run, x), find_channel(run, name)
    return across.name == up.name and i != k


def legend_texts(runs: Sequence[Trajectory], labels: Sequence[str] | None) -> Sequence[str]:
    """Return one text per run for the legend; a single run without a label needs none."""
    if labels is None:
        return _differences(runs) if len(runs) > 1 else [""]
    if len(labels) != len(runs):
        raise ValueError(f"{len(labels)} labels for {len(runs)} runs")
    return labels


_ARGUMENTS = ("parameters", "initial", "inputs", "motors", "method", "stabilization", "rtol", "atol", "step")
"""Settings of a run in which runs of one model may differ, what matters most first."""


def _differences(runs: Sequence[Trajectory]) -> list[str]:
    """A text per run: its model, or where all have one model, the settings that not all share."""
    names = [for_plot(run.provenance.model) or f"run {i}" for i, run in enumerate(runs, 1)]
    if len(set(names)) > 1:
        return names
    given = [_settings(run) for run in runs]
    words = [
        ", ".join(
            f"{key} = {settings.get(key, 'as in the model')}"
            for key in dict.fromkeys(key for every in given for key in every)
            if any(other.get(key) != settings.get(key) for other in given)
        )
        for settings in given
    ]
    return [for_plot(text) or name for text, name in zip(words, names, strict=True)]


def _settings(run: Trajectory) -> dict[str, Any]:
    """Settings of a run by name: parameters, initial values and inputs each under its own."""
    out: dict[str, Any] = {}
    for key in _ARGUMENTS:
        value = run.provenance.settings.get(key)
        if isinstance(value, Mapping):
            out |= value
        elif value is not None:
            out[key] = value
    return out


def _interval(zoom: tuple[float, float]) -> tuple[float, float]:
    begin, end = zoom
    if not begin < end:
        raise ValueError(f"the zoom ({begin}, {end}) ends before it begins")
    return begin, end


def _draw(
    axes: "Axes", run: Trajectory, name: str, index: int, span: tuple[float, float] | None, units: str, x: str | None
) -> None:
    """Draw one result of one run over time, or over x. Dashes tell runs apart; colours too, or else components."""
    channel, component = find_channel(run, name)
    values = run.array(channel.name).reshape(len(run), len(channel.columns))
    seen = _within(run.t, span)
    chosen = range(values.shape[1]) if component is None else [component]
    several = len(chosen) > 1
    across, factor = run.t if x is None else _numbers(run, x, units), shown_in(channel.unit, units)[1]
    marks = _extremes(run, channel.name, span) if x is None else [np.empty((0, 2))] * values.shape[1]
    for position, column in enumerate(chosen):
        axes.plot(
            across[seen],
            factor * values[seen, column],
            color=(colour := RUN_COLOURS[(position if several else index) % len(RUN_COLOURS)]),
            linestyle=RUN_DASHES[index % len(RUN_DASHES)],
            label=for_plot(channel.components[column]) if several and index == 0 else None,
        )
        axes.scatter(*(marks[column] * [1, factor]).T, s=8, color=colour)


def _extremes(run: Trajectory, name: str, span: tuple[float, float] | None) -> list[np.ndarray]:
    """Instants and values (k, 2) of the extremes of each component over the whole motion, also between the instants of
    the run; none of components that are constant.
    """
    extent = run.extremes([name])[name] if len(run) else None
    if extent is None:
        return [np.empty((0, 2))] * len(run.channels[name].columns)
    points = [
        np.column_stack([np.ravel(t), np.ravel(y)])
        for t, y in ((extent.t_smallest, extent.smallest), (extent.t_largest, extent.largest))
    ]
    begin, end = span or (-np.inf, np.inf)
    return [
        np.array([p for p in (low, high) if low[1] < high[1] and begin <= p[0] <= end]).reshape(-1, 2)
        for low, high in zip(*points, strict=True)
    ]


def _numbers(run: Trajectory, name: str, units: str) -> np.ndarray:
    """Values (N,) of a scalar result or a component, in the units in which it is shown."""
    channel, component = find_channel(run, name)
    values = run.array(channel.name).reshape(len(run), len(channel.columns))
    return np.asarray(shown_in(channel.unit, units)[1] * values[:, component or 0])


def _within(t: np.ndarray, span: tuple[float, float] | None) -> slice:
    """Instants of a span, with one more on either side so that lines reach the frame."""
    if span is None:
        return slice(None)
    begin, end = np.searchsorted(t, span)
    return slice(max(int(begin) - 1, 0), int(end) + 1)


def _label(axes: "Axes", text: str, height: float) -> None:
    """Label the vertical axis of a panel with a height in pixels.

    A longer text gets smaller letters and a line of its own for its unit, to keep clear of the labels beside it.
    """
    label = axes.set_ylabel(text)
    if label.get_window_extent().height > height:
        label.set(text="\n[".join(text.rsplit(" [", 1)), fontsize="small")


def _title(run: Trajectory, name: str, units: str) -> str:
    """Label of a panel: the name, and the unit where there is one."""
    unit, _ = shown_in(find_channel(run, name)[0].unit, units)
    return for_plot(f"{name} [{unit}]" if unit else name)


def _limit(
    panels: Sequence[Sequence["Axes"]], runs: Sequence[Trajectory], spans: Sequence[tuple[float, float] | None]
) -> None:
    """Let every column show its span of time, from frame to frame."""
    instants = np.concatenate([run.t for run in runs])
    for row in panels:
        for axes, span in zip(row, spans, strict=True):
            begin, end = span or ((instants.min(), instants.max()) if instants.size else (0.0, 0.0))
            if begin < end:
                axes.set_xlim(begin, end)


def _count(figure: "Figure", runs: Sequence[Trajectory], shown: Sequence[str], chosen: bool) -> None:
    """Below the figure, how many states it leaves out."""
    left = len({*runs[0].state_names} - {*shown})
    if chosen and left:
        text = f"{left} more of {len(runs[0].state_names)} states are not drawn; choose with names"
        figure.supxlabel(text, x=0.99, ha="right", fontsize="x-small", color="0.4")


def _heading(runs: Sequence[Trajectory], title: str | None) -> str:
    """The title, or the model's name if all runs share it."""
    models = {run.provenance.model for run in runs}
    return title if title is not None else (for_plot(models.pop()) if len(models) == 1 else "")


def _head(figure: "Figure", runs: Sequence[Trajectory], legend: Sequence[str], title: str | None) -> None:
    """Heading, and one legend for all panels when there are several runs."""
    from matplotlib.lines import Line2D

    heading = _heading(runs, title)
    if heading:
        figure.suptitle(heading, x=0.01, ha="left")
    if len(runs) > 1:
        handles = [
            Line2D([], [], color=RUN_COLOURS[i % len(RUN_COLOURS)], linestyle=RUN_DASHES[i % len(RUN_DASHES)])
            for i in range(len(runs))
        ]
        columns = 1 if sum(map(len, legend)) > 60 else len(legend)  # what fits beside a short heading
        figure.legend(handles, legend, loc="outside upper right", ncols=columns, frameon=False)
