"""`cardan bond-graph`: a drawing, the causality in words, the matrices."""

import re
from xml.etree import ElementTree

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar


def test_a_drawing_is_written(cardan_cli, tmp_path):
    result = cardan_cli("bond-graph", "overhead_crane", "-o", "crane.svg")
    assert result.exit_code == 0
    assert "integral causality throughout, no algebraic loop" in result.stdout
    assert "wrote crane.svg" in result.stdout
    closed = ElementTree.parse(tmp_path / "crane.svg").getroot()
    assert cardan_cli("bond-graph", "overhead_crane", "--expanded", "-o", "open.svg").exit_code == 0
    opened = ElementTree.parse(tmp_path / "open.svg").getroot()
    assert len(list(opened.iter())) > len(list(closed.iter()))


def test_without_constraint_forces_the_causality_is_explained(cardan_cli):
    result = cardan_cli("bond-graph", "trolley_pendulum", "--no-augmented")
    assert result.exit_code == 0
    assert "derivative causality" in result.stdout


def test_the_algebraic_loops_of_a_joint_are_one_sentence(cardan_cli):
    lines = cardan_cli("bond-graph", "parallel_3rrrt", "--no-augmented").stdout.splitlines()
    loops = [line for line in lines if "algebraic loop" in line]
    assert loops[:3] == [
        f"the causality of 4 bonds of joint {name} is a choice: they lie in algebraic loops"
        for name in ("A1", "B1", "C1")
    ]
    parts = [line.split(" of joint ")[1].split()[0] for line in loops if " of joint " in line]
    assert len(parts) == len(set(parts)) == 9
    assert "the causality of torque b2.spin → B3.point is a choice: it lies in an algebraic loop" in loops


def blocks(text):
    """Lines of each matrix by name."""
    found = {}
    for line in text.splitlines():
        if line.startswith("J_"):
            found[line.split()[0]] = lines = [line]
        elif line.startswith("  ") and found:
            lines.append(line.strip())
    return found


def test_matrices_have_their_entries_beside_the_elements(cardan_cli):
    """What a hand writes: ṗ1 = F_tyre − F_spring …, ẋ = −J_i2sᵀ v, since junctions take no power."""
    found = blocks(cardan_cli("bond-graph", "quarter_car", "--matrices").stdout)
    assert found["J_i2s"][0] == "J_i2s (2 × 2): momenta from springs"
    assert [line.split() for line in found["J_i2s"][1:]] == [["tyre", "spring"], ["m1", "1", "-1"], ["m2", "0", "1"]]
    assert [line.split() for line in found["J_si2"][1:]] == [["m1", "m2"], ["tyre", "-1", "0"], ["spring", "1", "-1"]]
    assert [*found] == ["J_i2s", "J_i2L", "J_i2u3", "J_si2", "J_su3", "J_Li2"]
    vectors = blocks(cardan_cli("bond-graph", "hydraulic_boom", "--matrices").stdout)
    assert vectors["J_Ci2"][2].split() == ["pivot.point.force[1]", "1", "0", "0", "-1/2*L*sin(pivot)"]
    by_hand = blocks(cardan_cli("bond-graph", "hydraulic_boom", "--graph", "lift", "--matrices").stdout)
    assert by_hand["J_su3"][1:] == ["pump    line", "oil      0   -area"]
    refused = cardan_cli("bond-graph", "trolley_pendulum", "--no-augmented", "--matrices")
    assert refused.exit_code == 2
    assert "it is bound\n    take the augmented graph, or put a C between them" in refused.output


