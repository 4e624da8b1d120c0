"""Explicit Runge–Kutta methods: stages, error estimate, detection of stiffness.

Source: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I (1993), II.4–II.6; stiffness detection:
Hairer & Wanner II (1996), IV.2. Quadratures follow the state and do not count in the error norm.
"""

from __future__ import annotations

import math

from cardan.codegen.kernels import LINE, Address, doubles, fill, lines, select
from cardan.integration.loop.advance import Stepper, kernel_of
from cardan.integration.loop.evaluation import advance_from, combine, evaluate, fold, is_finite, load, square
from cardan.integration.loop.guard import ends_badly, turned_at_first_try
from cardan.integration.loop.method_record import MethodRecord, shared_fields
from cardan.integration.loop.projection import settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.integration.loop.stepping import follow, scale
from cardan.integration.outcome import Outcome
from cardan.integration.tableaus import ExplicitTableau, middle_of, trusted_decays
from cardan.numerics.round_off import ROUND_OFF

HINTS_TO_STIFF = 15  # steps in a row longer than the fastest decay that make a problem stiff (number of dopri5.f)


class ExplicitMethod(MethodRecord):
    """An `ExplicitTableau` as the kernel reads it."""

    A: Address  # (stages, stages)
    c: Address  # (stages,)
    E: Address  # (2, stages)
    error_uses_last: int
    W: Address  # (2, stages)
    middle: Address  # (2, stages) of `middle_of`
    trusted: float  # `longest` of the method's `TrustedDecays`
    visible: float  # of the method's `TrustedDecays`

    def start(self, problem: ProblemRecord, run: RunRecord) -> None:
        """Compute what a step needs at its start, where the derivative may have jumped."""
        evaluate(problem, run, run.t, run.x, 0)

    def attempt(self, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
        """Make one step into x_new and K; return Outcome.RUNNING if it is good, else why it is not."""
        h, run.continued = t_new - run.t, 0
        run_stages(self, problem, run, h, 1, self.last)
        run_stage(self, problem, run, h, self.last, problem.size, run.x_new)
        if self.error_uses_last != 0:
            evaluate(problem, run, t_new, run.x_new, self.last)
        follow(problem, run, run.x_new, 1.0)
        run.error = error_norm(self, problem, run, h) if self.adaptive != 0 else 0.0
        if not run.error <= 1.0:
            return Outcome.STEP_TOO_SMALL if math.isfinite(run.error) else Outcome.NON_FINITE
        if not settle(problem, run, t_new, run.x_new):
            return Outcome.CONSTRAINTS_LOST
        if turned_at_first_try(problem, run) or (self.adaptive != 0 and ends_badly(problem, run)):
            return Outcome.BRANCH_LOST
        if not uses_end(self, problem, run, t_new):
            return Outcome.RUNNING if is_finite(problem, run, self.last - 1) else Outcome.NON_FINITE
        if problem.project != 0 or self.error_uses_last == 0:
            evaluate(problem, run, t_new, run.x_new, self.last)
        if not is_finite(problem, run, self.last):
            return Outcome.NON_FINITE
        if self.adaptive != 0:
            decays = judge_decays(self, problem, run, h)
            if run.error <= 1.0 and h * run.known > self.safety * self.trusted:  # λ is known to that share
                judge_extension(self, problem, run, t_new)
            if not run.error <= 1.0:
                return Outcome.STEP_TOO_SMALL if math.isfinite(run.error) else Outcome.NON_FINITE
            if problem.width == 1:
                count_hints(run, decays > 1.0)
        return Outcome.RUNNING

    def extend(self, problem: ProblemRecord, run: RunRecord, t_new: float) -> None:
        """Compute the stages after `last`, which only the continuous extension needs."""
        if run.continued == 0:
            run_stages(self, problem, run, t_new - run.t, self.last + 1, self.stages)
            run.continued = 1

    def hands_over(self, problem: ProblemRecord, run: RunRecord) -> bool:
        """Return whether the problem is stiff and so many steps remain that another method is worth a trial."""
        return run.stiff_hints >= HINTS_TO_STIFF and problem.t_end - run.t > run.patience * run.h


def make_stepper(tableau: ExplicitTableau) -> Stepper:
    """Return the kernel of explicit methods with a tableau."""
    decays, middle = trusted_decays(tableau), middle_of(tableau)
    record = fill(
        ExplicitMethod,
        **shared_fields(tableau.order, tableau.dense, tableau.controller, last=tableau.last),
        A=tableau.A,
        c=tableau.c,
        E=tableau.E,
        error_uses_last=int(tableau.error_uses_last),
        W=tableau.W,
        middle=middle,
        trusted=decays.longest,
        visible=decays.visible,
    )
    return Stepper(kernel_of(ExplicitMethod), record, tableau.c.size + 1, (tableau, middle))


def uses_end(method: ExplicitMethod, problem: ProblemRecord, run: RunRecord, t_new: float) -> bool:
    """Return whether the derivative at the end of a step to t_new is used.

    It is not where a step of fixed length ends a segment, behind which the derivative is another one, without outputs
    in the step and without events: so ends each step of a controller that is sampled as often.
    """
    last = run.segment + 1 == problem.segments or t_new < doubles(problem.end)[run.segment]
    within = run.requested < problem.instants and doubles(problem.times)[run.requested] < t_new
    return method.adaptive != 0 or problem.crossed > 0 or last or within


def run_stage(
    method: ExplicitMethod, problem: ProblemRecord, run: RunRecord, h: float, s: int, size: int, target: Address
) -> None:
    """Write x + h Σ_j A[s, j] K[j] into `target`, its first `size` entries and the rest of that line."""
    combine(problem, run, method.A + BYTES * s * method.stages, s, size, target)
    advance_from(run, h, size, target)


def run_stages(method: ExplicitMethod, problem: ProblemRecord, run: RunRecord, h: float, first: int, last: int) -> None:
    """Write the stages from `first` to the one before `last`; derivatives do not depend on the quadratures."""
    c = doubles(method.c)
    for s in range(first, last):
        run_stage(method, problem, run, h, s, problem.n, run.x_stage)
        evaluate(problem, run, run.t + c[s] * h, run.x_stage, s)


def error_norm(method: ExplicitMethod, problem: ProblemRecord, run: RunRecord, h: float) -> float:
    """Return the error of the step over the error allowed; 1 is just good enough.

    That of several trajectories side by side is the largest of theirs.
    """
    n, width = problem.judged, problem.width
    main, second = run.errors, run.errors + BYTES * problem.stride
    used = method.last + method.error_uses_last  # a rejected step may have left NaN in the last stage
    combine(problem, run, method.E, used, n, main)
    combine(problem, run, method.E + BYTES * method.stages, used, n, second)
    square_parts(problem, run, main, second)
    fold(main, n, run.weights)
    fold(second, n, second)
    mains, seconds, largest = doubles(run.weights), doubles(second), 0.0
    for lane in range(width):
        total, rest, i = 0.0, 0.0, lane
        while i < LINE:
            total += mains[i]
            rest += seconds[i]
            i += width
        error = 0.0 if total == 0.0 else h * total / math.sqrt((total + 0.01 * rest) * (n / width))
        if not math.isfinite(error):
            find_worst(run, main, n)
            return error
        largest = max(largest, error)
    if largest > 1.0:
        find_worst(run, main, n)
    return largest


def square_parts(problem: ProblemRecord, run: RunRecord, main: Address, second: Address) -> None:
    """Divide two rows of errors, `main` and `second`, by the errors allowed, and square them."""
    n, rtol = problem.judged, problem.rtol
    X, X_new, allowed, E0, E1 = lines(run.x), lines(run.x_new), lines(run.atol), lines(main), lines(second)
    for i in range(n // LINE):
        before, after = abs(X[i]), abs(X_new[i])
        share = 1.0 / (allowed[i] + rtol * select(after > before, after, before))
        a, b = E0[i] * share, E1[i] * share
        E0[i], E1[i] = a * a, b * b
    x, x_new, atol, e0, e1 = doubles(run.x), doubles(run.x_new), doubles(run.atol), doubles(main), doubles(second)
    for i in range(n - n % LINE, n):
        part = 1.0 / scale(problem.rtol, atol[i], x[i], x_new[i])
        e0[i], e1[i] = square(e0[i] * part), square(e1[i] * part)


def find_worst(run: RunRecord, parts: Address, size: int) -> None:
    """Write the number of the largest of the `parts` (`size`,) of an error, or of the last that is not finite."""
    part, largest = doubles(parts), 0.0
    for i in range(size):
        if not part[i] <= largest:
            largest = part[i]
            run.worst = i


def judge_decays(method: ExplicitMethod, problem: ProblemRecord, run: RunRecord, h: float) -> float:
    """Return h |λ| of the fastest decay that is seen in a good step, 0 without one; raise `run.error` where it exceeds
    `trusted`: as an error of the controller's order, which brings the steps back to that length.

    A smooth motion cancels in the difference `W` of stages. What is left of a decay, d, stands in the derivatives as
    λ d: they point back, here within 45°; in an oscillation they turn from step to step. It counts in this step if it
    is `visible`. Where λ is known to the share that `safety` leaves, and d is more than round-off, λ also bounds the
    steps that follow, when the decay has died away; it fades by `safety` in each of them until it is seen again.
    """
    change_f, change_x, sums = run.errors, run.errors + BYTES * problem.stride, doubles(run.weights)
    combine(problem, run, method.W, method.last + 1, problem.n, change_f)
    combine(problem, run, method.W + BYTES * method.stages, method.last, problem.n, change_x)
    run.decay *= method.safety
    seen, decays = 0.0, 0.0
    for lane in range(problem.width):
        sum_products(problem, run, lane)
        rates, states, along = sums[0], sums[1], sums[2]
        aligned = square(along) / (rates * states) if along < 0.0 else 0.0
        if aligned > 0.5:
            d, length = h * math.sqrt(states * problem.width / max(1, problem.n)), math.sqrt(rates / states)
            seen = max(seen, length)
            if d > method.visible:
                decays = max(decays, length)
            if aligned > 1.0 - square(1.0 - method.safety) and d > min(method.visible, ROUND_OFF / problem.rtol):
                run.decay, run.known = max(run.decay, length / h), max(run.known, length / h)
    run.error = max(run.error, (max(decays, h * run.decay) / method.trusted) ** (1.0 / method.alpha))
    return seen


def judge_extension(method: ExplicitMethod, problem: ProblemRecord, run: RunRecord, t_new: float) -> None:
    """Raise `run.error` to that of the continuous extension u of a good step, over the error allowed.

    What is left of a decay errs by (f(u) − u')/λ in its middle, within 30 % of the most anywhere in steps of 3 to 20
    decays; a smooth motion leaves little there. The estimate of a step and the difference `W` see nothing of a decay
    that has died away before a longer step revives it; λ is at least that of the longest step that is trusted.
    """
    h = t_new - run.t
    method.extend(problem, run, t_new)
    combine(problem, run, method.middle, method.stages, problem.size, run.x_stage)
    advance_from(run, h, problem.size, run.x_stage)
    evaluate(problem, run, run.t + 0.5 * h, run.x_stage, method.stages)
    combine(problem, run, method.middle + BYTES * method.stages, method.stages, problem.n, run.errors)
    x, x_new, atol, slope = doubles(run.x), doubles(run.x_new), doubles(run.atol), doubles(run.errors)
    f = doubles(run.K + BYTES * method.stages * problem.stride)
    for lane in range(problem.width):
        total, i = 0.0, lane
        while i < problem.n:
            total += square((f[i] - slope[i]) / scale(problem.rtol, atol[i], x[i], x_new[i]))
            i += problem.width
        run.error = max(run.error, h * math.sqrt(total * problem.width / max(1, problem.n)) / method.trusted)
    load(problem, run, t_new, run.x_new)  # what `measure_end` reads


def sum_products(problem: ProblemRecord, run: RunRecord, lane: int) -> None:
    """Write f·f, d·d and f·d of one `lane` into `run.weights`, for the two rows f, d of `run.errors` in tolerances."""
    x, x_new, atol = doubles(run.x), doubles(run.x_new), doubles(run.atol)
    f, d, sums = doubles(run.errors), doubles(run.errors + BYTES * problem.stride), doubles(run.weights)
    rates, states, along, i = 0.0, 0.0, 0.0, lane
    while i < problem.n:
        part = 1.0 / scale(problem.rtol, atol[i], x[i], x_new[i])
        a, b = f[i] * part, d[i] * part
        rates += a * a
        states += b * b
        along += a * b
        i += problem.width
    sums[0], sums[1], sums[2] = rates, states, along


def count_hints(run: RunRecord, longer: bool) -> None:
    """Count the steps in a row that are longer than the fastest decay; so many of them make the problem stiff."""
    if longer:
        run.stiff_hints += 1
        if run.stiff_hints >= HINTS_TO_STIFF:
            run.stiff = 1
        return
    run.stiff_hints = min(run.stiff_hints, 0)
