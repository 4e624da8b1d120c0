"""The loop over blocks of trajectories that run side by side: each block is begun, advanced and written out.

A block is as many trajectories as the functions of the problem have lanes. All blocks use one `RunRecord`, one after
the other, so that a block costs its steps and little else.
"""

from __future__ import annotations

import math

from cardan.codegen.kernels import Address, Kernel, doubles
from cardan.integration.loop.advance import advance
from cardan.integration.loop.evaluation import copy
from cardan.integration.loop.hybrid import advance_hybrid
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.records import ProblemRecord, RunRecord
from cardan.integration.outcome import Outcome

LONGEST = 200_000  # steps tried in a block before its trajectories go on by themselves: half a second at least


class BlocksRecord:
    """Trajectories that one kernel call integrates, block by block; sizes are those of one trajectory."""

    first: int  # number of the first trajectory of the block at hand
    last: int  # number behind the last trajectory of the last block
    begun: int  # 1 while a block is at work
    t0: float  # [s]
    h: float  # first step, or the fixed step [s]
    patience: float  # of a `RunRecord`
    cleared: int  # doubles of the run's memory that a block finds zero: from x on, up to the instants returned
    parameters: Address  # of the run's parameters, behind the input row
    n: int
    nw: int
    k: int
    inputs: int  # inputs of all segments
    x0: Address  # (B, n)
    w0: Address  # (nw, width)
    p: Address  # (B, k)
    c0: Address  # (B, inputs)
    block_c0: Address  # (inputs, width) inputs of the block at hand, which the problem reads
    X: Address  # (B, instants, n)
    W: Address  # (B, instants, nw)
    lowest: Address  # (B, n + nw)
    highest: Address  # (B, n + nw)
    outcomes: Address  # (B,) numbers of outcomes
    t_end: Address  # (B,) [s]
    nearest: Address  # (B,) smallest over largest distance from a singular position; 0 where velocities jumped

    def go(self, method: MethodRecord, problem: ProblemRecord, run: RunRecord, budget: int) -> int:
        """Advance the block at hand by up to `budget` steps."""
        return advance(method, problem, run, budget)


class HybridBlocksRecord(BlocksRecord):
    """Trajectories of a problem with events."""

    def go(self, method: MethodRecord, problem: ProblemRecord, run: RunRecord, budget: int) -> int:
        """Advance the block at hand by up to `budget` steps; it ends where one of its trajectories meets an event."""
        return advance_hybrid(method, problem, run, budget)


def blocks_kernel_of(method: type[MethodRecord], blocks: type[BlocksRecord]) -> Kernel:
    """Return `advance_blocks` for one kind of method, compiled or read from the cache at its first call."""
    return Kernel(advance_blocks, (method, ProblemRecord, RunRecord, blocks))


def advance_blocks(
    method: MethodRecord, problem: ProblemRecord, run: RunRecord, blocks: BlocksRecord, budget: int
) -> int:
    """Integrate blocks for about `budget` steps; return Outcome.RUNNING while trajectories are left.

    Where a block has ended before its time, the reason is returned while the run still holds what it has reached.
    """
    while blocks.first < blocks.last:
        if budget <= 0:
            return Outcome.RUNNING
        if blocks.begun == 0:
            rewind(run, blocks)
            enter_block(problem, run, blocks)
            blocks.begun = 1
        tried = run.steps + run.rejected
        status = blocks.go(method, problem, run, budget)
        budget -= max(1, run.steps + run.rejected - tried)
        if status == Outcome.RUNNING and method.adaptive != 0 and run.steps + run.rejected >= LONGEST:
            status = Outcome.TOO_MANY_STEPS
        if status != Outcome.RUNNING:
            leave_block(problem, run, blocks, status)
            blocks.first += problem.width
            blocks.begun = 0
            if status != Outcome.COMPLETED:
                return status
    return Outcome.COMPLETED


