"""Bristles (LuGre friction) under the load that the joint itself carries.

Tolerances: runs at rtol 1e-11 and atol 1e-13; what they are compared with is at 1e-11 from SciPy, or exact.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan

STIFF = {"method": "rodas5p", "rtol": 1e-11, "atol": 1e-13}
G = 9.81
LUGRE = {"type": "lugre", "coefficient": 0.2, "static": 0.3, "speed": "0.1 m/s", "viscous": "0.5 N*s/m"}
LUGRE |= {"bristle": "1e3 1/m", "bristle_damping": "6 s/m"}


def block(friction, **more):
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x", "friction": friction}
    return cardan.Model(gravity=[0, 0, -G], bodies={"block": {"mass": 2}}, joints={"slide": slide}, **more)


def test_under_a_constant_load_they_are_those_of_a_given_effort():
    """Friction over load times m g: all that has a unit of force scales with it."""
    N = 2 * G
    given = {"type": "lugre", "effort": 0.2 * N, "static": 0.3 * N, "speed": "0.1 m/s", "viscous": "0.5 N*s/m"}
    given |= {"bristle": 1e3 * N, "bristle_damping": 6 * N}
    inputs = {"motors": "none", "inputs": {"slide": "7*sin(3*t)"}, "times": np.linspace(0, 2, 41)}
    one, other = (cardan.simulate(block(law), **inputs, **STIFF) for law in (LUGRE, given))
    for name in ("slide.q", "slide.bristle", "slide.friction"):
        np.testing.assert_allclose(one.array(name), other.array(name), atol=1e-8, err_msg=name)
    # the given effort stores 1e3 N z²/2 in its bristles, which here counts as heat
    kept = 1e3 * N * other.array("slide.bristle") ** 2 / 2
    np.testing.assert_allclose(one.array("slide.heat"), other.array("slide.heat") + kept, atol=1e-8)
    assert one.report.relative_energy_error < 1e-9


def test_a_load_that_swings():
    """A block that a force presses and lifts: four equations from SciPy, N = 2 g + 8 sin(5 t)."""
    press = {"type": "force", "child": "block", "value": ["9*sin(3*t)", 0, "-8*sin(5*t)"]}
    run = cardan.simulate(block(LUGRE, forces={"press": press}), until=2.0, **STIFF)

    def rates(t, y):
        _, v, z, _ = y
        load = 2 * G + 8 * np.sin(5 * t)
        bend = v - 1e3 * abs(v) * z / (0.2 + 0.1 * np.exp(-((v / 0.1) ** 2)))
        force = (1e3 * z + 6 * bend) * load + 0.5 * v
        return [v, (9 * np.sin(3 * t) - force) / 2, bend, force * v]

    found = solve_ivp(rates, (0, 2.0), [0, 0, 0, 0], rtol=1e-12, atol=1e-14, method="LSODA").y[:, -1]
    for name, expected in zip(("slide.q", "slide.v", "slide.bristle", "slide.heat"), found, strict=True):
        assert run.array(name)[-1] == pytest.approx(expected, abs=1e-8)


def test_a_pendulum_on_a_pin_whose_load_follows_the_motion():
    """J θ̈ = −m g L sin θ − r s R(θ̈) with the friction over load s: solved for θ̈ at each instant."""
    m, L, J, r = 3.0, 0.4, 0.05 + 3 * 0.4**2, 0.05
    law = {"type": "lugre", "coefficient": 0.3, "radius": r, "bristle": 200, "bristle_damping": "0.5 s"}
    body = {"mass": m, "com": [0, 0, -L], "inertia": [0.05, 0.05, 0.05]}
    pin = {"type": "revolute", "parent": "ground", "child": "arm", "axis": [0, -1, 0], "friction": law}
    model = cardan.Model(gravity=[0, 0, -G], bodies={"arm": body}, joints={"pin": pin})
    run = cardan.simulate(model, until=1.5, initial={"pin": 1.2}, **STIFF)

    def rates(t, y):
        theta, w, z = y
        bend = w - 200 * abs(w) * z / 0.3
        over_load = 200 * z + 0.5 * bend

        def gap(a):
            load = np.hypot(m * L * a + m * G * np.sin(theta), m * L * w**2 + m * G * np.cos(theta))
            return J * a + m * G * L * np.sin(theta) + r * over_load * load

        return [w, brentq(gap, -500, 500, xtol=1e-14, rtol=1e-15), bend]

    found = solve_ivp(rates, (0, 1.5), [1.2, 0, 0], rtol=1e-12, atol=1e-14, method="LSODA").y[:, -1]
    for name, expected in zip(("pin.q", "pin.v", "pin.bristle"), found, strict=True):
        assert run.array(name)[-1] == pytest.approx(expected, abs=1e-7)  # brentq's round-off


def test_functions_have_the_bristles_of_steady_sliding():
    """At 0.2 m/s: (0.2 + 0.1 exp(−4)) m g + 0.5 N s/m · 0.2 m/s."""
    force = (0.2 + 0.1 * np.exp(-4)) * 2 * G + 0.1
    functions = cardan.compile(block(LUGRE))
    assert functions.inverse_dynamics([0.0], [0.2], [0.0])[0] == pytest.approx(force, rel=1e-12)
    assert functions.forward_dynamics([0.0], [-0.2], [0.0])[0] == pytest.approx(force / 2, rel=1e-12)
    run = cardan.kinetostatics(block(LUGRE, motions={"slide": "0.2*t"}), times=[1.0], motors="none")
    assert run.array("slide.effort")[0] == pytest.approx(force, rel=1e-6)  # bristles reach their bend within 1e-6
