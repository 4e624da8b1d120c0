"""Rosenbrock methods for stiff problems, with the exact Jacobian and its factorisation.

Source: Hairer & Wanner, Solving Ordinary Differential Equations II (1996), IV.7, eq. (7.25); Steinebach, BIT 63 (2023)
27. Quadratures do not act back on the state: only its n×n block is factorised, their rows follow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.codegen.kernels import LINE, Address, call, doubles, fill, lines
from cardan.integration.loop.advance import Stepper, kernel_of
from cardan.integration.loop.evaluation import advance_from, combine, evaluate, is_finite, square
from cardan.integration.loop.guard import ends_badly, turned_at_first_try
from cardan.integration.loop.method_record import MethodRecord, shared_fields
from cardan.integration.loop.projection import settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord, whole_lines
from cardan.integration.loop.run_memory import aligned
from cardan.integration.loop.stepping import follow, scale
from cardan.integration.outcome import Outcome
from cardan.integration.problem import Problem
from cardan.integration.tableaus import RosenbrockTableau

EXTRA_ROWS = 2  # rows of K after the stages: f of the stage at hand, and f at the start of the step


class RosenbrockMethod(MethodRecord):
    """A `RosenbrockTableau` as the kernel reads it, with the Jacobian and the linear system of the step at hand."""

    gamma: float
    A: Address  # (stages, stages)
    C: Address  # (stages, stages)
    c: Address  # (stages,)
    d: Address  # (stages,)
    b: Address  # (stages,)
    E: Address  # (stages,)
    J: Address  # (size, n) ∂(dx,dw)/∂x
    f_t: Address  # (size,) total derivative along t, the input's slope included; the rest of its last line is zero
    tangent: Address  # (t, x, u, p, direction of (t, x, u)) → derivatives of (dx, dw) along the direction
    lanes: int  # directions that it takes at once
    inputs: int  # entries of (t, x, u, p)
    knows_p: int  # 1 once the parameters are among the arguments, where they stay
    point: Address  # (inputs + 1 + n + m, lanes) its arguments; directions are zero between two calls
    slopes: Address  # (size, lanes) its results
    scratch: Address  # its scratch
    LU: Address  # (n, n) factors of I/(hγ) − J, rows in the order of the pivots
    pivots: Address  # (n,) row that was exchanged with each row

    def start(self, problem: ProblemRecord, run: RunRecord) -> None:
        """Write f, J and f_t at the start of the step."""
        evaluate(problem, run, run.t, run.x, self.stages + 1)
        set_point(self, problem, run)
        first = 0
        while first <= problem.n:
            set_directions(self, problem, run, first, 1.0)
            call(self.tangent, self.point, self.slopes, self.scratch)
            set_directions(self, problem, run, first, 0.0)
            keep_slopes(self, problem, first)
            first += self.lanes
        run.jacobians += 1

    def factorise(self, problem: ProblemRecord, diagonal: float) -> bool:
        """Write the factors of diagonal·I − J; return whether all pivots are finite and not zero."""
        return factorise(self, problem.n, diagonal)

    def solve(self, problem: ProblemRecord, right: Address) -> None:
        """Overwrite the right-hand side by the solution of the factorised system."""
        solve(self, problem.n, right)

    def integrate_quadratures(self, problem: ProblemRecord, h: float, stage: Address) -> None:
        """Solve the rows of the quadratures in a `stage`."""
        integrate_quadratures(self, problem, h, stage)

    def error_norm(self, problem: ProblemRecord, run: RunRecord) -> float:
        """Return the error of the step over the error allowed."""
        return error_norm(self, problem, run)

    def attempt(self, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
        """Make one step into x_new and K; return Outcome.RUNNING if it is good, else why it is not."""
        h = t_new - run.t
        if not self.factorise(problem, 1.0 / (h * self.gamma)):
            return Outcome.SINGULAR
        for s in range(self.stages):
            run_stage(self, problem, run, h, s)
        combine(problem, run, self.b, self.stages, problem.size, run.x_new)
        advance_from(run, 1.0, problem.size, run.x_new)
        follow(problem, run, run.x_new, 1.0)
        run.error = self.error_norm(problem, run) if self.adaptive != 0 else 0.0
        if not run.error <= 1.0:
            return Outcome.STEP_TOO_SMALL if math.isfinite(run.error) else Outcome.NON_FINITE
        if not settle(problem, run, t_new, run.x_new):
            return Outcome.CONSTRAINTS_LOST
        if turned_at_first_try(problem, run) or ends_badly(problem, run):
            return Outcome.BRANCH_LOST
        evaluate(problem, run, t_new, run.x_new, self.stages)
        return Outcome.RUNNING if is_finite(problem, run, self.stages) else Outcome.NON_FINITE


def make_stepper(tableau: RosenbrockTableau, problem: Problem) -> Stepper:
    """Return the kernel of Rosenbrock methods with a tableau, and room for the linear system of a problem."""
    n, size = problem.n, problem.n + problem.nw
    tangent = problem.made_tangent
    lanes = max(tangent.lanes, 1)
    arrays = {
        "J": np.zeros((size, n)),
        "f_t": room(size),
        "LU": np.zeros((n, n)),
        "pivots": np.zeros(n),
        "point": room(tangent.n_in * lanes),
        "slopes": room(tangent.n_out * lanes),
        "scratch": room(tangent.n_work * lanes),
    }
    record = fill(RosenbrockMethod, **shared_numbers(tableau, problem), lanes=lanes, **arrays)
    return Stepper(kernel_of(RosenbrockMethod), record, tableau.c.size + EXTRA_ROWS, (tableau, tangent, arrays))


def shared_numbers(tableau: RosenbrockTableau, problem: Problem) -> dict[str, Any]:
    """Return the fields of the record that do not depend on how many trajectories run side by side."""
    stages = tableau.c.size
    return {
        **shared_fields(
            tableau.order,
            tableau.dense,
            tableau.controller,
            grows=tableau.controller is None,
            increments=True,
            first_row=stages + 1,
            end_row=stages,
        ),
        **{name: getattr(tableau, name) for name in ("gamma", "A", "C", "c", "d", "b", "E")},
        "tangent": problem.made_tangent.address,
        "inputs": 1 + problem.n + problem.m + problem.k,
        "knows_p": 0,
    }


def room(size: int) -> np.ndarray:
    """Return zeros in whole lines, at least `size`."""
    array, _ = aligned(whole_lines(size))
    array[:] = 0.0
    return array


def jacobian_length(problem: Problem) -> int:
    """Number of instructions for the derivatives along all states and the time."""
    tangent = problem.made_tangent
    return -(-(problem.n + 1) // max(tangent.lanes, 1)) * tangent.length


def set_point(method: RosenbrockMethod, problem: ProblemRecord, run: RunRecord) -> None:
    """Write (t, x, u, p) of the last evaluation into every lane of the arguments of the tangent."""
    given, point, lanes = doubles(run.input), doubles(method.point), method.lanes
    stays = method.knows_p != 0 and problem.nm == 0  # a mode is a block of p that events change
    count = 1 + problem.n + problem.m if stays else method.inputs
    method.knows_p = 1
    for i in range(count):
        for lane in range(lanes):
            point[i * lanes + lane] = given[i]


def set_directions(method: RosenbrockMethod, problem: ProblemRecord, run: RunRecord, first: int, size: float) -> None:
    """Write a direction of this size into each lane: along x[first], x[first + 1], …, then along (1, 0, u') of f_t."""
    n, m, lanes = problem.n, problem.m, method.lanes
    direction = doubles(method.point + BYTES * method.inputs * lanes)
    columns = columns_of(method, problem, first)
    for lane in range(columns):
        direction[(1 + first + lane) * lanes + lane] = size
    if columns < lanes:
        c1, c2, c3 = doubles(problem.c1), doubles(problem.c2), doubles(problem.c3)
        d = doubles(run.input)[0] - doubles(problem.begin)[run.segment]
        direction[columns] = size
        for j in range(m):
            k = run.segment * m + j
            direction[(1 + n + j) * lanes + columns] = size * (c1[k] + d * (2.0 * c2[k] + 3.0 * d * c3[k]))


def keep_slopes(method: RosenbrockMethod, problem: ProblemRecord, first: int) -> None:
    """Write the derivatives in the lanes, along x[first] and so on, into J and f_t."""
    n, lanes, slopes = problem.n, method.lanes, doubles(method.slopes)
    J, f_t = doubles(method.J), doubles(method.f_t)
    columns = columns_of(method, problem, first)
    for i in range(problem.size):
        for lane in range(columns):
            J[i * n + first + lane] = slopes[i * lanes + lane]
    if columns < lanes:
        for i in range(problem.size):
            f_t[i] = slopes[i * lanes + columns]


def columns_of(method: RosenbrockMethod, problem: ProblemRecord, first: int) -> int:
    """Return the number of lanes that take a column of J, from column `first` on; a lane after them takes f_t."""
    return method.lanes if problem.n - first > method.lanes else problem.n - first


def factorise(method: RosenbrockMethod, n: int, diagonal: float) -> bool:
    """Write the factors of diagonal·I − J with row exchanges; return whether all pivots are finite and not zero."""
    J, LU, pivots = doubles(method.J), doubles(method.LU), doubles(method.pivots)
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
            factor = LU[i * n + k] / LU[k * n + k]
            LU[i * n + k] = factor
            for j in range(k + 1, n):
                LU[i * n + j] -= factor * LU[k * n + j]
    return True


def solve(method: RosenbrockMethod, n: int, right: Address) -> None:
    """Overwrite the right-hand side by the solution of the factorised system."""
    LU, pivots, r = doubles(method.LU), doubles(method.pivots), doubles(right)
    for k in range(n):
        row = int(pivots[k])
        kept = r[k]
        r[k] = r[row]
        r[row] = kept
    for i in range(n):
        rest = r[i]
        for j in range(i):
            rest -= LU[i * n + j] * r[j]
        r[i] = rest
    for back in range(n):
        i = n - 1 - back
        rest = r[i]
        for j in range(i + 1, n):
            rest -= LU[i * n + j] * r[j]
        r[i] = rest / LU[i * n + i]


def run_stage(method: RosenbrockMethod, problem: ProblemRecord, run: RunRecord, h: float, s: int) -> None:
    """Write stage K[s]."""
    n, size, row = problem.n, problem.size, BYTES * s * method.stages
    start = method.stages + 1
    if s > 0:
        start = method.stages
        combine(problem, run, method.A + row, s, n, run.x_stage)
        advance_from(run, 1.0, n, run.x_stage)
        evaluate(problem, run, run.t + doubles(method.c)[s] * h, run.x_stage, start)
    stage = run.K + BYTES * s * problem.stride
    k, f = lines(stage), lines(run.K + BYTES * start * problem.stride)
    f_t, weight, rate = lines(method.f_t), h * doubles(method.d)[s], 1.0 / h
    combine(problem, run, method.C + row, s, size, stage)
    for i in range((size + LINE - 1) // LINE):
        k[i] = f[i] + k[i] * rate + weight * f_t[i]
    method.solve(problem, stage)
    method.integrate_quadratures(problem, h, stage)


def integrate_quadratures(method: RosenbrockMethod, problem: ProblemRecord, h: float, stage: Address) -> None:
    """Solve the rows of the quadratures in a `stage` k: k_w = hγ (r_w + J_wx k_x)."""
    n, J, k = problem.n, doubles(method.J), doubles(stage)
    for i in range(n, problem.size):
        total = k[i]
        for j in range(n):
            total += J[i * n + j] * k[j]
        k[i] = total * (h * method.gamma)


def error_norm(method: RosenbrockMethod, problem: ProblemRecord, run: RunRecord) -> float:
    """Return the error of the step over the error allowed; the error is left in x_stage."""
    n, x, x_new = problem.judged, doubles(run.x), doubles(run.x_new)
    error, atol = doubles(run.x_stage), doubles(run.atol)
    combine(problem, run, method.E, method.stages, n, run.x_stage)
    total, largest = 0.0, 0.0
    for i in range(n):
        part = square(error[i] / scale(problem.rtol, atol[i], x[i], x_new[i]))
        if not part <= largest:
            largest = part
            run.worst = i
        total += part
    return math.sqrt(total / max(1, n))
