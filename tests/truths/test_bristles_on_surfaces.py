"""Bristles (LuGre friction) of points on surfaces, which turn with the normal, against equations of a particle.

The bristles are soft, 0.3/20 m long in steady sliding, so that their turning shows. Tolerances: runs at rtol 1e-10 and
atol 1e-12 with the stiff method, SciPy's DOP853 at 1e-12 and 1e-14 over seconds: 1e-8 of values of order 1.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from tests.truths.test_friction_on_surfaces import BOWL, MASS, SADDLE, SURFACES, G, bead
from tests.vectors import cross

pytestmark = pytest.mark.exhaustive


STIFF = {"method": "rodas5p", "rtol": 1e-10, "atol": 1e-12}
SCIPY = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
LOADED = {"type": "lugre", "coefficient": 0.3, "bristle": 20.0, "bristle_damping": 0.5, "viscous": 0.2}
GIVEN = {"type": "lugre", "effort": 6.0, "bristle": 400.0, "bristle_damping": 10.0, "viscous": 0.2}
BRISTLES = [f"surface.bristle{k}" for k in (1, 2, 3)]


def bristles(law, w, z, N):
    """ż without turning, and the force of friction, with the normal force N."""
    slides = law["coefficient"] if "coefficient" in law else law["effort"]
    bend = w - law["bristle"] * np.linalg.norm(w) * z / slides
    load = abs(N) if "coefficient" in law else 1.0
    return bend, -load * (law["bristle"] * z + law["bristle_damping"] * bend) - law["viscous"] * w


def ends(run, names):
    return np.concatenate([np.atleast_1d(run.array(name)[-1]) for name in names])


@pytest.mark.parametrize("law", [LOADED, GIVEN])
@pytest.mark.parametrize("surface", [BOWL, SADDLE])
def test_a_bead_on_a_curved_surface(surface, law):
    """m a = m g + N n + f, with n·a from the second derivative of the equation; ż = bend + (n × ṅ) × z."""
    gradient, hessian, place = SURFACES[surface]
    place, until = np.array(place), 1.0 if surface == BOWL else 0.6
    n = gradient(place) / np.linalg.norm(gradient(place))
    start = np.array([0.5, 1.5, 0])
    start[2] = -(start @ n) / n[2]

    def state(y):
        p, v, z = y[:3], y[3:6], y[6:9]
        g, H = gradient(p), hessian(p)
        n = g / np.linalg.norm(g)
        turn = (H @ v - n * (n @ H @ v)) / np.linalg.norm(g)
        N = MASS * (-(v @ H @ v) / np.linalg.norm(g) + G * n[2])
        bend, f = bristles(law, v, z, N)
        return n, N, f, bend + cross(cross(n, turn), z)

    def rates(t, y):
        n, N, f, bending = state(y)
        return [*y[3:6], *(N * n + f) / MASS - [0, 0, G], *bending]

    y = solve_ivp(rates, (0, until), [*place, *start, 0, 0, 0], **SCIPY).y[:, -1]
    given = {"free.x": place[0], "free.y": place[1], "free.z": {"guess": place[2]}}
    given |= {"free.vx.v": start[0], "free.vy.v": start[1]}
    run = cardan.simulate(bead(surface, law), until=until, initial=given, **STIFF)
    assert run.ok, run.message
    np.testing.assert_allclose(ends(run, ["bead.position", "bead.velocity", *BRISTLES]), y, rtol=0, atol=1e-8)
    n, N, f, _ = state(y)
    np.testing.assert_allclose(run.array("surface.friction_force")[-1], f, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.array("surface.force")[-1], f + N * n, rtol=0, atol=1e-6)
    assert run.array("surface.friction")[-1] == pytest.approx(f @ y[3:6] / np.linalg.norm(y[3:6]), abs=1e-6)
    if law is LOADED:
        assert run.array("surface.friction_limit")[-1] == pytest.approx(0.3 * abs(N), abs=1e-6)
    assert run.report.relative_energy_error < 1e-8


@pytest.mark.parametrize("law", [LOADED, GIVEN])
def test_in_a_cylinder_they_are_those_of_the_plane_into_which_it_unrolls(law):
    """Way s = R θ round the axis: m s̈ = −m g sin θ + f₁, m ÿ = f₂, N = m (g cos θ + ṡ²/R), ż as in a plane."""
    R = 1.5

    def rates(t, y):
        N = MASS * (G * np.cos(y[0] / R) + y[2] ** 2 / R)
        bend, f = bristles(law, y[2:4], y[4:6], N)
        return [*y[2:4], f[0] / MASS - G * np.sin(y[0] / R), f[1] / MASS, *bend]

    y = solve_ivp(rates, (0, 1.2), [0, 0, 3.0, 1.0, 0, 0], **SCIPY).y[:, -1]
    start = {"free.vx.v": 3.0, "free.vy.v": 1.0}
    run = cardan.simulate(bead("x**2 + (z - r)**2 - r**2", law), until=1.2, initial=start, **STIFF)
    assert run.ok, run.message
    angle = y[0] / R
    along = np.array([np.cos(angle), 0, np.sin(angle)])
    place = [R * np.sin(angle), y[1], R - R * np.cos(angle)]
    expected = np.concatenate([place, along * y[2] + [0, y[3], 0], along * y[4] + [0, y[5], 0]])
    np.testing.assert_allclose(ends(run, ["bead.position", "bead.velocity", *BRISTLES]), expected, rtol=0, atol=1e-8)
    assert abs(angle) > 0.2  # elsewhere the normal has not turned


@pytest.mark.parametrize("law", [LOADED, GIVEN])
def test_on_a_plane_that_tilts_the_bristles_tilt_with_it(law):
    """m (s̈ − s α̇²) = −m g sin α + f₁ up the slope α(t) = t/2, m ÿ = f₂, N = m (g cos α + 2 ṡ α̇)."""

    def normal_force(t, y):
        return MASS * (G * np.cos(t / 2) + 2 * y[2] * 0.5)

    def rates(t, y):
        bend, f = bristles(law, y[2:4], y[4:6], normal_force(t, y))
        return [*y[2:4], f[0] / MASS - G * np.sin(t / 2) + y[0] / 4, f[1] / MASS, *bend]

    y = solve_ivp(rates, (0, 1.0), [0.4, 0, 0.1, 0.3, 0, 0], **SCIPY).y[:, -1]
    start = {"free.x": 0.4, "free.vx.v": 0.1, "free.vy.v": 0.3}
    run = cardan.simulate(bead("z*cos(t/2) - x*sin(t/2)", law), until=1.0, initial=start, **STIFF)
    assert run.ok, run.message
    along, n = np.array([np.cos(0.5), 0, np.sin(0.5)]), np.array([-np.sin(0.5), 0, np.cos(0.5)])
    velocity = along * y[2] + n * y[0] / 2 + [0, y[3], 0]
    expected = np.concatenate([along * y[0] + [0, y[1], 0], velocity, along * y[4] + [0, y[5], 0]])
    np.testing.assert_allclose(ends(run, ["bead.position", "bead.velocity", *BRISTLES]), expected, rtol=0, atol=1e-8)
    f = bristles(law, y[2:4], y[4:6], normal_force(1.0, y))[1]
    np.testing.assert_allclose(run.array("surface.friction_force")[-1], along * f[0] + [0, f[1], 0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("law", [LOADED, GIVEN])
def test_a_bead_on_a_turntable(law):
    """In the axes of the table: m (v̇ + 2 Ω × v + Ω × (Ω × r)) = f, with the velocity v against the table."""
    turn = 2.0
    table = {"type": "revolute", "parent": "ground", "child": "table", "axis": "z"}
    model = bead(
        "z",
        law,
        parent="table",
        bodies={"table": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"turn": table},
        motions={"turn": f"{turn}*t"},
    )

    def rates(t, y):
        bend, f = bristles(law, y[2:4], y[4:6], MASS * G)
        turned = 2 * turn * np.array([y[3], -y[2]]) + turn**2 * y[:2]
        return [*y[2:4], *(f / MASS + turned), *bend]

    y = solve_ivp(rates, (0, 1.0), [0.5, 0, 0, 0, 0, 0], **SCIPY).y[:, -1]
    run = cardan.simulate(model, until=1.0, initial={"free.x": 0.5, "free.vy.v": 0.5 * turn}, **STIFF)
    assert run.ok, run.message
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    expected = np.concatenate([R @ y[:2], [0], y[4:6], [0]])
    np.testing.assert_allclose(ends(run, ["bead.position", *BRISTLES]), expected, rtol=0, atol=1e-8)


def test_formulations_agree_and_outputs_name_the_bends():
    model = bead(BOWL, LOADED, outputs={"bend": "surface.bristle1", "brake": "surface.friction"})
    found = cardan.verify(model)
    assert found.ok, [check for check in found.checks if not check.ok]
    run = cardan.simulate(model, until=0.1, initial={"free.vx.v": 0.5})
    np.testing.assert_array_equal(run.array("bend"), run.array("surface.bristle1"))
    np.testing.assert_array_equal(run.array("brake"), run.array("surface.friction"))
    assert run["bend"].attrs["units"] == "m"


def test_functions_have_the_bristles_of_steady_sliding():
    """μ N + σ₂ |v| against the velocity: on a flat plane at 2 m/s, N = m g."""
    dyn = cardan.compile(bead("z", LOADED))
    a = dyn.forward_dynamics([0, 0, 0, 1, 0, 0, 0], [2.0, 0, 0, 0, 0, 0], np.zeros(6))
    np.testing.assert_allclose(a[:3], [-(0.3 * MASS * G + 0.2 * 2) / MASS, 0, 0], rtol=0, atol=1e-9)
