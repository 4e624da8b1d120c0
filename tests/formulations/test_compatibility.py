"""The formulation compatibility keeps the contract of formulations; its reactions are those of the multipliers."""

import casadi as ca
import numpy as np
import pytest

from cardan.formulations import compatibility
from tests.contracts.formulation_contract import FormulationContract


class TestCompatibility(FormulationContract):
    module = compatibility


@pytest.mark.parametrize("seed", range(5))
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
