"""The door of the gallery against its one equation of motion, put together from event to event.

M(θ) θ̈ + M′ θ̇²/2 + V′ = Q with the angle φ(θ) of the closer's arm from the triangle of arm, forearm and bracket.
Tolerances: runs at rtol 1e-10 and atol 1e-12, SciPy at 1e-12; some seconds of motion that is braked.
"""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan

PLAY = np.pi / 180
BRAKES = {"sweep": 36.0, "latching": 18.0}


def reduced():
    """Functions of θ: M, M′, V′, φ′."""
    th = ca.SX.sym("theta")
    S = ca.vertcat(0.2 * ca.cos(th) - 0.06 * ca.sin(th), 0.2 * ca.sin(th) + 0.06 * ca.cos(th))
    way = ca.vertcat(0.45, 0.06) - S
    d = ca.norm_2(way)
    arm = ca.atan2(way[1], way[0]) + ca.acos((0.28**2 + d**2 - 0.32**2) / (2 * 0.28 * d))
    elbow = S + 0.28 * ca.vertcat(ca.cos(arm), ca.sin(arm))
    rest = ca.vertcat(0.45, 0.06) - elbow
    forearm = ca.atan2(rest[1], rest[0])
    middle = S + 0.14 * ca.vertcat(ca.cos(arm), ca.sin(arm)), elbow + 0.5 * rest
    speed = [ca.jacobian(each, th) for each in (*middle, arm, forearm)]
    M = (
        32 * 0.9**2 / 3
        + 0.4 * (ca.sumsqr(speed[0]) + ca.sumsqr(speed[1]))
        + 0.003 * speed[2] ** 2
        + 0.004 * speed[3] ** 2
    )
    phi = arm - th
    V = 0.5 * 4 * (phi - np.deg2rad(274)) ** 2
    return ca.Function("reduced", [th], [M, ca.jacobian(M, th), ca.jacobian(V, th), ca.jacobian(phi, th)])


def moved(parts, t, y, brake, torque, way, at):
    """Instant and state at which `at`(θ, θ̇) falls through zero, with friction against the `way`."""

    def rates(t, y):
        M, dM, dV, slope = (float(part) for part in parts(y[0]))
        brake_now = brake if slope * y[1] > 1e-3 else 2.0
        Q = torque - 0.5 * way - brake_now * slope**2 * y[1]
        return [y[1], (Q - dV - 0.5 * dM * y[1] ** 2) / M]

    def event(t, y):
        return at(*y)

    event.terminal = True
    event.direction = -1
    found = solve_ivp(rates, (t, t + 9), y, events=event, rtol=1e-12, atol=1e-13, method="DOP853", first_step=1e-6)
    return found.t[-1], found.y[:, -1]


def test_the_door_closes_latches_and_bounces():
    run = cardan.simulate(cardan.load("door_closer"), until=5, rtol=1e-10, atol=1e-12)
    parts = reduced()
    t, y = 0.0, [np.pi / 2, 0.0]
    t, y = moved(parts, t, y, BRAKES["sweep"], 0, -1, lambda q, v: q - 15 * PLAY)
    t, y = moved(parts, t, y, BRAKES["latching"], 0, -1, lambda q, v: q - 3 * PLAY)
    t, y = moved(parts, t, y, BRAKES["latching"], 4, -1, lambda q, v: q - PLAY)
    snaps = t
    t, y = moved(parts, t, y, BRAKES["latching"], 0, -1, lambda q, v: q)
    meets, speed = t, y[1]
    t, y = moved(parts, t, [0.0, -0.1 * speed], BRAKES["latching"], 0, 1, lambda q, v: v)
    turns = t
    t, y = moved(parts, t, y, BRAKES["latching"], 0, -1, lambda q, v: q)
    again = t
    found = [(event.name, event.did) for event in run.events[1:5]]
    meeting = ("hinge", "meets its lower stop")
    assert found == [("snaps_in", "set latched: 1"), meeting, ("hinge", "reverses"), meeting]
    np.testing.assert_allclose([event.t for event in run.events[1:5]], [snaps, meets, turns, again], rtol=0, atol=1e-8)
    k = int(np.searchsorted(run.t, meets))
    assert run["hinge.v"].values[k + 1] == pytest.approx(-0.1 * speed, rel=1e-6)
    slope = float(parts(0)[3])
    spring = 4 * (np.deg2rad(274) - run["spindle.q"].values[-1])
    assert run["hinge.stop_force"].values[-1] == pytest.approx(-slope * spring, rel=1e-9)
    assert 18 < run["hinge.stop_force"].values[-1] < 37  # size 3 to 5 of EN 1154
    assert run["hinge.friction"].values[-1] == 0.0
    assert run.report.relative_energy_error < 1e-9


def test_the_bolt_holds_the_door_in_a_gust():
    run = cardan.simulate(cardan.load("door_closer"), rtol=1e-9, atol=1e-11)
    gust = (run.t > 9) & (run.t < 9.6)
    assert run["hinge.q"].values[gust].max() < 1.8 * PLAY
    assert run["hinge.stop"].values[-1] == -1
    assert run["edge_y"].values[-1] == pytest.approx(0, abs=1e-12)
