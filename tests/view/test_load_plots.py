"""Figures of loads: bearing forces as curves, drives in the torque–speed plane."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

import cardan
from cardan.results import Trajectory


@pytest.fixture(scope="module")
def run():
    return cardan.simulate(cardan.load("slider_crank"), until=0.3)


def test_the_force_in_a_bearing_in_axes_of_the_child(run, tmp_path):
    (axes,) = cardan.plot_bearing(run, "pin", tmp_path / "pin.png").axes
    expected = run.reaction("pin", "child").force.values
    np.testing.assert_allclose(axes.lines[0].get_xdata(), expected[:, 0], atol=1e-10)
    np.testing.assert_allclose(axes.lines[0].get_ydata(), expected[:, 1], atol=1e-10)
    assert axes.get_aspect() == 1
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("pin: force along x [N], axes of the child", "force along y [N]")
    assert (tmp_path / "pin.png").stat().st_size > 1000


def test_a_crane_in_its_own_plane():
    crane = cardan.simulate(cardan.load("overhead_crane"), until=0.2)
    (axes,) = cardan.plot_bearing([crane, crane], "swing", frame="world", labels=["a", "b"]).axes
    assert axes.get_ylabel() == "force along z [N]"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_a_motor_with_the_point_of_continuous_duty(run):
    (axes,) = cardan.plot_drive(run, "drive").axes
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), run.array("drive.speed"))
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), run.array("drive.torque"))
    mean = trapezoid(run.array("drive.torque") ** 2, run.t) / run.t[-1]
    assert axes.lines[1].get_ydata()[0] == pytest.approx(np.sqrt(mean), rel=1e-12)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("drive: speed [rad/s]", "torque [N*m]")
    motor, p = cardan.load("overhead_crane").motors["drive"], cardan.load("overhead_crane").parameters
    R, K, Ke = (p[str(x)].value for x in (motor.resistance, motor.torque_constant, motor.back_emf_constant))
    speed, torque = axes.lines[2].get_data()
    U = np.abs(run.array("drive.voltage")).max()
    np.testing.assert_allclose(torque, K * (U - Ke * speed) / R)  # the steady characteristic of a DC motor


def test_a_driven_joint_without_a_motor():
    arm = cardan.kinetostatics(cardan.load("basket_arm"), np.linspace(0, 4, 41))
    (axes,) = cardan.plot_drive(arm, "elbow").axes
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), arm.array("elbow.effort"))


def test_what_cannot_be_drawn(run):
    with pytest.raises(KeyError, match='no joint is called "pn"'):
        cardan.plot_bearing(run, "pn")
    with pytest.raises(ValueError, match="none of world, parent, child"):
        cardan.plot_bearing(run, "pin", frame="body")
    with pytest.raises(KeyError, match='no motor or driven coordinate is called "drve"; did you mean'):
        cardan.plot_drive(run, "drve")
    with pytest.raises(ValueError, match="no instant"):
        cardan.plot_drive(Trajectory(np.empty(0), np.empty((0, 1)), ("s.q",), ("m",)), "drive")
