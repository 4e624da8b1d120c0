"""Forward dynamics of chains of n joints: time per state, and time from a model to its first batch with an empty cache.

The chains repeat the links of the arm. The dotted lines grow in proportion to n.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import cardan

from .batch import forward_dynamics
from .comparison import compare
from .mechanisms import chain, states
from .peers import require
from .table import Result, Row
from .timing import Effort, Times

__all__ = ["TITLE", "draw_growth", "empty_cache", "measure"]

TITLE = "Growth with the number of joints"

ROUNDS = 15
STATES = 4096  # enough for the fixed cost of a call, some 30 µs, not to count


@dataclass(frozen=True)
class Point:
    """One chain."""

    n: int
    batch: Row  # time per state
    compiling: Times  # from the model to the result of the first batch, nothing cached


def measure(effort: Effort) -> Result:
    """Time per state and compile time of chains.

    Parameters
    ----------
    effort : Effort
        Which lengths, how many states and rounds.
    """
    require("pinocchio")
    points = [_point(n, effort) for n in effort.joints]
    compiling = (Row(f"n = {point.n}, from the model to its first batch", point.compiling) for point in points)
    rows = (*(point.batch for point in points), *compiling)
    return Result(rows, lambda path: _draw(points, path))


def _point(n: int, effort: Effort) -> Point:
    model, count = chain(n), min(STATES, effort.batch)
    compiling = _compile_time(model, count)
    pair = forward_dynamics(f"n = {n}", model, count)
    return Point(n, compare(pair, min(effort.rounds, ROUNDS), states=count), compiling)


def _compile_time(model: cardan.Model, count: int) -> Times:
    """Graph, machine code and first batch, in a cache of its own."""
    arrays = states(len(model.joints), count)
    with empty_cache():
        start = time.perf_counter()
        cardan.compile(model).forward_dynamics(*arrays, threads=1)
        return Times((time.perf_counter() - start,))


@contextmanager
def empty_cache() -> Iterator[None]:
    """A cache of machine code that is empty before and gone after."""
    before = os.environ.get("CARDAN_CACHE_DIR")
    with TemporaryDirectory() as folder:
        os.environ["CARDAN_CACHE_DIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("CARDAN_CACHE_DIR")
            if before is not None:
                os.environ["CARDAN_CACHE_DIR"] = before


def _draw(points: Sequence[Point], path: Path) -> None:
    n = [point.n for point in points]
    batch = {
        "Pinocchio, abaInParallel": [point.batch.peer.median * 1e6 for point in points if point.batch.peer is not None],
        "Cardan": [point.batch.ours.median * 1e6 for point in points],
    }
    compiling = {"model to first batch": [point.compiling.median for point in points]}
    draw_growth(path, "joints n", n, {"forward dynamics per state [µs]": batch, "compile time [s]": compiling})


def draw_growth(path: Path, what: str, n: Sequence[int], panels: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
    """Curves over n, logarithmic, each with a line of slope 1 that meets its last value.

    Parameters
    ----------
    path : Path
        File to write.
    what : str
        What n counts.
    n : sequence of int
        Sizes.
    panels : mapping from str to mapping from str to sequence of float
        Curves by label, by the label of their axis.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (label, curves) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        for i, (name, values) in enumerate(curves.items()):
            color = f"C{i}"
            axes.loglog(n, values, "o-", color=color, label=name)
            axes.loglog(n, [values[-1] * k / n[-1] for k in n], ":", color=color, linewidth=1)
        axes.set(xlabel=what, ylabel=label)
        axes.set_xticks(n, [str(k) for k in n])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
