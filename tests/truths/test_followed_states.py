"""Motions that follow states: filtered set-points, against the closed form of a filter of second order.

Source: own derivation: the step response of 1/(1 + T s)² is x = 1 − (1 + s) e⁻ˢ with s = t/T
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.selection import each

T, SHIFT, M, LENGTH, J, G = 0.2, 0.5, 2.0, 0.5, 0.1, 9.81
TOLERANCE = 1e-7  # rtol 1e-8, and accelerations are 25 times the position that tolerances judge


def arm(**sections):
    """An arm in the plane under gravity whose joint follows a filter of second order."""
    return cardan.Model(
        **{
            "gravity": [0, 0, -G],
            "bodies": {"arm": {"mass": M, "com": [LENGTH, 0, 0], "inertia": [J, J, J]}},
            "joints": {"a": {"type": "revolute", "parent": "ground", "child": "arm", "axis": [0, -1, 0]}},
            "parameters": {"T": T, "target": 1},
            "states": {"x": "w", "w": {"rate": f"(if(t > {SHIFT}, target, 0) - x)/T**2 - 2*w/T"}},
            "motions": {"a": "x"},
            "simulate": {"until": 2},
            **sections,
        }
    )


def step(t):
    """Position, velocity and acceleration of the filtered unit step at `SHIFT`."""
    s = np.maximum(t - SHIFT, 0) / T
    return 1 - (1 + s) * np.exp(-s), s * np.exp(-s) / T, np.where(t > SHIFT, (1 - s) * np.exp(-s) / T**2, 0.0)


def instants(run):
    """Which instants are not the jump, where the acceleration has two limits; and all instants."""
    t = np.asarray(run["a.q"].time)
    return t != SHIFT, t


@each("solve", [cardan.simulate, cardan.kinetostatics])
def test_efforts_of_a_joint_that_follows_a_filtered_step(solve):
    run = solve(arm())
    beside, t = instants(run)
    x, w, a = step(t)
    effort = (J + M * LENGTH**2) * a + M * G * LENGTH * np.cos(x)
    assert run.ok
    np.testing.assert_allclose(run["a.q"], x, atol=TOLERANCE)
    np.testing.assert_allclose(run["a.v"], w, atol=TOLERANCE)
    np.testing.assert_allclose(run["a.effort"][beside], effort[beside], atol=TOLERANCE * 1 / T**2)


def test_a_motor_follows_a_filtered_step_with_the_voltage_of_its_current_rate():
    motor = {"type": "dc", "joint": "a", "ratio": 30, "resistance": 1, "inductance": 1e-3,
             "torque_constant": 0.05, "back_emf_constant": 0.05}  # fmt: skip
    run = cardan.simulate(arm(motors={"drive": motor}, gravity=[0, 0, 0]))
    beside, t = instants(run)
    _, w, a = step(t)
    s = np.maximum(t - SHIFT, 0) / T
    jerk = np.where(t > SHIFT, (s - 2) * np.exp(-s) / T**3, 0.0)
    I = J + M * LENGTH**2
    voltage = (I * a + 1e-3 * I * jerk) / (30 * 0.05) + 0.05 * 30 * w
    np.testing.assert_allclose(run["drive.voltage"][beside], voltage[beside], atol=1e-6)


def test_motions_of_a_state_start_where_the_state_does_and_follow_events_on_its_target():
    states = {"x": {"rate": "w", "initial": "start"}, "w": "(goal - x)/T**2 - 2*w/T", "goal": {"rate": 0}}
    model = arm(
        states={**states, "goal": {"rate": 0, "initial": "start"}},
        parameters={"T": T, "start": 0.3},
        events={"shift": {"when": f"t - {SHIFT}", "do": {"set": {"goal": "start + 1"}}}},
    )
    run = cardan.simulate(model)
    beside, t = instants(run)
    x, _, a = step(t)
    np.testing.assert_allclose(run["a.q"], 0.3 + x, atol=TOLERANCE)
    effort = (J + M * LENGTH**2) * a + M * G * LENGTH * np.cos(0.3 + x)
    np.testing.assert_allclose(run["a.effort"][beside], effort[beside], atol=TOLERANCE * 1 / T**2)
    moved = cardan.simulate(model, parameters={"start": 0.1})
    np.testing.assert_allclose(moved["a.q"][-1], 0.1 + step(np.array(2.0))[0], atol=TOLERANCE)


def test_a_crank_in_a_loop_follows_states_as_it_follows_their_closed_form():
    model = cardan.load("slider_crank")
    states, times = {"x": "w", "w": "(1 - x)/0.04 - 2*w/0.2"}, np.linspace(0, 0.5, 11)
    follows = model.replace(states=states, initial={}, inputs={})
    run = cardan.kinetostatics(follows, times, motions={"crank": "x"}, motors="none")
    law = "1 - (1 + t/0.2)*exp(-t/0.2)"
    known = cardan.kinetostatics(model, times, motions={"crank": law}, motors="none")
    for name in ("crank.effort", "crank.a"):
        np.testing.assert_allclose(run[name], known[name], rtol=1e-6, atol=1e-6)


@each(
    "sections, words",
    [
        ({"states": {"x": "a.v"}}, "its rate names 'a.v'"),
        ({"states": {"x": "w", "w": "drive.current"}}, "its rate names 'drive.current'"),
        ({"initial": {"x": 1}}, "whose start stands at the state"),
        ({"events": {"jump": {"when": "t - 1", "do": {"set": {"x": 1}}}}}, "the position of a motion jumps"),
        ({"events": {"jump": {"when": "t - 1", "do": {"set": {"w": 1}}}}}, "the velocity of a motion jumps"),
    ],
)
def test_what_a_motion_cannot_follow_is_refused(sections, words):
    motor = {
        "drive": {
            "type": "dc",
            "joint": "b",
            "resistance": 1,
            "inductance": 1e-3,
            "torque_constant": 1,
            "back_emf_constant": 1,
        }
    }
    bodies = {"arm": {"mass": 1, "inertia": [1, 1, 1]}, "fan": {"mass": 1, "inertia": [1, 1, 1]}}
    joints = {
        "a": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"},
        "b": {"type": "revolute", "parent": "ground", "child": "fan", "axis": "z"},
    }
    with pytest.raises(ModelError, match=words):
        arm(bodies=bodies, joints=joints, motors=motor, **sections)


def test_a_velocity_that_jumps_is_refused():
    with pytest.raises(ModelError, match="the velocity of the motion 'a' jumps"):
        cardan.simulate(arm(states={"x": "if(t > 1, 1, 0)"}))
    for law in ("if(t > 1, 1, 0)", "if(t >= 1, 1, 0)"):
        with pytest.raises(ModelError, match="the position of the motion 'a' jumps"):
            cardan.simulate(arm(motions={"a": law}))
    with pytest.raises(ModelError, match="switches with a state"):
        cardan.simulate(arm(states={"x": "if(x > 1, 0, 1)"}))
    assert cardan.simulate(arm(states={"x": "min(1, 2 - x)"})).ok  # a kink of the velocity jumps the acceleration alone


def test_uses_without_states_refuse_such_motions():
    model = arm()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for use in (cardan.linearize, cardan.verify, cardan.base_parameters):
            with pytest.raises(ModelError, match="a motion follows the state 'x'"):
                use(model)
        with pytest.raises(ModelError, match="a motion follows the state 'x'"):
            cardan.compile(model).constraint([0.1])
    with pytest.raises(ModelError, match="whose start stands at the state"):
        cardan.simulate(model, initial={"x": 1})
