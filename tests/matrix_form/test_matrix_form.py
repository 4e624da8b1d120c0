"""The matrices as SymPy and as numbers: names, shapes, and what is refused; tests/truths has those of the papers."""

import math

import numpy as np
import pytest
import sympy

import cardan
from cardan.errors import ModelError
from cardan.matrix_form import equations as make
from cardan.matrix_form.terms import FORMULATIONS
from cardan.model.quantities.parameters import resolve
from tests.selection import each

ROUND_OFF = 1e-11  # some thousand operations on numbers up to 1e2


@pytest.fixture(scope="module")
def arm():
    """The planar manipulator with its motors."""
    return make(cardan.load("planar_manipulator"))


def test_names(arm):
    assert arm.coordinates == ("shoulder", "elbow")
    assert arm.velocities == ("shoulder.v", "elbow.v")
    assert arm.inputs == ("motor1", "motor2")
    assert arm.parameters[:3] == ("m1", "m2", "l1")


def test_shapes(arm):
    rows = {"M": (2, 2), "C": (2, 2), "D": (2, 2), "g": (2,), "Q": (2,), "B": (2, 2)}
    rows |= {"Phi": (0,), "Phi_q": (0, 2), "gamma": (0,), "L": (2, 2), "R": (2, 2), "E": (2, 2)}
    terms = arm.evaluate([0, 0], [0, 0])
    assert {name: value.shape for name, value in terms.items()} == rows
    batch = arm.evaluate(np.zeros((3, 1, 2)), np.zeros((4, 2)), parameters={"m1": [1, 2, 3, 4]})
    assert {name: value.shape for name, value in batch.items()} == {
        name: (3, 4, *shape) for name, shape in rows.items()
    }
    assert arm.M.shape == (2, 2)
    assert arm.g.shape == (2, 1)
    assert arm.Phi_q.shape == (0, 2)


@pytest.mark.parametrize("motors", ["full", "simplified", "none"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_symbols_and_numbers_are_the_same(formulation, motors):
    eq = make(cardan.load("planar_manipulator"), motors, formulation)
    q, v = [0.3, -0.8], [1.1, 0.4]
    terms = eq.evaluate(q, v)
    names = [*eq.coordinates, *eq.velocities, *eq.parameters]
    parameters = {name: float(value) for name, value in zip(eq.parameters, _values(eq), strict=True)}
    at = dict(zip(names, [*q, *v, *parameters.values()], strict=True))
    for name, value in terms.items():
        matrix = getattr(eq, name)
        assert {str(symbol) for symbol in matrix.free_symbols} <= set(names)
        number = np.array(matrix.subs({sympy.Symbol(key): x for key, x in at.items()})).astype(float)
        np.testing.assert_allclose(number.reshape(value.shape), value, atol=ROUND_OFF, rtol=0)


def _values(eq):
    return resolve(eq.model.parameters).values()


def test_forces_and_currents_enter_q():
    """Q holds what depends on time and currents; its symbols carry their names."""
    push = {"type": "force", "child": "trolley", "value": ["3*t + 2*drive.current", 0, 0]}
    eq = make(cardan.load("overhead_crane").replace(forces={"push": push}))
    current = sympy.Symbol("drive.current")
    assert sympy.expand(eq.Q[0] - 3 * sympy.Symbol("t") - 2 * current) == 0
    np.testing.assert_allclose(eq.evaluate([0, 0], [0, 0], t=2, currents=[5])["Q"], [16, 0])


def test_what_is_not_there_is_said(arm):
    with pytest.raises(ModelError, match=r"there is no formulation 'lagrang'"):
        make(cardan.load("scara"), formulation="lagrang")
    with pytest.raises(AttributeError, match="equations have no term 'MM'"):
        arm.MM  # noqa: B018
    with pytest.raises(ModelError, match="m9"):
        arm.evaluate([0, 0], [0, 0], parameters={"m9": 1})


@each("budget", [-1, math.nan, True, "3 s"])
def test_a_budget_is_a_time(budget):
    with pytest.raises(ModelError, match="is not a time"):
        make(cardan.load("scara"), budget=budget)


def test_articulated_bodies_refuse_a_rotor_that_couples_branches():
    """A rotor on a body that does not carry its joint joins two branches; the other formulations take it."""
    mounted = cardan.load("planar_manipulator_mounted")
    elsewhere = mounted.motors["motor1"].replace(mounted_on="link2")
    model = mounted.replace(motors={**mounted.motors, "motor1": elsewhere})
    with pytest.raises(ModelError, match="composite_body"):
        make(model, formulation="articulated_body")
    one, *others = (
        make(model, formulation=name).evaluate([0.3, 0.4], [1, 2])
        for name in FORMULATIONS.keys() - {"articulated_body"}
    )
    for other in others:
        np.testing.assert_allclose(one["M"], other["M"], rtol=1e-13)
        np.testing.assert_allclose(one["C"], other["C"], rtol=0, atol=ROUND_OFF)
    dyn = cardan.compile(model)
    h = one["C"] @ [1, 2] + one["D"] @ [1, 2] + one["g"]
    a = dyn.forward_dynamics([0.3, 0.4], [1, 2], [0, 0])
    np.testing.assert_allclose(a, np.linalg.solve(one["M"], -h), rtol=1e-11)


def test_a_force_that_follows_a_simplified_current_depends_on_the_inputs():
    motor = {
        "type": "dc",
        "joint": "pin",
        "ratio": 2,
        "resistance": 0.5,
        "torque_constant": 0.1,
        "back_emf_constant": 0.1,
    }
    model = cardan.Model(
        bodies={"arm": {"mass": 1, "com": [0, 0, -1]}},
        joints={"pin": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "y"}},
        motors={"drive": motor},
        forces={"brake": {"type": "torque", "child": "arm", "value": [0, "-3*drive.current", 0]}},
    )
    eq = cardan.equations(model, motors="simplified")
    current = (1.5 - 0.1 * 2 * 0.4) / 0.5  # (u - Ke r v) / R
    Q = eq.evaluate(q=[0.2], v=[0.4], inputs=[1.5])["Q"]
    np.testing.assert_allclose(Q, [-3 * current], rtol=1e-15)  # three products
    assert {str(symbol) for symbol in eq.Q.free_symbols} == {"drive", "pin.v"}
