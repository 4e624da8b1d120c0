"""The parts that every kernel shares: calls of the model, projection, output.

All are scalar loops over `Model` and `Memory` records, compiled into the kernels that use them.
"""

from __future__ import annotations

import math
from typing import Any

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.records import BYTES, Memory, Model

__all__ = [
    "BYTES",
    "EPSILON",
    "approach",
    "combine",
    "copy",
    "displacement",
    "emit",
    "emit_start",
    "ends_badly",
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
    "turned",
    "weigh",
]

EPSILON = 2.0**-52
PROJECTIONS = 40  # Newton doubles the digits in a few; at a singular position each iteration halves the distance
CLEAR = 0.1  # distance from a singular position [-], from where on one correction that arrives is enough
CLOSE = 1e-3  # the same, so near that velocities are not well known
NOISE = 1e-11  # turn of velocities by round-off, times r²: of chains of a hundred loops
PASSAGE = 1e4  # a singular position is left with this many tolerances at most; the next steps bring the state back
TURN = 0.1  # part of the velocities; a projection that changes more is no correction of an error of integration
ASTRAY = 1e-3  # the same for one step, which is then tried once more in another way
MOVED = 30.0  # errors allowed by which projections move extensions; a third of it at most where all stages are regular
OFF = 1e-6  # distance from the constraints of what is not projected, at least; else ten tolerances
SLOW = 1e-5  # velocities that say nothing about a direction, √ of the tolerance of a projection [SI units of each]


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
    call(model.rhs, memory.input, memory.K + BYTES * stage * model.stride, memory.work)
    memory.evaluations += 1


def is_finite(model: Model, memory: Memory, stage: int) -> bool:
    """Tell whether dx in K[stage] is finite; the first state where it is not becomes the worst one."""
    K = doubles(memory.K + BYTES * stage * model.stride)
    for i in range(model.n):
        if not math.isfinite(K[i]):
            memory.worst = i
            return False
    return True


def approach(model: Model, memory: Memory, t: float, x: Address) -> float:
    """Write x moved towards the constraints into `output`; return how far x is from them.

    How far it is from a singular position stays in `memory.nearness_new`; of several trajectories the worst one counts.
    """
    n, width, output = model.n, model.width, doubles(memory.output)
    load(model, memory, t, x)
    call(model.project, memory.input, memory.output, memory.work)
    residual, nearness = output[n], output[n + width]
    for lane in range(1, width):
        residual = max(output[n + lane], residual)
        nearness = min(output[n + width + lane], nearness)
    memory.nearness_new = nearness
    return residual


def project(model: Model, memory: Memory, t: float, x: Address) -> bool:
    """Move x onto the constraints at t; tell whether it arrived there."""
    if model.project == 0:
        return True
    residual = 0.0
    for _ in range(PROJECTIONS):
        residual = approach(model, memory, t, x)
        copy(memory.output, x, model.n)
        if residual <= model.project_tolerance:
            if memory.nearness_new < CLEAR:  # what positions still moved by turns velocities the more the nearer it is
                approach(model, memory, t, x)
                copy(memory.output, x, model.n)
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
    return memory.attempts == 0 and memory.part == 0 and turned(model, memory)


def ends_badly(model: Model, memory: Memory) -> bool:
    """Tell whether a step, in its first try, ends so near a singular position that its velocities are not well known.

    Round-off of positions turns them by some NOISE over the square of the distance. The step comes from twice as far
    at least; one that ends elsewhere leads over the position.
    """
    bad = min(max(math.sqrt(NOISE / model.rtol), CLOSE), 0.5 * CLEAR)
    return memory.attempts == 0 and memory.nearness_new < bad and memory.nearness > 2.0 * bad


def turned(model: Model, memory: Memory) -> bool:
    """Tell whether a projection has turned the velocities by more than the error of a step."""
    return memory.turn > max(ASTRAY, 10.0 * model.rtol)


