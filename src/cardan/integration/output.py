"""The instants that come back, and the log of steps."""

from __future__ import annotations

from typing import Any

from cardan.codegen.kernels import Address, doubles
from cardan.integration.evaluation import combine, copy
from cardan.integration.guard import MOVED, OFF, displacement, note_jump, turned
from cardan.integration.projection import approach, settle
from cardan.integration.records import BYTES, Memory, Model

__all__ = [
    "emit",
    "emit_start",
    "interpolate",
    "log",
    "weigh",
]


def emit_start(model: Model, memory: Memory) -> None:
    """Write the requested instants at the start."""
    times, T = doubles(model.times), doubles(memory.T)
    while memory.requested < model.instants and times[memory.requested] <= memory.t:
        copy(memory.x, memory.X + BYTES * memory.outputs * model.size, model.size)
        T[memory.outputs] = times[memory.requested]
        memory.requested += 1
        memory.outputs += 1


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


def log(model: Model, memory: Memory) -> None:
    """Keep the state at t in the log of steps, and where the velocities have turned first."""
    note_jump(memory)
    T, count = doubles(memory.log_t), memory.logged
    if count < model.log_rows and (count == 0 or memory.t - T[count - 1] >= model.log_gap):
        copy(memory.x, memory.log_x + BYTES * count * model.size, model.size)
        doubles(memory.log_nearness)[count] = memory.nearness
        T[count] = memory.t
        memory.logged += 1
