"""Efforts of graphs with ports without inertia and with redundant constraints, against solutions by hand."""

import casadi as ca
import numpy as np
import pytest
from tests.selection import each

from cardan.bond_graphs import Bond, GraphElement, assign, junction_structure, make_graph
from cardan.bond_graphs.formulae import field_laws, saddle_efforts

MASS, SPEED, RATE, FORCE = 2.0, 0.4, 0.7, 2.5  # of the driven mass; of the spring
DRIVEN = [GraphElement("F", "Se", unknown="drive"), GraphElement("v1", "1"), GraphElement("m1", "I", MASS)]


def efforts(elements, pairs, kept, flows):
    """U1 and U2 of a graph of scalar elements."""
    graph = make_graph(elements, [Bond(f"{a}>{b}", a, b, "translation") for a, b in (x.split(">") for x in pairs)])
    causality = assign(graph)
    structure = junction_structure(graph, causality)
    masses = [graph.elements[name].modulus for name, _ in structure.given["i"]]
    found = saddle_efforts(
        structure,
        field_laws(graph, causality, structure),
        kept,
        ca.DM([SPEED] * len(masses)),
        ca.DM([SPEED] * flows),
        ca.DM([m * RATE for m in masses]),
    )
    return [np.array(ca.evalf(ca.SX(x))).ravel() for x in found]


def test_a_port_without_inertia_passes_the_force_of_its_spring_on():
    """m1 – rigid joint – a frame without mass on a spring: U2 is the spring's force, U1 = m1 a + U2."""
    elements = [
        *DRIVEN,
        GraphElement("joint", "0"),
        GraphElement("U", "Se", unknown="constraint"),
        GraphElement("v2", "1"),
        GraphElement("v2.none", "Sf", unknown="flow"),
        GraphElement("k", "C", 10.0, value=FORCE / 10.0),
    ]
    pairs = ["F>v1", "v1>m1", "v1>joint", "U>joint", "joint>v2", "v2.none>v2", "v2>k"]
    U1, U2 = efforts(elements, pairs, (0,), 1)
    assert pytest.approx([FORCE], rel=1e-14) == U2
    assert pytest.approx([MASS * RATE + FORCE], rel=1e-14) == U1


@each("kept", [(0,), (1,)])
def test_two_joints_that_hold_the_same_share_its_force(kept):
    """Whichever row is kept, the forces with the least sum of squares are the same: half of m2 a each."""
    elements = [*DRIVEN, GraphElement("v2", "1"), GraphElement("m2", "I", 3.0)]
    pairs = ["F>v1", "v1>m1", "v2>m2"]
    for name in ("A", "B"):
        elements += [GraphElement(name, "0"), GraphElement(f"U{name}", "Se", unknown="constraint")]
        pairs += [f"v1>{name}", f"{name}>v2", f"U{name}>{name}"]
    U1, U2 = efforts(elements, pairs, kept, 0)
    assert pytest.approx([3.0 * RATE / 2] * 2, rel=1e-14) == U2
    assert pytest.approx([(MASS + 3.0) * RATE], rel=1e-14) == U1
