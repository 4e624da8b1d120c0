"""The bond graph of a mechanism: its flows are those of the motion, its constraints hold, its causality is integral."""

from time import perf_counter

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.bond_graphs.checks import graph_issues
from cardan.errors import ModelError
from cardan.formulations.bond_graph.constraints import equations
from cardan.functions.dynamics import parameter_array
from cardan.kinematics.constraints import constraint_rows, constraint_terms
from tests.mechanisms import IMPOSSIBLE, WITH_BODIES, random_model
from tests.selection import of_gallery

GALLERY = WITH_BODIES
WITHOUT_MOTORS = [name for name in GALLERY if (name, "none") not in IMPOSSIBLE]
ROUND_OFF = 1e-12  # of sums of some ten products of numbers of size one


def at_random(graph, outputs, seed=0):
    """Values of expressions in a random state, quaternions at unit length."""
    s, rng = graph.state, np.random.default_rng(seed)
    tree = graph.system.tree
    q = rng.uniform(-0.5, 0.5, tree.nq)
    for link in tree.links:
        if len(link.q) > len(link.v):
            q[list(link.q)[-4:]] = (lambda x: x / np.linalg.norm(x))(rng.normal(size=4))
    values = [0.3, q, *(rng.uniform(-1, 1, x.shape[0]) for x in (s.v, s.z, s.u))]
    p = [float(x) for x in cardan.model.quantities.parameters.resolve(graph.system.model.parameters).values()]
    function = ca.Function("f", [s.t, s.q, s.v, s.z, s.u, tree.p], [ca.densify(ca.SX(x)) for x in outputs])
    return [np.array(x) for x in function.call([*values, p])]


def given_flows(graph):
    """Flows of inertias and of what has none, in the order of the columns; zero of all other columns."""
    columns = []
    for field, entries in graph.matrices.given.items():
        known = field in ("i", "u4") or (field == "u3")
        for name, k in entries:
            element = graph.elements[name]
            is_flow = known and (element.kind in ("I", "Sf"))
            columns.append(ca.SX(element.value)[k] if is_flow else ca.SX(0))
    return ca.vertcat(*columns)


def of_key(key):
    return cardan.load(key) if isinstance(key, str) else random_model(key)


@pytest.mark.parametrize("key", [*of_gallery(WITHOUT_MOTORS), *range(3)])
def test_flows_are_those_of_the_motion(key):
    """Joints of the tree and gears hold; loops and equations have their Φ̇; drives move with their velocities."""
    graph = cardan.bond_graph(of_key(key), motors="none", drives=[v.name for v in _tree(key).velocities])
    J, tree, motion = graph.matrices, graph.system.tree, graph.state.motion
    flows = J.J @ given_flows(graph)
    rows = [(field, name) for field, entries in J.received.items() for name, _ in entries]
    drives = [i for i, (field, _) in enumerate(rows) if field == "u1"]
    closing = {f"{equation.owner}.closure.force" for equation in equations(tree, motion)}
    held = [i for i, (field, name) in enumerate(rows) if field == "C" and name not in closing]
    open_loops = [i for i, (field, name) in enumerate(rows) if field == "C" and name in closing]
    own = [i for i, row in enumerate(constraint_rows(tree, motion)) if not row.by_drives]
    rate = ca.SX(constraint_terms(tree, motion).rate)[own] if own else ca.SX(0, 1)
    zero, rates, v, loops, expected = at_random(
        graph, [flows[held], flows[drives], graph.state.v, flows[open_loops], rate]
    )
    order = [
        int(np.flatnonzero([x.name == rows[i][1].removesuffix(".drive") for x in tree.velocities])[0]) for i in drives
    ]
    np.testing.assert_allclose(zero, 0, atol=ROUND_OFF * (1 + np.abs(rates).max(initial=0)) * 10)
    np.testing.assert_allclose(rates, v[order], atol=ROUND_OFF)
    np.testing.assert_allclose(loops, expected, atol=ROUND_OFF * (1 + np.abs(expected).max(initial=0)))


def _tree(key):
    return cardan.bond_graph(of_key(key), motors="none", drives=[]).system.tree


@pytest.mark.parametrize("key", [*of_gallery(WITHOUT_MOTORS), 3])
def test_the_augmented_graph_has_integral_causality_and_keeps_power(key):
    graph = cardan.bond_graph(of_key(key))
    assert graph.causality.derivative == {}
    assert [issue.fault for issue in graph_issues(graph.graph) if "in pieces" not in issue.fault] == []
    J = graph.matrices
    lost = [J.block("C", "i").T - J.block("i", "u2"), J.block("i", "L").T + J.block("L", "i")]
    for difference in at_random(graph, lost):
        np.testing.assert_allclose(difference, 0, atol=ROUND_OFF)
    assert J["J_CL"].nnz() == J["J_CE"].nnz() == 0  # rigid joints: form (13) of the paper


