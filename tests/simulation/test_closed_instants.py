"""Every returned instant satisfies the constraints, however coarse the steps are."""

import numpy as np
import pytest

import cardan

CLOSED = 1e-10  # tolerance of the projection [m, rad]
COARSE = [
    {"method": "semi_implicit_euler", "step": "10 ms"},  # 0.25 rad per step of the fast crank
    {"method": "rk4", "step": "30 ms"},
    {"method": "tsit5", "rtol": 1e-2, "atol": 1e-4},
    {"method": "rodas5p", "rtol": 1e-2, "atol": 1e-4},
]
every_method = pytest.mark.parametrize("options", COARSE, ids=lambda options: options["method"])


@every_method
@pytest.mark.parametrize("times", [None, np.linspace(0, 3, 301)], ids=["chosen", "on the steps"])
def test_coarse_steps_leave_no_loop_open(options, times):
    run = cardan.simulate(cardan.load("four_bar"), until=3.0, times=times, **options)
    assert run.ok, run.message
    assert run.report.constraint_violation <= CLOSED


def test_instants_on_the_step_grid_are_the_ends_of_steps():
    """0.29 is not 29 × 0.01 in floating point; an end of a step is meant all the same."""
    model, options = cardan.load("four_bar"), COARSE[0]
    grid = np.linspace(0, 3, 301)
    ends = cardan.simulate(model, until=3.0, times=np.arange(301) * (3.0 / 300), **options)
    other = cardan.simulate(model, until=3.0, times=np.nextafter(grid, 0), **options)
    np.testing.assert_allclose(other.x, ends.x, rtol=1e-12, atol=1e-12)  # round-off of t times the velocity
