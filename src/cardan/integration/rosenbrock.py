"""The kernel for stiff problems: Rosenbrock methods with the exact Jacobian and its own factorisation.

Source: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.7, eq. (7.25); Steinebach, BIT 63 (2023)
27. Quadratures do not act back on the state: only its n×n block is factorised, their rows follow. `linear` is the
Jacobian and the linear system of the step at hand.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import Address, Cells, call, doubles, fill, kernel
from cardan.integration.evaluation import combine, evaluate, is_finite, smallest_step, square
from cardan.integration.guard import ends_badly, is_astray
from cardan.integration.outcome import Outcome
from cardan.integration.problem import Problem
from cardan.integration.projection import settle
from cardan.integration.records import BYTES, Memory, Model
from cardan.integration.stepping import Controls, accept, begin, controls, plan, reject, scale, write
from cardan.integration.tableaus import RosenbrockTableau

__all__ = [
    "EXTRA_ROWS",
    "Linear",
    "Method",
    "advance",
    "attempt",
    "combine",
    "error_norm",
    "factorise",
    "integrate_quadratures",
    "make_linear",
    "make_method",
    "refresh",
    "run_stage",
    "shift",
    "solve",
    "step",
]

EXTRA_ROWS = 2  # rows of K after the stages: f of the stage at hand, and f at the start of the step


class Method(Controls):
    """A `RosenbrockTableau` in the kernel's form."""

    gamma: float
    A: Address  # (stages, stages)
    C: Address  # (stages, stages)
    c: Address  # (stages,)
    d: Address  # (stages,)
    b: Address  # (stages,)
    E: Address  # (stages,)


class Linear:
    """Jacobian and linear system of a step."""

    fresh: int  # 1 if J and f_t belong to the current state
    J: Address  # (size·n + size + size·m): ∂(dx,dw)/∂x, ∂/∂t, ∂/∂u
    f_t: Address  # (size,) total derivative along t, the input's slope included
    LU: Address  # (n, n) factors of I/(hγ) − J, rows in the order of the pivots
    pivots: Address  # (n,) row that was exchanged with each row


def make_method(tableau: RosenbrockTableau) -> Cells:
    """Return a tableau in the kernel's form; it points into the arrays of `tableau`."""
    return fill(
        Method,
        **controls(tableau.order, tableau.dense, tableau.controller),
        gamma=tableau.gamma,
        A=tableau.A,
        C=tableau.C,
        c=tableau.c,
        d=tableau.d,
        b=tableau.b,
        E=tableau.E,
    )


def make_linear(problem: Problem) -> tuple[Cells, dict[str, NDArray[np.float64]]]:
    """Return the linear system of a problem, and the arrays it points to."""
    n, size = problem.n, problem.n + problem.nw
    arrays = {
        "J": np.zeros(size * (n + 1 + problem.m)),
        "f_t": np.zeros(size),
        "LU": np.zeros((n, n)),
        "pivots": np.zeros(n),
    }
    return fill(Linear, fresh=0, **arrays), arrays


def refresh(method: Method, linear: Linear, model: Model, memory: Memory) -> None:
    """Write f, J and f_t at the start of the step; f_t = ∂f/∂t + ∂f/∂u u'."""
    size, n, m = model.size, model.n, model.m
    evaluate(model, memory, memory.t, memory.x, method.stages + 1)
    call(model.jacobian, memory.input, linear.J, memory.work)
    memory.jacobians += 1
    f_t, by_t = doubles(linear.f_t), doubles(linear.J + BYTES * size * n)
    by_u, slope = doubles(linear.J + BYTES * size * (n + 1)), doubles(model.c1 + BYTES * m * memory.segment)
    for i in range(size):
        f_t[i] = by_t[i]
        for j in range(m):
            f_t[i] += by_u[i * m + j] * slope[j]
    linear.fresh = 1


def factorise(linear: Linear, n: int, diagonal: float) -> bool:
    """Write the factors of diagonal·I − J with row exchanges; tell whether all pivots are finite and not zero."""
    J, LU, pivots = doubles(linear.J), doubles(linear.LU), doubles(linear.pivots)
    for i in range(n * n):
        LU[i] = -J[i]
    for i in range(n):
        LU[i * n + i] += diagonal
    for k in range(n):
        row = k
        for i in range(k + 1, n):
            if abs(LU[i * n + k]) > abs(LU[row * n + k]):
                row = i
        pivots[k] = float(row)
        if LU[row * n + k] == 0.0 or not math.isfinite(LU[row * n + k]):
            return False
        for j in range(n):
            kept = LU[k * n + j]
            LU[k * n + j] = LU[row * n + j]
            LU[row * n + j] = kept
        for i in range(k + 1, n):
            LU[i * n + k] /= LU[k * n + k]
            for j in range(k + 1, n):
                LU[i * n + j] -= LU[i * n + k] * LU[k * n + j]
    return True


