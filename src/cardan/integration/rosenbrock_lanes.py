"""Rosenbrock methods for several trajectories side by side: one line for each entry of every matrix.

Each trajectory has its own Jacobian, its own linear system and its own row exchanges. They share the step. Where a row
is exchanged in some of them only, the two rows are mixed lane by lane.

The matrix is inverted, not factorised: of eight solutions, one after the other, each then is a product whose sums run
side by side, while in a substitution every row waits for the one before. That saves more time than the inversion costs.

Source: as of `rosenbrock`; Gauss-Jordan elimination in place with row exchanges: Higham, Accuracy and Stability of
Numerical Algorithms (2nd ed., 2002), 14.4.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.codegen.kernels import LINE, Address, call, doubles, fill, line, lines, select, somewhere
from cardan.errors import SolveError
from cardan.integration.loop.advance import Stepper, kernel_of
from cardan.integration.loop.evaluation import combine, copy, evaluate
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.integration.problem import Problem
from cardan.integration.rosenbrock import EXTRA_ROWS, RosenbrockMethod, room, shared_numbers
from cardan.integration.tableaus import RosenbrockTableau


class LanesRosenbrockMethod(RosenbrockMethod):
    """A `RosenbrockTableau` for trajectories side by side; all sizes here are those of one trajectory, in lines.

    J (n + 1, size) has a row for each column of a Jacobian and, as the last, f_t. `pivots` holds, exchange by exchange,
    1 in the lanes where two rows changed places; `slopes` a solution. LU is not used.
    """

    n: int
    m: int
    size: int
    inverse: Address  # (n, n) inverse of I/(hγ) − J, whose rows were exchanged
    exchanges: int  # exchanges of rows, in some lanes at least
    exchanged: Address  # (exchanges, 2) numbers of these rows

    def start(self, problem: ProblemRecord, run: RunRecord) -> None:
        """Write f, J and f_t at the start of the step."""
        evaluate(problem, run, run.t, run.x, self.stages + 1)
        write_jacobian(self, problem, run)
        run.jacobians += 1

    def factorise(self, problem: ProblemRecord, diagonal: float) -> bool:
        """Write the inverse of diagonal·I − J; return whether all pivots are finite and not zero."""
        return invert_each(self, diagonal)

    def solve(self, problem: ProblemRecord, right: Address) -> None:
        """Overwrite the right-hand side by the solution of the factorised systems."""
        solve_each(self, right)

    def integrate_quadratures(self, problem: ProblemRecord, h: float, stage: Address) -> None:
        """Solve the rows of the quadratures in a `stage` k: k_w = hγ (r_w + J_wx k_x)."""
        n, size, J, k = self.n, self.size, lines(self.J), lines(stage)
        for i in range(n, size):
            total = k[i]
            for j in range(n):
                total += J[j * size + i] * k[j]
            k[i] = total * (h * self.gamma)

    def error_norm(self, problem: ProblemRecord, run: RunRecord) -> float:
        """Return the largest error of a trajectory over the error allowed."""
        return error_norms(self, problem, run)


def make_stepper(tableau: RosenbrockTableau, problem: Problem) -> Stepper:
    """Return the kernel of Rosenbrock methods side by side, and room for the linear systems of a problem."""
    n, size, tangent = problem.n, problem.n + problem.nw, problem.made_tangent
    if not problem.width == tangent.lanes == LINE:
        fault = f"{problem.width} trajectories side by side, {tangent.lanes} in its tangent"
        raise SolveError(f'method "{tableau.name}": the problem has {fault}; both must be {LINE}')
    arrays = {
        "J": room((n + 1) * size * LINE),
        "LU": room(0),
        "inverse": room(n * n * LINE),
        "pivots": room(n * n * LINE),
        "exchanged": np.zeros((n * n, 2)),
        "point": room(tangent.n_in * LINE),
        "slopes": room(n * LINE),
        "scratch": room(tangent.n_work * LINE),
    }
    record = fill(
        LanesRosenbrockMethod,
        **shared_numbers(tableau, problem),
        **arrays,
        f_t=arrays["J"][n * size * LINE :],
        lanes=LINE,
        n=n,
        m=problem.m,
        size=size,
        exchanges=0,
    )
    rows = tableau.c.size + EXTRA_ROWS
    return Stepper(kernel_of(LanesRosenbrockMethod), record, rows, (tableau, tangent, arrays))


def write_jacobian(method: LanesRosenbrockMethod, problem: ProblemRecord, run: RunRecord) -> None:
    """Write J and f_t at the arguments of the last evaluation, a call of the tangent for each of their columns."""
    n, m, row = method.n, method.m, BYTES * LINE * method.size
    direction = lines(method.point + BYTES * LINE * method.inputs)
    copy(run.input, method.point, LINE * method.inputs)
    for j in range(n):
        direction[1 + j] = line(1.0)
        call(method.tangent, method.point, method.J + row * j, method.scratch)
        direction[1 + j] = line(0.0)
    c1, c2, c3 = lines(problem.c1), lines(problem.c2), lines(problem.c3)
    d = doubles(run.input)[0] - doubles(problem.begin)[run.segment]
    direction[0] = line(1.0)
    for j in range(m):
        k = run.segment * m + j
        direction[1 + n + j] = c1[k] + d * (2.0 * c2[k] + (3.0 * d) * c3[k])
    call(method.tangent, method.point, method.f_t, method.scratch)
    direction[0] = line(0.0)
    for j in range(m):
        direction[1 + n + j] = line(0.0)


def invert_each(method: LanesRosenbrockMethod, diagonal: float) -> bool:
    """Write the inverse of diagonal·I − J, its rows exchanged; return whether all pivots are finite and not zero."""
    n, size, J, A = method.n, method.size, lines(method.J), lines(method.inverse)
    method.exchanges = 0
    for j in range(n):
        for i in range(n):
            A[i * n + j] = -J[j * size + i]
        A[j * n + j] = A[j * n + j] + diagonal
    for k in range(n):
        for i in range(k + 1, n):
            exchange(method, k, i)
        pivot = A[k * n + k]
        inverse = 1.0 / pivot
        if somewhere(0.0 * (pivot + inverse) != line(0.0)):  # NaN where one of the two is not finite
            return False
        A[k * n + k] = line(1.0)
        for j in range(n):
            A[k * n + j] = A[k * n + j] * inverse
        for i in range(n):
            factor = A[i * n + k]
            if i != k and somewhere(factor != line(0.0)):  # rates of coordinates do not depend on other coordinates
                A[i * n + k] = line(0.0)
                for j in range(n):
                    A[i * n + j] -= factor * A[k * n + j]
    return True


def exchange(method: LanesRosenbrockMethod, k: int, i: int) -> None:
    """Exchange rows k and i in the lanes where row i has the larger entry in column k; note where."""
    n, A, e, rows = method.n, lines(method.inverse), method.exchanges, doubles(method.exchanged)
    larger = abs(A[i * n + k]) > abs(A[k * n + k])
    if somewhere(larger):
        lines(method.pivots)[e] = select(larger, line(1.0), line(0.0))
        rows[2 * e], rows[2 * e + 1] = float(k), float(i)
        method.exchanges += 1
        for j in range(n):
            upper, lower = A[k * n + j], A[i * n + j]
            A[k * n + j], A[i * n + j] = select(larger, lower, upper), select(larger, upper, lower)


def permute(method: LanesRosenbrockMethod, right: Address) -> None:
    """Exchange the rows of a right-hand side as those of the matrix were."""
    pivots, rows, r = lines(method.pivots), doubles(method.exchanged), lines(right)
    for e in range(method.exchanges):
        k, i = int(rows[2 * e]), int(rows[2 * e + 1])
        where, upper, lower = pivots[e] > line(0.0), r[k], r[i]
        r[k], r[i] = select(where, lower, upper), select(where, upper, lower)


def solve_each(method: LanesRosenbrockMethod, right: Address) -> None:
    """Overwrite the right-hand side by the solution of the systems.

    Four rows at a time, as long as there are so many: their sums do not wait for one another.
    """
    n, A, r, x, i = method.n, lines(method.inverse), lines(right), lines(method.slopes), 0
    permute(method, right)
    while i + 4 <= n:
        a, b, c, d, at = line(0.0), line(0.0), line(0.0), line(0.0), i * n
        for j in range(n):
            entry, k = r[j], at + j
            a, b = a + A[k] * entry, b + A[k + n] * entry
            c, d = c + A[k + 2 * n] * entry, d + A[k + 3 * n] * entry
        x[i], x[i + 1], x[i + 2], x[i + 3] = a, b, c, d
        i += 4
    while i < n:
        a = line(0.0)
        for j in range(n):
            a += A[i * n + j] * r[j]
        x[i] = a
        i += 1
    copy(method.slopes, right, LINE * n)


def error_norms(method: LanesRosenbrockMethod, problem: ProblemRecord, run: RunRecord) -> float:
    """Return the largest error of a trajectory over the error allowed; the errors are left in x_stage."""
    n, x, x_new = problem.judged // LINE, lines(run.x), lines(run.x_new)
    error, atol, total, rtol = lines(run.x_stage), lines(run.atol), line(0.0), problem.rtol
    combine(problem, run, method.E, method.stages, problem.judged, run.x_stage)
    for i in range(n):
        before, after = abs(x[i]), abs(x_new[i])
        part = error[i] / (atol[i] + rtol * select(after > before, after, before))
        total += part * part
    lines(run.weights)[0] = total
    errors, largest = doubles(run.weights), 0.0
    for lane in range(LINE):
        if not math.isfinite(errors[lane]):
            return errors[lane]
        largest = max(largest, errors[lane])
    return math.sqrt(largest / max(1, n))
