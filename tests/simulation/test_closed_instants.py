"""Every returned instant satisfies the constraints, however coarse the steps are."""

import numpy as np
import pytest
from tests.truths.four_bars import four_bars

import cardan
from cardan.codegen.callables import gradual
from cardan.functions.system_functions import functions_of

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


@every_method
def test_nor_do_those_that_pass_singular_positions(options):
    """The links of this one come into line, where two branches meet and a projection can turn the velocities."""
    run = cardan.simulate(four_bars(1), times=np.linspace(0, 5, 777), embed=False, **options)
    assert run.passages
    assert run.report.constraint_violation <= CLOSED


def test_instants_on_the_step_grid_are_the_ends_of_steps():
    """0.29 is not 29 × 0.01 in floating point; an end of a step is meant all the same."""
    model, options = cardan.load("four_bar"), COARSE[0]
    grid = np.linspace(0, 3, 301)
    ends = cardan.simulate(model, until=3.0, times=np.arange(301) * (3.0 / 300), **options)
    other = cardan.simulate(model, until=3.0, times=np.nextafter(grid, 0), **options)
    np.testing.assert_allclose(other.x, ends.x, rtol=1e-12, atol=1e-12)  # round-off of t times the velocity


@pytest.mark.parametrize("options", [{}, *COARSE], ids=lambda options: options.get("method", "auto"))
def test_instants_projected_side_by_side_are_those_projected_alone(options, monkeypatch):
    """Also where a group of them comes near a singular position, and is projected one by one."""
    given = {"times": np.linspace(0, 5, 777), "embed": False, **options}
    alone = cardan.simulate(four_bars(1), **given)
    functions_of.cache_clear()
    monkeypatch.setattr(gradual, "PAYS", 0)
    cardan.simulate(cardan.load("four_bar"))  # another model, so that the setup is made again below
    together = cardan.simulate(four_bars(1).replace(name="again"), **given)
    assert together.passages
    # round-off of velocities of 10 rad/s over the square of the distance from the singular position, 0.1 at least: the
    # programs for one and for several differ in which products they fuse
    np.testing.assert_allclose(together.x, alone.x, rtol=0, atol=1e-12)
    assert together.report.constraint_violation <= CLOSED
