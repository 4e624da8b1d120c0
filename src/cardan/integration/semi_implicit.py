"""The semi-implicit Euler method: velocities first, then positions with the new velocities.

    v' = v + h v̇(t, x),  z' = z + h ż(t, x),  q' = q + h q̇(q, v')

Source: Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), I.1.2, eq. (1.9). Symplectic for conservative
mechanisms whose mass matrix is constant; of first order. Quadratures follow the trapezoidal rule, which needs no
further derivatives.
"""

from __future__ import annotations

import numpy as np

from cardan.codegen.kernels import call, doubles, fill
from cardan.integration.loop.advance import Stepper, kernel_of
from cardan.integration.loop.evaluation import evaluate, is_finite, load
from cardan.integration.loop.method_record import MethodRecord, shared_fields
from cardan.integration.loop.projection import settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.integration.outcome import Outcome

STAGES = 3  # rows of K: f at the start, f at the end, the step divided by h


class SemiImplicitMethod(MethodRecord):
    """The semi-implicit Euler method, which has no coefficients."""

    def attempt(self, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
        """Make one step into x_new and K; return Outcome.RUNNING if it is good, else why it is not."""
        h = t_new - run.t
        move(problem, run, run.t, h)
        if not settle(problem, run, t_new, run.x_new):
            return Outcome.CONSTRAINTS_LOST
        evaluate(problem, run, t_new, run.x_new, 1)
        if not is_finite(problem, run, 1):
            return Outcome.NON_FINITE
        integrate_quadratures(problem, run, h)
        return Outcome.RUNNING


def make_stepper() -> Stepper:
    """Return the kernel of the method with its continuous extension."""
    dense = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, -1.0], [-1.0, -1.0, 2.0]])
    record = fill(SemiImplicitMethod, **shared_fields(1, dense, None, last=1))
    return Stepper(kernel_of(SemiImplicitMethod), record, STAGES, dense)


def move(problem: ProblemRecord, run: RunRecord, t: float, h: float) -> None:
    """Write the step over h into K[2] and its end into x_new, without the quadratures."""
    n, nq = problem.n, problem.nq
    x, x_new, f = doubles(run.x), doubles(run.x_new), doubles(run.K)
    change, velocity = doubles(run.K + BYTES * 2 * problem.stride), doubles(run.output)
    for i in range(n):
        change[i] = f[i]
        x_new[i] = x[i] if i < nq else x[i] + h * f[i]
    load(problem, run, t, run.x_new)
    call(problem.velocity, run.input, run.output, run.work)
    for i in range(nq):
        change[i] = velocity[i]
        x_new[i] = x[i] + h * velocity[i]


def integrate_quadratures(problem: ProblemRecord, run: RunRecord, h: float) -> None:
    """Write the quadratures of the step by the trapezoidal rule."""
    n, size = problem.n, problem.size
    x, x_new, f = doubles(run.x), doubles(run.x_new), doubles(run.K)
    f_new, change = doubles(run.K + BYTES * problem.stride), doubles(run.K + BYTES * 2 * problem.stride)
    for i in range(n, size):
        change[i] = 0.5 * (f[i] + f_new[i])
        x_new[i] = x[i] + h * change[i]
