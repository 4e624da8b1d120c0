"""States of the user's own and feedback: closed forms, equal mechanisms without feedback, and what is refused."""

from functools import partial

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

import cardan
from cardan.errors import ModelError
from cardan.model.model import Model
from cardan.model.names import user_states
from tests.selection import each
from tests.system.examples import driven_pendulum

TIMES = np.linspace(0, 1, 11)
TIGHT = {"times": TIMES, "rtol": 1e-11, "atol": 1e-12}
TOLERANCE = 1e-8  # on states of size one at rtol 1e-11
SLIDE = {
    "parameters": {"m": "2 kg", "k": 50, "c": 3, "ki": 20, "ref": "0.1 m"},
    "gravity": [0, 0, 0],
    "bodies": {"cart": {"mass": "m"}},
    "joints": {"x": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}},
}
MOTOR = {"type": "dc", "joint": "x", "ratio": "1 rad/m", "resistance": 1, "inductance": 1e-3, "torque_constant": 1,
         "back_emf_constant": 1}  # fmt: skip
PID = {"states": {"e": "ref - x"}, "inputs": {"x": "k*(ref - x) - c*x.v + ki*e"}}
LINKAGE = {
    "planar": "xy",
    "bodies": {
        "frame": {"markers": {"D": {"position": [0.9, 0, 0]}}},
        "crank": {"mass": 1, "inertia": [0, 0.01, 0.01], "markers": {"B": {"position": [0.3, 0, 0]}}},
        "coupler": {"mass": 2, "inertia": [0, 0.1, 0.1], "markers": {"C": {"position": [0.8, 0, 0]}}},
        "rocker": {"mass": 1, "inertia": [0, 0.05, 0.05], "markers": {"C": {"position": [0.6, 0, 0]}}},
    },
    "initial": {"A": "60 deg", "B": {"guess": "-40 deg"}, "D": {"guess": "110 deg"}},
}


def linkage(**keys):
    """A four-bar linkage; `keys` of its crank's joint."""
    hinge = {"type": "revolute", "axis": "z"}
    joints = {
        "frame": {"type": "fixed", "parent": "ground", "child": "frame"},
        "A": {**hinge, "parent": "frame", "child": "crank", **keys},
        "B": {**hinge, "parent": "crank.B", "child": "coupler"},
        "C": {**hinge, "parent": "coupler.C", "child": "rocker.C"},
        "D": {**hinge, "parent": "frame.D", "child": "rocker"},
    }
    return Model(**LINKAGE, joints=joints)


def meshed(**keys):
    """Two wheels in mesh, whose motion is linear in one coordinate; `keys` of the joint of the first."""
    hinge = {"type": "revolute", "parent": "ground", "axis": "z"}
    return Model(
        bodies={name: {"mass": 1, "inertia": [0.1, 0.1, 0.1]} for name in ("pinion", "wheel")},
        joints={"A": {**hinge, "child": "pinion", **keys}, "B": {**hinge, "child": "wheel"}},
        constraints={"mesh": {"type": "coupler", "terms": {"A": 1, "B": 3}}},
        initial={"A": 0.3, "B": {"guess": 0}},
    )


@each("method", ["dop853", "tsit5", "rodas5p"])
def test_a_cart_under_pid_control_follows_the_matrix_exponential(method):
    """m ẍ = k (ref − x) − c ẋ + ki e, ė = ref − x."""
    m, k, c, ki, ref = 2, 50, 3, 20, 0.1
    A = np.array([[0, 1, 0, 0], [-k / m, -c / m, ki / m, k * ref / m], [-1, 0, 0, ref], [0, 0, 0, 0]])
    run = cardan.simulate(Model(**SLIDE, **PID), motors="none", method=method, **TIGHT)
    assert run.ok, run.message
    assert run.state_names == ("x.q", "x.v", "e")
    np.testing.assert_allclose(run.x, [(expm(A * t) @ [0, 0, 0, 1])[:3] for t in TIMES], rtol=0, atol=TOLERANCE)
    assert run.report.energy_error < 1e-8 * run.report.energy_scale
    force = k * (ref - run.x[:, 0]) - c * run.x[:, 1] + ki * run.x[:, 2]
    np.testing.assert_allclose(run.array("x.effort"), force, rtol=1e-13)
    np.testing.assert_allclose(run.array("x.a"), force / m, rtol=1e-12)


