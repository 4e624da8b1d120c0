"""What `simulate` costs besides its steps, and the memory of a run: it grows with what is returned, not with steps."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Callable

import cardan

from .mechanisms import arm
from .table import Goal, Result, Row
from .timing import Effort, Times, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Overhead and memory of `simulate`"

STEP = 1e-3  # [s]
ROUNDS = 51
SLACK = 20_000  # bytes by which Python's own small objects may differ from run to run


def measure(effort: Effort) -> Result:
    """Time of a run of one step, and peak memory of runs.

    Parameters
    ----------
    effort : Effort
        How many steps and rounds.
    """
    model, steps = arm(), effort.steps
    anew, again = in_turns([_anew(model), _run(model, 1, 2)], min(effort.rounds, ROUNDS))
    few, many, all_returned = (
        _peak(_run(model, *sizes)) for sizes in ((steps // 100, 2), (steps, 2), (steps, steps + 1))
    )
    assert many < few + SLACK, f"memory has grown with the steps: {few} bytes, then {many}"
    result = _run(model, steps, steps + 1)()
    assert len(result) == steps + 1
    arrays = result.t.nbytes + result.x.nbytes + result.w.nbytes
    memory = {
        f"peak memory, {steps // 100} steps, 2 instants returned": few,
        f"peak memory, {steps} steps, 2 instants returned": many,
        f"peak memory, {steps} steps, {steps + 1} instants returned": all_returned,
        f"arrays of that result, {steps + 1} instants": arrays,
    }
    rows = [Row(what, Times((size,)), show=_bytes) for what, size in memory.items()]
    calls = (
        Row("simulate, one step from another start each time", anew, goal=Goal(limit=1e-3)),
        Row("simulate, one step, the same again", again, goal=Goal(limit=1e-3)),
    )
    return Result((*calls, *rows))


def _anew(model: cardan.Model) -> Callable[[], cardan.Trajectory]:
    """A run of one step, each time from another start."""
    starts = ({"q2": 0.5 + 1e-6 * k} for k in itertools.count())
    return lambda: cardan.simulate(model, STEP, times=[0, STEP], initial=next(starts), method="rk4", step=STEP)


def _run(model: cardan.Model, steps: int, instants: int) -> Callable[[], cardan.Trajectory]:
    """A run of so many steps of RK4 that returns so many evenly spaced instants."""
    end = steps * STEP
    times = [end * i / (instants - 1) for i in range(instants)]
    return lambda: cardan.simulate(model, end, times=times, initial={"q2": 0.5}, method="rk4", step=STEP)


def _peak(run: Callable[[], object]) -> float:
    """Most bytes that were in use at once during a run, beyond those before."""
    run()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def _bytes(value: float) -> str:
    return f"{value / 1e6:.2f} MB" if value >= 1e5 else f"{value / 1e3:.1f} kB"