def solve(linear: Linear, n: int, right: Address) -> None:
    """Overwrite the right-hand side by the solution of the factorised system."""
    LU, pivots, r = doubles(linear.LU), doubles(linear.pivots), doubles(right)
    for k in range(n):
        row = int(pivots[k])
        kept = r[k]
        r[k] = r[row]
        r[row] = kept
    for i in range(n):
        for j in range(i):
            r[i] -= LU[i * n + j] * r[j]
    for back in range(n):
        i = n - 1 - back
        for j in range(i + 1, n):
            r[i] -= LU[i * n + j] * r[j]
        r[i] /= LU[i * n + i]


def shift(memory: Memory, size: int, target: Address) -> None:
    """Add x to the first `size` entries of `target`."""
    x, goal = doubles(memory.x), doubles(target)
    for i in range(size):
        goal[i] += x[i]


def run_stage(method: Method, linear: Linear, model: Model, memory: Memory, h: float, s: int) -> None:
    """Write stage K[s]."""
    n, size, row = model.n, model.size, BYTES * s * method.stages
    start = method.stages + 1
    if s > 0:
        start = method.stages
        combine(model, memory, method.A + row, s, memory.x_stage)
        shift(memory, n, memory.x_stage)
        evaluate(model, memory, memory.t + doubles(method.c)[s] * h, memory.x_stage, start)
    stage = memory.K + BYTES * s * model.stride
    k, f = doubles(stage), doubles(memory.K + BYTES * start * model.stride)
    f_t, weight = doubles(linear.f_t), doubles(method.d)[s]
    combine(model, memory, method.C + row, s, stage)
    for i in range(size):
        k[i] = f[i] + k[i] / h + h * weight * f_t[i]
    solve(linear, n, stage)
    integrate_quadratures(method, linear, model, h, stage)


def integrate_quadratures(method: Method, linear: Linear, model: Model, h: float, stage: Address) -> None:
    """Solve the rows of the quadratures in a `stage` k: k_w = hγ (r_w + J_wx k_x)."""
    n, J, k = model.n, doubles(linear.J), doubles(stage)
    for i in range(n, model.size):
        for j in range(n):
            k[i] += J[i * n + j] * k[j]
        k[i] *= h * method.gamma


def error_norm(method: Method, model: Model, memory: Memory) -> float:
    """Return the error of the step over the error allowed; the error is left in x_stage."""
    n, x, x_new = model.n, doubles(memory.x), doubles(memory.x_new)
    error, atol = doubles(memory.x_stage), doubles(model.atol)
    combine(model, memory, method.E, method.stages, memory.x_stage)
    total, largest = 0.0, 0.0
    for i in range(n):
        part = square(error[i] / scale(model.rtol, atol[i], x[i], x_new[i]))
        if not part <= largest:
            largest = part
            memory.worst = i
        total += part
    return math.sqrt(total / max(1, n))


def attempt(method: Method, linear: Linear, model: Model, memory: Memory, t_new: float) -> int:
    """Make one step into x_new and K; return RUNNING if it is good, else why it is not."""
    h = t_new - memory.t
    if not factorise(linear, model.n, 1.0 / (h * method.gamma)):
        return Outcome.SINGULAR
    for s in range(method.stages):
        run_stage(method, linear, model, memory, h, s)
    combine(model, memory, method.b, method.stages, memory.x_new)
    shift(memory, model.size, memory.x_new)
    memory.error = error_norm(method, model, memory) if method.adaptive != 0 else 0.0
    if not memory.error <= 1.0:
        return Outcome.STEP_TOO_SMALL if math.isfinite(memory.error) else Outcome.NON_FINITE
    if not settle(model, memory, t_new, memory.x_new):
        return Outcome.CONSTRAINTS_LOST
    if is_astray(model, memory) or ends_badly(model, memory):
        return Outcome.BRANCH_LOST
    evaluate(model, memory, t_new, memory.x_new, method.stages)
    return Outcome.RUNNING if is_finite(model, memory, method.stages) else Outcome.NON_FINITE


def step(method: Method, linear: Linear, model: Model, memory: Memory) -> int:
    """Try one step."""
    if linear.fresh == 0:
        refresh(method, linear, model, memory)
    t_new = plan(method, model, memory)
    reason = attempt(method, linear, model, memory, t_new)
    if reason == Outcome.RUNNING:
        reason = write(method, model, memory, 1.0, t_new)
    if reason != Outcome.RUNNING:
        return reject(method, memory, smallest_step(model, memory.t), t_new - memory.t, reason)
    linear.fresh = 0
    return accept(method, model, memory, t_new)


@kernel(Method, Linear, Model, Memory)
def advance(method: Method, linear: Linear, model: Model, memory: Memory, budget: int) -> int:
    """Try up to `budget` steps; return the number of a `Outcome`, RUNNING when the budget is used up.

    Parameters
    ----------
    method : Method
    linear : Linear
        Changed in place.
    model : Model
    memory : Memory
        Changed in place; holds all that a later call needs to go on.
    budget : int
        Steps to try, rejected ones included.
    """
    if memory.started == 0:
        status = begin(method, model, memory)
        if status != Outcome.RUNNING:
            return status
    for _ in range(budget):
        status = step(method, linear, model, memory)
        if status != Outcome.RUNNING:
            return status
    return Outcome.RUNNING