def log(model: Model, memory: Memory) -> None:
    """Keep the state at t in the log of steps, and where the velocities have turned first."""
    if memory.turn > TURN and memory.jumped == 0:
        memory.jumped = 1
        memory.t_jump = doubles(memory.log_t)[memory.logged - 1] if memory.logged > 0 else memory.t
    memory.turn = 0.0
    T, count = doubles(memory.log_t), memory.logged
    if count < model.log_rows and (count == 0 or memory.t - T[count - 1] >= model.log_gap):
        copy(memory.x, memory.log_x + BYTES * count * model.size, model.size)
        doubles(memory.log_nearness)[count] = memory.nearness
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
    size, x, target, change = model.size, doubles(memory.x), doubles(row), doubles(memory.errors)
    combine(model, memory, memory.weights, stages, memory.errors)
    for i in range(size):
        target[i] = x[i] + scale * change[i]


def combine(model: Model, memory: Memory, weights: Address, stages: int, target: Address) -> None:
    """Write Σ_j weights[j] K[j] into `target`, (stride,), j over the `stages`.

    A cache line at a time: its sums stay in one vector register.
    """
    w, goal, stride, i = doubles(weights), doubles(target), model.stride, 0
    while i < stride:
        K = doubles(memory.K + BYTES * i)
        a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(stages):
            weight, at = w[j], j * stride
            a0 += weight * K[at]
            a1 += weight * K[at + 1]
            a2 += weight * K[at + 2]
            a3 += weight * K[at + 3]
            a4 += weight * K[at + 4]
            a5 += weight * K[at + 5]
            a6 += weight * K[at + 6]
            a7 += weight * K[at + 7]
        goal[i], goal[i + 1], goal[i + 2], goal[i + 3] = a0, a1, a2, a3
        goal[i + 4], goal[i + 5], goal[i + 6], goal[i + 7] = a4, a5, a6, a7
        i += 8


def emit(model: Model, memory: Memory, method: Any, scale: float, t_new: float) -> bool:
    """Write the requested instants in (t, t_new] from the step x → x_new, and its end if that comes back too.

    At t_new itself the state is x_new; before it the continuous extension of `method`, its stages times `scale`,
    projected. Beside a singular position, nearer than the error of the extension, it stays as it is where no projection
    finds the way back: the motion goes on from x_new in any case. Tell whether the extension is a motion everywhere.
    """
    times, T, size, sound = doubles(model.times), doubles(memory.T), model.size, True
    turn, nearness = memory.turn, memory.nearness_new  # of the step's end
    while memory.requested < model.instants and times[memory.requested] <= t_new:
        now = times[memory.requested]
        row = memory.X + BYTES * memory.outputs * size
        if now == t_new:
            copy(memory.x_new, row, size)
        else:
            theta = (now - memory.t) / (t_new - memory.t)
            weigh(method.dense, method.dense_rows, method.stages, theta, memory.weights)
            interpolate(model, memory, method.stages, scale, row)
            memory.turn = 0.0
            if settle(model, memory, now, row) and not turned(model, memory):
                sound = sound and displacement(model, memory, row) <= MOVED
            else:
                copy(memory.x_free, row, model.n)
                sound = sound and approach(model, memory, now, row) <= max(OFF, 10.0 * model.rtol)
        T[memory.outputs] = now
        memory.requested += 1
        memory.outputs += 1
    memory.turn, memory.nearness_new = turn, nearness
    before = T[memory.outputs - 1] if memory.outputs > 0 else 0.0
    if t_new - before >= model.gap and memory.outputs < model.rows:
        copy(memory.x_new, memory.X + BYTES * memory.outputs * size, size)
        T[memory.outputs] = t_new
        memory.outputs += 1
    return sound


def displacement(model: Model, memory: Memory, row: Address) -> float:
    """Return how far a projection has moved the positions of `row`, over the error allowed; 0 without one."""
    if model.project == 0:
        return 0.0
    x, free, atol, largest = doubles(row), doubles(memory.x_free), doubles(model.atol), 0.0
    for i in range(model.nq):
        largest = max(largest, abs(x[i] - free[i]) / (atol[i] + model.rtol * abs(free[i])))
    return largest


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
