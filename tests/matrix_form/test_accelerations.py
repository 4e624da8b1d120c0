"""Accelerations in symbols solve the equations of motion, are as short as printed ones, or are refused with reasons."""

import json

import numpy as np
import pytest
import sympy

import cardan
from cardan.errors import ModelError
from cardan.model.quantities.parameters import resolve
from tests.selection import each

ROUND_OFF = 1e-11  # some hundred operations; mass matrices with condition numbers up to 1e2
CASES = [
    ("compound_pendulum", "none"),
    ("spring_pendulum", "none"),
    ("trolley_pendulum", "none"),
    ("scara", "none"),
    ("heavy_top", "none"),
    ("manipulator_3dof", "none"),
    ("overhead_crane", "full"),
    ("overhead_crane", "simplified"),
    ("planar_manipulator_mounted", "simplified"),
]


def state(eq):
    """Values of all symbols, and accelerations from the numbers of the terms."""
    rng = np.random.default_rng(11)
    q, v, u = (rng.uniform(0.2, 1, n) for n in (len(eq.coordinates), len(eq.velocities), len(eq.inputs)))
    terms = eq.evaluate(q, v)
    force = terms["B"] @ u + terms["Q"] - (terms["C"] + terms["D"]) @ v - terms["g"]
    drives = {"full": eq.currents, "simplified": eq.inputs, "none": [f"{name}.effort" for name in eq.inputs]}
    names = dict(zip([*eq.coordinates, *eq.velocities, *drives[eq.motors]], [*q, *v, *u], strict=True))
    return resolve(eq.model.parameters) | names, np.linalg.solve(terms["M"], force)


@pytest.mark.parametrize(("name", "motors"), CASES)
@pytest.mark.parametrize("budget", [60, 0])
def test_they_solve_the_equations_of_motion(name, motors, budget):
    eq = cardan.equations(cardan.load(name), motors=motors, budget=budget)
    values, expected = state(eq)
    at = {sympy.Symbol(key): float(value) for key, value in values.items()}
    np.testing.assert_allclose(np.array(eq.accelerations.subs(at)).astype(float).ravel(), expected, rtol=ROUND_OFF)


def test_they_are_as_short_as_printed():
    """Wojtusch, section 1.3, solved for q̈; and common factors of numerators and det M are gone."""
    m, l, g, q, u = sympy.symbols("m l g pendulum pendulum.effort")
    (found,) = cardan.equations(cardan.load("compound_pendulum"), motors="none").accelerations
    printed = (u - m * g * l * sympy.sin(q) / 2) / (m * l**2 / 3)
    assert sympy.simplify(found - printed) == 0
    assert sympy.count_ops(found) <= sympy.count_ops(printed) + 1
    lift = cardan.equations(cardan.load("manipulator_3dof"), motors="none").accelerations[1]
    assert sympy.expand(lift - sympy.Symbol("q2.effort") / 10 + sympy.Symbol("g")) == 0


def test_a_document_shows_them_on_demand():
    eq = cardan.equations(cardan.load("compound_pendulum"), motors="none")
    assert "Accelerations" not in eq.render()
    text = eq.render(only=["accelerations"])
    assert "Accelerations\n-------------\n\n(1)   q̈ = (3 (u₁ − 1/2 m l g sin q))/(m l²)\n" in text
    assert r"\ddot{q} &= \frac{3\,(u_{1} - \tfrac{1}{2}\,m\,l\,g\,\sin q)}{m\,l^{2}}" in eq.render(
        "latex", only=["accelerations"]
    )
    both = eq.render(only=["accelerations", "M"])
    assert "Mass matrix" in both
    assert "q̈ = " in both
    assert "v̇₂ = u₂/I_y" in cardan.equations(cardan.load("heavy_top"), motors="none").render(only=["accelerations"])


def test_data_and_script_have_them():
    eq = cardan.equations(cardan.load("trolley_pendulum"), motors="none")
    content = json.loads(eq.render("json", only=["accelerations"]))
    assert content["matrices"]["accelerations"]["shape"] == [2, 1]
    scope = {}
    exec(eq.render("sympy", only=["accelerations"]), scope)
    values, expected = state(eq)
    at = {sympy.Symbol(key): float(value) for key, value in values.items()}
    np.testing.assert_allclose(
        np.array(scope["accelerations"].subs(at)).astype(float).ravel(), expected, rtol=ROUND_OFF
    )


@each("mass", [0, "m"])
def test_a_singular_mass_matrix_is_refused(mass):
    """Without any mass; and with all mass behind two hinges with one axis, where det M vanishes only once expanded."""
    hinge = {"type": "revolute", "axis": "y"}
    joints = {
        "base": {**hinge, "parent": "ground", "child": "ring"},
        "arm": {**hinge, "parent": "ring", "child": "load"},
    }
    bodies = {"ring": {}, "load": {"mass": mass, "com": ["a", 0, "b"]}}
    model = cardan.Model(parameters={"m": "2 kg", "a": "1 m", "b": "2 m"}, bodies=bodies, joints=joints)
    eq = cardan.equations(model, motors="none")
    with pytest.raises(ModelError, match=r"mass matrix is singular: no acceleration"):
        _ = eq.accelerations


@each(
    "name, message",
    [
        ("slider_crank", r"without loops and constraints\n.*forward_dynamics"),
        ("manipulator_6dof", r"accelerations of 6 velocities would be too long in symbols: at most 3"),
    ],
)
def test_what_has_no_short_form_is_refused(name, message):
    eq = cardan.equations(cardan.load(name), motors="none")
    with pytest.raises(ModelError, match=message):
        _ = eq.accelerations


def test_values_are_refused():
    eq = cardan.equations(cardan.load("compound_pendulum"), motors="none")
    with pytest.raises(ModelError, match="accelerations are written in symbols only"):
        eq.render(at={"pendulum": 0.1}, only=["accelerations"])
