"""Motions of bodies and markers in symbols are the derivatives of forward kinematics, and name what they leave."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import cardan
from cardan.errors import ModelError
from cardan.model.quantities.parameters import resolve
from tests.selection import few

pytestmark = pytest.mark.filterwarnings("ignore::cardan.ModelWarning")

TOLERANCE = 1e-11  # some thousand operations on numbers up to 10
STEP = 1e-30  # of complex steps: without cancellation
MODELS = ["overhead_crane", "slider_crank", "planar_3rrr", "manipulator_6dof", "bricard", "heavy_top"]


def callable_of(equations, matrix):
    """A function of the values of all names, for complex numbers too."""
    names = [*equations.coordinates, *equations.velocities, *accelerations(equations), *equations.parameters]
    return sp.lambdify([[sp.Symbol(name) for name in names]], matrix, "numpy")


def accelerations(equations):
    return [f"{name.removesuffix('.v')}.a" for name in equations.velocities]


@pytest.mark.parametrize("name", few(MODELS, 3))
def test_they_are_the_derivatives_of_the_positions(name):
    """Velocities by complex steps of the positions, accelerations by complex steps of the velocities."""
    model = cardan.load(name)
    equations = cardan.equations(model, "none")
    n, nq = len(equations.velocities), len(equations.coordinates)
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-1, 1, nq), rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    q_dot = rates(equations, q, v)
    p = [float(value) for value in resolve(model.parameters).values()]
    moved_q, moved_v = q + 1j * STEP * q_dot, v + 1j * STEP * a
    for place, motion in equations.kinematics.items():
        position, velocity, acceleration = (
            callable_of(equations, matrix) for matrix in (motion.position, motion.velocity, motion.acceleration)
        )
        wanted = np.imag(position([*moved_q, *v, *a, *p])).ravel() / STEP
        np.testing.assert_allclose(np.ravel(velocity([*q, *v, *a, *p])), wanted, rtol=0, atol=TOLERANCE, err_msg=place)
        wanted = np.imag(velocity([*moved_q, *moved_v, *a, *p])).ravel() / STEP
        found = np.ravel(acceleration([*q, *v, *a, *p]))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE, err_msg=place)
        assert motion.unsimplified == ()


def rates(equations, q, v):
    """q̇: v itself, but for the quaternion of the heavy top."""
    if len(q) == len(v):
        return v
    w, x, y, z = q
    E = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])  # docs/notation.md: ω in the axes of the body
    return 0.5 * E @ v


def test_positions_are_those_of_forward_kinematics():
    model = cardan.load("manipulator_6dof")
    equations = cardan.equations(model, "none")
    q = np.linspace(0.1, 0.9, 6)
    run = cardan.simulate(model, times=[0.0], initial=dict(zip(equations.coordinates, q, strict=True)))
    p = [float(value) for value in resolve(model.parameters).values()]
    position = callable_of(equations, equations.kinematics["link6"].position)([*q, *q, *q, *p])
    wanted = [float(run[f"end_{axis}"][0]) for axis in "xyz"]
    np.testing.assert_allclose(np.ravel(position), wanted, rtol=0, atol=TOLERANCE)


def test_the_payload_of_the_crane_by_hand():
    motion = cardan.equations(cardan.load("overhead_crane")).kinematics["payload"]
    assert sp.Matrix([[sp.Symbol("travel"), 0, 0]]) == motion.position.T


def test_names_and_places_on_the_ground():
    found = cardan.equations(cardan.load("overhead_crane")).kinematics
    assert {"trolley", "payload"} <= set(found)
    assert len(found) == len(list(found))
    assert "trolley" in found
    assert "troley" not in found
    assert repr(found) == f"<motions of {', '.join(found)}>"
    with pytest.raises(ModelError, match=r"no body or marker 'troley'\n.*trolley"):
        found["troley"]
    assert found["ground"].velocity == sp.zeros(3, 1)


def test_what_the_budget_left_is_named():
    equations = cardan.equations(cardan.load("manipulator_6dof"), "none", budget=0)
    assert "acceleration[1]" in equations.kinematics["link6"].unsimplified
