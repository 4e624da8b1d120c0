"""The method dop853 keeps the contract of integrators."""

from cardan.integration import tableaus
from tests.contracts.integrator_contract import IntegratorContract


class TestDop853(IntegratorContract):
    method, order, steps = "dop853", 8, (1 / 4, 1 / 8)
    tableau = tableaus.dop853
