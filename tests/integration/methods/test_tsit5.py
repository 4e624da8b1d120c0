"""The method tsit5 keeps the contract of integrators."""

from cardan.integration import tableaus
from tests.contracts.integrator_contract import IntegratorContract


class TestTsit5(IntegratorContract):
    method, order, steps = "tsit5", 5, (1 / 16, 1 / 32)
    tableau = tableaus.tsit5
