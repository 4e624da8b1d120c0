"""Growth with the number of closed loops: N four-bar linkages side by side, from the model to its first run and after.

The first run has an empty cache of machine code for the mechanism; the kernel of the integrator, the same for all
models, is ready. Later runs are whole calls of `cardan.simulate`, compiled functions in memory. All keep the energy,
which grows with N, to 0.1 mJ per loop over 10 s. Times are of the processor; the integration is what a call takes less
one for 1 µs of motion. The best times are drawn; dotted lines grow in proportion to N.

All angles of these linkages are linear in one, which is integrated alone. With the loops as equations of all angles
(`embed=False`), as they are where links differ, the integrator takes about a hundred steps.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .growth import draw_growth, empty_cache
from .loop_engines import AN_INSTANT, cardan_solver, integration
from .loop_problems import END, INSTANTS, Error, four_bar_problem
from .table import Result, Row
from .timing import Effort, Times, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Growth with the number of closed loops"

ROUNDS = 9
RTOL = 1e-8
POSITION = 1e-3  # error allowed [m]
ENERGY = 1e-4  # error allowed for each loop [J]
WAYS = {"": True, ", loops as equations": False}  # whether coordinates linear in others are left out
LEAST = 10  # loops for which it is allowed at least


@dataclass(frozen=True)
class Point:
    """One mechanism."""

    n: int
    way: str  # to close the loops, in words
    first: Times  # from the model to its first run, nothing of it cached
    run: Times  # a later call of `simulate`, per simulated second
    integration: Times  # of it the integration


def measure(effort: Effort) -> Result:
    """Times of first and later runs.

    Parameters
    ----------
    effort : Effort
        Which numbers of loops, how many rounds.
    """
    _point(2, 1, "")  # the kernel of the integrator, and all imports
    points = [_point(n, min(effort.rounds, ROUNDS), way) for way in WAYS for n in effort.linkages]
    rows = [
        *(Row(f"N = {point.n}{point.way}, simulate, per simulated second", point.run) for point in points),
        *(Row(f"N = {point.n}{point.way}, of it the integration", point.integration) for point in points),
        *(Row(f"N = {point.n}{point.way}, from the model to its first run", point.first) for point in points),
    ]
    return Result(tuple(rows), lambda path: _draw(points, path))


def _point(n: int, rounds: int, way: str) -> Point:
    given, embed = four_bar_problem(n), WAYS[way]
    model = given.model.replace(name=f"{n} four-bar linkages to grow")  # other sections have compiled others
    problem = replace(given, model=model)
    solver = cardan_solver(problem, RTOL, embed=embed)
    with empty_cache():
        start = time.process_time()
        solver.run(2)
        first = time.process_time() - start
        error = problem.error(solver.read(solver.run(INSTANTS)))
    assert error.within(Error(POSITION, ENERGY * max(LEAST, n))), f"{problem.name}: {error}"
    calls = cardan_solver(problem, RTOL, AN_INSTANT, embed=embed)
    run, call = in_turns([lambda: solver.run(2), lambda: calls.run(2)], rounds, time.process_time)
    return Point(n, way, Times((first,)), run.per(END), integration(run, call).per(END))


def _draw(points: Sequence[Point], path: Path) -> None:
    n = list(dict.fromkeys(point.n for point in points))
    later, first = {}, {}
    for way in WAYS:
        own = [point for point in points if point.way == way]
        later[f"simulate{way}"] = [point.run.best * 1e3 for point in own]
        first[f"first run{way}"] = [point.first.median for point in own]
    draw_growth(path, "loops N", n, {"per simulated second [ms]": later, "from the model to the first run [s]": first})