def test_feedback_of_a_call_is_that_of_the_file():
    model = Model(**SLIDE, **PID)
    own = cardan.simulate(model, motors="none", **TIGHT)
    called = cardan.simulate(model.replace(inputs={}), motors="none", inputs=PID["inputs"], **TIGHT)
    np.testing.assert_array_equal(own.x, called.x)


def test_the_stiff_method_knows_the_derivatives_of_feedback():
    """A gain of 1e8 makes a mode of 1/7000 s: with a Jacobian that lacks it steps could not pass a few of these."""
    run = cardan.simulate(
        Model(**SLIDE, **PID), parameters={"k": 1e8, "c": 1e5}, motors="none", method="rodas5p", until=5
    )
    assert run.ok, run.message
    assert run.statistics["steps"] < 300
    assert run.array("x.q")[-1] == pytest.approx(0.1, abs=1e-6)


@each("make", [linkage, meshed])
@each("method", ["dop853", "rodas5p"])
def test_feedback_in_closed_mechanisms_acts_as_spring_and_damper(make, method):
    """A joint with stiffness and damping moves as one under the effort −k q − c q̇."""
    passive = make(stiffness=40, rest=0.2, damping=2)
    fed = make()
    inputs = {"A": "-40*(A - 0.2) - 2*A.v"}
    known = cardan.simulate(passive, motors="none", method=method, **TIGHT)
    run = cardan.simulate(fed, motors="none", method=method, inputs=inputs, **TIGHT)
    assert run.ok, run.message
    np.testing.assert_allclose(run.x, known.x, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.array("A.reaction_force"), known.array("A.reaction_force"), rtol=0, atol=1e-5)
    assert run.report.relative_energy_error < 1e-8


