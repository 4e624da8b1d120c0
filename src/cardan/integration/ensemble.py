"""Many trajectories of one model: SIMD lanes within a block, threads over the blocks.

The trajectories of a block take the same steps. If one trajectory fails or meets an event, all trajectories of its
block are run again one by one, so that each ends with its own outcome and has its own events.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.codegen.callables.batch import number_of_threads
from cardan.errors import SolveError
from cardan.integration.automatic import Costs, explicit_for
from cardan.integration.driver import integrate
from cardan.integration.methods import METHODS, find_method
from cardan.integration.outcome import Outcome
from cardan.integration.problem import NativeFunction, Problem
from cardan.integration.solution import Solution, Statistics

__all__ = ["Ensemble", "LaneFunctions", "integrate_ensemble", "method_in_lanes"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LaneFunctions:
    """The functions of a problem, compiled for lanes."""

    rhs: NativeFunction  # all have the meaning that `Problem` gives them
    velocity: NativeFunction | None = None  # for semi-implicit Euler
    project: NativeFunction | None = None  # where there are constraints
    crossings: NativeFunction | None = None  # where there are events


@dataclass(frozen=True)
class Ensemble:
    """Trajectories of one problem; rows that a trajectory did not reach are NaN."""

    t: Array  # (N,) instants [s]
    x: Array  # (B, N, n) states
    w: Array  # (B, N, nw) quadratures
    lowest: Array  # (B, n + nw) smallest states and quadratures, also at the ends of steps that came back
    highest: Array  # (B, n + nw) the largest ones
    outcomes: tuple[Outcome, ...]  # (B,)
    t_end: Array  # (B,) time reached [s]
    nearest: Array  # (B,) smallest over largest distance from a singular position; 0 where velocities jumped


def integrate_ensemble(
    problem: Problem,
    lanes: LaneFunctions,
    x0: ArrayLike,
    *,
    p: ArrayLike | None = None,
    c0: ArrayLike | None = None,
    method: str = "rk4",
    step: float | None = None,
    threads: int | None = None,
) -> Ensemble:
    """Return the trajectories of one problem from many starts, with many parameters or inputs.

    Parameters
    ----------
    problem : Problem
        Sizes, segments, instants, tolerances, and the functions for single trajectories.
    lanes : LaneFunctions
        The same functions for lanes; their width is the size of a block.
    x0 : array_like (B, n)
        Starts.
    p : array_like (B, k), optional
        Parameters; those of `problem` if not given.
    c0 : array_like (B, S, m), optional
        Inputs at the starts of the segments; those of `problem` if not given.
    method : str
        "rk4", "semi_implicit_euler", "tsit5" or "dop853". With error control each trajectory keeps to the tolerances of
        `problem`, while the most difficult one of a block sets the step.
    step : float, optional
        Longest step of a fixed-step method [s].
    threads : int, optional
        Default: `CARDAN_NUM_THREADS`, or one for each processor.

    Returns
    -------
    Ensemble

    Raises
    ------
    SolveError
        Where the method cannot run in lanes, the number of rows differs, or the problem has ticks.
    """
    if problem.events is not None and problem.events.r:
        raise SolveError("ensemble: ticks reset one trajectory at a time; integrate each by itself")
    if find_method(method).needs == "tangent":
        raise SolveError(f'method "{method}" factorises one Jacobian at a time; use it without lanes')
    members = _members(problem, x0, p, c0)
    count, width = len(members.x0), lanes.rhs.lanes
    blocks = [np.arange(first, min(first + width, count)) for first in range(0, count, width)]
    call = _Call(problem, _widened(problem, lanes), members, method, step)
    pool = ThreadPoolExecutor(_workers(threads))
    try:
        parts = list(pool.map(partial(_run_block, call), blocks))
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C, blocks that wait are not begun
    return _join(problem, [solution for part in parts for solution in part])


def method_in_lanes(problem: Problem, x0: Array, stiff: Statistics, width: int) -> str | None:
    """The explicit method with which `width` trajectories side by side cost less than each alone with the stiff one.

    None if it costs more. One trajectory is integrated to find out, no further than it may cost.

    Parameters
    ----------
    problem : Problem
    x0 : ndarray (n,)
        Start of a trajectory.
    stiff : Statistics
        Cost of that trajectory with the stiff method, counted by its steps.
    width : int
        Number of lanes.
    """
    method, costs = explicit_for(problem.rtol), Costs(problem)
    alone = costs.of(METHODS["rodas5p"], stiff.steps + stiff.rejected, stiff.evaluations, stiff.jacobians)
    run = integrate(problem, method.name, x0=x0, max_steps=int(width * alone / costs.step(method)))
    return method.name if run.outcome.ok else None


def _workers(threads: int | None) -> int:
    given = threads is not None or "CARDAN_NUM_THREADS" in os.environ
    return number_of_threads(threads) if given else os.cpu_count() or 1


@dataclass(frozen=True, eq=False)
class _Members:
    """What differs between the trajectories."""

    x0: Array  # (B, n)
    p: Array  # (B, k)
    c0: Array  # (B, S, m)


@dataclass(frozen=True, eq=False)
class _Call:
    """What all blocks share."""

    single: Problem  # problem of one trajectory
    wide: Problem  # problem of a block
    members: _Members
    method: str
    step: float | None


class _Part(NamedTuple):
    """One trajectory."""

    x: Array
    w: Array
    lowest: Array
    highest: Array
    outcome: Outcome
    t_end: float
    nearest: float


def _members(problem: Problem, x0: ArrayLike, p: ArrayLike | None, c0: ArrayLike | None) -> _Members:
    starts = np.asarray(x0, dtype=float)
    count = len(starts)
    assert problem.c0 is not None
    return _Members(
        _rows("x0", starts, (count, problem.n)),
        _rows("p", problem.p if p is None else p, (count, *problem.p.shape)),
        _rows("c0", problem.c0 if c0 is None else c0, (count, *problem.c0.shape)),
    )


def _rows(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Finite numbers with one row for each trajectory."""
    array = np.asarray(value, dtype=float)
    if array.shape not in (shape, shape[1:]):
        raise SolveError(f"ensemble: {name} has shape {array.shape}; the starts and the problem need {shape}")
    if not np.isfinite(array).all():
        raise SolveError(f"ensemble: {name} has entries that are not finite; give numbers")
    return np.broadcast_to(array, shape)


