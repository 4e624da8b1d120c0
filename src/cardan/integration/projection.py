"""Projection of states onto the constraints."""

from __future__ import annotations

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.evaluation import copy, load
from cardan.integration.guard import CLEAR, PASSAGE, measure_turn
from cardan.integration.records import Memory, Model

__all__ = [
    "PROJECTIONS",
    "approach",
    "project",
    "settle",
]

PROJECTIONS = 40  # Newton doubles the digits in a few; at a singular position each iteration halves the distance


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
    measure_turn(model, memory, x)
    return True
