"""`cardan.bond_graph` of graphs made by hand: alone, of a model, and as sources in the graph of a mechanism."""

import casadi as ca
import pytest

import cardan
from tests.formulations.bond_graph.test_formula import compared
from tests.selection import each
from tests.truths.test_hand_made_graphs import ARM, CYLINDER, DRIVE

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
    "bodies": {"rod": {"mass": 1, "com": [1, 0, 0], "inertia": [0.1, 0.2, 0.2]}},
    "joints": {"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"}},
}


def test_a_graph_alone():
    graph = cardan.bond_graph(cardan.BondGraph(**OSCILLATOR))
    assert list(graph.elements) == ["body", "m", "k", "d"]
    assert graph.causality.integral == ("m", "k")
    assert "I : m" in graph.to_svg(expanded=True)
    with pytest.raises(cardan.ModelError, match="graph is a graph made by hand: it has no joints"):
        _ = graph.formula


def test_a_graph_at_a_joint_is_a_source_in_the_graph_of_the_mechanism():
    model = cardan.Model(**ROD, graphs={"brake": BRAKE})
    whole, own = cardan.bond_graph(model), cardan.bond_graph(model, graph="brake")
    state = whole.state
    effort = ca.Function("e", [state.v, state.z, state.u], [whole.elements["hinge.effort"].value])
    assert float(effort(2.0, 0.3, 5.0)) == pytest.approx(5 - 3 * 2.0 - 7 * 0.3)
    assert list(own.elements) == ["w", "arm", "clutch", "friction"]


def test_driving_efforts_of_the_formula_are_those_beside_the_graph():
    """The drive of a prescribed motion against a brake: the formula and kineto-statics find the same effort."""
    model = cardan.Model(**ROD, graphs={"brake": BRAKE}, motions={"hinge": "sin(2*t)"}, initial={"brake.clutch.x": 0.2})
    run = cardan.kinetostatics(model, times=[0.0, 0.3, 0.7])
    formula = cardan.bond_graph(model).formula
    q, v, a = (run[f"hinge.{name}"].values[:, None] for name in "qva")
    first, rates = formula.momenta(run.t, q, v, a)
    loads = formula(run.t, q, first, rates, z=run["brake.clutch.x"].values[:, None])
    assert loads.U1[:, 0] == pytest.approx(run["hinge.effort"].values, rel=1e-9)


@each(
    "machine, graph",
    [
        (ROD, BRAKE),
        (ARM, DRIVE),
        (
            {**ROD, "parameters": {"area": 2e-3}},
            {
                **CYLINDER,
                "elements": {
                    **CYLINDER["elements"],
                    "boom": {
                        "type": "port",
                        "parent": {"body": "ground", "position": [0.2, -0.5, 0.1]},
                        "child": {"body": "rod", "position": [0.5, 0.1, 0]},
                    },
                },
            },
        ),
    ],
)
def test_reactions_of_the_formula_know_the_ports(machine, graph):
    """Efforts and unique reactions against Newton and Euler, ports at joints and between markers."""
    _, efforts, off = compared(cardan.Model(**machine, graphs={"drive": graph}), "none")
    assert efforts < 1e-9
    assert off < 1e-9


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
