"""The choice of method="auto": the method that needs the fewest instructions per second of motion.

A run begins with an explicit method, of order 5 at loose tolerances, else of order 8. It tries another method over
`TRIAL` steps, which are steps of the run like all others, and goes on with the cheaper one. There are two occasions:

* order 8 in place of order 5, once, as soon as a run at loose tolerances has settled; and order 5 again, where order 8
  later costs more: it has to follow fast vibrations without damping that order 5 damps or leaves to its errors;
* the stiff method, whenever the step has grown longer than the fastest decay (`explicit.judge_decays`): an explicit
  method then takes short steps for a motion that has decayed. After a lost trial, twice as many of such steps lead to
  the next one; after a trial that is won, the comparison is repeated each time the number of steps has doubled.

A trial takes place if the remaining run is predicted to cost more than two trials. Costs are computed from the lengths
of the compiled functions and the numbers of their calls, not measured in time: equal runs take equal steps. The time to
compile the Jacobian is left out, since it depends on the cache.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from cardan.codegen.kernels import Cells
from cardan.integration.explicit import HINTS_TO_STIFF
from cardan.integration.methods import METHODS, MethodInfo
from cardan.integration.outcome import Outcome
from cardan.integration.problem import Problem

AUTO = "auto"  # name that stands for the choice of this file
LOOSE = 1e-6  # rtol above which order 5 can be cheaper than order 8 (Hairer, Nørsett & Wanner I, II.10)
TRIAL = HINTS_TO_STIFF  # steps of a trial: as many as show that a problem is stiff
WORTH = 2 * TRIAL  # least cost of the remaining run, in steps of the other method: the trial, and as many steps to gain
TERM = 4  # instructions for a term a·b of a linear system: two loads, multiply and subtract, store
FAILED = (Outcome.SINGULAR, Outcome.STEP_TOO_SMALL, Outcome.NON_FINITE)
ORDER_5, ORDER_8, STIFF = (METHODS[name] for name in ("tsit5", "dop853", "rodas5p"))


class Counts(NamedTuple):
    """Counts of the work of a run so far."""

    t: float  # time reached [s]
    tried: int  # steps tried
    evaluations: int
    jacobians: int

    @staticmethod
    def of(record: Cells) -> Counts:
        """The counts of a run's record so far."""
        return Counts(record["t"], record["steps"] + record["rejected"], record["evaluations"], record["jacobians"])


class Costs:
    """Costs of integrating a problem [instructions]."""

    def __init__(self, problem: Problem) -> None:
        n = problem.n
        self.f = problem.rhs.length
        self.jacobian = self.f * (1 + n + problem.m)  # one evaluation for each column, at most, until it is known
        self.projection = 0 if problem.project is None else problem.project.length
        # factors, then forward and back substitution for each stage
        self.linear_systems = TERM * (n**3 / 3 + STIFF.evaluations * n * (n + problem.nw))

    def of(self, method: MethodInfo, tried: int, evaluations: int, jacobians: int) -> float:
        """Cost of so many steps tried, with so many evaluations of f and of the Jacobian."""
        step = self.projection + (self.linear_systems if method is STIFF else 0.0)
        return evaluations * self.f + jacobians * self.jacobian + tried * step

    def step(self, method: MethodInfo) -> float:
        """Predicted cost of a step with output."""
        return self.of(method, 1, method.evaluations, int(method is STIFF))

    def rate(self, method: MethodInfo, a: Counts, b: Counts) -> float:
        """Cost per second of motion between two moments of a run; infinite if no time has passed."""
        if not b.t > a.t:
            return math.inf
        return self.of(method, *(later - before for before, later in zip(a[1:], b[1:], strict=True))) / (b.t - a.t)


def explicit_for(rtol: float) -> MethodInfo:
    """The explicit method that a run begins with."""
    return ORDER_5 if rtol > LOOSE else ORDER_8


class _Replaced(NamedTuple):
    """The method that was replaced by the present one."""

    method: MethodInfo
    h: float  # its next step [s]
    rate: float  # its cost [instructions per second of motion]


class Automatic:
    """The method of one run, from step to step."""

    def __init__(self, problem: Problem) -> None:
        self._t_end = problem.t_end
        self._has_tangent = problem.tangent is not None
        self._costs = Costs(problem)
        self._replaced: _Replaced | None = None
        self._on_trial = False  # whether the present method is on trial
        self._since = Counts(problem.t0, 0, 0, 0)  # beginning of the steps whose cost is counted
        self._stiff_steps = TRIAL  # steps that look stiff before the next trial of the stiff method
        self.method = explicit_for(problem.rtol)
        self.pause = TRIAL if self.method is ORDER_5 else math.inf
        """Number of steps tried after which `proceed` is called."""
        self.patience = math.inf
        """Number of remaining steps above which a stiff problem justifies a trial of the stiff method."""
        self._set_patience()

    def continues(self, outcome: Outcome) -> bool:
        """Whether the run continues after its kernel has returned: at a pause, as stiff,
        or if only the stiff method failed.
        """
        return outcome in (Outcome.RUNNING, Outcome.STIFF) or (self.method is STIFF and outcome in FAILED)

    def proceed(self, record: Cells, outcome: Outcome) -> None:
        """Choose the method that continues the run, and its next step."""
        now, since = Counts.of(record), self._since
        self._since = now
        if outcome == Outcome.STIFF:
            self._replace(STIFF, record, now, self._costs.step(self.method) / record["h"])
            return
        rate = self._costs.rate(self.method, since, now)
        if self._replaced is None:
            self.pause = math.inf
            if rate * (self._t_end - now.t) > WORTH * self._costs.step(ORDER_8):
                self._replace(ORDER_8, record, now, rate)
        elif rate > self._replaced.rate and not self._on_trial and self.method is not STIFF:
            self._replace(self._replaced.method, record, now, rate)
        elif outcome in FAILED or rate > self._replaced.rate:
            self._restore(record)
            if outcome in FAILED:
                self.patience = math.inf
        else:
            self.pause, self._on_trial = 2 * now.tried, False

    def use_jacobian(self, length: int) -> None:
        """Count the Jacobian by its length from now on."""
        self._costs.jacobian = length

    def _replace(self, method: MethodInfo, record: Cells, now: Counts, rate: float) -> None:
        """Begin the trial of a method in place of the present one, which costs `rate`."""
        self._replaced, self._on_trial = _Replaced(self.method, record["h"], rate), True
        self.method, self.pause, record["stiff_hints"] = method, now.tried + TRIAL, 0
        self._set_patience()

    def _restore(self, record: Cells) -> None:
        """Continue with the method that was replaced."""
        assert self._replaced is not None
        lost, (self.method, record["h"], _) = self.method, self._replaced
        self._replaced, self.pause = None, math.inf
        self._set_patience()
        if lost is STIFF:
            record["stiff_hints"] = -self._stiff_steps
            self._stiff_steps *= 2

    def _set_patience(self) -> None:
        """Set `patience` for the present method."""
        self.patience = math.inf
        if self._has_tangent and self.method is not STIFF:
            self.patience = WORTH * self._costs.step(STIFF) / self._costs.step(self.method)
