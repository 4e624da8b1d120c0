"""Mechanisms with closed loops: the time of 10 s of motion at an error that every side keeps to.

Errors are the largest ones at 11 instants from the exact motion: of the position, the tip of a crank [m] or its angle
[rad], and of the energy [J]. Both are printed in brackets behind each side's settings; every peer has the fastest
settings found that keep to the errors asked for, and Cardan's errors are at most as large as each peer's. (Exudyn is
held to 0.1 J with 40 loops, where 0.001 J would take it minutes.)

The times are those of runs that return two instants. Of the peers only the integration is timed: their models are
ready, their start is consistent. Cardan's is the whole call of `cardan.simulate`, repeated, so that the model and its
start are ready as well; a row of its own gives the call from another start each time, which closes the loops there and
looks for redundant equations. A run that takes longer than 0.3 s is timed once. Times are of the processor. The
integration alone: less the same call for 1 µs of motion.

Pinocchio: `constraintDynamics`, loops closed by points, with Baumgarte's corrector, in a Python loop of RK4 steps or in
SciPy's DOP853. MuJoCo: RK4 in one call, `connect` equalities with a time constant of two steps, impedance 0.9999,
`refsafe` off, everything else switched off. Exudyn: bodies in the plane, generalised-α of index 3. The floor is no
engine: SciPy's `odeint` (LSODA) with the one equation of the crank, derived by hand for this mechanism alone.

All angles of the four-bar linkages are linear in one: Cardan finds that and integrates this one, as the equation by
hand does; a row of its own tells what the same run takes with the loops as equations of all angles. The slider-crank's
coordinates are not; its loop is solved in every step.

The slider-crank is that of the gallery with a crank torque of 10 N m − 1 N m s ω in place of its motor, from rest at
0.3 rad; the four-bar linkages are IFToMM's benchmark A02 with N loops, which pass their singular position, all links
in line, about twenty times.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .loop_engines import (
    AN_INSTANT,
    Solver,
    by_hand,
    cardan_solver,
    exudyn_solver,
    integration,
    mujoco_solver,
    pinocchio_dop853,
    pinocchio_rk4,
)
from .loop_problems import INSTANTS, Error, Problem, four_bar_problem, slider_crank_problem
from .peers import require
from .table import Goal, Result, Row
from .timing import Effort, Times, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Closed loops, 10 s of motion"

ROUNDS = 21
LONG = 0.3  # a run that takes longer is timed once, when it is checked [s]


@dataclass(frozen=True)
class _Case:
    """A problem, the errors asked for, and who solves it.

    `loose` holds the peers that are held to larger errors, because they would take minutes.
    """

    problem: Problem
    allowed: Error
    rtol: float  # Cardan's
    floor: Solver
    peers: tuple[Solver, ...]
    loose: Mapping[str, Error] = field(default_factory=dict)

    @property
    def ours(self) -> Solver:
        """Cardan."""
        return cardan_solver(self.problem, self.rtol)

    @property
    def anew(self) -> Solver:
        """Cardan from another start each time."""
        return cardan_solver(self.problem, self.rtol, anew=True)

    @property
    def equations(self) -> Solver:
        """Cardan with the loops as equations."""
        return cardan_solver(self.problem, self.rtol, embed=False)

    @property
    def call(self) -> Solver:
        """The same call for hardly any motion."""
        return cardan_solver(self.problem, self.rtol, AN_INSTANT)


def measure(effort: Effort) -> Result:
    """Time of a run by each side.

    Parameters
    ----------
    effort : Effort
        How many rounds, and which numbers of loops.
    """
    require("pinocchio", "mujoco", "exudyn", "scipy")
    return Result(tuple(row for case in _cases(effort.loops) for row in _rows(case, min(effort.rounds, ROUNDS))))


def _cases(loops: Sequence[int]) -> Iterator[_Case]:
    """The problems, with the fastest settings of each peer that were found to keep to the errors asked for."""
    yield from (_FOUR_BARS[n](four_bar_problem(n)) for n in loops)
    problem = slider_crank_problem()
    yield _Case(
        problem,
        Error(1e-5, 1e-3),
        2e-6,
        by_hand(problem, 1e-7),
        (
            pinocchio_rk4(problem, 830, 10, 1e-12),
            mujoco_solver(problem, 1300),
            exudyn_solver(problem, 12500),
        ),
    )
    yield _Case(
        problem,
        Error(1e-8, 1e-6),
        1e-9,
        by_hand(problem, 2e-11),
        (pinocchio_dop853(problem, 3e-8, 10, 1e-12),),
    )


def _one_loop(problem: Problem) -> _Case:
    return _Case(
        problem,
        Error(1e-3, 1e-3),
        1e-7,
        by_hand(problem, 7e-7),
        (
            pinocchio_rk4(problem, 250, 10, 1e-12),
            mujoco_solver(problem, 4000),
            exudyn_solver(problem, 8500),
        ),
    )


def _forty_loops(problem: Problem) -> _Case:
    exudyn = exudyn_solver(problem, 4500)
    return _Case(
        problem,
        Error(1e-3, 1e-3),
        2e-8,
        by_hand(problem, 1e-8),
        (pinocchio_rk4(problem, 410, 20, 1e-12), mujoco_solver(problem, 12000), exudyn),
        {exudyn.name: Error(1e-3, 0.1)},  # the energy that the benchmark itself allows; 0.001 J: 45 000 steps
    )


_FOUR_BARS = {1: _one_loop, 40: _forty_loops}


def _rows(case: _Case, rounds: int) -> Iterator[Row]:
    """Cardan against every peer and against the equation by hand."""
    ours, theirs = case.ours, (*case.peers, case.floor)
    (own, _), *checked = (_checked(case, solver) for solver in (ours, *theirs))
    for solver, (error, _) in zip(theirs, checked, strict=True):
        assert own.within(error), f"{case.problem.name}: ours {own}, {solver.name}: {error}"
    fast = [solver for solver, (_, seconds) in zip(theirs, checked, strict=True) if seconds < LONG]
    runs = [solver.run for solver in (ours, case.anew, case.call, case.equations, *fast)]
    calls = [lambda run=run: run(2) for run in runs]
    own_times, anew, instants, equations, *measured = in_turns(calls, rounds, time.process_time)
    times = dict(zip((solver.name for solver in fast), measured, strict=True))
    what = f"{case.problem.name} to {case.allowed.position:g} {case.problem.unit}, {case.allowed.energy:g} J"
    shown = f"{what}; {ours.name} {_shown(own)}"
    for solver, (error, seconds) in zip(theirs, checked, strict=True):
        goal = Goal(ratio=1 if solver is case.floor else 20)
        yield Row(shown, own_times, f"{solver.name} {_shown(error)}", times.get(solver.name, Times((seconds,))), goal)
    if "independent" in ours.run(2).statistics:
        (error, _) = _checked(case, case.equations)
        best = min(case.peers, key=lambda peer: checked[theirs.index(peer)][1])
        peer = times.get(best.name, Times((checked[theirs.index(best)][1],)))
        yield Row(f"{what}; with its loops as equations {_shown(error)}", equations, best.name, peer)
    yield Row(f"{what}; from another start each time", anew)
    yield Row(f"{what}; the integration alone", integration(own_times, instants))


def _checked(case: _Case, solver: Solver) -> tuple[Error, float]:
    """The error of a solver, which is small enough, and the time of its first run after one to warm up [s]."""
    start = time.process_time()
    error = case.problem.error(solver.read(solver.run(INSTANTS)))
    seconds = time.process_time() - start
    assert error.within(case.loose.get(solver.name, case.allowed)), f"{case.problem.name}, {solver.name}: {error}"
    return error, seconds


def _shown(error: Error) -> str:
    return f"({error.position:.0e}, {error.energy:.0e} J)"
