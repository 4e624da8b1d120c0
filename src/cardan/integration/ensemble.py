"""Many trajectories of one model: SIMD lanes within a block, threads over the blocks.

The trajectories of a block take the same steps. If one trajectory fails, all trajectories of its block are run again
one by one, so that each ends with its own outcome.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import SolveError
from cardan.integration.driver import integrate
from cardan.integration.methods import find_method
from cardan.integration.outcome import Outcome
from cardan.integration.problem import NativeFunction, Problem
from cardan.integration.solution import Solution

__all__ = ["Ensemble", "LaneFunctions", "integrate_ensemble"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LaneFunctions:
    """The functions of a problem, compiled for lanes."""

    rhs: NativeFunction  # all three have the meaning that `Problem` gives them
    velocity: NativeFunction | None = None  # for semi-implicit Euler
    project: NativeFunction | None = None  # where there are constraints


@dataclass(frozen=True)
class Ensemble:
    """Trajectories of one problem; rows that a trajectory did not reach are NaN."""

    t: Array  # (N,) instants [s]
    x: Array  # (B, N, n) states
    w: Array  # (B, N, nw) quadratures
    outcomes: tuple[Outcome, ...]  # (B,)
    t_end: Array  # (B,) time reached [s]


def integrate_ensemble(
    problem: Problem,
    lanes: LaneFunctions,
    x0: ArrayLike,
    *,
    p: ArrayLike | None = None,
    c0: ArrayLike | None = None,
    c1: ArrayLike | None = None,
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
    c0, c1 : array_like (B, S, m), optional
        Inputs at the starts of the segments, and their slopes [1/s]; those of `problem` if not given.
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
        Where the method cannot run in lanes, or the number of rows differs.
    """
    if find_method(method).needs == "jacobian":
        raise SolveError(f'method "{method}" factorises one Jacobian at a time; use it without lanes')
    members = _members(problem, x0, p, c0, c1)
    count, width = len(members.x0), lanes.rhs.lanes
    blocks = [np.arange(first, min(first + width, count)) for first in range(0, count, width)]
    workers = threads or int(os.environ.get("CARDAN_NUM_THREADS", 0)) or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(lambda block: _run_block(problem, lanes, members, block, method, step), blocks)
    return _join(problem, [solution for part in parts for solution in part])


@dataclass(frozen=True)
class _Members:
    """What differs between the trajectories."""

    x0: Array  # (B, n)
    p: Array  # (B, k)
    c0: Array  # (B, S, m)
    c1: Array  # (B, S, m)


@dataclass(frozen=True)
class _Part:
    """One trajectory."""

    x: Array
    w: Array
    outcome: Outcome
    t_end: float


def _members(
    problem: Problem, x0: ArrayLike, p: ArrayLike | None, c0: ArrayLike | None, c1: ArrayLike | None
) -> _Members:
    starts = np.asarray(x0, dtype=float)
    options: tuple[tuple[str, Any, Any], ...] = (("p", p, problem.p), ("c0", c0, problem.c0), ("c1", c1, problem.c1))
    return _Members(
        _rows("x0", starts, (len(starts), problem.n)),
        *(_rows(name, own if given is None else given, (len(starts), *own.shape)) for name, given, own in options),
    )


def _rows(name: str, value: ArrayLike | None, shape: tuple[int, ...]) -> Array:
    array = np.asarray(value, dtype=float)
    if array.shape not in (shape, shape[1:]):
        raise SolveError(f"ensemble: {name} has shape {array.shape}; the starts and the problem need {shape}")
    return np.broadcast_to(array, shape)


def _run_block(
    problem: Problem, lanes: LaneFunctions, members: _Members, block: NDArray[np.int64], method: str, step: float | None
) -> list[_Part]:
    """Return the trajectories of a block, together if all succeed, else one by one."""
    together = integrate(_widen(problem, lanes, members, block), method, step=step)
    if together.outcome.ok:
        return _split(problem, together, len(block), lanes.rhs.lanes)
    return [_part(integrate(_single(problem, members, member), method, step=step)) for member in block]


def _widen(problem: Problem, lanes: LaneFunctions, members: _Members, block: NDArray[np.int64]) -> Problem:
    """Return the problem of a block; a block that is not full repeats its last trajectory."""
    width = lanes.rhs.lanes
    rows = block[np.minimum(np.arange(width), len(block) - 1)]
    segments = problem.a.size
    # The error norm is a mean over all lanes: with tolerances smaller by √width it bounds the norm of each.
    strict = 1.0 / math.sqrt(width)
    return replace(
        problem,
        rhs=lanes.rhs,
        velocity=lanes.velocity,
        project=lanes.project,
        jacobian=None,
        width=width,
        x0=members.x0[rows].T.ravel(),
        w0=None,
        p=members.p[rows].T.ravel(),
        c0=members.c0[rows].transpose(1, 2, 0).reshape(segments, -1),
        c1=members.c1[rows].transpose(1, 2, 0).reshape(segments, -1),
        rtol=problem.rtol * strict,
        atol=np.repeat(np.asarray(problem.atol), width) * strict,
    )


def _single(problem: Problem, members: _Members, member: int) -> Problem:
    return replace(problem, x0=members.x0[member], p=members.p[member], c0=members.c0[member], c1=members.c1[member])


def _split(problem: Problem, solution: Solution, count: int, width: int) -> list[_Part]:
    """Return the trajectories of a block from its solution."""
    x = solution.x.reshape(-1, problem.n, width)
    w = solution.w.reshape(-1, problem.nw, width)
    return [_Part(x[:, :, lane], w[:, :, lane], solution.outcome, solution.t_end) for lane in range(count)]


def _part(solution: Solution) -> _Part:
    return _Part(solution.x, solution.w, solution.outcome, solution.t_end)


def _join(problem: Problem, parts: list[_Part]) -> Ensemble:
    x = np.full((len(parts), problem.times.size, problem.n), np.nan)
    w = np.full((len(parts), problem.times.size, problem.nw), np.nan)
    for row, part in enumerate(parts):
        x[row, : len(part.x)] = part.x
        w[row, : len(part.w)] = part.w
    return Ensemble(
        problem.times, x, w, tuple(part.outcome for part in parts), np.array([part.t_end for part in parts])
    )
