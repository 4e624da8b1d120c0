"""The method linearly_implicit_euler keeps the contract of integrators."""

from tests.contracts.integrator_contract import IntegratorContract


class TestLinearlyImplicitEuler(IntegratorContract):
    method, order, steps = "linearly_implicit_euler", 1, (1 / 512, 1 / 1024)
