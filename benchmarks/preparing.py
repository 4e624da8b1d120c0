"""Preparing mechanisms of many bodies: `cardan.prepare` with nothing of them cached, then a run of a tenth of a second.

Stacked four-bar linkages stand each on the coupler of the one before: N closed loops over 3 N + 1 bodies in space. A
chain hangs from one end, and each of its joints is at right angles to the one before; all joints of a star are on the
ground. Energy is kept to 1e-7 of its largest change. Times are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.truths.four_bars import stacked

import cardan

from .growth import empty_cache
from .table import Goal, Result, Row
from .timing import Effort, Times

__all__ = ["TITLE", "measure"]

TITLE = "Preparing mechanisms of many bodies"

END = 0.1  # [s]
RTOL = 1e-8
ENERGY = 1e-7  # error allowed, relative


def hinged(n: int, chained: bool) -> cardan.Model:
    """n links that hang on one another, or all from the ground."""
    link = {"mass": 1, "com": [0.05, 0, 0], "inertia": [1e-3] * 3, "markers": {"tip": {"position": [0.1, 0, 0]}}}
    joints = {
        f"j{k}": {
            "type": "revolute",
            "parent": f"b{k - 1}.tip" if chained and k else "ground",
            "child": f"b{k}",
            "axis": "yz"[k % 2],
        }
        for k in range(n)
    }
    return cardan.Model(
        name=f"{n} links", gravity=[0, 0, -9.81], bodies={f"b{k}": link for k in range(n)}, joints=joints
    )


FAMILIES: dict[str, tuple[Callable[[int], cardan.Model], dict[int, float | None]]] = {
    "stacked four-bar linkages": (stacked, {10: None, 20: None, 40: 10.0, 100: None, 200: 90.0}),
    "chain": (lambda n: hinged(n, True), {50: None, 100: None, 200: None, 400: 8.0}),
    "star": (lambda n: hinged(n, False), {100: None, 500: 2.0}),
}
"""Models by name, with the sizes that are measured and the goals of their times [s]."""


def measure(effort: Effort) -> Result:
    """Time of `cardan.prepare` and of the first run.

    Parameters
    ----------
    effort : Effort
        How many rounds: with one, the smallest of each family alone.
    """
    rows = []
    for name, (make, sizes) in FAMILIES.items():
        _times(make(2))  # imports
        for n, goal in list(sizes.items())[: 1 if effort.rounds == 1 else None]:
            prepared, run = _times(make(n))
            rows.append(Row(f"{name}, N = {n}, prepare", Times((prepared,)), goal=Goal(limit=goal)))
            rows.append(Row(f"{name}, N = {n}, first run of {END:g} s", Times((run,))))
    return Result(tuple(rows))


def _times(model: cardan.Model) -> tuple[float, float]:
    """Times [s] of `prepare` and of the first run."""
    with empty_cache():
        start = time.process_time()
        setup = cardan.prepare(model, until=END, rtol=RTOL)
        prepared = time.process_time()
        run = setup.run()
        end = time.process_time()
    assert run.ok, run.message
    assert run.report.relative_energy_error < ENERGY, f"{model.name}: {run.report.relative_energy_error}"
    return prepared - start, end - prepared
