"""The method semi_implicit_euler keeps the contract of integrators."""

from tests.contracts.integrator_contract import IntegratorContract


class TestSemiImplicitEuler(IntegratorContract):
    method, order, steps = "semi_implicit_euler", 1, (1 / 512, 1 / 1024)
