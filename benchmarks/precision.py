"""Work against precision on the gallery models with fast decays, for all methods with step control.

    python -m benchmarks.precision [FILE]     write docs/work_precision.md, or another file

A model is here if it has motors, or if a trial run of order 8 finds a decay faster than its steps, and no contacts: a
touch of less than a millisecond turns an error of its instant into one of velocities. The page says
where the default method misses its tolerance by more than MOST.
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
`rodas5p` a Jacobian counts as one for each state. Why the explicit methods bound h |λ|: [decision
0029](decisions/0029-tolerances-of-fast-decays.md). An exact solution, by the matrix exponential, is compared with all
methods in `tests/truths/test_fast_decays.py`.

A tolerance bounds what each step adds; what a motion then makes of it is not the method's. Within its 3 s the free
`four_bar`, in which nothing decays fast, enlarges a difference of its crank's angle 2500 times, as its rocker swings
back within a few degrees of it: at 1e-10 `auto` ends 63 tolerances off, `tsit5` 96, `rodas5p` 680.
Models with contacts are left out for this reason: `bouncing_ball` turns round within a millisecond, and what its
instant is off by appears as an error of its speed there, 190 tolerances at 1e-8.

Steps bound the root mean square over all states, so that one of many may be further off, as the current loops of
`manutec_r3`.

"""


def main(arguments: Sequence[str]) -> None:
    """Write the page."""
    lines = [*_table()]
    path = Path(arguments[0]) if arguments else PAGE
    path.write_text("\n".join([INTRODUCTION + _beyond(lines), "", *lines, ""]), encoding="utf-8")


def _beyond(lines: Sequence[str]) -> str:
    """Which lines of the table have an error of the default method above MOST, in words."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    worse = [
        f"`{name}` ({motors}) at {rtol}: {error}" for name, motors, rtol, error, *_ in cells if float(error) > MOST
    ]
    return f"The error of `auto` is above {MOST:g} for {', '.join(worse) or 'none'}."


def _table() -> Iterator[str]:
    """The lines of the table, one for each model and tolerance."""
    yield "| model | motors | rtol | " + " | ".join(f"{name}: error | work" for name in METHODS) + " |"
    yield "| --- | --- | ---: | " + " | ".join(["---: | ---:"] * len(METHODS)) + " |"
    for path in sorted((Path(cardan.__file__).parent / "gallery").glob("*.yaml")):
        model = cardan.load(path.stem)
        if model.contacts:
            continue
        for motors in ("full", "simplified") if model.motors else (None,):
            try:
                cardan.prepare(model, motors=motors)
            except cardan.ModelError:  # laws of currents, which simplified motors do not have as states
                continue
            yield from _rows(path.stem, model, motors)


def _rows(name: str, model: cardan.Model, motors: str | None) -> Iterator[str]:
    """The lines of one model; none where nothing decays fast."""
    if motors is None and not _run(model, motors, np.zeros(1), "dop853", TOLERANCES[0]).statistics["stiff"]:
        return
    times = np.linspace(0.0, float(cardan.simulate(model, motors=motors).t[-1]), INSTANTS)
    exact = _run(model, motors, times, "tsit5", FINE)
    for rtol in TOLERANCES:
        runs = [_run(model, motors, times, method, rtol) for method in METHODS]
        cells = " | ".join(f"{_error(run, exact.x, rtol):.2g} | {_work(run)}" for run in runs)
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
