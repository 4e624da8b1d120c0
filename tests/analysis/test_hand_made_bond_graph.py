"""`cardan.bond_graph` of graphs made by hand: alone, of a model, and as sources in the graph of a mechanism."""

import casadi as ca
import pytest

import cardan

OSCILLATOR = {
    "elements": {
        "body": "1 translation",
        "m": {"type": "I", "inertia": 2},
        "k": {"type": "C", "stiffness": 8, "initial": 0.1},
        "d": {"type": "R", "resistance": 0.5},
    },
    "bonds": ["body -> m, k, d"],
}
BRAKE = {
    "elements": {
        "w": "1 rotation",
        "arm": {"type": "port", "joint": "hinge"},
        "clutch": {"type": "C", "stiffness": 7},
        "friction": {"type": "R", "resistance": 3},
    },
    "bonds": ["arm -> w -> clutch, friction"],
}
ROD = {
    "bodies": {"rod": {"mass": 1, "com": [1, 0, 0]}},
    "joints": {"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"}},
}


def test_a_graph_alone():
    graph = cardan.bond_graph(cardan.BondGraph(**OSCILLATOR))
    assert list(graph.elements) == ["body", "m", "k", "d"]
    assert graph.causality.integral == ("m", "k")
    assert "I : m" in graph.to_svg(expanded=True)


def test_a_graph_at_a_joint_is_a_source_in_the_graph_of_the_mechanism():
    model = cardan.Model(**ROD, graphs={"brake": BRAKE})
    whole, own = cardan.bond_graph(model), cardan.bond_graph(model, graph="brake")
    state = whole.state
    effort = ca.Function("e", [state.v, state.z, state.u], [whole.elements["hinge.effort"].value])
    assert float(effort(2.0, 0.3, 5.0)) == pytest.approx(5 - 3 * 2.0 - 7 * 0.3)
    assert list(own.elements) == ["w", "arm", "clutch", "friction"]


def test_the_power_flow_of_a_run():
    run = cardan.simulate(cardan.BondGraph(**OSCILLATOR), until=1.0)
    flow = cardan.power_flow(run, 0.5)
    assert sum(flow.powers.values()) == pytest.approx(0, abs=1e-12)
    assert flow.powers["d"] > 0


def test_graphs_are_named_where_there_are_several():
    model = cardan.Model(graphs={"one": OSCILLATOR, "two": OSCILLATOR})
    with pytest.raises(cardan.ModelError, match="the model holds several graphs"):
        cardan.bond_graph(model)
    with pytest.raises(cardan.ModelError, match="there is no graph 'three'"):
        cardan.bond_graph(model, graph="three")
