"""Friction that follows the load in several joints that move only together: they slide, come to rest and hold together.

The comparisons are equations of Newton and Euler of the single bodies, solved by SciPy with signs from event to event.
While such joints stick, all use the same part of what they could hold, and the hand-written statics has this part as
its unknown. Tolerances: runs at rtol 1e-10 over some ten events; comparisons at 1e-11.
"""

import numpy as np
import pytest
from scipy.optimize import fsolve

import cardan
from tests.truths.rubbing_mechanisms import L1, L2, G, ladder, slider_crank

FINE = {"rtol": 1e-10, "atol": 1e-12}
R = 0.02
MASSES, INERTIAS = (1.0, 1.0, 0.5), (0.02, 0.03)
NAMES = ("crank", "pin", "wrist", "slide")


def root(equations, guess):
    """Solution to the last digits, where MINPACK reports that it makes no more progress."""
    return fsolve(equations, guess, xtol=1e-14, full_output=True)[0]


def test_a_ladder_holds_up_to_the_angle_of_the_textbook():
    """Floor and wall are at their limits together at tan θ = (1 − μ ν)/(2 μ)."""
    mu, nu = 0.3, 0.2
    steepest = np.arctan((1 - mu * nu) / (2 * mu))
    for off in (1e-8, -1e-8):
        run = cardan.simulate(ladder(steepest + off, mu, nu), until=0.2, **FINE)
        assert run.ok, run.message
        assert {event.name for event in run.events} == (set() if off > 0 else {"level", "wall"})
        assert all(event.t == 0 for event in run.events)
        for name in ("level", "wall"):
            part = run[f"{name}.friction"].values[0] / run[f"{name}.friction_limit"].values[0]
            assert abs(part) == pytest.approx(1, abs=1e-7)
            assert run[f"{name}.friction"].attrs["unique"] == "no"
    run = cardan.simulate(ladder(steepest + 0.1, mu, nu), until=1000.0)
    assert np.ptp(run["free.x.q"].values) < 1e-9  # motions of points come to zero by projection: round-off creeps
    parts = [
        abs(run[f"{name}.friction"].values[-1]) / run[f"{name}.friction_limit"].values[-1] for name in ("level", "wall")
    ]
    assert parts[0] == pytest.approx(parts[1], abs=1e-12)
    assert parts[0] < 0.9


def speeds(q, w):
    """Velocities of the four joints, the crank turning at w."""
    lean = np.arcsin(-L1 * np.sin(q) / L2)
    turn = -L1 * np.cos(q) * w / (L2 * np.cos(lean))
    return np.array([w, turn - w, -turn, -L1 * np.sin(q) * w - L2 * np.sin(lean) * turn])


def cross(r, F):
    return r[0] * F[1] - r[1] * F[0]


def unbalanced(q, w, a, forces, parts, laws, torque=0.0, gravity=G):
    """What is left of the equations of three bodies; friction of each joint is its part of coefficient × load + effort.

    `forces` are those of crank, pin and wrist on their children, and the normal force of the slide.
    """
    A, B, C, N = forces[0:2], forces[2:4], forces[4:6], forces[6]
    lean = np.arcsin(-L1 * np.sin(q) / L2)
    e1, e2 = np.array([np.cos(q), np.sin(q)]), np.array([np.cos(lean), np.sin(lean)])
    n1, n2 = np.array([-e1[1], e1[0]]), np.array([-e2[1], e2[0]])
    turn = -L1 * e1[0] * w / (L2 * e2[0])
    bend = (L2 * e2[1] * turn**2 - L1 * (e1[0] * a - e1[1] * w**2)) / (L2 * e2[0])
    at_B, along = L1 * (n1 * a - e1 * w**2), L2 * (n2 * bend - e2 * turn**2)
    (c, f), g = laws, np.array([0, -gravity])
    pins = [parts[i] * (c[i] * R * np.hypot(*F) + f[i]) for i, F in enumerate((A, B, C))]
    guide = parts[3] * (c[3] * abs(N) + f[3])
    m1, m2, m3 = MASSES
    return [
        *(A - B + m1 * g - m1 * at_B / 2),
        *(B - C + m2 * g - m2 * (at_B + along / 2)),
        torque + pins[0] - pins[1] - cross(L1 / 2 * e1, A) - cross(L1 / 2 * e1, B) - INERTIAS[0] * a,
        pins[1] - pins[2] - cross(L2 / 2 * e2, B) - cross(L2 / 2 * e2, C) - INERTIAS[1] * bend,
        C[0] + guide - m3 * (at_B + along)[0],
        C[1] + N - m3 * gravity,
    ]


PIN = {"coefficient": 0.2, "radius": R}
LAWS = {"crank": PIN, "pin": PIN, "wrist": PIN, "slide": {"coefficient": 0.2}}


@pytest.mark.parametrize("way", [1, -1])
def test_it_breaks_away_where_all_limits_are_used_up(way):
    """At the torque of impending sliding of the statics; then all joints slide, each its own way."""
    q = np.radians(40)
    forward = np.sign(speeds(q, 1.0))
    found = root(lambda u: unbalanced(q, 0, 0, u[1:], -way * forward, ([0.2] * 4, [0] * 4), u[0]), np.ones(8))
    model = slider_crank(LAWS, {"crank": q}, inputs={"crank": "1.5 + growth*t"}, parameters={"growth": 1.0})
    run = cardan.simulate(model, until=0.15, parameters={"growth": 5.0 * way}, **FINE)
    assert run.ok, run.message
    assert [event.name for event in run.events] == list(NAMES)
    starts = {event.name: event.did for event in run.events}
    assert starts == {
        name: "slides forwards" if side * way > 0 else "slides backwards"
        for name, side in zip(NAMES, forward, strict=True)
    }
    assert [event.t for event in run.events] == pytest.approx([way * (found[0] - 1.5) / 5] * 4, abs=1e-9)
