"""The parts that every kernel shares: calls of the model, projection, output.

All are scalar loops over `Model` and `Memory` records, compiled into the kernels that use them.
"""

from __future__ import annotations

import math
from typing import Any

from cardan.simulation.kernel import Address, call, doubles
from cardan.simulation.records import Memory, Model

__all__ = [
    "BYTES",
    "EPSILON",
    "copy",
    "emit",
    "emit_start",
    "evaluate",
    "interpolate",
    "is_astray",
    "is_finite",
    "load",
    "log",
    "project",
    "settle",
    "smallest_step",
    "square",
    "weigh",
]

EPSILON = 2.0**-52
PROJECTIONS = 40  # Newton doubles the digits in a few; at a singular position each iteration halves the distance
PASSAGE = 1e4  # a singular position is left with this many tolerances at most; the next steps bring the state back
TURN = 0.1  # part of the velocities; a projection that changes more is no correction of an error of integration
ASTRAY = 1e-3  # the same for one step, which is then tried once more in another way
SLOW = 1e-5  # velocities that say nothing about a direction, √ of the tolerance of a projection [SI units of each]
BYTES = 8  # of a double


def load(model: Model, memory: Memory, t: float, x: Address) -> None:
    """Write (t, x, u(t)) into the input row of the native functions; t is kept inside the current segment."""
    n, m, width, s = model.n, model.m, model.width, memory.segment
    row, state = doubles(memory.input), doubles(x)
    c0, c1 = doubles(model.c0), doubles(model.c1)
    begin = doubles(model.begin)[s]
    now = min(max(t, doubles(model.first)[s]), doubles(model.last)[s])
    for lane in range(width):
        row[lane] = now
    for i in range(n):
        row[width + i] = state[i]
    for j in range(m):
        row[width + n + j] = c0[s * m + j] + c1[s * m + j] * (now - begin)


def evaluate(model: Model, memory: Memory, t: float, x: Address, stage: int) -> None:
    """Write (dx, dw) at (t, x) into stage K[stage]."""
    load(model, memory, t, x)
    call(model.rhs, memory.input, memory.K + BYTES * stage * model.size, memory.work)
    memory.evaluations += 1


def is_finite(model: Model, memory: Memory, stage: int) -> bool:
    """Tell whether dx in K[stage] is finite; the first state where it is not becomes the worst one."""
    K = doubles(memory.K + BYTES * stage * model.size)
    for i in range(model.n):
        if not math.isfinite(K[i]):
            memory.worst = i
            return False
    return True


def project(model: Model, memory: Memory, t: float, x: Address) -> bool:
    """Move x onto the constraints at t; tell whether it arrived there."""
    if model.project == 0:
        return True
    residual = 0.0
    n, state, output = model.n, doubles(x), doubles(memory.output)
    for _ in range(PROJECTIONS):
        load(model, memory, t, x)
        call(model.project, memory.input, memory.output, memory.work)
        for i in range(n):
            state[i] = output[i]
        residual = output[n]
        for lane in range(1, model.width):
            residual = max(output[n + lane], residual)
        if residual <= model.project_tolerance:
            return True
    return residual <= PASSAGE * model.project_tolerance


def settle(model: Model, memory: Memory, t: float, x: Address) -> bool:
    """Move x onto the constraints at t; tell whether it arrived there, and remember how far the velocities turned."""
    if model.project == 0:
        return True
    copy(x, memory.x_free, model.n)
    if not project(model, memory, t, x):
        return False
    change, before, after = 0.0, 0.0, 0.0
    free, state, start = doubles(memory.x_free), doubles(x), doubles(memory.x)
    for i in range(model.nq, model.nq + model.nv):
        change += square(state[i] - free[i])
        before += square(start[i])
        after += square(free[i])
    memory.turn = max(memory.turn, math.sqrt(change) / (math.sqrt(max(before, after)) + SLOW))
    return True


def is_astray(model: Model, memory: Memory) -> bool:
    """Tell whether the projection of this step has turned the velocities, in its first try.

    A stage that comes to lie on a singular position by chance takes part with an acceleration without bound; a step
    that ends elsewhere has other stages.
    """
    return memory.attempts == 0 and memory.part == 0 and memory.turn > max(ASTRAY, 10.0 * model.rtol)


def log(model: Model, memory: Memory) -> None:
    """Keep the state at t in the log of steps, and where the velocities have turned first."""
    if memory.turn > TURN and memory.jumped == 0:
        memory.jumped = 1
        memory.t_jump = doubles(memory.log_t)[memory.logged - 1] if memory.logged > 0 else memory.t
    memory.turn = 0.0
    T, count = doubles(memory.log_t), memory.logged
    if count < model.log_rows and (count == 0 or memory.t - T[count - 1] >= model.log_gap):
        copy(memory.x, memory.log_x + BYTES * count * model.n, model.n)
        T[count] = memory.t
        memory.logged += 1


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


def interpolate(model: Model, memory: Memory, stages: int, scale: float, row: Address) -> None:
    """Write x + scale Σ_s weights[s] K[s] into `row`, s over the `stages`."""
    size, x, target = model.size, doubles(memory.x), doubles(row)
    weights, K = doubles(memory.weights), doubles(memory.K)
    for i in range(size):
        change = 0.0
        for s in range(stages):
            change += weights[s] * K[s * size + i]
        target[i] = x[i] + scale * change


def emit(model: Model, memory: Memory, method: Any, scale: float, t_new: float) -> bool:
    """Write the requested instants in (t, t_new] from the step x → x_new, and its end if that comes back too.

    Tell whether all meet the constraints.

    At t_new itself the state is x_new; before it the continuous extension of `method`, its stages times `scale`,
    projected.
    """
    times, T, size = doubles(model.times), doubles(memory.T), model.size
    while memory.requested < model.instants and times[memory.requested] <= t_new:
        now = times[memory.requested]
        row = memory.X + BYTES * memory.outputs * size
        if now == t_new:
            copy(memory.x_new, row, size)
        else:
            theta = (now - memory.t) / (t_new - memory.t)
            weigh(method.dense, method.dense_rows, method.stages, theta, memory.weights)
            interpolate(model, memory, method.stages, scale, row)
            if not settle(model, memory, now, row):
                return False
        T[memory.outputs] = now
        memory.requested += 1
        memory.outputs += 1
    before = T[memory.outputs - 1] if memory.outputs > 0 else 0.0
    if t_new - before >= model.gap and memory.outputs < model.rows:
        copy(memory.x_new, memory.X + BYTES * memory.outputs * size, size)
        T[memory.outputs] = t_new
        memory.outputs += 1
    return True


def emit_start(model: Model, memory: Memory) -> None:
    """Write the requested instants at the start."""
    times, T = doubles(model.times), doubles(memory.T)
    while memory.requested < model.instants and times[memory.requested] <= memory.t:
        copy(memory.x, memory.X + BYTES * memory.outputs * model.size, model.size)
        T[memory.outputs] = times[memory.requested]
        memory.requested += 1
        memory.outputs += 1


def copy(source: Address, target: Address, size: int) -> None:
    """Copy `size` doubles from `source` to `target`."""
    origin, goal = doubles(source), doubles(target)
    for i in range(size):
        goal[i] = origin[i]


def smallest_step(model: Model, t: float) -> float:
    """Return the step below which t + c h no longer tells the stages apart, or no progress is made from t = 0."""
    return 16.0 * EPSILON * max(abs(t), EPSILON * model.t_end)


def square(x: float) -> float:
    """Return x²."""
    return x * x
