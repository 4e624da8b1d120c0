"""Growth with the number of joints: time per state, and time from a model to its first batch."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import cardan

from .batch import assert_equal, batches
from .mechanisms import chain, states
from .peers import require
from .table import Result, Row
from .timing import Effort, Times, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Growth with the number of joints: forward dynamics of chains, per state"

ROUNDS = 21
STATES = 1024  # a batch that stays in the second-level cache for all lengths


@dataclass(frozen=True)
class Point:
    """One chain."""

    n: int
    ours: Times  # per state
    peer: Times  # per state
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
    rows = [row for point in points for row in _rows(point)]
    return Result(tuple(rows), lambda path: _draw(points, path))


def _rows(point: Point) -> list[Row]:
    return [
        Row(f"n = {point.n}", point.ours, "abaInParallel", point.peer),
        Row(f"n = {point.n}, from the model to its first batch", point.compiling),
    ]


def _point(n: int, effort: Effort) -> Point:
    model, count = chain(n), min(STATES, effort.batch)
    compiling = _compile_time(model, count)
    ours, _, theirs = batches(model, count)["forward dynamics"]
    assert_equal(ours(), theirs())
    times = in_turns([ours, theirs], min(effort.rounds, ROUNDS))
    return Point(n, times[0].per(count), times[1].per(count), compiling)


def _compile_time(model: cardan.Model, count: int) -> Times:
    """Graph, machine code and first batch, in a cache of its own."""
    arrays = states(len(model.joints), count)
    before = os.environ.get("CARDAN_CACHE_DIR")
    with TemporaryDirectory() as folder:
        os.environ["CARDAN_CACHE_DIR"] = folder
        try:
            start = time.perf_counter()
            cardan.compile(model).forward_dynamics(*arrays, threads=1)
            return Times((time.perf_counter() - start,))
        finally:
            os.environ.pop("CARDAN_CACHE_DIR")
            if before is not None:
                os.environ["CARDAN_CACHE_DIR"] = before


def _draw(points: Sequence[Point], path: Path) -> None:
    """Both growths over n, logarithmic, with a line of slope 1 to compare with."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    n = [point.n for point in points]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    left.loglog(n, [point.peer.median * 1e6 for point in points], "s-", color="0.55", label="Pinocchio, abaInParallel")
    left.loglog(n, [point.ours.median * 1e6 for point in points], "o-", color="C0", label="Cardan")
    left.loglog(n, [points[0].ours.median * 1e6 * k / n[0] for k in n], ":", color="C0", lw=1, label="∝ n")
    left.set(ylabel="forward dynamics per state [µs]")
    right.loglog(n, [point.compiling.median for point in points], "o-", color="C0", label="model to first batch")
    right.loglog(n, [points[-1].compiling.median * k / n[-1] for k in n], ":", color="C0", lw=1, label="∝ n")
    right.set(ylabel="compile time [s]")
    for axes in (left, right):
        axes.set(xlabel="joints n")
        axes.set_xticks(n, [str(k) for k in n])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
