"""A slider that rubs and starts at rest exactly at its dead centre, where nothing that it could do holds the crank.

The comparison is the equation of the slider-crank in the crank angle q: with the velocities b of the rod and g of the
slider per velocity of the crank, m = 0.14 + 0.1 b² + g² and m q̈ + m' q̇²/2 = T − F |g|. The centre of mass of the rod
is at the pin of the crank; its turning gives the force f across the guide, the load of its friction.

Tolerances: runs at rtol 1e-10 and atol 1e-12, SciPy at 1e-11 and 1e-13.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from tests.contracts.contact_contract import RUN
from tests.selection import each
from tests.truths.rubbing_mechanisms import spatial_slider_crank as slider_crank


def turn(q):
    return -np.cos(q) / np.sqrt(9 - np.sin(q) ** 2)


def slide(q):
    return -0.2 * np.sin(q) + 0.2 * np.sin(q) * turn(q)


def rates(torque, effort, coefficient):
    """(t, (q, q̇, heat)) → their rates while the slider slides and the crank turns forwards."""

    def of(t, state):
        q, w, _ = state
        b, g = turn(q), slide(q)
        db, dg = turn(q + 1e-30j).imag / 1e-30, slide(q + 1e-30j).imag / 1e-30
        x, y = 0.6 * np.sqrt(1 - np.sin(q) ** 2 / 9), -0.2 * np.sin(q)
        mass, bent, way = 0.14 + 0.1 * b**2 + g**2, (0.1 * b * db + g * dg) * w**2, np.sign(g)
        for sign in (1, -1):  # of f: the rod has 0.1 β̈ = y f_x − x f with f_x = s̈ + way (effort + coefficient |f|)
            rubs = coefficient * sign * way
            a, f = np.linalg.solve(
                [[mass, g * rubs], [0.1 * b - y * g, x - y * rubs]],
                [torque(t) - bent - effort * abs(g), (y * dg - 0.1 * db) * w**2 + y * effort * way],
            )
            if f * sign >= 0:
                return [w, a, (effort + coefficient * abs(f)) * abs(g * w)]
        raise AssertionError("no force fits")

    return of


@each("law, effort, coefficient", [({"effort": 3.0, "static": 4.0}, 3, 0), ({"coefficient": 0.3}, 0, 0.3)])
@each("push, torque", [("2*t", lambda t: 2 * t), ("0.5", lambda t: 0.5)])
def test_it_slides_at_once_and_the_crank_keeps_its_speed(law, effort, coefficient, push, torque):
    model = slider_crank("prismatic", law, {"crank": 0.0}, push)
    run = cardan.simulate(model, times=np.array([0, 1e-4, 1e-3, 1e-2, 1.0]), **RUN)
    assert run.ok, run.message
    found = solve_ivp(rates(torque, effort, coefficient), (0, 1.0), [0, 0, 0], "DOP853", t_eval=run.t,
                      rtol=1e-11, atol=1e-13)  # fmt: skip
    assert [(event.name, event.did) for event in run.events] == [("slide", "slides backwards")]
    assert run.events[0].t < 1e-3  # until then it holds what is less than round-off of the forces in the mechanism
    np.testing.assert_allclose(run.array("crank.q"), found.y[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.array("crank.v"), found.y[1], rtol=0, atol=1e-8)
    assert run.array("slide.heat")[-1] == pytest.approx(found.y[2, -1], rel=1e-7)
    assert run.report.relative_energy_error < 1e-9