@each("embed", [True, False])
def test_states_in_independent_coordinates_and_with_equations(embed):
    """The integral of an angle, as a state; it also drives the mechanism."""
    model = meshed(damping=0.3).replace(states={"sum": {"rate": "A", "initial": 0.5}}, outputs={"twice": "2*sum"})
    run = cardan.simulate(model, motors="none", inputs={"A": "-3*sum - A"}, embed=embed, **TIGHT)
    assert ("independent" in run.statistics) == embed
    J, d = 0.1 + 0.1 / 9, 0.3
    S = np.array([[0, 1, 0], [-1 / J, -d / J, -3 / J], [1, 0, 0]])
    expected = np.array([expm(S * t) @ [0.3, 0, 0.5] for t in TIMES])
    np.testing.assert_allclose(run.array("sum"), expected[:, 2], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(run.array("A.q"), expected[:, 0], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(run.array("twice"), 2 * run.array("sum"), rtol=1e-15)


def test_forces_follow_states():
    """m ẍ = −s, ṡ = x: the force is in the energy balance, and in Q as a symbol."""
    load = {"push": {"type": "force", "child": "cart", "value": ["-s", 0, 0]}}
    model = Model(**SLIDE, states={"s": "x"}, forces=load, initial={"x": 1})
    run = cardan.simulate(model, motors="none", **TIGHT)
    A = np.array([[0, 1, 0], [0, 0, -0.5], [1, 0, 0]])
    np.testing.assert_allclose(run.x, [expm(A * t) @ [1, 0, 0] for t in TIMES], rtol=0, atol=TOLERANCE)
    assert run.report.energy_error < 1e-8 * run.report.energy_scale
    eq = cardan.equations(model, motors="none")
    assert [str(entry) for entry in eq.Q] == ["-s"]
    assert eq.states == ("s",)
    np.testing.assert_allclose(eq.evaluate([0], [0], states=[4])["Q"], [-4])
    assert "state, rate x" in eq.render()
    assert "Q = [−4]" in eq.render(at={"s": 4}, only=["Q"])


def test_compiled_functions_take_inputs_as_arguments():
    dynamics = cardan.compile(Model(**SLIDE, **PID), motors="none")
    assert dynamics.state_names == ("x.q", "x.v", "e")
    assert dynamics.input_names == ("x",)
    np.testing.assert_allclose(dynamics.state_derivative([0.3, 0.2, 7], [4]), [0.2, 2, -0.2], rtol=1e-14)


def test_laws_hold_in_random_states():
    assert cardan.verify(driven_pendulum()).ok


def test_a_rate_jumps_at_its_instant():
    """ẋ = step(t − 0.3): no step goes over the jump, so the result is exact."""
    model = Model(**SLIDE, states={"clock": "step(t - 0.3)"})
    run = cardan.simulate(model, motors="none", times=TIMES)
    np.testing.assert_allclose(run.array("clock"), np.maximum(TIMES - 0.3, 0), atol=1e-14)


@each(
    "equation, unit",
    [
        ("ref - x", "m*s"),
        ({"rate": "x.v"}, "m"),
        ({"rate": "(ref - e)/T"}, "m"),
        ({"rate": "k*x"}, ""),
        ({"rate": "k*x", "initial": "2 N"}, "N"),
        ({"rate": "k*x", "initial": "0 kJ"}, "J"),
        ({"rate": "k*x", "initial": "1 N*m"}, "N*m"),
        ({"rate": "other"}, "m*s^2"),
        ("m*x.v/T", "N*s"),
        ("sin(x/ref)/T", ""),
        ("t/T", "s"),
        ("x.v/x", "1"),
        ("1/t**2", ""),
        ("ref/(x*T**2)", "s^-1"),
    ],
)
def test_units_follow_from_the_rate_or_the_initial_value(equation, unit):
    parameters = SLIDE["parameters"] | {"T": "1 s"}
    model = Model(**SLIDE | {"parameters": parameters}, states={"e": equation, "other": "x"})
    assert user_states(model)["e"] == unit
    run = cardan.simulate(model, motors="none", until=0.1, initial={"x": 1})
    assert run["e"].attrs["units"] == unit


def test_initial_values_stand_with_the_state_in_the_file_or_in_the_call():
    states = {"e": {"rate": "0*x", "initial": "2*ref"}, "n": {"rate": "-n"}}
    model = Model(**SLIDE, states=states, initial={"n": 3})
    first = partial(cardan.simulate, model, motors="none", until=0.1)
    assert [first().array(name)[0] for name in ("e", "n")] == [0.2, 3]
    assert first(parameters={"ref": 1}).array("e")[0] == 2
    assert first(initial={"e": 7, "n": 4}).x[0].tolist() == [0, 0, 7, 4]


def refused(**keys):
    """What is wrong with the cart that has these keys."""
    with pytest.raises(ModelError) as caught:
        Model(**SLIDE | keys)
    return str(caught.value)


@each(
    "states, message",
    [
        ({"ref": "x"}, "states.ref: a parameter has the name 'ref' too"),
        ({"x": "1"}, "states.x: a joint has the name 'x' too"),
        ({"cart": "1"}, "states.cart: a body has the name 'cart' too"),
        ({"e": {"initial": 1}}, "states.e: the key 'rate' is missing"),
        ({"e": "ref - y"}, "states.e.rate: 'ref - y' names 'y', which is nothing in this model"),
        ({"e": {"rate": 1, "initial": "x"}}, "states.e.initial: 'x' is not possible here"),
        ({"t": "1"}, "the name 't' is reserved"),
        ({"e": {"rate": "x.v", "initial": "2 s"}}, "states.e.rate: the rate is a speed, but the state is a time"),
        (
            {"e": {"rate": "x", "initial": "1 m"}},
            "the rate is a length, but the state is a length, whose rate has the unit m/s",
        ),
    ],
)
def test_states_that_cannot_be(states, message):
    assert message in refused(states=states)


def test_a_state_is_neither_a_motor_nor_an_output():
    assert "states.drive: a motor has the name 'drive' too" in refused(motors={"drive": MOTOR}, states={"drive": 1})
    assert "outputs.e: a state has the name 'e' too" in refused(outputs={"e": "x"}, states={"e": 1})


def test_constraints_and_coordinates_do_not_name_states():
    held = {"held": {"type": "expression", "expression": "x - e"}}
    message = "constraints.held.expression: 'x - e' names 'e', which is a state"
    assert message in refused(constraints=held, states={"e": 1})
    assert "coordinates.y: 'x - e' names 'e', which is a state" in refused(coordinates={"y": "x - e"}, states={"e": 1})


def test_inputs_do_not_name_inputs():
    motors = {"drive": MOTOR, "other": MOTOR}
    for names in ("other", "other.voltage", "drive.voltage"):
        message = refused(motors=motors, inputs={"drive": f"1 + {names}"})
        assert f"inputs.drive: '1 + {names}' names {names!r}, which is an input" in message
        assert "algebraic loop" in message


def call_refused(model, **arguments):
    """What is wrong with a call of `simulate`."""
    with pytest.raises(ModelError) as caught:
        cardan.simulate(model, until=0.1, **arguments)
    return str(caught.value)


def test_currents_in_inputs_need_the_full_model():
    model = Model(**SLIDE, motors={"drive": MOTOR})
    inputs = {"drive": "5 - 2*drive.current"}
    message = call_refused(model, motors="simplified", inputs=inputs)
    assert (
        "inputs.drive: '5 - 2*drive.current' names 'drive.current', which follows the voltages without delay" in message
    )
    assert "algebraic loop" in message
    assert 'choose motors="full"' in message
    for name in ("drive.current", "drive.speed"):
        message = call_refused(model, motors="none", inputs={"x": f"2*{name}"})
        assert f"inputs.x: '2*{name}' names '{name}', which belongs to a motor, and motors are off" in message
    lagged = model.replace(states={"i": "(drive.current - i)/0.01"})
    assert cardan.simulate(lagged, motors="simplified", until=0.1, inputs={"drive": "5 - 2*i"}).ok
    run = cardan.simulate(model, inputs=inputs, **TIGHT)
    assert run.ok
    np.testing.assert_allclose(run.array("drive.voltage"), 5 - 2 * run.array("drive.current"), rtol=1e-14)
    assert run.report.energy_error < 1e-8 * run.report.energy_scale


def test_a_rate_that_names_a_current_needs_motors():
    model = Model(**SLIDE, motors={"drive": MOTOR}, states={"heat": "drive.current**2"})
    message = call_refused(model, motors="none")
    assert "states.heat.rate: 'drive.current' is the current of a motor, and motors are off" in message


def test_inputs_and_initial_values_of_a_call_are_checked():
    model = Model(**SLIDE, states={"e": "ref - x"})
    assert "inputs.x: 'y' is nothing in this model" in call_refused(model, motors="none", inputs={"x": "y"})
    assert "initial.e" in call_refused(model, motors="none", initial={"e": "2 kg"})
    assert "the state has no entry 'f'" in call_refused(model, motors="none", initial={"f": 1})


def test_the_derivative_of_the_rates_contains_the_feedback():
    """∂ẋ/∂x of the controlled cart, by hand."""
    from cardan.system.response import state_derivative
    from cardan.system.state import at
    from cardan.system.system import build_system

    system = build_system(Model(**SLIDE, **PID), "none")
    t, q, v, z, u = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("v"), ca.SX.sym("z"), ca.SX.sym("u")
    s = at(system, system.tree, t, q, v, z, u, system.model.inputs)
    J = ca.jacobian(state_derivative(system, s), ca.vertcat(q, v, z))
    f = ca.Function("J", [q, v, z, u, system.tree.p], [J], {"allow_free": True})
    np.testing.assert_allclose(
        np.array(f(0.1, 0.2, 0.3, 9, [2, 50, 3, 20, 0.1])), [[0, 1, 0], [-25, -1.5, 10], [-1, 0, 0]], rtol=1e-15
    )
