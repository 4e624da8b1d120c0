"""Where the next step ends, how it is chosen, grows and shrinks, and what happens when it is accepted or rejected.

Source: Hairer, Nørsett & Wanner I (1993), II.4; Hairer & Wanner II (1996), IV.2 (PI control); the codes dopri5.f and
dop853.f.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import Address, doubles
from cardan.integration.evaluation import EPSILON, copy, evaluate, is_finite, square
from cardan.integration.outcome import Outcome
from cardan.integration.output import emit, emit_start, log
from cardan.integration.projection import approach
from cardan.integration.records import BYTES, Memory, Model
from cardan.integration.tableaus import Controller

__all__ = [
    "Controls",
    "accept",
    "begin",
    "choose_next",
    "controls",
    "divide_segment",
    "first_step",
    "plan",
    "reject",
    "scale",
    "write",
]

STRETCH = 1.01  # a step that leaves less than 1 % of itself to the end of a segment goes there (dopri5.f)
ERROR_FLOOR = 1e-4  # an accidental error of zero must not brake the PI controller (dopri5.f)
FIRST_PART = 0.38  # of a fixed step that is divided: the golden section has no stage in common with the whole
TRIES = 4  # rejections after which a step is taken whatever its extension is
RETREAT = 0.25  # factor after a failure that gives no error to judge by
FAST_STEP = 1e-6  # first guess of a step where state or derivative vanish (Hairer, Nørsett & Wanner I, II.4)


class Controls:
    """What step control and output need of a method; the methods add their own fields."""

    adaptive: int  # 0: fixed steps
    order: int
    alpha: float
    beta: float
    safety: float
    shrink: float
    grow: float
    stages: int  # rows of K that the continuous extension uses
    dense_rows: int
    dense: Address  # (dense_rows, stages)


def controls(order: int, dense: NDArray[np.float64], controller: Controller | None) -> dict[str, Any]:
    """Return the fields of `Controls` for a method.

    Parameters
    ----------
    order : int
        Of the step that is taken.
    dense : ndarray (R, S)
        Continuous extension, as a tableau holds it.
    controller : Controller or None
        Step-size law; None means fixed steps.
    """
    numbers = (
        dict.fromkeys(("alpha", "beta", "safety", "shrink", "grow"), 0.0) if controller is None else vars(controller)
    )
    return {
        "adaptive": int(controller is not None),
        "order": order,
        **numbers,
        "stages": dense.shape[1],
        "dense_rows": dense.shape[0],
        "dense": dense,
    }


def scale(rtol: float, atol: float, x: float, x_new: float) -> float:
    """Return the error allowed in one state between `x` and `x_new`, atol + rtol max(|x|, |x_new|)."""
    return atol + rtol * max(abs(x), abs(x_new))


def begin(method: Controls, model: Model, memory: Memory) -> int:
    """Write the outputs at the start, the first derivative into K[0], and choose the first step."""
    emit_start(model, memory)
    evaluate(model, memory, memory.t, memory.x, 0)
    if not is_finite(model, memory, 0):
        return Outcome.NON_FINITE
    if memory.h == 0.0:
        memory.h = first_step(model, memory, method.order)
    if method.adaptive == 0:
        divide_segment(model, memory)
    memory.error_old = ERROR_FLOOR
    memory.started = 1
    if model.project != 0:
        approach(model, memory, memory.t, memory.x)
        memory.nearness = memory.nearness_new
    log(model, memory)
    return Outcome.RUNNING


def first_step(model: Model, memory: Memory, order: int) -> float:
    """Return a step from |x|, |f| and a difference of f (Hairer, Nørsett & Wanner I, II.4, "starting step size").

    `order` is that of the method.
    """
    n, longest = model.n, min(model.max_step, model.t_end - memory.t)
    x, x_new, atol = doubles(memory.x), doubles(memory.x_new), doubles(model.atol)
    f, f_new = doubles(memory.K), doubles(memory.K + BYTES * model.stride)
    size_x, size_f, size_df = 0.0, 0.0, 0.0
    for i in range(n):
        allowed = scale(model.rtol, atol[i], x[i], x[i])
        size_x += square(x[i] / allowed)
        size_f += square(f[i] / allowed)
    h = FAST_STEP if min(size_x, size_f) < 1e-10 * max(1, n) else 0.01 * math.sqrt(size_x / size_f)
    h = min(h, longest)
    for i in range(n):
        x_new[i] = x[i] + h * f[i]
    evaluate(model, memory, memory.t + h, memory.x_new, 1)
    for i in range(n):
        size_df += square((f_new[i] - f[i]) / (h * scale(model.rtol, atol[i], x[i], x[i])))
    if not math.isfinite(size_df):
        return h
    slope = math.sqrt(max(size_f, size_df) / max(1, n))
    guess = max(FAST_STEP, 1e-3 * h) if slope <= 1e-15 else (0.01 / slope) ** (1.0 / order)
    return min(100.0 * h, guess, longest)


def divide_segment(model: Model, memory: Memory) -> None:
    """Divide the current segment into equal steps no longer than h."""
    s = memory.segment
    ratio = (doubles(model.end)[s] - doubles(model.begin)[s]) / memory.h
    # A segment that is a whole number of steps up to the round-off of its ends is not given one step more.
    memory.substeps = max(1, math.ceil(ratio - max(1e-9, 8.0 * EPSILON * ratio)))
    memory.substep = 0


def plan(method: Controls, model: Model, memory: Memory) -> float:
    """Return the instant where the next step ends, never beyond the current segment."""
    begin, end = doubles(model.begin)[memory.segment], doubles(model.end)[memory.segment]
    if method.adaptive == 0:
        taken = memory.substep + 1
        goal = end if taken == memory.substeps else begin + (end - begin) * (taken / memory.substeps)
        return memory.t + FIRST_PART * (goal - memory.t) if memory.part == 1 else goal
    h = min(memory.h, model.max_step)
    memory.h_free = h
    return end if memory.t + STRETCH * h >= end else memory.t + h


def reject(method: Controls, memory: Memory, smallest: float, h: float, reason: int) -> int:
    """Shorten the step h for another try; return Outcome.RUNNING, or the `reason` where it falls below `smallest`.

    A fixed step is divided once if its projection has led astray.
    """
    memory.turn = 0.0
    if method.adaptive == 0 and reason != Outcome.BRANCH_LOST:
        return reason
    memory.rejected += 1
    memory.attempts += 1
    if method.adaptive == 0:
        memory.part = 1
        return Outcome.RUNNING
    factor = RETREAT
    if reason == Outcome.STEP_TOO_SMALL:
        factor = max(method.shrink, method.safety * memory.error**-method.alpha)
    memory.h = h * factor
    return reason if memory.h < smallest else Outcome.RUNNING


def write(method: Controls, model: Model, memory: Memory, factor: float, t_new: float) -> int:
    """Write the outputs of the step; `factor` scales the K in `method.dense`.

    Return Outcome.RUNNING, or Outcome.BRANCH_LOST and nothing is written where the extension of the step is no motion:
    a stage of its own beside a singular position has an acceleration without bound. A shorter step has other stages.
    """
    requested, outputs = memory.requested, memory.outputs
    sound = emit(model, memory, method, factor, t_new)
    if sound or method.adaptive == 0 or memory.attempts >= TRIES:
        return Outcome.RUNNING
    memory.requested, memory.outputs = requested, outputs
    return Outcome.BRANCH_LOST


def accept(method: Controls, model: Model, memory: Memory, t_new: float) -> int:
    """Move to the end of the step and choose the next one."""
    memory.nearness = memory.nearness_new
    if method.adaptive != 0:
        choose_next(method, memory, t_new - memory.t)
    copy(memory.x_new, memory.x, model.size)
    memory.t = t_new
    memory.steps += 1
    memory.part = 2 if memory.part == 1 else 0
    memory.substep += 1 if memory.part == 0 else 0
    log(model, memory)
    memory.attempts = 0
    if t_new < doubles(model.end)[memory.segment]:
        return Outcome.RUNNING
    if memory.segment + 1 == model.segments:
        return Outcome.COMPLETED
    memory.segment += 1
    if method.adaptive == 0:
        divide_segment(model, memory)
    return Outcome.RUNNING


def choose_next(method: Controls, memory: Memory, h: float) -> None:
    """Set the next step after a step h that was accepted."""
    error = max(memory.error, 1e-10)  # the factor is at its upper limit long before
    factor = method.safety * error**-method.alpha * memory.error_old**method.beta
    factor = min(method.grow, max(method.shrink, factor))
    if memory.attempts > 0:
        factor = min(factor, 1.0)
    memory.h = h * factor
    if h < memory.h_free and factor >= 1.0:  # the step was cut by the end of a segment
        memory.h = max(memory.h, memory.h_free)
    memory.error_old = max(error, ERROR_FLOOR)