def test_without_constraint_forces_inertias_depend_on_each_other():
    model = cardan.load("parallel_3rrrt").replace(motions={})
    graph = cardan.bond_graph(model, augmented=False, drives=["A1", "B1", "C1"])
    words = graph.causality.words
    assert "a1.inertia depends on platform.mass, a3.mass and a2.mass: derivative causality" in words
    assert "a3.inertia" in graph.causality.derivative
    assert any(sentence.startswith("conflict at body a") for sentence in words)  # vector bonds of several constraints
    with pytest.raises(ModelError, match="has derivative causality"):
        _ = graph.matrices


def test_the_graph_of_the_parallel_manipulator_is_made_quickly():
    model = cardan.load("parallel_3rrrt")
    cardan.bond_graph(model)
    begin = perf_counter()
    assert len(cardan.bond_graph(model).bonds) > 200
    assert perf_counter() - begin < 0.5 * 4  # the required half second, on a machine four times as busy


def test_motions_of_markers_are_sources_of_flow_before_augmentation():
    """The motion stands where it is prescribed, in place of the drives that keep it; the platform follows it."""
    model = cardan.load("parallel_3rrrt")
    plain = cardan.bond_graph(model, augmented=False)
    assert not [x.name for x in plain.elements.values() if x.unknown]
    source = plain.elements["platform.position.motion.rate"]
    (bond,) = plain.graph.ports[source.name]
    assert (source.kind, bond.size, bond.head) == ("Sf", 3, "platform.position.motion")
    tree, velocity = plain.system.tree, ca.SX(plain.elements["platform.mass"].value)
    flow = ca.Function("flow", [plain.state.t, plain.state.q, plain.state.v, tree.p], [ca.SX(source.value), velocity])
    run = cardan.kinetostatics(model, [0.4])
    q, v = (
        np.array([float(run.array(f"{entry.name}{end}")[0]) for entry in entries])
        for entries, end in ((tree.coordinates, ".q"), (tree.velocities, ".v"))
    )
    wanted, found = (np.array(x).ravel() for x in flow(0.4, q, v, parameter_array(model, {})))
    assert found == pytest.approx(wanted, abs=1e-9)  # of a closed loop
    named = cardan.bond_graph(model).elements
    assert [x.name for x in named.values() if x.unknown == "drive"] == ["A1.drive", "B1.drive", "C1.drive"]


def test_bonds_have_names_of_their_own():
    """Names of efforts say between which parts, or at which junctions, and no two are the same."""
    graph = cardan.bond_graph(cardan.load("overhead_crane"))
    assert graph.bonds["trolley.velocity > swing.point"].effort_name == "force trolley → swing"
    assert graph.bonds["drive.voltage > drive.circuit"].effort_name == "voltage of drive.voltage"
    gear = [bond.effort_name for bond in graph.graph.ports["drive.gear | travel.rate"]]
    assert gear == ["torque drive → travel", "force drive → travel"]
    for key in ("overhead_crane", "parallel_3rrrt", "scissor_lift"):
        names = [bond.effort_name for bond in cardan.bond_graph(cardan.load(key)).bonds.values()]
        assert len(names) == len(set(names))


def test_a_graph_shows_itself_in_a_few_lines():
    assert repr(cardan.bond_graph(cardan.load("overhead_crane"))).splitlines() == [
        "bond graph of overhead crane: 39 elements (7 1, 4 I, 9 Se, 2 Sf, 6 0, 4 TF, 3 R, 3 MTF, 1 GY), 38 bonds",
        "  4 of 4 stores in integral causality",
    ]
    plain = repr(cardan.bond_graph(cardan.load("scissor_lift"), augmented=False)).splitlines()
    assert len(plain) == 6
    assert plain[-1].endswith("more: causality.words")


def test_a_machine_that_creates_power_has_a_source_for_it():
    graph = cardan.bond_graph(cardan.load("overhead_crane"))
    assert graph.elements["drive.torque"].note == "creates power: Km differs from Ke"
    assert "drive.inductance" in graph.elements
    assert "drive.inductance" not in cardan.bond_graph(cardan.load("overhead_crane"), motors="simplified").elements


def test_an_unknown_drive_is_refused():
    with pytest.raises(ModelError, match="there is no velocity 'elbo'"):
        cardan.bond_graph(cardan.load("planar_manipulator"), motors="none", drives=["elbo"])


def test_motions_are_sources_of_flow_before_augmentation():
    """After it their drives are unknown efforts; a flow that is known leaves no freedom to the inertia."""
    model = cardan.load("compound_pendulum").replace(motions={"pendulum": "0.3*sin(2*t)"}, initial={})
    plain = cardan.bond_graph(model, augmented=False)
    source = plain.elements["pendulum.motion"]
    rate = ca.Function("rate", [plain.state.t], [ca.SX(source.value)])
    assert source.kind == "Sf"
    assert float(rate(0.4)) == pytest.approx(0.6 * np.cos(0.8), rel=1e-15)
    assert set(plain.causality.derivative) == {"rod.mass", "rod.inertia"}
    drive = cardan.bond_graph(model).elements["pendulum.drive"]
    assert (drive.kind, drive.unknown) == ("Se", "drive")
