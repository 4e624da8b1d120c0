"""Hand-made bond graphs: how they are written, and how wrong ones are refused."""

import copy

import pytest

import cardan
from cardan.formats.yaml import dump, loads
from cardan.model.graphs import wires
from cardan.model.names import graph_inputs, graph_states
from tests.selection import each

MOTOR = {
    "elements": {
        "u": {"type": "Se"},
        "circuit": "1 electrical",
        "L": {"type": "I", "inertia": "La"},
        "R": {"type": "R", "resistance": "2 ohm"},
        "motor": {"type": "GY", "modulus": "0.3 N*m/A"},
        "rotor": {"type": 1, "domain": "rotation"},
        "J": {"type": "I", "inertia": 0.02, "initial": "0.1 N*m*s"},
        "shaft": {"type": "C", "stiffness": "50 N*m/rad"},
    },
    "bonds": ["u -> circuit -> motor -> rotor", "circuit -> L, R", "rotor -> J, shaft"],
}
PARAMETERS = {"La": "1 mH"}


def refused(change, parameters=PARAMETERS, **sections):
    """Faults of a model whose graph was changed: place and text."""
    graph = copy.deepcopy(MOTOR)
    change(graph)
    with pytest.raises(cardan.ModelError) as caught:
        cardan.Model(parameters=parameters, graphs={"drive": graph}, **sections)
    return [(issue.key, issue.fault, issue.cure) for issue in caught.value.issues]


def test_bonds_are_chains_that_may_end_in_several_elements():
    names = [(wire.name, wire.tail, wire.head) for wire in wires(cardan.BondGraph(**MOTOR))]
    assert names == [
        ("u", "u", "circuit"),
        ("circuit_motor", "circuit", "motor"),
        ("motor_rotor", "motor", "rotor"),
        ("L", "circuit", "L"),
        ("R", "circuit", "R"),
        ("J", "rotor", "J"),
        ("shaft", "rotor", "shaft"),
    ]


def test_a_model_may_consist_of_graphs_alone():
    model = cardan.Model(parameters=PARAMETERS, graphs={"drive": MOTOR})
    assert graph_states(model) == {"drive.L.p": "V*s", "drive.J.p": "N*m*s", "drive.shaft.x": "rad"}
    assert graph_inputs(model) == {"drive.u": "V"}
    assert "1 graph" in repr(model)


def test_files_hold_what_python_holds():
    model = cardan.Model(parameters=PARAMETERS, graphs={"drive": cardan.BondGraph(**MOTOR)}, inputs={"drive.u": "12 V"})
    text = dump(model)
    assert loads(text) == model
    assert "    shaft: {type: C, stiffness: 50 N*m/rad}\n" in text
    assert "    - circuit -> L, R\n" in text


def element(name, **keys):
    return lambda graph: graph["elements"].update({name: keys})


def bonds(*chains):
    return lambda graph: graph["bonds"].extend(chains)


