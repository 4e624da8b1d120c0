"""Time constants of motors against the poles of the linear equations, and their words in `cardan show`."""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from cardan.analysis import motor_times
from tests.selection import each


def drive(**changes: object) -> cardan.Model:
    """A motor that turns a disc with a damped hinge."""
    motor = {
        "type": "dc",
        "joint": "j",
        "ratio": 5,
        "resistance": 2,
        "inductance": 1e-3,
        "torque_constant": 0.2,
        "back_emf_constant": 0.2,
        "rotor_inertia": 1e-4,
        "rotor_damping": 1e-5,
    }
    joint = {"type": "revolute", "parent": "ground", "child": "disc", "axis": "z", "damping": 0.02}
    body = {"mass": 1, "inertia": [0, 0, 0.01]}
    return cardan.Model(bodies={"disc": body}, joints={"j": joint}, motors={"m": {**motor, **changes}})


@each("inductance", [1e-4, 1e-3, 0.05])
def test_the_times_are_those_of_the_linear_equations(inductance):
    model = drive(inductance=inductance)
    times = motor_times(model)["m"]
    simple, full = cardan.compile(model, "simplified"), cardan.compile(model, "full")
    decay = simple.state_derivative([0.0, 1.0], [0.0])[1]
    assert times.mechanical == pytest.approx(-1 / decay, rel=1e-12)
    assert times.electrical == inductance / 2
    A = np.column_stack([full.state_derivative(x, [0.0])[1:] for x in np.eye(3)[1:]])
    poles = np.linalg.eigvals(A)
    assert times.oscillates == bool(np.iscomplex(poles).any())
    if not times.oscillates:
        assert times.mechanical / (1 + times.error) == pytest.approx(-1 / max(poles.real), rel=1e-12)


def test_the_crane_has_its_own_eigenvalues():
    """The load swings freely, so that the eigenvalues of the whole crane differ by its slow swing, (3.74/198)² of 1."""
    crane = cardan.load("overhead_crane")
    slow = {}
    for motors in ("full", "simplified"):
        decays = [s.real for s in np.linalg.eigvals(np.array(cardan.linearize(crane, motors=motors).A)) if s.real < -1]
        slow[motors] = -1 / max(decays)
    times = motor_times(crane)["drive"]
    assert times.error == pytest.approx(slow["simplified"] / slow["full"] - 1, rel=1e-3)
    assert "mechanical 0.00506 s; neglecting L di/dt makes the mechanical one 14.6 % too long" in str(times)


def test_where_the_current_is_slower_than_the_speed_the_time_without_it_is_too_short():
    times = motor_times(drive(inductance=5, torque_constant=1e-4, back_emf_constant=1e-4))["m"]
    assert times.electrical == 2.5 > times.mechanical
    assert "% too short" in str(times)


def test_loops_and_words():
    found = motor_times(cardan.load("slider_crank"))
    assert "neglecting L di/dt makes the mechanical one 0.157 % too long" in str(found["drive"])
    assert "is not safe" in str(motor_times(cardan.load("dc_motor_start"))["machine"])
    assert "there is no L di/dt" in str(motor_times(drive(inductance=0))["m"])


def test_show_prints_them(tmp_path):
    from typer.testing import CliRunner

    from cardan.cli import program

    done = CliRunner().invoke(program(), ["show", "slider_crank"])
    assert "drive: electrical time constant 0.000333 s" in done.output
    table = CliRunner().invoke(program(), ["mobility", "door_two_hinges"])
    assert table.exit_code == 0
    assert "hinge1.reaction_moment" in table.output
    assert "no, no, yes" in table.output


def test_show_says_which_body_carries_a_stator():
    from cardan.cli.commands.show import motor_lines

    lines = motor_lines(cardan.load("planar_manipulator"))
    assert lines[:2] == [
        "motor1: stator on ground, which does not turn: the rotor adds r² Im",
        "motor2: mounted_on: ground, so that only r² Im is added (the papers' form)",
    ]
    mounted = motor_lines(cardan.load("planar_manipulator_mounted"))[1]
    assert mounted == "motor2: stator on link1, with whose turning the rotor's spin couples (exact)"


def test_a_motion_that_the_motor_keeps_does_not_change_its_times():
    own, kept = drive(), drive().replace(motions={"j": "0.3*sin(t)"})
    assert motor_times(kept) == motor_times(own)
