"""The unified formulae of hand-made graphs against solutions by hand: (14), R at a 0-junction, J_CL ≠ 0, partitioned.

Source: Wang & Tao 2013, eqs. 13, 14 (corrected: docs/errata.md)
"""

import casadi as ca
import numpy as np
import pytest

from cardan.bond_graphs import Bond, GraphElement, assign, junction_structure, make_graph
from cardan.bond_graphs.formulae import field_laws, first_momenta, unified_formulae
from cardan.errors import ModelError


def formulae(elements, pairs, first=()):
    """Formulae of a graph of scalar elements, and a function that evaluates U1 and U2 for Z and Ẋ_i1."""
    graph = make_graph(elements, [Bond(f"{a}>{b}", a, b, "translation") for a, b in (x.split(">") for x in pairs)])
    causality = assign(graph)
    structure = junction_structure(graph, causality, [(name, 0) for name in first])
    found = unified_formulae(structure, field_laws(graph, causality, structure))

    def solve(Z, rates, drift=0.0):
        drift = ca.DM.ones(len(structure.received["C"])) * drift
        return tuple(np.array(ca.evalf(ca.SX(x))).ravel() for x in found.unknowns(ca.DM(Z), ca.DM(rates), drift))

    return found, solve


def mass(name, m):
    return GraphElement(name, "I", m)


DRIVE = GraphElement("F", "Se", unknown="drive")
FORCE = GraphElement("U", "Se", unknown="constraint")
TWO_MASSES = [
    DRIVE,
    GraphElement("v1", "1"),
    mass("m1", 2.0),
    GraphElement("joint", "0"),
    GraphElement("v2", "1"),
    mass("m2", 3.0),
]
LINKED = ["F>v1", "v1>m1", "v1>joint", "joint>v2", "v2>m2"]


def test_rigid_joints_have_form_13():
    """F = (m1 + m2) a, and m2 a in the joint: from the momentum of the driven mass alone."""
    found, solve = formulae([*TWO_MASSES, FORCE], [*LINKED, "U>joint"], ["m1"])
    assert found.kind == "(13)"
    U1, U2 = solve([0.4, 0.4], [2.0 * 0.7])
    assert pytest.approx([5.0 * 0.7], rel=1e-14) == U1
    assert pytest.approx([3.0 * 0.7], rel=1e-14) == U2
    X = np.array(ca.evalf(ca.SX(found.momenta(ca.DM([0.8]))))).ravel()
    assert pytest.approx([0.8, 1.2], rel=1e-14) == X  # both masses move with 0.4 m/s


def test_a_resistor_at_the_junction_of_a_constraint_force_has_form_14():
    """J_CL ≠ 0: the damper R between two masses takes the difference of their velocities, U2 = R (v1 − v2)."""
    damper = GraphElement("R", "R", 5.0)
    found, solve = formulae([*TWO_MASSES, FORCE, damper], [*LINKED, "U>joint", "joint>R"], ["m1"])
    assert found.kind == "(14)"
    assert found.structure["J_CL"].nnz() == 1
    U1, U2 = solve([0.4, 0.1], [2.0 * 0.7])
    assert pytest.approx([5.0 * 0.3], rel=1e-14) == U2
    assert pytest.approx([2.0 * 0.7 + 5.0 * 0.3], rel=1e-14) == U1


def test_a_graph_with_rigid_and_yielding_joints_is_partitioned():
    """m1 – damper – m2 – rigid – m3: the rigid row is differentiated, the other is not."""
    elements = [
        *TWO_MASSES, FORCE, GraphElement("R", "R", 5.0),
        GraphElement("rigid", "0"), GraphElement("V", "Se", unknown="constraint"),
        GraphElement("v3", "1"), mass("m3", 4.0),
    ]  # fmt: skip
    pairs = [*LINKED, "U>joint", "joint>R", "v2>rigid", "rigid>v3", "v3>m3", "V>rigid"]
    found, solve = formulae(elements, pairs, ["m1", "m2"])
    assert found.kind == "partitioned"
    U1, U2 = solve([0.4, 0.1, 0.1], [2.0 * 0.7, 3.0 * 1.5 / 7.0])
    assert pytest.approx([1.5, 4.0 * 1.5 / 7.0], rel=1e-14) == U2
    assert pytest.approx([2.0 * 0.7 + 1.5], rel=1e-14) == U1


def test_two_resistors_in_a_loop_are_eliminated_together():
    """J_LL ≠ 0: two dampers in series at the joint act like one of R1 R2/(R1 + R2)."""
    elements = [
        *TWO_MASSES, FORCE, GraphElement("R1", "R", 5.0), GraphElement("series", "1"),
        GraphElement("node", "0"), GraphElement("R2", "R", 2.0), GraphElement("R3", "R", 3.0),
    ]  # fmt: skip
    pairs = [*LINKED, "U>joint", "joint>series", "series>R1", "series>node", "node>R2", "node>R3"]
    found, solve = formulae(elements, pairs, ["m1"])
    assert found.kind == "(14)"
    _, U2 = solve([0.4, 0.1], [0.0])
    assert pytest.approx([(5.0 + 6.0 / 5.0) * 0.3], rel=1e-14) == U2  # R1 and, after it, R2 beside R3


def test_a_port_without_inertia_is_refused():
    free = GraphElement("m2.none", "Sf", unknown="flow")
    elements = [*TWO_MASSES[:-1], FORCE, free]
    pairs = [*LINKED[:-1], "m2.none>v2", "U>joint"]
    with pytest.raises(ModelError, match=r"m2\.none has no inertia, and the formulae divide by inertias"):
        formulae(elements, pairs, ["m1"])


def test_first_momenta_determine_the_motion_and_are_driven():
    """Of three momenta the first carries no drive, and the second no motion: the third is left."""
    B, J = np.array([[1.0], [0.0], [0.5]]), np.array([[0.0], [2.0], [1.0]])
    entries = (("a", 0), ("b", 0), ("c", 0))
    assert first_momenta(B, J, entries) == (("c", 0),)
    assert first_momenta(B, np.zeros((3, 0)), entries) == (("a", 0),)  # without drives the one that moves most


def test_springs_and_known_forces_are_part_of_the_balance():
    spring = GraphElement("k", "C", 10.0, value=0.2)
    weight = GraphElement("W", "Se", value=ca.SX(-9.0))
    elements, pairs = [*TWO_MASSES, FORCE, spring, weight], [*LINKED, "U>joint", "v2>k", "W>v2"]
    U1, U2 = formulae(elements, pairs, ["m1"])[1]([0.0, 0.0], [2.0 * 0.7])
    assert pytest.approx([3.0 * 0.7 + 2.0 + 9.0], rel=1e-14) == U2
    assert pytest.approx([5.0 * 0.7 + 11.0], rel=1e-14) == U1
