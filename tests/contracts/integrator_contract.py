"""What every integration method satisfies: a class with its name, its order and two steps to observe the order with."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import casadi as ca
import numpy as np
import pytest

from cardan.errors import SolveError
from cardan.integration import METHODS, Outcome, driver, integrate
from tests.integration.fixed import observed_order, run_fixed
from tests.integration.problems import problem, wave_problem, wave_solution

TIMES = np.linspace(0, 4, 41)
ON_STEPS, BETWEEN = np.arange(5.0), np.linspace(0.013, 3.99, 197)
WALL = 2.0  # instant beyond which the derivative of `wall` is no number [s]


def wall(t, x, u, p):
    """q̇ = 1, v̇ = √(2 − q), which is no number beyond q = 2."""
    return ca.vertcat(1, ca.sqrt(2 - x[0])), x[0]


class IntegratorContract:
    """Order, dense output, instants, settings and ends of one method, on a smooth problem with a known solution."""

    method: ClassVar[str]
    order: ClassVar[int]
    steps: ClassVar[tuple[float, float]]  # in the asymptotic range and far from round-off: finest errors of some 1e-12
    tableau: ClassVar[Callable[[], Any] | None] = None  # of a method that chooses its steps, to run it with fixed ones
    tolerances: ClassVar[tuple[float, ...]] = (1e-5, 1e-8, 1e-11)  # of a method with error control

    @property
    def fixed(self) -> bool:
        """Whether the user gives the step."""
        return METHODS[self.method].fixed_step

    def run(self, given, **options):
        """A run with the step that a method with fixed steps needs."""
        return integrate(given, self.method, **({"step": 1e-3} if self.fixed else {}), **options)

    def errors(self, times: np.ndarray) -> np.ndarray:
        """Largest errors (steps, 2) of states and quadratures at the instants."""
        exact = wave_solution(times)
        out = []
        for step in self.steps:
            if self.tableau is None:
                run = integrate(wave_problem(times), self.method, step=step)
                found = run.x, run.w
            else:
                memory = run_fixed(wave_problem(times), type(self).tableau(), step)
                found = memory.X, memory.W
            out.append([np.abs(x - y).max() for x, y in zip(found, exact, strict=True)])
        return np.array(out)

    def test_it_is_listed_with_its_source(self):
        info = METHODS[self.method]
        assert info.name == self.method
        assert info.citation
        assert f"order {self.order}" in info.summary

    def test_states_converge_with_the_order(self):
        assert observed_order(self.errors(ON_STEPS)[:, 0]) == pytest.approx(self.order, abs=0.15)

    def test_quadratures_converge_with_the_order(self):
        assert observed_order(self.errors(ON_STEPS)[:, 1]) >= self.order - 0.15

    def test_dense_output_is_as_good_as_the_steps(self):
        """An extension of order p − 1 has local error O(h^p), the global error of the method itself."""
        errors = self.errors(BETWEEN)
        assert observed_order(errors[:, 0]) >= self.order - 0.15
        assert observed_order(errors[:, 1]) >= self.order - 0.15

    def test_the_error_follows_the_tolerance(self):
        if self.fixed:
            assert self.run(wave_problem(TIMES, rtol=1e-3)).x.tolist() == self.run(wave_problem(TIMES)).x.tolist()
            return
        x, w = wave_solution(TIMES)
        for rtol in self.tolerances:
            run = self.run(wave_problem(TIMES, rtol=rtol, atol=rtol))
            # the wave magnifies a disturbance by some 20 until t = 4, and a run has some ten to a thousand steps
            assert np.abs(run.x - x).max() < 1e3 * rtol
            assert np.abs(run.w - w).max() < 1e3 * rtol
            assert (run.outcome, run.t_end) == (Outcome.COMPLETED, 4.0)

    def test_exactly_the_requested_instants_come_back(self):
        times = np.array([0, 0, 0.1, 0.3, 1 / 3, 1 / 3, 2.7182818, 4])
        run = self.run(wave_problem(times))
        np.testing.assert_array_equal(run.t, times)
        assert (run.x.shape, run.w.shape) == ((8, 2), (8, 1))
        np.testing.assert_array_equal(run.x[0], [1, 1])
        np.testing.assert_array_equal(run.x[-1], run.x_end)
        np.testing.assert_array_equal(run.w[-1], run.w_end)

    def test_a_start_that_is_given_takes_the_place_of_the_problems_own(self):
        given, start = wave_problem(TIMES), np.array([1.5, 0.5])
        run, own = self.run(given, x0=start), self.run(replace(given, x0=start))
        np.testing.assert_array_equal(run.x, own.x)
        np.testing.assert_array_equal(run.w, own.w)
        np.testing.assert_array_equal(run.x[0], start)

    def test_the_budget_of_steps_changes_no_bit(self, monkeypatch):
        given = wave_problem(TIMES)
        whole = self.run(given)
        monkeypatch.setattr(driver, "FIRST_BUDGET", 1)
        monkeypatch.setattr(driver, "next_budget", lambda budget, wall: 1 + budget % 3)
        pieces = self.run(given)
        np.testing.assert_array_equal(pieces.x, whole.x)
        np.testing.assert_array_equal(pieces.w, whole.w)
        untimed = {"wall": 0, "preparation": 0}
        assert pieces.statistics._replace(**untimed) == whole.statistics._replace(**untimed)

    def test_a_step_is_needed_or_refused(self):
        calls = [({}, "give a positive step"), ({"step": 0.0}, "give a positive step")]
        for options, text in calls if self.fixed else [({"step": 0.1}, "chooses its steps")]:
            with pytest.raises(SolveError, match=text):
                integrate(wave_problem(TIMES), self.method, **options)

    def test_a_function_that_it_needs_is_named_when_missing(self):
        needed = METHODS[self.method].needs
        for function in ("tangent", "velocity"):
            given = replace(wave_problem(TIMES), **{function: None})
            if function == needed:
                with pytest.raises(SolveError, match=re.escape(f'needs the function "{function}"')):
                    self.run(given)
            else:
                assert self.run(given).outcome is Outcome.COMPLETED

    def test_an_interrupted_run_keeps_its_part(self, monkeypatch):
        monkeypatch.setattr(driver, "FIRST_BUDGET", 2)
        monkeypatch.setattr(driver, "next_budget", lambda budget, wall: 2)

        def stop(log):
            raise KeyboardInterrupt

        whole, run = self.run(wave_problem(TIMES)), self.run(wave_problem(TIMES, log_gap=1e-6), watch=stop)
        assert run.outcome is Outcome.INTERRUPTED
        assert 0 < run.t_end < 4
        np.testing.assert_array_equal(run.x, whole.x[: len(run.t)])

    def test_a_limit_of_steps_keeps_the_part(self):
        run = self.run(wave_problem(np.linspace(0, 4, 4001)), max_steps=3)
        assert run.outcome is Outcome.TOO_MANY_STEPS
        assert run.statistics.steps + run.statistics.rejected == 3
        assert 0 < run.t_end < 4
        assert len(run.t) == np.searchsorted(np.linspace(0, 4, 4001), run.t_end, side="right")

    def test_a_run_ends_where_the_derivative_does(self):
        """Within a step or a few tolerances of the instant, and with the finite part."""
        run = self.run(problem(wall, 1, [0.0, 0.0], nw=1, a=[0.0], b=[4.0], times=TIMES))
        assert run.outcome in (Outcome.STEP_TOO_SMALL, Outcome.NON_FINITE, Outcome.SINGULAR)
        assert run.t_end == pytest.approx(WALL, abs=1.01e-3)
        assert run.worst == 1 or run.outcome is Outcome.SINGULAR  # no solution of a linear system names no state
        assert np.isfinite(run.x).all()
        assert math.isfinite(run.x_end[0])
        np.testing.assert_allclose(run.x[:, 0], run.t, rtol=1e-9)
