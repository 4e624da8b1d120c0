"""Time constants of motors against the poles of the linear equations, and their words in `cardan show`."""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from cardan.analysis import motor_times


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


@pytest.mark.parametrize("inductance", [1e-4, 1e-3, 0.05])
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
        slow = -1 / max(poles.real)
        assert slow == pytest.approx(
            times.mechanical * (1 - times.share), abs=2 * times.mechanical * times.share**2 + 1e-6
        )


def test_loops_and_words():
    found = motor_times(cardan.load("slider_crank"))
    assert "neglecting L di/dt changes the mechanical one by about 0.16 %" in str(found["drive"])
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


def test_a_motion_that_the_motor_keeps_does_not_change_its_times():
    own, kept = drive(), drive().replace(motions={"j": "0.3*sin(t)"})
    assert motor_times(kept) == motor_times(own)
