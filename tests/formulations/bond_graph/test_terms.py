"""Terms from the bond graph of the tree."""

import cardan
from cardan.formulations import bond_graph
from tests.contracts.formulation_contract import FormulationContract


class TestBondGraph(FormulationContract):
    module = bond_graph


def test_springs_act_on_what_has_no_inertia():
    """The wheels of car_axis are massless: its springs' forces are efforts at flows without inertia."""
    assert cardan.verify(cardan.load("car_axis"), states=2).ok
