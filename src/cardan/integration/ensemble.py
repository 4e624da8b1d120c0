"""Many trajectories of one model: SIMD lanes within a block, threads over the blocks.

The trajectories of a block take the same steps. Before a step in which one of them meets an event or fails, all
trajectories of the block are continued one by one, each with its own events and its own outcome.
"""

from __future__ import annotations

import math
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.codegen.callables.batch import number_of_threads
from cardan.codegen.kernels import LINE, Cells, fill
from cardan.errors import SolveError
from cardan.frozen import dataclass, field, replace
from cardan.integration.automatic import explicit_for
from cardan.integration.driver import FIRST_BUDGET, integrate, next_budget
from cardan.integration.events import Events
from cardan.integration.loop.blocks import BlocksRecord, HybridBlocksRecord, blocks_kernel_of
from cardan.integration.loop.continuation import BlockLane
from cardan.integration.loop.records import BYTES, make_problem_record
from cardan.integration.loop.run_memory import Room, RunMemory, make_run_memory
from cardan.integration.methods import METHODS, find_method
from cardan.integration.outcome import Outcome
from cardan.integration.problem import NativeFunction, Problem
from cardan.integration.solution import Solution

Array = NDArray[np.float64]

SHARES = 8  # groups of blocks for each thread: a thread that ends early waits for an eighth of its time at most


@dataclass(frozen=True)
class LaneFunctions:
    """The functions of a problem, compiled for lanes."""

    rhs: NativeFunction  # all have the meaning that `Problem` gives them; without dw there are no quadratures
    velocity: NativeFunction | None = None  # for semi-implicit Euler
    tangent: NativeFunction | None = None  # for the stiff method; one direction of each trajectory
    project: NativeFunction | None = None  # where there are constraints
    crossings: NativeFunction | None = None  # where there are events