CASES = {
    "an unknown kind": (element("L", type="L"), "elements.L.type", "no graph element type 'L'"),
    "no law": (element("L", type="I"), "elements.L", "I has no law"),
    "two laws": (
        element("shaft", type="C", stiffness=1, capacitance=1),
        "elements.shaft.capacitance",
        "stiffness and capacitance are given",
    ),
    "an unknown domain": (
        element("rotor", type="1", domain="rotary"), "elements.rotor.domain", "there is no domain 'rotary'"
    ),
    "a bond without arrow": (bonds("rotor, J"), "bonds[3]", "'rotor, J' is not a bond"),
    "a bond that goes on after several": (
        bonds("rotor -> J, shaft -> b"), "bonds[3]", "'rotor -> J, shaft -> b' goes on after several elements"
    ),
    "an unknown end": (bonds("rotor -> b"), "bonds[3]", "there is no element 'b'"),
    "a bond twice": (bonds("circuit -> motor"), "bonds[3]", "two bonds lead from 'circuit' to 'motor'"),
    "two bonds at one port": (bonds("rotor -> L"), "bonds[3]", "I 'L' has several bonds, and 1 port"),
    "an open port": (element("b", type="R", resistance=1), "elements.b", "R 'b' has no bond: a port is open"),
    "two domains": (
        lambda graph: graph["bonds"].__setitem__(0, "u -> circuit -> rotor"),
        "bonds[0]",
        "'circuit' is electrical, but 'rotor' is rotation",
    ),
    "an open domain": (
        lambda graph: (element("gear", type="TF", modulus=2)(graph), bonds("motor -> gear")(graph)),
        "bonds[3]",
        "the domain of the bond motor -> gear is open",
    ),
    "a half-arrow out of a store": (
        lambda graph: (element("b", type="R", resistance=1)(graph), bonds("b -> rotor")(graph)),
        "bonds[3]",
        "the half-arrow leads out of R 'b'",
    ),
    "two sources of one flow": (
        lambda graph: (element("w", type="Sf", flow=1)(graph), element("w2", type="Sf", flow=2)(graph),
                       bonds("w -> rotor", "w2 -> rotor")(graph)),
        "bonds[4]",
        "w and w2 contradict each other",
    ),
    "a wrong dimension": (
        element("L", type="I", inertia="2 kg"), "elements.L.inertia", "'2 kg' is a mass, but a value in H is"
    ),
    "a parameter of a wrong dimension": (
        element("R", type="R", resistance="La"), "elements.R.resistance", "'La' is an inductance, but a value in ohm is"
    ),
    "a law of a wrong dimension": (
        element("shaft", type="C", effort="La*x"), "elements.shaft.effort", "is needed here"
    ),
    "a law whose terms do not fit": (
        element("shaft", type="C", effort="x + La"), "elements.shaft.effort", "joins"
    ),
    "a law of the wrong variable": (
        element("R", type="R", effort="2*e"), "elements.R.effort", "names 'e', which is not what this law receives: 'f'"
    ),
    "a store whose law moves": (
        element("shaft", type="C", effort="x*t"), "elements.shaft.effort", "names 't'"
    ),
    "no inertia": (element("J", type="I", inertia=0), "elements.J.inertia", "0 is out of range"),
    "an unknown name": (element("u", type="Se", effort="12*swing"), "elements.u.effort", "'swing', which is nothing"),
    "an initial value of a follower": (
        lambda graph: (element("J2", type="I", inertia=1, initial=1)(graph), bonds("rotor -> J2")(graph)),
        "elements.J2",
        "'J2' follows other stores or sources",
    ),
    "a law in an algebraic loop": (
        lambda graph: (element("R", type="R", resistance=1, )(graph),
                       graph["elements"].pop("L"), graph["bonds"].__setitem__(1, "circuit -> R, D"),
                       graph["elements"].update(D={"type": "R", "flow": "0.1*e**3"})),
        "elements.D",
        "the law of R 'D' is not linear, and lies in an algebraic loop with R",
    ),
    "a store that follows an input": (
        lambda graph: graph["elements"].update(
            circuit="0 electrical", L={"type": "C", "capacitance": 1}, motor={"type": "TF", "modulus": 1}
        ),
        "elements.L",
        "C 'L' follows 'u' (derivative causality), whose rate is not known",
    ),
    "neither joint nor marker": (
        element("shaft", type="port", domain="rotation"), "elements.shaft", "neither a joint nor a child"
    ),
    "an unknown joint": (element("shaft", type="port", joint="knee"), "elements.shaft.joint", "no joint 'knee'"),
    "an unknown marker": (
        lambda graph: (
            graph["elements"].update(slide="1 translation", rack={"type": "TF", "modulus": "1 m"},
                                     shaft={"type": "port", "child": "rod.tip"}),
            graph["bonds"].__setitem__(2, "rotor -> rack -> slide -> shaft"),
            graph["bonds"].append("rotor -> J"),
        ),
        "elements.shaft.child",
        "there is no body 'rod'",
    ),
    "a path of no length": (
        lambda graph: (
            graph["elements"].update(slide="1 translation", rack={"type": "TF", "modulus": "1 m"},
                                     shaft={"type": "port", "child": "ground"}),
            graph["bonds"].__setitem__(2, "rotor -> rack -> slide -> shaft"),
            graph["bonds"].append("rotor -> J"),
        ),
        "elements.shaft.child",
        "both ends are 'ground'",
    ),
}  # fmt: skip


