"""Two controlled mechanisms of the gallery against closed loops written down by hand.

The mechanisms are those of Hoang & Vuong, sections 3.1 and 3.2, with equations (29)-(36); the controllers are PID
control of each joint, and feedback of the measured sway angle.
"""

import numpy as np
import pytest

import cardan
from tests.truths import test_overhead_crane as crane
from tests.truths.references import reference

TOLERANCE = 1e-8  # of each state's size, 1 at least: what the project promises; the reference's own error is 3e-11
TIGHT = {"dop853": (1e-12, 1e-13), "rodas5p": (1e-11, 1e-12)}
"""Relative and absolute tolerance of a run; the stiff method is of order 5, and its steps grow many below these."""

M1, M2, L1, L2, A1, A2, I1, I2 = 2, 1.5, 0.5, 0.4, 0.25, 0.2, 1 / 24, 0.02  # SI, as in the gallery's file
D1, D2, G = 0.5, 0.4, 9.81
R, IM, DM, KM, KE, RA, LA = 10, 1e-3, 0.1, 1, 0.1, 1, 1e-3
TARGETS, T = np.deg2rad([30, 45]), 0.15
KP, KI, KD = np.array([40, 20]), np.array([80, 40]), np.array([2, 0.5])

GOAL, T_GOAL, T_SENSOR, K_P, K_I, K_S = 1, 0.5, 0.02, 120, 4, 200


def arm(q, v, i):
    """Accelerations of the arm by (35) and (36) with both rotors, under the currents i."""
    c, s = np.cos(q[1]), np.sin(q[1])
    M22 = I2 + M2 * A2**2
    M12 = M22 + M2 * L1 * A2 * c
    M11 = I1 + M1 * A1**2 + M22 + M2 * (L1**2 + 2 * L1 * A2 * c)
    M = np.array([[M11, M12], [M12, M22]]) + R**2 * IM * np.eye(2)
    h = M2 * L1 * A2 * s * np.array([-v[1] * (2 * v[0] + v[1]), v[0] ** 2])
    g2 = M2 * G * A2 * np.cos(q[0] + q[1])
    g = np.array([(M1 * A1 + M2 * L1) * G * np.cos(q[0]) + g2, g2])
    return np.linalg.solve(M, R * KM * i - (np.array([D1, D2]) + R**2 * DM) * v - h - g)


def controlled_arm(motors):
    """Closed loop of the arm: x = (q, v, i, references, integrals of errors), without i where motors are simplified."""
    first = 6 if motors == "full" else 4

    def rates(t, x):
        q, v, refs, integrals = x[:2], x[2:4], x[first : first + 2], x[first + 2 :]
        u = KP * (refs - q) + KI * integrals - KD * v
        i = x[4:6] if motors == "full" else (u - KE * R * v) / RA
        circuit = (u - RA * i - KE * R * v) / LA if motors == "full" else []
        return np.array([*v, *arm(q, v, i), *circuit, *((TARGETS - refs) / T), *(refs - q)])

    return rates, [-np.pi / 2, 0, 0, 0, *[0] * (first - 4), -np.pi / 2, 0, 0, 0]


def controlled_crane(motors):
    """Closed loop of the crane by (33) or (34): x = (q, v, i, goal, e, sway), without i where motors are simplified."""
    first = 5 if motors == "full" else 4
    r, mass = R / crane.RW, crane.MT + crane.MP + (R / crane.RW) ** 2 * IM
    damping = crane.D1 + DM * r**2

    def rates(t, x):
        travel, swing, v, w = x[:4]
        goal, e, sway = x[first:]
        u = K_P * (goal - travel) + K_I * e + K_S * sway
        i = x[4] if motors == "full" else (u - KE * r * v) / RA
        c, s = np.cos(swing), np.sin(swing)
        # the rope's equation, L ẅ + c v̇ = −g s, put into the trolley's
        a = (r * KM * i - damping * v + crane.MP * s * (crane.L * w**2 + G * c)) / (mass - crane.MP * c**2)
        circuit = [(u - RA * i - KE * r * v) / LA] if motors == "full" else []
        memory = (GOAL - goal) / T_GOAL, goal - travel, (swing - sway) / T_SENSOR
        return np.array([v, w, a, -(G * s + c * a) / crane.L, *circuit, *memory])

    return rates, np.zeros(first + 3)


LOOPS = {
    "planar_manipulator_controlled": (controlled_arm, np.linspace(0, 2, 41)),
    "overhead_crane_antisway": (controlled_crane, np.linspace(0, 4, 41)),
}
EXPECTED = {}


def expected(name, motors):
    """States of a closed loop by the hand-written equations."""
    if (name, motors) not in EXPECTED:
        make, times = LOOPS[name]
        EXPECTED[name, motors] = reference(*make(motors), times)
    return EXPECTED[name, motors]


@pytest.mark.parametrize(("motors", "method"), [("full", "dop853"), ("simplified", "rodas5p")])
@pytest.mark.parametrize("name", LOOPS)
def test_the_closed_loop_is_the_one_by_hand(name, motors, method):
    rtol, atol = TIGHT[method]
    times = LOOPS[name][1]
    run = cardan.simulate(cardan.load(name), times=times, motors=motors, method=method, rtol=rtol, atol=atol)
    assert run.ok, run.message
    size = np.maximum(np.abs(expected(name, motors)).max(axis=0), 1)
    np.testing.assert_allclose(run.x / size, expected(name, motors) / size, rtol=0, atol=TOLERANCE)
    assert run.report.energy_error < 1e-8 * run.report.energy_scale


def test_the_arm_reaches_its_targets():
    run = cardan.simulate(cardan.load("planar_manipulator_controlled"), until=6)
    np.testing.assert_allclose(run.x[-1, :2], TARGETS, atol=1e-4)
    load = [(M1 * A1 + M2 * L1) * G * np.cos(TARGETS[0]), 0] + M2 * G * A2 * np.cos(sum(TARGETS)) * np.ones(2)
    np.testing.assert_allclose(run.x[-1, 4:6], load / (R * KM), atol=1e-3)  # currents that hold the weight


def test_feedback_of_the_angle_damps_the_sway():
    """Without it the load swings on; with it, less than a tenth is left after the trolley has arrived."""
    model = cardan.load("overhead_crane_antisway")
    swings = [
        np.abs(cardan.simulate(model, parameters={"ks": ks}, times=np.linspace(5, 6, 101)).array("swing.q")).max()
        for ks in (0, K_S)
    ]
    assert swings[1] < 0.1 * swings[0]
