"""Motors and gears: power and torques against works, closed forms and the mechanism without motors."""

import warnings

import numpy as np
import pytest

import cardan
from tests.selection import each

TIMES = np.linspace(0, 1, 4001)


@pytest.fixture(scope="module")
def load():
    """Loads a mechanism of the gallery whose motors create power."""

    def quietly(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cardan.ModelWarning)
            return cardan.load(name)

    return quietly


def integral(rate):
    """Integral over `TIMES` by Simpson's rule."""
    weights = np.full(len(TIMES), 2.0)
    weights[1::2], weights[0], weights[-1] = 4.0, 1.0, 1.0
    return weights @ rate * (TIMES[1] - TIMES[0]) / 3


@each("motors", ["full", "simplified"])
@each("name", ["overhead_crane", "planar_manipulator"])
def test_the_gear_drives_the_mechanism_without_motors(load, name, motors):
    """τ2 are the efforts that inverse dynamics asks for; a joint without a motor needs none."""
    model = load(name)
    run = cardan.simulate(model, times=np.linspace(0, 0.5, 11), motors=motors, rtol=1e-10, atol=1e-12)
    nq = len(model.joints)
    q, v = run.x[:, :nq], run.x[:, nq : 2 * nq]
    a = np.stack([run.array(f"{joint}.a") for joint in model.joints], axis=1)
    tau = cardan.compile(model, "none").inverse_dynamics(q, v, a)
    driven = {motor.joint: name for name, motor in model.motors.items()}
    for k, joint in enumerate(model.joints):
        expected = run.array(f"{driven[joint]}.output_torque") if joint in driven else 0
        size = np.max(np.abs(run.array(f"{joint}.effort"))) + np.max(np.abs(tau))
        np.testing.assert_allclose(tau[:, k], expected, rtol=0, atol=1e-12 * size)  # round-off of the accelerations


def test_the_crane_in_closed_form(load):
    """τ2 = (mt + mp) ẍ + mp l (θ̈ cos θ − θ̇² sin θ) + d1 ẋ; τ2 = (r/rw) τ1; ω = (r/rw) ẋ."""
    run = cardan.simulate(load("overhead_crane"), times=np.linspace(0, 1, 21))
    x_v, th, th_v = (run.array(name) for name in ("travel.v", "swing.q", "swing.v"))
    x_a, th_a = run.array("travel.a"), run.array("swing.a")
    expected = 2.85 * x_a + 0.85 * 0.7 * (th_a * np.cos(th) - th_v**2 * np.sin(th)) + 2 * x_v
    np.testing.assert_allclose(run.array("drive.output_torque"), expected, rtol=0, atol=1e-9)  # 400 N of the motor
    np.testing.assert_allclose(400 * run.array("drive.input_torque"), run.array("drive.output_torque"), rtol=1e-14)
    np.testing.assert_allclose(run.array("drive.speed"), 400 * x_v, rtol=1e-14)
    np.testing.assert_array_equal(run.array("drive.power"), 10 * run.array("drive.current"))
    units = {name: run[f"drive.{name}"].attrs["units"] for name in ("speed", "input_torque", "output_torque", "power")}
    assert units == {"speed": "rad/s", "input_torque": "N*m", "output_torque": "N", "power": "W"}


def test_powers_of_terminals_rotor_gear_and_joint(load):
    """∫ u i = R ∫ i² + ½ La i² + ∫ Ke ω i;  ∫ τ0 ω = ½ Im ω² + ∫ dm ω² + ∫ τ1 ω;  ∫ τ2 ẋ = T + Π + ∫ d1 ẋ²."""
    model = load("overhead_crane")
    run = cardan.simulate(model, times=TIMES, rtol=1e-11, atol=1e-13, max_step=1e-3)
    i, w, v = (run.array(name) for name in ("drive.current", "drive.speed", "travel.v"))
    tau_0, tau_1, tau_2 = (run.array(f"drive.{name}") for name in ("torque", "input_torque", "output_torque"))
    work = integral(run.array("drive.power"))
    tolerance = 1e-6 * work  # Simpson's rule: (h/T)⁴/180 with the electrical time constant T of 1 ms
    assert run.array("work.input")[-1] == pytest.approx(work, abs=tolerance)
    assert integral(i**2) + 0.5 * 1e-3 * i[-1] ** 2 + 0.1 * integral(w * i) == pytest.approx(work, abs=tolerance)
    rotor = 0.5 * 1e-3 * w[-1] ** 2 + 0.1 * integral(w**2) + integral(tau_1 * w)
    assert integral(tau_0 * w) == pytest.approx(rotor, abs=tolerance)
    np.testing.assert_allclose(tau_1 * w, tau_2 * v, rtol=1e-13)
    bare = cardan.compile(model, "none")
    kinetic, potential = bare.energy(run.x[:, :2], run.x[:, 2:4])
    stored = kinetic + potential
    assert integral(tau_2 * v) == pytest.approx(stored[-1] - stored[0] + 2 * integral(v**2), abs=tolerance)


def test_a_rotor_that_rides_on_a_link_turns_with_it(load):
    """τ1 = Km i − dm r q̇2 − Im (r q̈2 + q̈1) of the motor on link 1."""
    run = cardan.simulate(load("planar_manipulator_mounted"), times=np.linspace(0, 0.5, 11))
    i, v, a1, a2 = (run.array(name) for name in ("motor2.current", "elbow.v", "shoulder.a", "elbow.a"))
    expected = i - 0.1 * 10 * v - 1e-3 * (10 * a2 + a1)
    np.testing.assert_allclose(run.array("motor2.input_torque"), expected, rtol=0, atol=1e-12)
    assert np.max(np.abs(1e-3 * a1)) > 1e-4  # so that a rotor that stays behind would be seen


def test_without_motors_there_are_no_such_results(load):
    run = cardan.simulate(load("overhead_crane"), times=[0, 0.1], motors="none", inputs={"travel": 1.0})
    with pytest.raises(KeyError, match='motors="full" or "simplified"'):
        run["drive.output_torque"]