@each("case", CASES)
def test_a_wrong_graph_is_refused_with_its_place(case):
    change, key, words = CASES[case]
    found = refused(change)
    assert [place for place, _, _ in found] == [f"graphs.drive.{key}"]
    assert words in found[0][1]
    assert found[0][2]


VECTOR = {
    "elements": {
        "F": {"type": "Se", "effort": [1, 2, 3]},
        "v": {"type": 1, "domain": "translation", "size": 3},
        "m": {"type": "I", "inertia": 2},
        "k": {"type": "C", "stiffness": [5, 6, 7], "initial": [0, 0, 0.1]},
        "N": {"type": "TF", "modulus": [1, 0, 0]},
        "s": "1 translation",
        "d": {"type": "R", "resistance": 2},
    },
    "bonds": ["F -> v -> m, k", "v -> N -> s -> d"],
}


def test_vector_bonds_have_sizes_and_their_states_numbers():
    model = cardan.Model(graphs={"net": VECTOR})
    assert list(graph_states(model)) == [*(f"net.m.p{k}" for k in (1, 2, 3)), *(f"net.k.x{k}" for k in (1, 2, 3))]
    drawn = cardan.bond_graph(model)
    assert [bond.size for bond in drawn.bonds.values()] == [3, 3, 3, 3, 1, 1]
    assert drawn.elements["N"].modulus.shape == (1, 3)
    text = dump(model)
    assert loads(text) == model
    short = {**VECTOR["elements"], "v": "1 translation 3"}
    assert cardan.BondGraph(**{**VECTOR, "elements": short}) == model.graphs["net"]


@each(
    "name, keys, place, fault",
    [
        ("F", {"type": "Se", "effort": [1, 2]}, "elements.F.effort", "effort has 2 components, the bond size 3"),
        ("F", {"type": "Se", "effort": [[1, 2, 3]]}, "elements.F.effort", "effort is a matrix"),
        ("k", {"type": "R", "resistance": [[0, 1, 0], [1, 0, 0], [0, 0, 1]]}, "elements.k.resistance", "semidefinite"),
        ("F", {"type": "Se"}, "elements.F", "an input of the model is one number, its bond has size 3"),
        ("m", {"type": "I", "inertia": [1, 2]}, "elements.m", "has shape 2×2, its bonds need 3×3"),
        ("m", {"type": "I", "flow": "p**3"}, "elements.m.flow", "is that of one component, its bond has size 3"),
        ("m", {"type": "I", "inertia": 1, "size": 2}, "bonds[0]", "'v' has size 3 but 'm' has size 2"),
        ("m", {"type": "I", "inertia": 1, "initial": 2}, "elements.m.initial", "has 1 component, the bond size 3"),
        ("m", {"type": "I", "inertia": 1, "initial": [[1, 2, 3]]}, "elements.m.initial", "initial is a matrix"),
        ("m", {"type": "I", "inertia": [[1, 2], [3]]}, "elements.m.inertia", "is not a matrix"),
        ("m", {"type": "I", "inertia": []}, "elements.m.inertia", "[] is not a matrix"),
        (
            "m",
            {"type": "I", "inertia": [[1, 0, 0], [0.2, 1, 0], [0, 0, 1]]},
            "elements.m.inertia",
            "is not symmetric: 0.2 in row 2, 0 in row 1",
        ),
        (
            "m",
            {"type": "I", "inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]},
            "elements.m.inertia",
            "is not positive definite: it has the eigenvalue -1",
        ),
        (
            "k",
            {"type": "C", "stiffness": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]},
            "elements.k.stiffness",
            "is not positive semidefinite",
        ),
        ("k", {"type": "C", "stiffness": [5, -6, 7]}, "elements.k.stiffness", "out of range"),
        ("k", {"type": "C", "stiffness": ["5 kg", 1, 1]}, "elements.k.stiffness", "is needed here"),
        ("N", {"type": "TF", "modulus": [1, 0]}, "elements.N", "has shape 1×2, its bonds need 1×3"),
        ("v", "1 translation 0", "elements.v.size", "0 is no size of a bond"),
        ("v", {"type": 1, "domain": "translation", "size": 1000}, "elements.v.size", "1000 is no size of a bond"),
    ],
)
def test_a_wrong_vector_bond_is_refused_with_its_place(name, keys, place, fault):
    graph = {**VECTOR, "elements": {**VECTOR["elements"], name: keys}}
    with pytest.raises(cardan.ModelError) as caught:
        cardan.Model(graphs={"net": graph})
    issue = caught.value.issues[0]
    assert fault in issue.fault
    assert issue.key.startswith(f"graphs.net.{place}")


