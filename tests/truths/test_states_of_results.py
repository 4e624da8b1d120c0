"""States and inputs that follow results of the equations of motion: heat under a motion, feedback of accelerations.

Source: own derivations, written at each test
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import cardan
from cardan.errors import ModelError
from tests.selection import each

R, L, K, RATIO, J = 1.0, 1e-3, 0.05, 30.0, 1.0
MOTOR = {"type": "dc", "joint": "a", "ratio": RATIO, "resistance": R, "inductance": L,
         "torque_constant": K, "back_emf_constant": K}  # fmt: skip


def turning(**sections):
    """A body on a revolute joint without gravity."""
    return cardan.Model(
        **{
            "gravity": [0, 0, 0],
            "bodies": {"b": {"mass": 1, "inertia": [J, J, J]}},
            "joints": {"a": {"type": "revolute", "parent": "ground", "child": "b", "axis": "z"}},
            "simulate": {"until": 3},
            **sections,
        }
    )


@each("solve", [cardan.simulate, cardan.kinetostatics])
def test_heat_work_and_impulse_under_a_prescribed_motion(solve):
    """a = sin 2t takes the torque −4 J sin 2t; heat, electrical work, mechanical work and impulse are its integrals."""
    states = {"heat": f"{R}*drive.current**2", "electric": "drive.power", "work": "a.effort*a.v",
              "impulse": "a.reaction_moment.z", "speed": "a.a"}  # fmt: skip
    run = solve(turning(motors={"drive": MOTOR}, motions={"a": "sin(2*t)"}, states=states))
    t = np.asarray(run["heat"].time)
    i = -4 * J * np.sin(2 * t) / (RATIO * K)
    heat = R * (4 * J / (RATIO * K)) ** 2 * (t / 2 - np.sin(4 * t) / 8)
    work = 2 * J * (np.cos(2 * t) ** 2 - 1)
    tolerance = 1e-7  # rtol 1e-8 of integrals of about 10
    np.testing.assert_allclose(run["heat"], heat, atol=tolerance)
    np.testing.assert_allclose(run["work"], work, atol=tolerance)
    np.testing.assert_allclose(run["electric"], heat + work + L * i**2 / 2, atol=tolerance)
    np.testing.assert_allclose(run["impulse"], 2 * J * (np.cos(2 * t) - 1), atol=tolerance)
    np.testing.assert_allclose(run["speed"], run["a.v"] - 2, atol=tolerance)


@each("measured", ["a.a", f"a.effort/{J}", f"a.reaction_moment.z/{J}"])
def test_a_voltage_that_feeds_back_the_acceleration(measured):
    """L di/dt = 1 − k v̇ − R i − r K v, v̇ = r K i/J: exact by the matrix exponential."""
    k, inductance = 0.5, 0.05
    motor = {**MOTOR, "inductance": inductance}
    run = cardan.simulate(turning(motors={"drive": motor}, inputs={"drive": f"1 - {k}*{measured}"}), until=1)
    b = RATIO * K / J
    A = np.array([[0, b, 0], [-RATIO * K / inductance, -(R + k * b) / inductance, 1 / inductance], [0, 0, 0]])
    v, i, _ = expm(A) @ [0, 0, 1]
    np.testing.assert_allclose([run["a.v"][-1], run["drive.current"][-1]], [v, i], rtol=1e-6)


def test_a_filter_of_the_acceleration_cuts_the_ring():
    """v̇ = 1 − k x, T ẋ = v̇ − x."""
    k, T = 0.5, 0.05
    run = cardan.simulate(turning(inputs={"a": f"1 - {k}*x"}, states={"x": f"(a.a - x)/{T}"}), until=1)
    rate = (1 + k) / T
    x = (1 - np.exp(-rate)) / (1 + k)
    np.testing.assert_allclose(run["x"][-1], x, rtol=1e-7)


def test_a_rate_that_switches_with_a_current_ends_a_step_there():
    states = {"low": f"if(drive.torque > -0.5*{J}/{RATIO}, 1, 0)"}
    run = cardan.simulate(turning(motors={"drive": MOTOR}, motions={"a": "sin(t)"}, states=states), until=1)
    np.testing.assert_allclose(run["low"][-1], np.pi / 6, rtol=1e-9)  # −J sin t = −J/2


def test_an_event_waits_for_an_effort_and_a_reaction():
    """The torque −J sin t of the drive, and the moment −J sin t that it puts on the joint, pass −J/2 at π/6."""
    outputs = {"torque": "a.effort", "moment": "a.reaction_moment.z"}
    events = {name: {"when": f"{name} + {J}/2", "do": "record"} for name in outputs}
    run = cardan.simulate(turning(motions={"a": "sin(t)"}, outputs=outputs, events=events), until=1)
    assert sorted(one.name for one in run.events) == ["moment", "torque"]
    np.testing.assert_allclose([one.t for one in run.events], np.pi / 6, rtol=1e-9)


def test_reactions_of_a_loop_drive_a_state():
    """A state that low-passes a reaction: its rate integrates the very result that the run returns."""
    model = cardan.load("slider_crank")
    name = f"{next(iter(model.joints))}.reaction_force.x"
    run = cardan.simulate(model.replace(states={"impulse": name}), times=np.linspace(0, 0.2, 4001))
    t, force = np.asarray(run["impulse"].time), np.asarray(run[name.removesuffix(".x")][:, 0])
    areas = np.concatenate([[0], np.cumsum((force[1:] + force[:-1]) / 2 * np.diff(t))])
    np.testing.assert_allclose(run["impulse"], areas, atol=1e-4 * np.max(np.abs(areas)))  # of the trapezoidal rule


@each(
    "motors, sections, ring",
    [
        ("none", {"inputs": {"a": "1 - a.a"}}, "a → a.a → a"),
        ("none", {"inputs": {"a": "1 - f"}, "let": {"f": "a.v"}}, ""),
        ("simplified", {"motors": {"drive": MOTOR}, "inputs": {"drive": "1 - a.effort"}}, "drive → a.effort → drive"),
        ("full", {"motors": {"drive": MOTOR}, "inputs": {"drive": "1 - drive.power"}}, "drive → drive.power → drive"),
        (
            "full",
            {
                "motors": {"drive": MOTOR},
                "motions": {"a": "sin(t)"},
                "states": {"x": "drive.voltage"},
                "forces": {"f": {"type": "torque", "parent": "ground", "child": "b", "value": [0, 0, "x"]}},
            },
            "drive.voltage → drive.voltage",
        ),
    ],
)
def test_rings_are_named(motors, sections, ring):
    if not ring:
        assert cardan.simulate(turning(**sections), motors=motors, until=0.1).ok
        return
    with pytest.raises(ModelError, match=ring):
        cardan.simulate(turning(**sections), motors=motors, until=0.1)


def test_reactions_that_are_not_unique_are_refused():
    """Four equal parallel cranks over-constrain a coupler; out of its plane a planar loop is not known."""
    crank = cardan.load("slider_crank")
    closing = f"{list(crank.joints)[-1]}.reaction_moment.x"
    with pytest.raises(ModelError, match="is not known to be unique"):
        cardan.simulate(crank.replace(states={"push": closing}), until=0.1)
    names = ("p", "q", "s")
    bar = {"mass": 1, "com": [0, 0, 0.5], "inertia": [0.1, 0.1, 0.1], "markers": {"tip": {"position": [0, 0, 1]}}}
    bodies = {f"bar_{k}": bar for k in names}
    bodies["coupler"] = {"mass": 1, "inertia": [0.1] * 3,
                         "markers": {k: {"position": [x, 0, 0]} for x, k in enumerate(names)}}  # fmt: skip
    ground = {"markers": {k: {"position": [x, 0, 0]} for x, k in enumerate(names)}}
    joints = {
        f"low_{k}": {"type": "revolute", "parent": f"ground.{k}", "child": f"bar_{k}", "axis": "y"} for k in names
    }
    joints |= {f"top_{k}": {"type": "revolute", "parent": f"bar_{k}.tip", "child": f"coupler.{k}", "axis": "y"}
               for k in names}  # fmt: skip
    model = cardan.Model(bodies=bodies, ground=ground, joints=joints, states={"push": "low_p.reaction_force.x"})
    with pytest.raises(ModelError, match=r"the reaction 'low_p.reaction_force.x' .* is not known to be unique"):
        cardan.simulate(model, until=0.1)


def test_results_that_rates_cannot_name_are_refused():
    with pytest.raises(ModelError, match=r"'b.acceleration.x' is not possible here"):
        turning(states={"x": "b.acceleration.x"})
    with pytest.raises(ModelError, match=r"'drive.power' is the power of a motor, and motors are off"):
        cardan.simulate(turning(motors={"drive": MOTOR}, states={"x": "drive.power"}), motors="none", until=1)


def test_equations_and_linear_systems_of_such_models():
    model = turning(
        motors={"drive": {**MOTOR, "inductance": 0.1}}, inputs={"drive": "1 - 0.5*a.a - a"}, states={"x": "a.a - x"}
    )
    b = RATIO * K / J
    A = [[0, 1, 0, 0], [0, 0, b, 0], [-10, -10 * b, -10 * (R + 0.5 * b), 0], [0, 0, b, -1]]
    np.testing.assert_allclose(cardan.linearize(model).A, A, atol=1e-9)
    assert cardan.equations(model).M.shape == (1, 1)
    assert cardan.verify(model).ok
