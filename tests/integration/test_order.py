"""Observed orders on a smooth problem with a known solution (STYLE 26: ±0.15)."""

from __future__ import annotations

import numpy as np
import pytest

from cardan.integration import integrate, tableaus
from tests.integration.fixed import observed_order, run_fixed
from tests.integration.problems import wave_problem, wave_solution

# Steps in the asymptotic range and far from round-off: the finest errors are some 1e-12.
STEPS = {"rk4": [1 / 64, 1 / 128], "tsit5": [1 / 16, 1 / 32], "dop853": [1 / 4, 1 / 8], "rodas5p": [1 / 32, 1 / 64]}
ON_STEPS, BETWEEN = np.arange(5.0), np.linspace(0.013, 3.99, 197)
TABLEAUS = {"rk4": tableaus.rk4, "tsit5": tableaus.tsit5, "dop853": tableaus.dop853, "rodas5p": tableaus.rodas5p}


def errors(name, times, pick):
    """Return the largest errors over `times` for decreasing steps."""
    exact = wave_solution(times)[pick]
    columns = slice(0, 2) if pick == 0 else slice(2, 3)
    return np.array(
        [np.abs(run_fixed(wave_problem(times), TABLEAUS[name](), h).X[:, columns] - exact).max() for h in STEPS[name]]
    )


@pytest.mark.parametrize("name", TABLEAUS)
def test_state(name):
    assert observed_order(errors(name, ON_STEPS, 0)) == pytest.approx(TABLEAUS[name]().order, abs=0.15)


@pytest.mark.parametrize("name", TABLEAUS)
def test_quadrature(name):
    assert observed_order(errors(name, ON_STEPS, 1)) >= TABLEAUS[name]().order - 0.15


@pytest.mark.parametrize("name", TABLEAUS)
@pytest.mark.parametrize("pick", [0, 1])
def test_continuous_extension_is_as_good_as_the_steps(name, pick):
    """An extension of order p − 1 has local error O(h^p), the global error of the method itself."""
    assert observed_order(errors(name, BETWEEN, pick)) >= TABLEAUS[name]().order - 0.15


def test_semi_implicit_euler():
    runs = [integrate(wave_problem(BETWEEN), "semi_implicit_euler", step=h) for h in (1 / 512, 1 / 1024)]
    exact_x, exact_w = wave_solution(BETWEEN)
    assert observed_order(np.array([np.abs(run.x - exact_x).max() for run in runs])) == pytest.approx(1, abs=0.15)
    assert observed_order(np.array([np.abs(run.w - exact_w).max() for run in runs])) == pytest.approx(1, abs=0.15)
