"""Bond graphs of the gallery against equations that a hand writes from the laws of their elements.

Source of the graphs: Karnopp, Margolis & Rosenberg 2012, ch. 4 and 5. References are NumPy and SciPy alone, with the
numbers of the files; both sides are integrated to 1e-12, and 1e-9 of the largest value leaves room for the errors of
some thousand steps.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import cardan

TOLERANCES = {"rtol": 1e-12, "atol": 1e-14}
CLOSE = 1e-9


def same(run, name, expected):
    """Whether a result is the expected one at all instants."""
    assert run.ok
    assert run[name].values == pytest.approx(expected, rel=0, abs=CLOSE * np.abs(expected).max())


def solved(law, start, t):
    return solve_ivp(law, (t[0], t[-1]), start, method="DOP853", t_eval=t, rtol=1e-13, atol=1e-15).y


def test_a_motor_with_a_flexible_shaft():
    """x = (i, ω1, θ, ω2) under a constant voltage: x(t) = A⁻¹ (exp(A t) − 1) b."""
    k, Ra, La, Jm, Jl, ks, ds, dl = 0.1, 0.5, 2e-3, 2e-4, 1e-3, 3.0, 2e-3, 1e-3
    A = np.array([
        [-Ra / La, -k / La, 0, 0],
        [k / Jm, -ds / Jm, -ks / Jm, ds / Jm],
        [0, 1, 0, -1],
        [0, ds / Jl, ks / Jl, -(ds + dl) / Jl],
    ])  # fmt: skip
    t = np.linspace(0, 0.5, 41)
    x = np.array([np.linalg.solve(A, (expm(A * at) - np.eye(4)) @ [24 / La, 0, 0, 0]) for at in t]).T
    run = cardan.simulate(cardan.load("motor_flexible_shaft"), times=t, **TOLERANCES)
    for name, expected in zip(("current", "motor_speed", "drive.shaft.x", "load_speed"), x, strict=True):
        same(run, name, expected)
    same(run, "shaft_torque", ks * x[2])


def test_a_quarter_car_over_a_bump():
    """Newton's law of wheel and body over a road h/2 (1 − cos 2πs/l), from the rest under their weight."""
    mb, mw, kb, db, kw, height, length, speed = 240.0, 36.0, 16e3, 980.0, 160e3, 0.05, 5.0, 10.0

    def law(t, x):
        zw, zb, vw, vb = x  # from the position at rest
        s = speed * t
        road = 0.5 * height * (1 - np.cos(2 * np.pi * s / length)) if s < length else 0.0
        strut = kb * (zw - zb) + db * (vw - vb)
        return [vw, vb, (kw * (road - zw) - strut) / mw, strut / mb]

    t = np.linspace(0, 3, 61)
    end = int(np.flatnonzero(np.isclose(t, length / speed))[0])  # an instant of the list
    first = solved(law, np.zeros(4), t[: end + 1])
    x = np.hstack([first, solved(law, first[:, -1], t[end:])[:, 1:]])
    run = cardan.simulate(cardan.load("quarter_car"), times=t, **TOLERANCES)
    same(run, "car.m2.flow", x[3])
    same(run, "car.m1.flow", x[2])
    same(run, "body_acceleration", (kb * (x[0] - x[1]) + db * (x[2] - x[3])) / mb)
    same(run, "travel", x[0] - x[1])


def test_a_boom_on_a_hydraulic_cylinder():
    """J φ̈ = F ∂s/∂φ − m g L/2 cos φ − d φ̇ with the length s of the cylinder, V̇ = Q − leak − A ṡ of the oil."""
    g, L, m, area, supply, stiffness, p0, leak, d = 9.81, 1.6, 50.0, 2e-3, 80e5, 3e11, 1e4, 2e12, 400.0
    k = 0.62 * 1e-6 * np.sqrt(2 / 870)
    foot = np.array([0.2, -0.5])

    def lever(phi):
        eye = 0.5 * np.array([np.cos(phi), np.sin(phi)])
        line = eye - foot
        return line @ (0.5 * np.array([-np.sin(phi), np.cos(phi)])) / np.linalg.norm(line)  # ∂s/∂φ

    def law(t, x):
        phi, rate, volume = x
        p, arm = stiffness * volume, lever(phi)
        drop = supply - p
        flow = k * drop / (drop**2 + p0**2) ** 0.25
        moment = area * p * arm - m * g * L / 2 * np.cos(phi) - d * rate
        return [rate, moment / (m * L**2 / 3), flow - p / leak - area * arm * rate]

    t = np.linspace(0, 1.5, 31)
    phi, rate, volume = solved(law, [0, 0, 1.5e-6], t)
    run = cardan.simulate(cardan.load("hydraulic_boom"), times=t, **TOLERANCES)
    same(run, "pivot.q", phi)
    same(run, "pivot.v", rate)
    same(run, "pressure", stiffness * volume)
    same(run, "height", L * np.sin(phi))
