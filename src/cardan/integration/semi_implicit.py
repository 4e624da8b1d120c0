"""The kernel of the semi-implicit Euler method: velocities first, then positions with the new velocities.

    v' = v + h v̇(t, x),  z' = z + h ż(t, x),  q' = q + h q̇(q, v')

Source: Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), I.1.2, eq. (1.9). Symplectic for conservative
mechanisms whose mass matrix is constant; of first order. Quadratures follow the trapezoidal rule, whose derivatives are
there anyway.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import Cells, call, doubles, fill, kernel
from cardan.integration.evaluation import copy, evaluate, is_finite, load
from cardan.integration.outcome import Outcome
from cardan.integration.projection import settle
from cardan.integration.records import BYTES, Memory, Model
from cardan.integration.stepping import Controls, accept, begin, controls, plan, write

__all__ = ["STAGES", "advance", "integrate_quadratures", "make_method", "move", "step"]

STAGES = 3  # rows of K: f at the start, f at the end, the step divided by h


def make_method() -> tuple[Cells, NDArray[np.float64]]:
    """Return the method in the kernel's form, and the array it points to."""
    dense = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, -1.0], [-1.0, -1.0, 2.0]])
    return fill(Controls, **controls(1, dense, None)), dense


def move(model: Model, memory: Memory, t: float, h: float) -> None:
    """Write the step over h into K[2] and its end into x_new, without the quadratures."""
    n, nq = model.n, model.nq
    x, x_new, f = doubles(memory.x), doubles(memory.x_new), doubles(memory.K)
    change, velocity = doubles(memory.K + BYTES * 2 * model.stride), doubles(memory.output)
    for i in range(n):
        change[i] = f[i]
        x_new[i] = x[i] if i < nq else x[i] + h * f[i]
    load(model, memory, t, memory.x_new)
    call(model.velocity, memory.input, memory.output, memory.work)
    for i in range(nq):
        change[i] = velocity[i]
        x_new[i] = x[i] + h * velocity[i]


def integrate_quadratures(model: Model, memory: Memory, h: float) -> None:
    """Write the quadratures of the step by the trapezoidal rule."""
    n, size = model.n, model.size
    x, x_new, f = doubles(memory.x), doubles(memory.x_new), doubles(memory.K)
    f_new, change = doubles(memory.K + BYTES * model.stride), doubles(memory.K + BYTES * 2 * model.stride)
    for i in range(n, size):
        change[i] = 0.5 * (f[i] + f_new[i])
        x_new[i] = x[i] + h * change[i]


def step(method: Controls, model: Model, memory: Memory) -> int:
    """Make one step."""
    t, segment = memory.t, memory.segment
    t_new = plan(method, model, memory)
    move(model, memory, t, t_new - t)
    if not settle(model, memory, t_new, memory.x_new):
        return Outcome.CONSTRAINTS_LOST
    evaluate(model, memory, t_new, memory.x_new, 1)
    if not is_finite(model, memory, 1):
        return Outcome.NON_FINITE
    integrate_quadratures(model, memory, t_new - t)
    write(method, model, memory, t_new - t, t_new)
    status = accept(method, model, memory, t_new)
    if status != Outcome.RUNNING:
        return status
    if memory.segment != segment:
        evaluate(model, memory, t_new, memory.x, 0)  # the input may jump between segments
    else:
        copy(memory.K + BYTES * model.stride, memory.K, model.size)
    return Outcome.RUNNING


@kernel(Controls, Model, Memory)
def advance(method: Controls, model: Model, memory: Memory, budget: int) -> int:
    """Make up to `budget` steps; return the number of a `Outcome`, RUNNING when the budget is used up.

    Parameters
    ----------
    method : Controls
    model : Model
    memory : Memory
        Changed in place; holds all that a later call needs to go on.
    budget : int
        Steps to make.
    """
    if memory.started == 0:
        status = begin(method, model, memory)
        if status != Outcome.RUNNING:
            return status
    for _ in range(budget):
        status = step(method, model, memory)
        if status != Outcome.RUNNING:
            return status
    return Outcome.RUNNING
