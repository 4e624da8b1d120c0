"""The formulation articulated_body keeps the contract of formulations."""

from cardan.formulations import articulated_body
from tests.contracts.formulation_contract import FormulationContract


class TestArticulatedBody(FormulationContract):
    module = articulated_body
