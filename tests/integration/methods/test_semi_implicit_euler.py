"""The method semi_implicit_euler keeps the contract of integrators."""

import casadi as ca
import pytest

from cardan.integration import integrate
from tests.contracts.integrator_contract import IntegratorContract
from tests.integration.problems import problem


class TestSemiImplicitEuler(IntegratorContract):
    method, order, steps = "semi_implicit_euler", 1, (1 / 512, 1 / 1024)


def test_quadratures_are_exact_for_rates_that_grow_linearly():
    """The velocity of free fall is exact, and the trapezoidal rule integrates it exactly: h = g t²/2."""
    fall = problem(
        lambda t, x, u, p: (ca.vertcat(x[1], -9.81), x[1]), 1, [0.0, 0.0], nw=1, times=[2.0], a=[0.0], b=[2.0]
    )
    run = integrate(fall, "semi_implicit_euler", step=0.1)
    assert run.w[-1, 0] == pytest.approx(-9.81 * 2**2 / 2, rel=1e-13)
