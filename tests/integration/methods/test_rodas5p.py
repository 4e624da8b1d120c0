"""The method rodas5p keeps the contract of integrators."""

from cardan.integration import tableaus
from tests.contracts.integrator_contract import IntegratorContract


class TestRodas5p(IntegratorContract):
    method, order, steps = "rodas5p", 5, (1 / 32, 1 / 64)
    tableau = tableaus.rodas5p
