"""One kernel for all explicit Runge–Kutta methods and all models: error control, dense output, segments, projection.

Source: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I (1993), II.4–II.6; stiffness detection:
Hairer & Wanner II (1996), IV.2. Quadratures ride along behind the state and stay out of the error norm.
"""

from __future__ import annotations

import math

from cardan.codegen.kernels import Address, Cells, doubles, fill, kernel
from cardan.integration.evaluation import combine, copy, evaluate, is_finite, smallest_step, square
from cardan.integration.guard import ends_badly, is_astray
from cardan.integration.outcome import Outcome
from cardan.integration.projection import settle
from cardan.integration.records import BYTES, Memory, Model
from cardan.integration.stepping import Controls, accept, begin, controls, plan, reject, scale, write
from cardan.integration.tableaus import ExplicitTableau

__all__ = [
    "Method",
    "advance",
    "attempt",
    "detect_stiffness",
    "error_norm",
    "make_method",
    "run_stage",
    "run_stages",
    "step",
]

HINTS_TO_STIFF = 15  # steps in a row at the limit of stability that make a problem stiff (dopri5.f)
HINTS_TO_UNSTIFF = 6  # steps in a row within it that make it forget (dopri5.f)


class Method(Controls):
    """An `ExplicitTableau` in the kernel's form."""

    A: Address  # (stages, stages)
    c: Address  # (stages,)
    E: Address  # (2, stages)
    last: int
    error_uses_last: int
    stability: float
    patience: float  # a stiff problem is handed over where more than this many steps remain


def make_method(tableau: ExplicitTableau, patience: float = math.inf) -> Cells:
    """Return a tableau in the kernel's form; it points into the arrays of `tableau`.

    Parameters
    ----------
    tableau : ExplicitTableau
    patience : float
        Remaining steps beyond which a stiff problem ends with `Outcome.STIFF` [-].
    """
    return fill(
        Method,
        **controls(tableau.order, tableau.dense, tableau.controller),
        A=tableau.A,
        c=tableau.c,
        E=tableau.E,
        last=tableau.last,
        error_uses_last=int(tableau.error_uses_last),
        stability=tableau.stability,
        patience=patience,
    )


def run_stage(method: Method, model: Model, memory: Memory, h: float, s: int, target: Address) -> None:
    """Write x + h Σ_j A[s, j] K[j] into `target`."""
    x, goal = doubles(memory.x), doubles(target)
    combine(model, memory, method.A + BYTES * s * method.stages, s, target)
    for i in range(model.stride):
        goal[i] = x[i] + h * goal[i]


def run_stages(method: Method, model: Model, memory: Memory, t: float, h: float, first: int, last: int) -> None:
    """Write the stages from `first` to the one before `last`."""
    c = doubles(method.c)
    for s in range(first, last):
        run_stage(method, model, memory, h, s, memory.x_stage)
        evaluate(model, memory, t + c[s] * h, memory.x_stage, s)


def error_norm(method: Method, model: Model, memory: Memory, h: float) -> float:
    """Return the error of the step over the error allowed; 1 is just good enough."""
    n, x, x_new, atol = model.n, doubles(memory.x), doubles(memory.x_new), doubles(model.atol)
    e0, e1 = doubles(memory.errors), doubles(memory.errors + BYTES * model.stride)
    used = method.last + method.error_uses_last  # what another try has left in the last stage may be no number
    combine(model, memory, method.E, used, memory.errors)
    combine(model, memory, method.E + BYTES * method.stages, used, memory.errors + BYTES * model.stride)
    main, second, largest = 0.0, 0.0, 0.0
    for i in range(n):
        allowed = scale(model.rtol, atol[i], x[i], x_new[i])
        part = square(e0[i] / allowed)
        if not part <= largest:
            largest = part
            memory.worst = i
        main += part
        second += square(e1[i] / allowed)
    if main == 0.0:
        return 0.0
    return h * main / math.sqrt((main + 0.01 * second) * n)