def _run_block(call: _Call, block: NDArray[np.int64]) -> list[_Part]:
    """Return the trajectories of a block, together if all succeed, else one by one."""
    members, width = call.members, call.wide.width
    rows = block[np.minimum(np.arange(width), len(block) - 1)]  # a block that is not full repeats its last trajectory
    together = integrate(
        call.wide,
        call.method,
        x0=members.x0[rows].T.ravel(),
        p=members.p[rows].T.ravel(),
        c0=np.ascontiguousarray(members.c0[rows].transpose(1, 2, 0)),
        step=call.step,
    )
    if together.outcome.ok:
        return _split(call.single, together, len(block), width)
    return [_part(call.single, _alone(call, member)) for member in block]


def _alone(call: _Call, member: int) -> Solution:
    """Return one trajectory by itself."""
    members = call.members
    values = {"x0": members.x0[member], "p": members.p[member], "c0": np.ascontiguousarray(members.c0[member])}
    return integrate(call.single, call.method, step=call.step, **values)


def _widened(problem: Problem, lanes: LaneFunctions) -> Problem:
    """Return the problem of a block, whose values are given when it is integrated."""
    width = lanes.rhs.lanes
    assert problem.c1 is not None
    assert problem.c2 is not None
    assert problem.c3 is not None
    segments, m = problem.c1.shape
    # The error norm is a mean over all lanes: with tolerances smaller by √width it bounds the norm of each.
    strict = 1.0 / math.sqrt(width)
    return replace(
        problem,
        rhs=lanes.rhs,
        velocity=lanes.velocity,
        project=lanes.project,
        events=None if problem.events is None else replace(problem.events, crossings=lanes.crossings, reset=None),
        tangent=None,
        width=width,
        x0=None,
        w0=None,
        p=np.zeros(problem.p.size * width),
        c0=np.zeros((segments, m * width)),
        c1=np.repeat(problem.c1, width, axis=1),
        c2=np.repeat(problem.c2, width, axis=1),
        c3=np.repeat(problem.c3, width, axis=1),
        rtol=problem.rtol * strict,
        atol=np.repeat(np.asarray(problem.atol), width) * strict,
    )


def _split(problem: Problem, solution: Solution, count: int, width: int) -> list[_Part]:
    """Return the trajectories of a block from its solution."""
    x = solution.x.reshape(len(solution.t), problem.n, width)
    w = solution.w.reshape(len(solution.t), problem.nw, width)
    nearest, rows = _nearest(solution), _asked_for(problem, solution)
    lowest, highest = (np.concatenate([reduce(x, axis=0), reduce(w, axis=0)]) for reduce in (np.min, np.max))
    ends = solution.outcome, solution.t_end, nearest
    x, w = x[rows], w[rows]
    return [_Part(x[:, :, k], w[:, :, k], lowest[:, k], highest[:, k], *ends) for k in range(count)]


def _part(problem: Problem, solution: Solution) -> _Part:
    """Return one trajectory; its extremes are NaN if it has not reached its end."""
    rows, everything = _asked_for(problem, solution), np.hstack([solution.x, solution.w])
    lowest = highest = np.full(everything.shape[1], np.nan)
    if solution.outcome.ok:
        lowest, highest = np.min(everything, axis=0), np.max(everything, axis=0)
    ends = solution.outcome, solution.t_end, _nearest(solution)
    return _Part(solution.x[rows], solution.w[rows], lowest, highest, *ends)


def _asked_for(problem: Problem, solution: Solution) -> NDArray[np.int64]:
    """Rows of a solution at the instants of its problem that it has reached; ends of steps may stand between them."""
    reached = problem.times[problem.times <= solution.t[-1]] if solution.t.size else problem.times[:0]
    return np.searchsorted(solution.t, reached)


def _nearest(solution: Solution) -> float:
    """Least logged distance from a singular position over the largest; 0 where a projection turned the velocities."""
    if not math.isnan(solution.log.jump):
        return 0.0
    distance, largest = solution.log.nearness, float(np.max(solution.log.nearness, initial=0.0))
    return float(np.min(distance)) / largest if 0 < largest < math.inf else 1.0


def _join(problem: Problem, parts: list[_Part]) -> Ensemble:
    x = np.full((len(parts), problem.times.size, problem.n), np.nan)
    w = np.full((len(parts), problem.times.size, problem.nw), np.nan)
    for row, part in enumerate(parts):
        x[row, : len(part.x)] = part.x
        w[row, : len(part.w)] = part.w
    return Ensemble(
        problem.times,
        x,
        w,
        np.array([part.lowest for part in parts]),
        np.array([part.highest for part in parts]),
        tuple(part.outcome for part in parts),
        np.array([part.t_end for part in parts]),
        np.array([part.nearest for part in parts]),
    )
