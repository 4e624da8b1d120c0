"""The formulation newton_euler keeps the contract of formulations."""

from cardan.formulations import newton_euler
from tests.contracts.formulation_contract import FormulationContract


class TestNewtonEuler(FormulationContract):
    module = newton_euler