def attempt(method: Method, model: Model, memory: Memory, t: float, t_new: float) -> int:
    """Make one step into x_new and K; return Outcome.RUNNING if it is good, else why it is not."""
    h = t_new - t
    run_stages(method, model, memory, t, h, 1, method.last)
    run_stage(method, model, memory, h, method.last, memory.x_new)
    if method.error_uses_last != 0:
        evaluate(model, memory, t_new, memory.x_new, method.last)
    memory.error = error_norm(method, model, memory, h) if method.adaptive != 0 else 0.0
    if not memory.error <= 1.0:
        return Outcome.STEP_TOO_SMALL if math.isfinite(memory.error) else Outcome.NON_FINITE
    if not settle(model, memory, t_new, memory.x_new):
        return Outcome.CONSTRAINTS_LOST
    if is_astray(model, memory) or (method.adaptive != 0 and ends_badly(model, memory)):
        return Outcome.BRANCH_LOST
    if model.project != 0 or method.error_uses_last == 0:
        evaluate(model, memory, t_new, memory.x_new, method.last)
    return Outcome.RUNNING if is_finite(model, memory, method.last) else Outcome.NON_FINITE


def detect_stiffness(method: Method, model: Model, memory: Memory, h: float) -> None:
    """Count steps with |hλ| at the limit of stability, λ from the last two stages, both at t + h."""
    x_new, x_stage = doubles(memory.x_new), doubles(memory.x_stage)
    f_new = doubles(memory.K + BYTES * method.last * model.stride)
    f_stage = doubles(memory.K + BYTES * (method.last - 1) * model.stride)
    change_f, change_x = 0.0, 0.0
    for i in range(model.n):
        change_f += square(f_new[i] - f_stage[i])
        change_x += square(x_new[i] - x_stage[i])
    if h * h * change_f > square(method.stability) * change_x:
        memory.stiff_hints += 1
        memory.unstiff_hints = 0
        if memory.stiff_hints >= HINTS_TO_STIFF:
            memory.stiff = 1
        return
    memory.unstiff_hints += 1
    if memory.unstiff_hints == HINTS_TO_UNSTIFF:
        memory.stiff_hints = 0


def step(method: Method, model: Model, memory: Memory) -> int:
    """Try one step."""
    t, segment, stride = memory.t, memory.segment, BYTES * model.stride
    t_new = plan(method, model, memory)
    reason = attempt(method, model, memory, t, t_new)
    if reason == Outcome.RUNNING:
        if method.adaptive != 0:
            detect_stiffness(method, model, memory, t_new - t)
        if memory.requested < model.instants and doubles(model.times)[memory.requested] < t_new:
            run_stages(method, model, memory, t, t_new - t, method.last + 1, method.stages)
        reason = write(method, model, memory, t_new - t, t_new)
    if reason != Outcome.RUNNING:
        return reject(method, memory, smallest_step(model, t), t_new - t, reason)
    status = accept(method, model, memory, t_new)
    if status != Outcome.RUNNING:
        return status
    if memory.segment != segment:
        evaluate(model, memory, t_new, memory.x, 0)  # the input may jump between segments
    else:
        copy(memory.K + method.last * stride, memory.K, model.size)
    hands_over = memory.stiff_hints >= HINTS_TO_STIFF and model.t_end - t_new > method.patience * memory.h
    return Outcome.STIFF if hands_over else Outcome.RUNNING


@kernel(Method, Model, Memory)
def advance(method: Method, model: Model, memory: Memory, budget: int) -> int:
    """Try up to `budget` steps; return the number of a `Outcome`, Outcome.RUNNING when the budget is used up.

    Parameters
    ----------
    method : Method
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
        status = step(method, model, memory)
        if status != Outcome.RUNNING:
            return status
    return Outcome.RUNNING
