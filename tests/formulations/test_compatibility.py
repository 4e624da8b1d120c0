"""The formulation compatibility keeps the contract of formulations; its reactions are those of the multipliers."""

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.formulations import compatibility
from cardan.model.quantities.parameters import resolve
from tests.contracts.formulation_contract import FormulationContract
from tests.selection import each


class TestCompatibility(FormulationContract):
    module = compatibility


@each("seed", range(5))
def test_reactions_and_accelerations_are_those_of_multipliers(seed):
    """R = fᵀ λ with f A⁻¹ (force + fᵀ λ) = −f0, whichever velocities are taken for independent ones."""
    rng = np.random.default_rng(seed)
    n, r = 5, 2
    half = rng.normal(size=(n, n))
    A, force = half @ half.T + np.eye(n), rng.normal(size=n)
    f, f0 = rng.normal(size=(r, n)), rng.normal(size=r)
    lam = np.linalg.solve(f @ np.linalg.solve(A, f.T), -f0 - f @ np.linalg.solve(A, force))
    a = np.linalg.solve(A, force + f.T @ lam)
    for independent in ([0, 1, 2], [1, 3, 4]):
        numbers = ca.DM(A), ca.DM(force), ca.DM(f), ca.DM(f0)
        found = compatibility.compatibility(*numbers, independent)
        np.testing.assert_allclose(np.array(found.R).ravel(), f.T @ lam, rtol=1e-10)  # condition of A: below 1e3
        np.testing.assert_allclose(np.array(found.a).ravel(), a, rtol=1e-10)
        reduced = compatibility.reduced_accelerations(*numbers, independent)
        np.testing.assert_allclose(np.array(reduced).ravel(), a, rtol=1e-10)
        np.testing.assert_allclose(np.array(found.D) @ f.T, 0, atol=1e-12)
        np.testing.assert_allclose(np.array(found.D)[:, independent], np.eye(n - r), atol=0)


@pytest.mark.parametrize("name", ["four_bar_spatial", "flyball_governor", "four_bar"])
def test_the_matrices_of_a_model_have_the_independent_ones_of_its_equations(name):
    """f has as many rows as all equations have rank, and D spans the velocities that all of them allow."""
    model = cardan.load(name)
    equations = cardan.equations(model, formulation="compatibility")
    start = cardan.simulate(model, times=[0.0])
    q = np.array([start.array(f"{each}.q")[0] for each in equations.coordinates])
    J = cardan.compile(model).constraint_jacobian(q)
    values = resolve(model.parameters) | dict(zip(equations.coordinates, q, strict=True))
    found = equations.compatibility
    f, D = (
        np.array(found[key].subs({x: values[x.name] for x in found[key].free_symbols}), float) for key in ("f", "N")
    )
    rank = np.linalg.matrix_rank(J, tol=1e-8)
    assert (len(f), len(D)) == (rank, len(q) - rank)
    np.testing.assert_allclose(f @ D.T, 0, atol=1e-9)  # the position is assembled to 1e-10
    np.testing.assert_allclose(J @ D.T, 0, atol=1e-9)


def test_inertia_forces_are_those_of_the_two_link_arm():
    """Q* − Q⁰ = (−b sin q₂ (2 v₁ v₂ + v₂²), b sin q₂ v₁²), the centrifugal and Coriolis terms of the textbooks."""
    q, v, a, b, c = ca.SX.sym("q", 2), ca.SX.sym("v", 2), 3.0, 0.7, 1.1
    off = c + b * ca.cos(q[1])
    A = ca.vertcat(ca.horzcat(a + 2 * b * ca.cos(q[1]), off), ca.horzcat(off, c))
    slopes, Q0, Q_star = compatibility.inertia_forces(A, q, v)
    at = [0.4, 0.9], [1.3, -0.8]
    (v1, v2), s = at[1], b * np.sin(0.9)
    found = np.array(ca.Function("f", [q, v], [Q_star - Q0])(*at)).ravel()
    np.testing.assert_allclose(found, [-s * (2 * v1 * v2 + v2**2), s * v1**2], rtol=1e-14)  # a few operations
    assert np.array(ca.Function("f", [q, v], [slopes[0]])(*at)).tolist() == [[0, 0], [0, 0]]