def test_a_port_takes_bonds_of_one_component():
    elements = {"F": {"type": "Se", "effort": [1, 2]}, "v": "1 rotation 2", "out": {"type": "port", "joint": "elbow"}}
    with pytest.raises(cardan.ModelError, match="'v' has size 2 but 'out' has size 1"):
        cardan.BondGraph(elements=elements, bonds=["F -> v -> out"])


def test_a_port_at_a_joint_without_a_junction_needs_its_domain():
    """The graph is checked before the mechanism is known; the error says what the port needs."""
    elements = {
        "M": {"type": "Se", "effort": "3 N*m"},
        "rotor": "1 rotation",
        "gear": {"type": "TF", "modulus": 0.1},
        "out": {"type": "port", "joint": "elbow"},
    }
    with pytest.raises(cardan.ModelError, match="the domain of the bond gear -> out is open") as caught:
        cardan.BondGraph(elements=elements, bonds=["M -> rotor -> gear -> out"])
    (issue,) = caught.value.issues
    assert issue.cure == "give the port 'out' that of its joint: domain: rotation, or domain: translation"
    cardan.BondGraph(
        elements={**elements, "out": {"type": "port", "joint": "elbow", "domain": "rotation"}},
        bonds=["M -> rotor -> gear -> out"],
    )


def test_results_of_bonds_are_for_outputs_only():
    """An input that follows a power: the cure names a state of the graph, not motors."""
    found = refused(lambda graph: None, inputs={"drive.u": "10 - drive.R.power"})
    assert found[0][1] == "'10 - drive.R.power' names 'drive.R.power', which is not possible here"
    assert found[0][2] == (
        "efforts, flows and powers of bonds may stand in outputs only; states of stores, such as drive.L.p, anywhere"
    )


def test_a_parameter_may_not_hide_what_a_law_receives():
    found = refused(element("R", type="R", effort="2*f"), {**PARAMETERS, "f": 3})
    assert found[0][:2] == ("graphs.drive.elements.R.effort", "'f' is a parameter, and what the law '2*f' receives")


def test_an_input_that_the_graph_does_not_have():
    found = refused(lambda graph: None, inputs={"drive.v": 1})
    assert found[0][:2] == ("inputs.drive.v", "there is no input 'drive.v'")


def test_an_empty_graph_is_refused():
    with pytest.raises(cardan.ModelError, match="the graph has no elements"):
        cardan.BondGraph()


def test_a_graph_may_not_have_the_name_of_a_parameter():
    found = refused(lambda graph: None, {"La": 1, "drive": 2})
    assert found[0][:2] == ("graphs.drive", "a parameter has the name 'drive' too")


ROD = {
    "bodies": {"rod": {"mass": 1, "com": [1, 0, 0]}, "end": {"mass": 1, "com": [1, 0, 0]}},
    "joints": {
        "a": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"},
        "b": {"type": "revolute", "parent": "rod", "child": "end", "axis": "z"},
    },
}


def at_joints(parts, *chains):
    """The error of a graph at the joints of two rods."""
    graph = {"elements": {"w": "1 rotation", **parts}, "bonds": list(chains)}
    with pytest.raises(cardan.ModelError) as caught:
        cardan.Model(**ROD, graphs={"drive": graph})
    (issue,) = caught.value.issues
    return issue.key, issue.fault