def test_wide_matrices_stand_in_groups_of_columns_and_long_entries_below(cardan_cli):
    """Entries of an arm with 57 constraints, read again as expressions, are those of the matrices as numbers."""
    model = cardan.load("parallel_3rrrt")
    found = blocks(cardan_cli("bond-graph", "parallel_3rrrt", "--matrices").stdout)
    graph = cardan.bond_graph(model)
    tree = graph.system.tree
    q, p = np.random.default_rng(1).normal(size=tree.nq), resolve(model.parameters)
    at = dict(zip([entry.name for entry in tree.coordinates], q, strict=True)) | dict(p)
    for name, row, column in (("J_Cu4", "C", "u4"), ("J_Ci2", "C", "i2"), ("J_i2E", "i2", "E")):
        of = ca.Function("J", [graph.state.q, tree.p], [graph.matrices[name]])
        numbers = of(q, [float(p[each]) for each in tree.parameters]).full()
        rows = [labelled(*entry, graph) for entry in graph.matrices.entries(row)]
        columns = [labelled(*entry, graph) for entry in graph.matrices.entries(column, given=True)]
        printed, below = {}, dict(line.split(" = ") for line in found[name][1:] if " = " in line)
        for line in (line for line in found[name][1:] if " = " not in line):
            assert len(line) <= 98  # and two blanks
            first, *others = re.split(r" {3,}", line)
            if first in columns:
                group = [first, *others]
                continue
            for label, text in zip(group, others, strict=True):
                entry = Scalar.read(below.get(text, text)).evaluate(at.__getitem__)
                printed[rows.index(first), columns.index(label)] = entry
        for place, number in np.ndenumerate(numbers):
            assert printed.get(place, 0) == pytest.approx(
                number, abs=1e-12
            )  # some hundred operations on numbers up to 1


def labelled(element, component, graph):
    several = graph.graph.ports[element][0].size > 1
    return f"{element}[{component + 1}]" if several else element


def test_another_ending_is_wrong_input(cardan_cli):
    result = cardan_cli("bond-graph", "scara", "-o", "scara.png")
    assert result.exit_code == 2
    assert "does not end in .svg" in result.output


def test_a_file_that_exists_is_kept(cardan_cli, tmp_path):
    (tmp_path / "scara.svg").write_text("mine")
    assert cardan_cli("bond-graph", "scara", "-o", "scara.svg").exit_code == 2
    assert (tmp_path / "scara.svg").read_text() == "mine"


def test_the_power_flow_of_a_run(cardan_cli, tmp_path):
    assert cardan_cli("simulate", "compound_pendulum", "--until", "1", "-o", "run.nc").exit_code == 0
    words = ("bond-graph", "compound_pendulum", "--run", "run.nc")
    result = cardan_cli(*words, "--at", "0.3 s", "-o", "power.svg")
    assert result.exit_code == 0
    assert "W  force of rod.weight" in result.stdout
    assert 'class="power' in (tmp_path / "power.svg").read_text(encoding="utf-8")
    for other, fault in (
        (words, "go together"),
        ((*words, "--at", "0.3 s", "--motors", "none"), "has its motors"),
        (("bond-graph", "scara", *words[2:], "--at", "0.3 s"), "run.nc is not a run of scara"),
        ((*words, "--at", "3 s"), "the run has no instant 3 s"),
    ):
        refused = cardan_cli(*other)
        assert refused.exit_code == 2
        assert fault in refused.output


def test_a_graph_made_by_hand_is_drawn(cardan_cli, tmp_path):
    text = """
cardan: 1
graphs:
  circuit:
    elements:
      u: {type: Se, effort: 24 V}
      loop: 1 electrical
      L: {type: I, inertia: 2 mH}
      R: {type: R, resistance: 0.5 ohm}
    bonds: [u -> loop, loop -> L, loop -> R]
"""
    (tmp_path / "circuit.yaml").write_text(text)
    assert cardan_cli("bond-graph", "circuit.yaml", "--graph", "circuit", "-o", "circuit.svg").exit_code == 0
    assert "I : L" in (tmp_path / "circuit.svg").read_text(encoding="utf-8")
    refused = cardan_cli("bond-graph", "circuit.yaml", "--graph", "loop")
    assert refused.exit_code == 2
    assert "there is no graph 'loop'" in refused.output