@dataclass(frozen=True)
class Ensemble:
    """Trajectories of one problem; rows that a trajectory did not reach are NaN."""

    t: Array  # (N,) instants [s]
    x: Array  # (B, N, n) states
    w: Array  # (B, N, nw) quadratures; nw = 0 where the functions for lanes leave them out
    lowest: Array  # (B, n + nw) smallest states and quadratures, also at the ends of steps that came back
    highest: Array  # (B, n + nw) the largest ones
    codes: Array  # (B,) numbers of outcomes
    t_end: Array  # (B,) time reached [s]
    nearest: Array  # (B,) smallest over largest distance from a singular position; 0 where velocities jumped
    alone: dict[int, Solution]  # trajectories that were continued alone, with their events and all their instants

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """How each trajectory ended."""
        return tuple(Outcome(int(code)) for code in self.codes)

    def motion(self, row: int) -> tuple[Array, Array]:
        """Instants (N,) and states (N, n) that one trajectory has reached."""
        found = self.alone.get(row)
        return (self.t, self.x[row]) if found is None else (found.t, found.x)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Whether each trajectory has reached its end, or an event that stops it."""
        return np.isin(self.codes, [outcome for outcome in Outcome if outcome.ok])


def integrate_ensemble(
    problem: Problem,
    lanes: LaneFunctions | None,
    x0: ArrayLike,
    *,
    p: ArrayLike | None = None,
    c0: ArrayLike | None = None,
    method: str = "rk4",
    step: float | None = None,
    threads: int | None = None,
    longest: float = math.inf,
) -> Ensemble:
    """Return the trajectories of one problem from many starts, with many parameters or inputs.

    The steps of a trajectory may take `longest` [s]; a block that takes as long is continued one by one.
    """
    if lanes is not None:
        _check(problem, lanes, method)
    members = _members(problem, x0, p, c0)
    wide = problem if lanes is None else _widened(problem, lanes)
    ensemble = _empty(wide, len(members.x0))
    call = _Call(problem, wide, members, method, step, longest, ensemble)
    workers = _workers(threads)
    groups = _groups(len(members.x0), call.wide.width, workers)
    pool = ThreadPoolExecutor(workers)
    try:
        run = _run_alone if lanes is None else _run_group
        for _ in pool.map(partial(run, call), groups[:-1], groups[1:]):
            pass
    finally:
        call.stopped.set()  # after Ctrl-C, groups at work end, and those that wait are not begun
        pool.shutdown(cancel_futures=True)
    return ensemble


def _check(problem: Problem, lanes: LaneFunctions, method: str) -> None:
    if problem.events is not None and problem.events.r:
        raise SolveError("ensemble: ticks reset one trajectory at a time; integrate each by itself, without lanes")
    needs = find_method(method).needs
    if needs and getattr(lanes, needs) is None:
        raise SolveError(
            f'method "{method}" needs the {needs} of several trajectories; give it with the other functions'
        )


def method_in_lanes(problem: Problem, x0: Array, tried: int) -> str:
    """The method with which trajectories side by side cost less: the stiff one, or an explicit one.

    A single trajectory computes the columns of its Jacobian in lanes; trajectories side by side compute them one after
    the other, so that a step of the stiff method costs more evaluations of f. The cost is the number of instructions of
    the functions, and two for each product that is summed. One trajectory is integrated by the explicit method, up to
    the cost of the stiff method.
    """
    n, f, tangent = problem.n, problem.rhs.length, problem.made_tangent.length
    method, stiff = explicit_for(problem.rtol), METHODS["rodas5p"]
    projection = 0 if problem.project is None else problem.project.length
    e, s = method.evaluations, stiff.evaluations
    explicit_step = e * (f + e * n) + projection
    stiff_step = s * f + (n + 1) * tangent + 2 * n * (n * n + s * n + s * s) + projection
    run = integrate(problem, method.name, x0=x0, max_steps=int(tried * stiff_step / explicit_step))
    if run.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
    return method.name if run.outcome.ok else stiff.name


def _workers(threads: int | None) -> int:
    given = threads is not None or "CARDAN_NUM_THREADS" in os.environ
    return number_of_threads(threads) if given else os.cpu_count() or 1


def _groups(count: int, width: int, workers: int) -> list[int]:
    """Bounds of the groups of trajectories that a thread integrates with the same memory: whole blocks of `width`."""
    blocks = -(-count // width)
    groups = min(blocks, 1 if workers == 1 else SHARES * workers)
    return [min(count, width * (blocks * group // groups)) for group in range(groups + 1)] if groups else [0]


@dataclass(frozen=True, eq=False)
class _Members:
    """Starts, parameters and inputs of the trajectories."""

    x0: Array  # (B, n)
    p: Array  # (B, k)
    c0: Array  # (B, S, m)


@dataclass(frozen=True, eq=False)
class _Call:
    """The problem, the method and the result that all blocks share."""

    single: Problem  # problem of one trajectory
    wide: Problem  # problem of a block
    members: _Members
    method: str
    step: float | None
    longest: float  # time that the steps of a trajectory may take [s]
    ensemble: Ensemble  # filled by the blocks
    stopped: Event = field(default_factory=Event)


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
    return np.ascontiguousarray(np.broadcast_to(array, shape))


def _empty(problem: Problem, count: int) -> Ensemble:
    """An ensemble without values."""
    size, both = (count, problem.times.size), (count, problem.n + problem.nw)
    x, w = np.empty((*size, problem.n)), np.empty((*size, problem.nw))
    lowest, highest = np.empty(both), np.empty(both)
    return Ensemble(problem.times, x, w, lowest, highest, np.empty(count), np.empty(count), np.empty(count), {})


def _run_alone(call: _Call, first: int, last: int) -> None:
    """Integrate the trajectories from `first` to before `last`, each alone."""
    room = Room()
    for member in range(first, last):
        if call.stopped.is_set():
            return
        _fill(call.ensemble, member, _alone(call, member, room), call.single)


def _run_group(call: _Call, first: int, last: int) -> None:
    """Integrate the blocks of the trajectories from `first` to before `last`, and those of broken blocks to the end."""
    problem, ensemble, budget = call.wide, call.ensemble, FIRST_BUDGET
    info = find_method(call.method)
    stepper = info.make(problem)
    kind = BlocksRecord if problem.events is None else HybridBlocksRecord
    kernel = blocks_kernel_of(info.wide_record, kind)
    kernel.load()
    crossings = None if problem.events is None else problem.events.crossings
    functions = (problem.rhs, problem.velocity, problem.project, crossings)
    memory = make_run_memory(problem, stepper.rows, max(f.n_work for f in functions if f is not None))
    block_c0 = np.empty(problem.c1.shape) if problem.c1 is not None else np.empty(0)
    record = make_problem_record(problem, block_c0)
    blocks, room = _blocks(call, kind, memory, block_c0, (first, last)), Room()
    at, since = first, time.perf_counter()  # the block at work, and since when it is [s]
    while not call.stopped.is_set():
        before = time.perf_counter()
        status = kernel(stepper.method, record, memory.record, blocks, budget)
        if status == Outcome.COMPLETED:
            break
        if status == Outcome.RUNNING:
            budget = next_budget(budget, time.perf_counter() - before)
            if blocks["first"] != at:
                at, since = blocks["first"], before
            if time.perf_counter() - since <= call.longest:
                continue
            blocks["first"], blocks["begun"] = blocks["first"] + problem.width, 0
        block = range(blocks["first"] - problem.width, min(blocks["first"], last))
        for lane, member in enumerate(block):
            if call.stopped.is_set():
                return
            _fill(ensemble, member, _alone(call, member, room, BlockLane(memory, problem.width, lane)), call.single)


def _blocks(
    call: _Call, kind: type[BlocksRecord], memory: RunMemory, block_c0: Array, range_: tuple[int, int]
) -> Cells:
    """The record of the trajectories in a range."""
    problem, members, ensemble, record = call.single, call.members, call.ensemble, memory.record
    assert call.wide.w0 is not None
    return fill(
        kind,
        first=range_[0],
        last=range_[1],
        begun=0,
        t0=problem.t0,
        h=problem.first_step if call.step is None else call.step,
        patience=record["patience"],
        cleared=(record["T"] - record["x"]) // BYTES,
        parameters=record["input"] + BYTES * (call.wide.width * (1 + problem.n + problem.m)),
        n=problem.n,
        nw=call.wide.nw,
        k=problem.p.size,
        inputs=members.c0[0].size,
        x0=members.x0,
        w0=call.wide.w0,
        p=members.p,
        c0=members.c0,
        block_c0=block_c0,
        X=ensemble.x,
        W=ensemble.w,
        lowest=ensemble.lowest,
        highest=ensemble.highest,
        outcomes=ensemble.codes,
        t_end=ensemble.t_end,
        nearest=ensemble.nearest,
    )


def _alone(call: _Call, member: int, room: Room, begun: BlockLane | None = None) -> Solution:
    """Return one trajectory, integrated alone after the steps that its block has taken."""
    members, any_step = call.members, begun is not None and begun.memory.record["steps"] > 0
    values: dict[str, Any] = {
        "x0": members.x0[member],
        "p": members.p[member],
        "c0": np.ascontiguousarray(members.c0[member]),
    }
    values |= {"step": call.step, "room": room, "longest": call.longest}
    return integrate(call.single, call.method, begun=begun if any_step else None, **values)


def _widened(problem: Problem, lanes: LaneFunctions) -> Problem:
    """Return the problem of a block, whose values are given when it is integrated."""
    width = lanes.rhs.lanes
    assert problem.c1 is not None
    assert problem.c2 is not None
    assert problem.c3 is not None
    segments, m = problem.c1.shape
    assert LINE % width == 0, "sums of errors are kept for each place of a cache line"
    return replace(
        problem,
        nw=lanes.rhs.n_out - problem.n,
        rhs=lanes.rhs,
        velocity=lanes.velocity,
        project=lanes.project,
        events=None if problem.events is None else _crossings_only(problem.events, lanes),
        tangent=lanes.tangent,
        width=width,
        x0=None,
        w0=None,
        p=np.zeros(problem.p.size * width),
        c0=np.zeros((segments, m * width)),
        c1=np.repeat(problem.c1, width, axis=1),
        c2=np.repeat(problem.c2, width, axis=1),
        c3=np.repeat(problem.c3, width, axis=1),
        atol=np.repeat(np.asarray(problem.atol), width),
    )


def _crossings_only(events: Events, lanes: LaneFunctions) -> Events:
    """The events of a block: crossing functions alone, as a block makes no resets."""
    return replace(
        events, crossings=lanes.crossings, complementarity=None, unknowns=(0, 0), reset=None, returns_events=False
    )


def _fill(ensemble: Ensemble, member: int, solution: Solution, problem: Problem) -> None:
    """Write one trajectory; rows that it has not reached are NaN, and so are the extremes of one that failed."""
    rows, w = _requested_rows(problem, solution), solution.w[:, : ensemble.w.shape[2]]
    everything = np.hstack([solution.x, w])
    for values, found in ((ensemble.x[member], solution.x[rows]), (ensemble.w[member], w[rows])):
        values[:] = np.nan
        values[: len(found)] = found
    ensemble.lowest[member] = ensemble.highest[member] = np.nan
    if solution.outcome.ok and len(everything):
        ensemble.lowest[member], ensemble.highest[member] = np.min(everything, axis=0), np.max(everything, axis=0)
    ensemble.codes[member], ensemble.t_end[member] = solution.outcome, solution.t_end
    ensemble.nearest[member] = _nearest(solution)
    ensemble.alone[member] = solution


def _requested_rows(problem: Problem, solution: Solution) -> NDArray[np.int64]:
    """Rows of a solution at the requested instants that it has reached; ends of steps may lie between them."""
    reached = problem.times[problem.times <= solution.t[-1]] if solution.t.size else problem.times[:0]
    return np.searchsorted(solution.t, reached)


def _nearest(solution: Solution) -> float:
    """Least logged distance from a singular position over the largest; 0 where a projection turned the velocities."""
    if not math.isnan(solution.log.jump):
        return 0.0
    distance, largest = solution.log.nearness, float(np.max(solution.log.nearness, initial=0.0))
    return float(np.min(distance)) / largest if 0 < largest < math.inf else 1.0
