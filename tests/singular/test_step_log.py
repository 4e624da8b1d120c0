"""The log of steps: how near singular positions a motion came is known to the integrator, and nothing is lost of it."""

from __future__ import annotations

import numpy as np

import cardan
from cardan.integration import integrate
from cardan.singular.step_log import StepLog
from tests.selection import each


@each("method", [{"method": "dop853"}, {"method": "rodas5p"}, {"method": "rk4", "step": 1e-2}])
@each("name", ["slider_crank", "four_bar", "planar_3rrr"])
def test_the_nearness_of_singular_positions_is_that_of_the_states_in_the_log(name, method):
    """Also where instants between the steps are projected, which tell of other states."""
    setup = cardan.prepare(cardan.load(name), motors="none", times=np.linspace(0, 0.5, 200), **method)
    functions, problem, settings = setup.task.functions, setup.task.problem, setup.conditions.settings
    run = integrate(problem, settings.method, x0=setup.start.x, step=settings.step)
    logged, anew = (StepLog(functions, run.log, problem.p, projected=known) for known in (True, False))
    assert len(logged.t) > 5
    np.testing.assert_allclose(logged.r, anew.r, rtol=1e-8)  # the last projection has moved the state by 1e-10
