"""Output of a run: states at the requested instants, and the log of steps."""

from __future__ import annotations

from cardan.codegen.kernels import Address, doubles
from cardan.integration.loop.evaluation import combine, copy, smallest_step
from cardan.integration.loop.guard import CLEAR, MOVED, PASSAGE, displacement, note_jump, turned
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.projection import approach, settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord

__all__ = [
    "correct",
    "emit",
    "emit_start",
    "interpolate",
    "log",
    "measure_correction",
    "put",
    "weigh",
]


def emit_start(problem: ProblemRecord, run: RunRecord) -> None:
    """Write the requested instants at the start."""
    times = doubles(problem.times)
    while run.requested < problem.instants and times[run.requested] <= run.t:
        put(problem, run, times[run.requested], run.x)
        run.requested += 1


def put(problem: ProblemRecord, run: RunRecord, t: float, row: Address) -> None:
    """Append an instant, with the state and the quadratures in `row`, to those that are returned."""
    n, works = problem.n, problem.size - problem.n
    copy(row, run.X + BYTES * run.outputs * n, n)
    copy(row + BYTES * n, run.W + BYTES * run.outputs * works, works)
    doubles(run.T)[run.outputs] = t
    run.outputs += 1


def emit(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float, h: float, measured: int) -> bool:
    """Write the requested instants in (t, t_new] from the step x → x_new, and its end if that is returned too.

    The continuous extension is that of a step over `h`, which an event may have cut at t_new; its correction is
    `measured` then.

    At t_new itself, up to round-off, the state is x_new; before it the continuous extension of `method`, led to x_new
    and projected. Near a singular position a projection may turn the velocities: there only the positions are
    projected, or nothing if the projection does not converge; the motion goes on from x_new in any case. Return whether
    the extension fulfils the constraints at every instant written.
    """
    times, row, sound = doubles(problem.times), run.x_out, True
    scale = 1.0 if method.increments != 0 else h
    turn, nearness = run.turn, run.nearness_new  # of the step's end
    end = t_new - smallest_step(problem, t_new)
    if problem.project != 0 and measured == 0 and run.requested < problem.instants and times[run.requested] < end:
        measure_correction(method, problem, run, scale)
    while run.requested < problem.instants and times[run.requested] <= t_new:
        now = times[run.requested]
        if now >= end:
            put(problem, run, now, run.x_new)
        else:
            theta = (now - run.t) / h
            weigh(method.dense, method.dense_rows, method.stages, theta, run.weights)
            interpolate(problem, run, method.stages, scale, row)
            if problem.project != 0:
                correct(problem, run, theta, row)
            run.turn = 0.0
            closed = settle(problem, run, now, row)
            if closed and (run.nearness_new >= CLEAR or not turned(problem, run)):
                sound = sound and displacement(problem, run, row) <= MOVED
            else:
                first = problem.nq if closed else 0
                copy(run.x_free + BYTES * first, row + BYTES * first, problem.n - first)
                sound = sound and approach(problem, run, now, run.x_free) <= max(
                    PASSAGE * problem.project_tolerance, 10.0 * problem.rtol
                )
            put(problem, run, now, row)
        run.requested += 1
    run.turn, run.nearness_new = turn, nearness
    before = doubles(run.T)[run.outputs - 1] if run.outputs > 0 else 0.0
    if t_new - before >= problem.gap and run.outputs < problem.rows:
        put(problem, run, t_new, run.x_new)
    return sound


def weigh(dense: Address, rows: int, stages: int, theta: float, weights: Address) -> None:
    """Write the `weights` of the `stages` at `theta`: Σ_r β_r(θ) dense[r] over the `rows`, β = θ, θ(1−θ), θ²(1−θ), …"""
    table, row = doubles(dense), doubles(weights)
    for s in range(stages):
        row[s] = 0.0
    beta = 1.0
    for r in range(rows):
        beta *= theta if r % 2 == 0 else 1.0 - theta
        for s in range(stages):
            row[s] += beta * table[r * stages + s]


def interpolate(problem: ProblemRecord, run: RunRecord, stages: int, scale: float, row: Address) -> None:
    """Write x + scale Σ_s weights[s] K[s] into `row`, s over the `stages`."""
    size, x, target, change = problem.size, doubles(run.x), doubles(row), doubles(run.errors)
    combine(problem, run, run.weights, stages, size, run.errors)
    for i in range(size):
        target[i] = x[i] + scale * change[i]


def measure_correction(method: MethodRecord, problem: ProblemRecord, run: RunRecord, scale: float) -> None:
    """Write what the projection has added to the end of the step, x_new − x(θ = 1), into the second row of `errors`.

    Its continuous extension is of the stages times `scale`.
    """
    missing = doubles(run.errors + BYTES * problem.stride)
    weigh(method.dense, method.dense_rows, method.stages, 1.0, run.weights)
    interpolate(problem, run, method.stages, scale, run.errors + BYTES * problem.stride)
    x_new = doubles(run.x_new)
    for i in range(problem.n):
        missing[i] = x_new[i] - missing[i]


def correct(problem: ProblemRecord, run: RunRecord, theta: float, row: Address) -> None:
    """Add the share of the correction at `theta` to `row`; its slope is zero at both ends (cubic Hermite)."""
    missing, target = doubles(run.errors + BYTES * problem.stride), doubles(row)
    share = theta * theta * (3.0 - 2.0 * theta)
    for i in range(problem.n):
        target[i] += share * missing[i]


def log(problem: ProblemRecord, run: RunRecord) -> None:
    """Append the state at t to the log of steps, if it is far enough from the last entry."""
    note_jump(run)
    T, count = doubles(run.log_t), run.logged
    if count < problem.log_rows and (count == 0 or run.t - T[count - 1] >= problem.log_gap):
        copy(run.x, run.log_x + BYTES * count * problem.size, problem.size)
        doubles(run.log_nearness)[count] = run.nearness
        T[count] = run.t
        run.logged += 1
