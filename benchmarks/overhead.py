"""What `simulate` costs besides its steps, and the memory of a run: it grows with what is returned, not with the steps taken."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import cardan

from .mechanisms import arm
from .table import Goal, Result, Row
from .timing import Effort, Times, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Overhead and memory of `simulate`"

STEP = 1e-3  # [s]
SLACK = 20_000  # bytes by which Python's own small objects may differ from run to run


def measure(effort: Effort) -> Result:
    """Time of a run of one step, and peak memory of runs.

    Parameters
    ----------
    effort : Effort
        How many steps and rounds.
    """
    model = arm()
    short, long = _run(model, 1, 2), _run(model, effort.steps, 2)
    overhead = in_turns([short], min(effort.rounds, 51))[0]
    peaks = {steps: _peak(_run(model, steps, 2)) for steps in (effort.steps // 100, effort.steps)}
    few, many = peaks.values()
    assert many < few + SLACK, f"memory has grown with the steps: {few} bytes, then {many}"
    returned = _peak(_run(model, effort.steps, effort.steps + 1))
    result = _run(model, effort.steps, effort.steps + 1)()
    assert len(long()) == 2
    assert len(result) == effort.steps + 1
    rows = [Row("simulate, one step", overhead, goal=Goal(limit=1e-3))]
    rows += [
        Row(f"peak memory, {steps} steps, 2 instants returned", Times((peak,)), show=_bytes)
        for steps, peak in peaks.items()
    ]
    what = f"{effort.steps} steps, {effort.steps + 1} instants returned"
    rows.append(Row(f"peak memory, {what}", Times((returned,)), show=_bytes))
    rows.append(Row(f"arrays of the result, {what}", Times((result.t.nbytes + result.x.nbytes + result.w.nbytes,)), show=_bytes))
    return Result(tuple(rows))


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
