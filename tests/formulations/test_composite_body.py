"""The formulation composite_body keeps the contract of formulations."""

from cardan.formulations import composite_body
from tests.contracts.formulation_contract import FormulationContract


class TestCompositeBody(FormulationContract):
    module = composite_body
