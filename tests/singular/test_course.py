"""The log of steps: how near singular positions a motion came is known to the integrator, and nothing is lost of it."""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from cardan.integration.integrate import integrate
from cardan.simulation.preparation import prepare
from cardan.singular.step_log import Course
from tests.simulation.test_preparation import DEFAULTS


@pytest.mark.parametrize("method", [{"method": "dop853"}, {"method": "rodas5p"}, {"method": "rk4", "step": 1e-2}])
@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "planar_3rrr"])
def test_the_nearness_of_singular_positions_is_that_of_the_states_in_the_log(name, method):
    """Also where instants between the steps are projected, which tell of other states."""
    given = DEFAULTS | method | {"times": np.linspace(0, 0.5, 200), "until": None}
    prepared = prepare(cardan.load(name), **given)
    kernels, problem, settings = prepared.task.kernels, prepared.task.problem, prepared.situation.settings
    run = integrate(problem, settings.method, x0=prepared.x0, step=settings.step)
    logged, anew = (Course.of(kernels, run.log, problem.p, known=known) for known in (True, False))
    assert len(logged.t) > 5
    np.testing.assert_allclose(logged.r, anew.r, rtol=1e-8)  # the last projection has moved the state by 1e-10


def test_the_balance_along_the_log_is_that_of_the_report():
    run = cardan.simulate(cardan.load("slider_crank"), until=0.5)
    course = run.find_report.course
    lacking, turnover = course.energies
    assert np.max(np.abs(lacking)) < 1e-7 * turnover[-1]  # ten tolerances of the run
    assert turnover[-1] == pytest.approx(run.report.energy_scale, rel=1e-2)  # its instants are others
