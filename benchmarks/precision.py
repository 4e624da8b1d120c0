"""Work against precision on the gallery models with fast decays, for all methods with step control.

    python -m benchmarks.precision [FILE]     write docs/work_precision.md, or another file

A model is here if it has motors, or if a trial run of order 8 finds a decay faster than its steps. The program ends
with an error where the default method misses its tolerance by more than MOST.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import cardan
from cardan.results import Trajectory

__all__ = ["main"]

METHODS = ("auto", "tsit5", "dop853", "rodas5p")
TOLERANCES = (1e-6, 1e-8, 1e-10)
FINE = 1e-13  # of the run that errors are measured against: order 5, whose steps stay below two decays here
INSTANTS = 2001  # most of them between the ends of steps
MOST = 50.0  # error over tolerance
PAGE = Path(__file__).parents[1] / "docs" / "work_precision.md"
INTRODUCTION = f"""# Work and precision

This page is written by the command

    python -m benchmarks.precision

It shows what a tolerance is worth where something decays fast: the current of a motor, a motion against a stiff damper.
*Error* is the largest difference of any state, currents included, at {INSTANTS} instants to a run of `tsit5` with rtol
{FINE:g}, over rtol/100 + rtol max |x| of that state. *Work* is the number of evaluations of the right-hand side; for
`rodas5p` a Jacobian counts as one for each state. The default method, `auto`, keeps the error below {MOST:g}
everywhere: the program that writes this page refuses to end otherwise. Why the explicit methods do: [decision
0029](decisions/0029-tolerances-of-fast-decays.md). An exact solution, by the matrix exponential, is compared with all
methods in `tests/truths/test_fast_decays.py`.

A tolerance bounds what each step adds; what a motion then makes of it is not the method's. Within its 3 s the free
`four_bar`, in which nothing decays fast, enlarges a difference of its crank's angle 2500 times, as its rocker swings
back within a few degrees of it: at 1e-10 `auto` ends 63 tolerances off, `tsit5` 96, `rodas5p` 680.

"""


def main(arguments: Sequence[str]) -> None:
    """Write the page."""
    lines = [*_table()]
    path = Path(arguments[0]) if arguments else PAGE
    path.write_text(INTRODUCTION + "\n".join(lines) + "\n", encoding="utf-8")


def _table() -> Iterator[str]:
    """The lines of the table, one for each model and tolerance."""
    yield "| model | motors | rtol | " + " | ".join(f"{name}: error | work" for name in METHODS) + " |"
    yield "| --- | --- | ---: | " + " | ".join(["---: | ---:"] * len(METHODS)) + " |"
    for path in sorted((Path(cardan.__file__).parent / "gallery").glob("*.yaml")):
        model = cardan.load(path.stem)
        for motors in ("full", "simplified") if model.motors else (None,):
            yield from _rows(path.stem, model, motors)


def _rows(name: str, model: cardan.Model, motors: str | None) -> Iterator[str]:
    """The lines of one model; none where nothing decays fast."""
    if motors is None and not _run(model, motors, np.zeros(1), "dop853", TOLERANCES[0]).statistics["stiff"]:
        return
    times = np.linspace(0.0, float(cardan.simulate(model, motors=motors).t[-1]), INSTANTS)
    exact = _run(model, motors, times, "tsit5", FINE)
    for rtol in TOLERANCES:
        runs = [_run(model, motors, times, method, rtol) for method in METHODS]
        errors = [_error(run, exact.x, rtol) for run in runs]
        assert errors[0] <= MOST, f"{name}, rtol {rtol:g}: error over tolerance {errors[0]:.3g}"
        cells = " | ".join(f"{error:.2g} | {_work(run)}" for error, run in zip(errors, runs, strict=True))
        yield f"| {name} | {motors or '–'} | {rtol:g} | {cells} |"


def _run(model: cardan.Model, motors: str | None, times: NDArray[np.float64], method: str, rtol: float) -> Trajectory:
    """A run that has reached its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)
        run = cardan.simulate(model, motors=motors, times=times if times.size > 1 else None, method=method, rtol=rtol)
    assert run.ok, run.message
    return run


def _error(run: Trajectory, exact: NDArray[np.float64], rtol: float) -> float:
    """The largest error of any state over its tolerance."""
    return float(np.max(np.abs(run.x - exact) / (0.01 * rtol + rtol * np.abs(exact).max(axis=0))))


def _work(run: Trajectory) -> int:
    """Evaluations of the right-hand side, with those of the columns of Jacobians."""
    return run.statistics["evaluations"] + run.statistics["jacobians"] * len(run.state_names)


if __name__ == "__main__":
    main(sys.argv[1:])
