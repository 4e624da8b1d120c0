"""The method rk4 keeps the contract of integrators."""

from tests.contracts.integrator_contract import IntegratorContract


class TestRk4(IntegratorContract):
    method, order, steps = "rk4", 4, (1 / 64, 1 / 128)