def test_a_port_needs_a_joint_of_its_domain():
    parts = {"w": "1 translation", "arm": {"type": "port", "joint": "a"}, "m": {"type": "R", "resistance": 1}}
    found = at_joints(parts, "w -> arm, m")
    assert found == (
        "graphs.drive.elements.arm.joint",
        "the joint 'a' moves in rad/s, but the port's bond is translation",
    )


def test_an_inertia_between_two_ports_is_refused():
    parts = {
        "sum": "0 rotation",
        "arm": {"type": "port", "joint": "a"},
        "elbow": {"type": "port", "joint": "b"},
        "J": {"type": "I", "inertia": 1},
    }
    key, fault = at_joints(parts, "sum -> w -> J", "sum -> arm, elbow")
    assert key == "graphs.drive.elements.arm"
    assert "act like an inertia of several ports together" in fault


def test_an_inertia_behind_a_gear_that_changes_is_refused():
    parts = {
        "arm": {"type": "port", "joint": "a"},
        "gear": {"type": "TF", "modulus": "1 + t"},
        "rotor": "1 rotation",
        "J": {"type": "I", "inertia": 1},
    }
    key, fault = at_joints(parts, "w -> gear -> rotor -> J", "w -> arm")
    assert key == "graphs.drive.elements.arm"
    assert "act like an inertia that is not constant" in fault


def test_an_inertia_on_a_line_between_markers_is_refused():
    parts = {"w": "1 translation", "line": {"type": "port", "child": "rod.com"}, "m": {"type": "I", "inertia": 1}}
    key, fault = at_joints(parts, "w -> line, m")
    assert key == "graphs.drive.elements.line"
    assert "act like an inertia between two markers" in fault


def test_an_inertia_that_acts_back_into_the_graph_is_refused():
    parts = {
        "sum": "0 rotation",
        "arm": {"type": "port", "joint": "a"},
        "J": {"type": "I", "inertia": 1},
        "worm": {"type": "Sf", "flow": 1},
    }
    key, fault = at_joints(parts, "worm -> sum -> w -> J", "arm -> sum")
    assert key == "graphs.drive.elements.arm"
    assert fault == "J, which follows a port, acts on other stores or sources of the graph without delay"


def test_a_current_is_unknown_while_motors_are_off():
    graph = copy.deepcopy(MOTOR)
    graph["elements"]["u"]["effort"] = "3*m.current"
    motor = {"type": "dc", "joint": "a", "resistance": 1, "inductance": 1, "torque_constant": 1,
             "back_emf_constant": 1}  # fmt: skip
    model = cardan.Model(**ROD, parameters=PARAMETERS, motors={"m": motor}, graphs={"drive": graph})
    with pytest.raises(cardan.ModelError, match="motors are off"):
        cardan.simulate(model, 0.1, motors="none")


@each("ask", [cardan.verify, cardan.mobility])
def test_graphs_alone_have_no_equations_of_motion(ask):
    with pytest.raises(cardan.ModelError, match="bond graphs alone have state equations"):
        ask(cardan.Model(parameters=PARAMETERS, graphs={"drive": MOTOR}))


def test_equations_hold_the_efforts_of_ports_in_symbols():
    graph = {
        "elements": {
            "w": "1 rotation",
            "arm": {"type": "port", "joint": "a"},
            "clutch": {"type": "C", "stiffness": 7},
            "friction": {"type": "R", "resistance": 3},
        },
        "bonds": ["w -> clutch, friction", "arm -> w"],
    }
    model = cardan.Model(**ROD, graphs={"brake": graph})
    eq = cardan.equations(model)
    assert str(eq.Q.T) == "Matrix([[-3*a.v - 7*brake.clutch.x, 0]])"
    assert cardan.verify(model, states=2).ok


def test_compiled_functions_know_the_graphs():
    model = cardan.Model(parameters=PARAMETERS, graphs={"drive": MOTOR})
    dynamics = cardan.compile(model)
    assert dynamics.state_names == ("drive.L.p", "drive.J.p", "drive.shaft.x")
    x_dot = dynamics.state_derivative([2e-3, 0.02, 0.1], [12.0])
    assert x_dot == pytest.approx([12 - 2 * 2 - 0.3 * 1, 0.3 * 2 - 5, 1], rel=1e-12)
