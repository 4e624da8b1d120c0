"""The formulation lagrange keeps the contract of formulations."""

from cardan.formulations import lagrange
from tests.contracts.formulation_contract import FormulationContract


class TestLagrange(FormulationContract):
    module = lagrange