def rewind(run: RunRecord, blocks: BlocksRecord) -> None:
    """Bring a run's record and memory back to what `make_run_memory` makes."""
    run.t, run.h, run.h_free, run.error, run.error_old = blocks.t0, blocks.h, 0.0, 0.0, 0.0
    run.started, run.fresh, run.segment, run.requested, run.outputs = 0, 0, 0, 0, 0
    run.steps, run.rejected, run.evaluations, run.jacobians, run.attempts = 0, 0, 0, 0, 0
    run.worst, run.stiff, run.stiff_hints, run.patience = -1, 0, 0, blocks.patience
    run.decay, run.known, run.continued = 0.0, 0.0, 0
    run.jumped, run.t_jump, run.turn, run.nearness, run.nearness_new = 0, 0.0, 0.0, 0.0, 0.0
    run.logged, run.part, run.substep, run.substeps = 0, 0, 0, 0
    run.theta, run.cut, run.t_event = 0.0, -math.inf, -math.inf
    run.aimed, run.shortened, run.settled, run.clear = 0, 0, 0, 0
    run.reach, run.t_g, run.calm, run.near = 0.0, 0.0, 0, 0
    run.searched, run.extended, run.measured, run.end_rates = 0, 0, 0, 0
    run.rows_with_mode, run.logged_with_mode = 0, 0
    run.unfollowed, run.events, run.inserted, run.rapid, run.moved = 0, 0, 0, 0, 0.0
    run.project_lanes, run.lanes = 0, 0
    memory = doubles(run.x)
    for i in range(blocks.cleared):
        memory[i] = 0.0


def enter_block(problem: ProblemRecord, run: RunRecord, blocks: BlocksRecord) -> None:
    """Write starts, parameters and inputs of the block; lanes that are left over repeat its last trajectory."""
    width = problem.width
    x, p, c0 = doubles(run.x), doubles(blocks.parameters), doubles(blocks.block_c0)
    starts, parameters, inputs = doubles(blocks.x0), doubles(blocks.p), doubles(blocks.c0)
    copy(blocks.w0, run.x + 8 * width * blocks.n, width * blocks.nw)
    for lane in range(width):
        member = min(blocks.first + lane, blocks.last - 1)
        for i in range(blocks.n):
            x[i * width + lane] = starts[member * blocks.n + i]
        for i in range(blocks.k):
            p[i * width + lane] = parameters[member * blocks.k + i]
        for i in range(blocks.inputs):
            c0[i * width + lane] = inputs[member * blocks.inputs + i]


def leave_block(problem: ProblemRecord, run: RunRecord, blocks: BlocksRecord, status: int) -> None:
    """Write the results of a block of trajectories that has ended with `status`."""
    width, nearest = problem.width, nearness_of(run)
    last = min(blocks.first + width, blocks.last)
    outcomes, t_end, near = doubles(blocks.outcomes), doubles(blocks.t_end), doubles(blocks.nearest)
    for member in range(blocks.first, last):
        outcomes[member] = status
        t_end[member], near[member] = run.t, nearest
    if status != Outcome.COMPLETED:
        return
    for member in range(blocks.first, last):
        write_rows(problem, run, run.X, blocks.X, blocks.n, member, member - blocks.first)
        write_rows(problem, run, run.W, blocks.W, blocks.nw, member, member - blocks.first)
        write_extremes(problem, run, blocks, member, member - blocks.first)


def nearness_of(run: RunRecord) -> float:
    """Return the smallest distance from a singular position over the largest; 0 where velocities have jumped."""
    if run.jumped != 0:
        return 0.0
    smallest, largest = run.nearness, max(run.nearness, 0.0)
    for i in range(run.logged):
        smallest = min(smallest, doubles(run.log_nearness)[i])
        largest = max(largest, doubles(run.log_nearness)[i])
    return smallest / largest if largest > 0.0 and largest < math.inf else 1.0


def write_rows(
    problem: ProblemRecord, run: RunRecord, source: Address, target: Address, size: int, member: int, lane: int
) -> None:
    """Copy the entries of one lane at the requested instants to its `member` in `target`, `size` at each instant.

    The rows in `source` may contain ends of steps between these instants.
    """
    rows, goal, times, T = doubles(source), doubles(target), doubles(problem.times), doubles(run.T)
    row, width = 0, problem.width
    for instant in range(problem.instants):
        while T[row] < times[instant]:
            row += 1
        for i in range(size):
            goal[(member * problem.instants + instant) * size + i] = rows[(row * size + i) * width + lane]


def write_extremes(problem: ProblemRecord, run: RunRecord, blocks: BlocksRecord, member: int, lane: int) -> None:
    """Write the smallest and largest value of each state and quadrature of one lane, the trajectory `member`."""
    X, W, width, n, nw = doubles(run.X), doubles(run.W), problem.width, blocks.n, blocks.nw
    lowest, highest = doubles(blocks.lowest), doubles(blocks.highest)
    for i in range(n + nw):
        low, high = math.inf, -math.inf
        for row in range(run.outputs):
            value = X[(row * n + i) * width + lane] if i < n else W[(row * nw + i - n) * width + lane]
            low, high = min(low, value), max(high, value)
        lowest[member * (n + nw) + i], highest[member * (n + nw) + i] = low, high
