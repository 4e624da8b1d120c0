"""The method that a run chooses by itself, `method="auto"`, against the fastest of those that can be named.

One row for each model of the gallery and each of two tolerances. Times are processor times of the integration alone,
with all functions compiled, so that others on the machine disturb less. The goal is two thirds of the speed of the
fastest method. Errors at the end, against a run at a tolerance of 1e-12, are checked first: the steps of "auto" are
steps of the named methods, so that its error must not exceed the sum of theirs by more than a factor of two.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import cardan
from cardan.integration import Solution, integrate
from cardan.simulation.setup import Setup

from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = 'The method of `method="auto"`, against the fastest'

NAMED = ("tsit5", "dop853", "rodas5p")
TOLERANCES = (1e-5, 1e-8)
FINE = 1e-12  # of the run that errors are measured against
ROUNDS = 11


def measure(effort: Effort) -> Result:
    """Times of a run by itself and by the fastest method.

    Parameters
    ----------
    effort : Effort
        How many rounds.
    """
    gallery = sorted(path.stem for path in (Path(cardan.__file__).parent / "gallery").glob("*.yaml"))
    rounds = min(effort.rounds, ROUNDS)
    return Result(tuple(_row(name, rtol, rounds) for name in gallery[:: effort.every] for rtol in TOLERANCES))


def _row(name: str, rtol: float, rounds: int) -> Row:
    fine, setup = (_setup(name, tolerance) for tolerance in (FINE, rtol))
    exact = _run(fine, "dop853")().x_end
    runs = [_run(setup, method) for method in ("auto", *NAMED)]
    found = [run() for run in runs]
    error, *errors = (float(np.max(np.abs(solution.x_end - exact))) for solution in found)
    assert all(solution.outcome.ok for solution in found), f"{name}: a run has not reached its end"
    assert error <= 2 * sum(errors), f"{name}, rtol {rtol:g}: error {error:.1e}, of the named methods {errors}"
    ours, *others = in_turns(runs, rounds, time.process_time)
    best = min(range(len(NAMED)), key=lambda k: others[k].median)
    return Row(f"{name}, rtol {rtol:g}: ends with {found[0].method}", ours, NAMED[best], others[best], Goal(ratio=0.67))


def _setup(name: str, rtol: float) -> Setup:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)
        return cardan.prepare(cardan.load(name), rtol=rtol, atol=1e-2 * rtol)


def _run(setup: Setup, method: str) -> Callable[[], Solution]:
    task = setup.task
    return partial(integrate, task.problem, method, x0=task.reduced(setup.start.x))
