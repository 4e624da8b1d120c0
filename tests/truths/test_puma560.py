"""The Puma 560 with its motors: inertia matrix, Coriolis efforts, gravity and inverse dynamics, to the digits printed.

Source: tables in petercorke/robotics-toolbox-python, tests/test_DHRobot.py (commit a9ed8d45), of the parameters of
Corke & Armstrong-Helouvry 1994. The tables include the rotors' inertia and the motors' friction. A motor's Coulomb
friction T is not part of a model; it is added here, |G| T at a joint that moves forward. The Coriolis *matrix* is not
unique, so its product with the velocities is compared.
"""

from pathlib import Path

import numpy as np
import pytest

import cardan

MODEL = Path(__file__).parent / "models" / "puma560.yaml"
Q = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
ONE, NONE = np.ones(6), np.zeros(6)
ROUNDING = 1e-4  # of four digits, and of the robot's parameters that were printed with three

COULOMB = np.abs([-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686]) * [
    0.395,
    0.126,
    0.132,
    0.0112,
    0.00926,
    0.00396,
]

GRAVITY = [0, 31.6399, 6.0351, 0, 0.0283, 0]
AT_REST = [3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133]
MOVING = [32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781]
NOT_ACCELERATED = [29.1421, 56.5044, 16.3528, 1.26448, 1.12392, 0.519648]
WEIGHTLESS = [32.4952, 29.2271, 11.7085, 1.45452, 1.27086, 0.713781]
INERTIA = [
    [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
    [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
    [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
    [-0.0025, 0, 0, 0.1925, 0, 0],
    [0, 0.0024, 0.0015, 0, 0.1713, 0],
    [0, 0, 0, 0, 0, 0.1941],
]
CORIOLIS = [
    [-0.1735, -2.0494, -0.1178, -0.0002, -0.0045, 0.0001],
    [0.6274, 1.1572, 1.9287, -0.0015, -0.0003, 0],
    [-0.3608, -0.7734, -0.0018, -0.0009, -0.0064, 0],
    [0.0011, 0.0005, -0.0001, 0.0002, 0.0002, -0.0001],
    [-0.0002, 0.0028, 0.0046, -0.0002, 0, 0],
    [0.0001, 0, 0, 0, 0, 0],
]
INERTIAL = [3.15, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823]
DRIVEN = {
    "v": [0.1, 0.2, 0.8, 0.2, 0.5, 1.0],
    "tau": [1.0, 3.2, 1.8, 0.1, 0.7, 4.6],
    "a": [-7.4102, -9.8432, -10.9694, -4.4314, -0.9881, 21.0228],
}


@pytest.fixture(scope="module")
def puma():
    """Compiled functions with the motors' rotors; no current flows."""
    return cardan.compile(cardan.load(MODEL), motors="full")


def assert_equal(value, expected, tolerance=ROUNDING):
    np.testing.assert_allclose(value, expected, atol=tolerance, rtol=0)


def test_gravity(puma):
    assert_equal(puma.inverse_dynamics(Q, NONE, NONE), GRAVITY)


def test_inverse_dynamics(puma):
    assert_equal(puma.inverse_dynamics(Q, NONE, ONE), AT_REST)
    assert_equal(puma.inverse_dynamics(Q, ONE, ONE) + COULOMB, MOVING)
    assert_equal(puma.inverse_dynamics(Q, ONE, NONE) + COULOMB, NOT_ACCELERATED)


def test_inverse_dynamics_without_gravity():
    free = cardan.compile(cardan.load(MODEL).replace(gravity=[0, 0, 0]), motors="full")
    assert_equal(free.inverse_dynamics(Q, ONE, ONE) + COULOMB, WEIGHTLESS)


def test_inertia_matrix(puma):
    assert_equal(puma.mass_matrix(Q), INERTIA)
    assert_equal(puma.mass_matrix(Q) @ [1, 2, 3, 1, 2, 3], INERTIAL)


def test_coriolis_efforts(puma):
    v = np.array([1, 2, 3, 1, 2, 3])
    assert_equal(puma.coriolis_matrix(Q, v) @ v, CORIOLIS @ v, ROUNDING / 2 * v.sum())  # of the rounded entries


def test_forward_dynamics(puma):
    v, tau, a = (np.array(DRIVEN[key]) for key in ("v", "tau", "a"))
    assert_equal(puma.forward_dynamics(Q, v, tau - COULOMB), a)
