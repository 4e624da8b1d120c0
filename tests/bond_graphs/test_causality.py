"""Causality of textbook graphs, and the junction structure that follows from it.

Source of the examples: Karnopp, Margolis & Rosenberg 2012, ch. 4 and 5
"""

import casadi as ca
import pytest
from tests.selection import each

from cardan.bond_graphs import Bond, GraphElement, Walk, assign, make_graph, received
from cardan.errors import ModelError


def chain(elements, pairs, domain="electrical"):
    """A graph of scalar elements "name: kind" and bonds "tail > head"."""
    parsed = [GraphElement(name, kind, modulus=1.0) for name, kind in elements.items()]
    return make_graph(parsed, [Bond(f"{a}>{b}", a, b, domain) for a, b in (pair.split(">") for pair in pairs)])


MOTOR = chain(
    {"u": "Se", "circuit": "1", "L": "I", "R": "R", "motor": "GY", "rotor": "1", "J": "I",
     "twist": "0", "shaft": "C", "load": "1", "J2": "I", "b": "R"},
    ["u>circuit", "circuit>L", "circuit>R", "circuit>motor", "motor>rotor", "rotor>J", "rotor>twist", "twist>shaft",
     "twist>load", "load>J2", "load>b"],
)  # fmt: skip
"""A DC motor that turns a load through a flexible shaft."""


def test_junctions_add_what_the_half_arrows_say():
    names = ("u", "L", "R", "J", "shaft", "J2", "b")
    given = {name: ca.SX.sym(name) for name in names}
    walk = Walk(MOTOR, assign(MOTOR), given)
    x = ca.vertcat(*given.values())

    def row(element):
        return [float(entry) for entry in ca.DM(ca.jacobian(received(walk, element), x)).full().ravel()]

    #                      u, i, R, ω, M, ω2, b
    assert row("L") == [1, 0, -1, -1, 0, 0, 0]  # di/dt L = u − R i − K ω
    assert row("J") == [0, 1, 0, 0, -1, 0, 0]
    assert row("shaft") == [0, 0, 0, 1, 0, -1, 0]
    assert row("J2") == [0, 0, 0, 0, 1, 0, -1]
    assert row("u") == [0, 1, 0, 0, 0, 0, 0]


def test_a_rigid_shaft_puts_the_load_into_derivative_causality():
    rigid = chain(
        {"F": "Se", "rotor": "1", "J": "I", "gear": "TF", "load": "1", "J2": "I"},
        ["F>rotor", "rotor>J", "rotor>gear", "gear>load", "load>J2"],
        "rotation",
    )
    causality = assign(rigid)
    assert causality.integral == ("J",)
    assert causality.derivative == {"J2": ("J",)}
    assert causality.words == ("J2 depends on J: derivative causality",)


TEXTBOOK = {  # elements, bonds, and which stores follow which: Karnopp, Margolis & Rosenberg 2012, §5.4
    "two masses that move together": (
        {"F": "Se", "body": "1", "m1": "I", "m2": "I"}, ["F>body", "body>m1", "body>m2"], {"m2": ("m1",)},
    ),
    "two capacitors side by side": (
        {"i": "Sf", "node": "0", "C1": "C", "C2": "C"}, ["i>node", "node>C1", "node>C2"], {"C2": ("C1",)},
    ),
    "a capacitor at a voltage": (
        {"u": "Se", "node": "0", "C": "C", "R": "R"}, ["u>node", "node>C", "node>R"], {"C": ("u",)},
    ),
    "a mass at a given speed": (
        {"v": "Sf", "body": "1", "m": "I", "R": "R"}, ["v>body", "body>m", "body>R"], {"m": ("v",)},
    ),
    "a lever with two masses and a spring": (
        {"F": "Se", "left": "1", "m1": "I", "lever": "TF", "right": "1", "m2": "I", "k": "C"},
        ["F>left", "left>m1", "left>lever", "lever>right", "right>m2", "right>k"], {"m2": ("m1",)},
    ),
    "a coil and a capacitor on both sides of a gyrator": (
        {"u": "Se", "circuit": "1", "L": "I", "motor": "GY", "node": "0", "C": "C"},
        ["u>circuit", "circuit>L", "circuit>motor", "motor>node", "node>C"], {"C": ("L",)},
    ),
    "three coils at a node without leakage": (
        {"u": "Se", "left": "1", "L1": "I", "node": "0", "right": "1", "L2": "I", "other": "1", "L3": "I"},
        ["u>left", "left>L1", "left>node", "node>right", "right>L2", "node>other", "other>L3"], {"L3": ("L2", "L1")},
    ),
    "a gear between two shafts that yield": (
        {"M": "Se", "rotor": "1", "J1": "I", "twist": "0", "k": "C", "gear": "TF", "load": "1", "J2": "I"},
        ["M>rotor", "rotor>J1", "rotor>twist", "twist>k", "twist>gear", "gear>load", "load>J2"], {},
    ),
}  # fmt: skip


@each("case", TEXTBOOK)
def test_derivative_causality_is_found_where_textbooks_find_it(case):
    elements, pairs, follows = TEXTBOOK[case]
    causality = assign(chain(elements, pairs))
    assert {name: set(causes) for name, causes in causality.derivative.items()} == {
        name: set(causes) for name, causes in follows.items()
    }
    stores = [name for name, kind in elements.items() if kind in ("I", "C")]
    assert [*causality.integral] == [name for name in stores if name not in follows]


def test_two_resistors_between_sources_are_an_algebraic_loop():
    divider = chain(
        {"u": "Se", "series": "1", "R1": "R", "node": "0", "R2": "R"},
        ["u>series", "series>R1", "series>node", "node>R2"],
    )
    assert assign(divider).free == ("R1",)


def test_two_sources_that_determine_the_same_effort_are_refused():
    short = chain({"u1": "Se", "node": "0", "u2": "Se", "R": "R"}, ["u1>node", "u2>node", "node>R"])
    with pytest.raises(ModelError, match='u1 and u2 contradict each other at bond "u2>node"'):
        assign(short)


def test_a_junction_that_nothing_feeds_is_refused():
    open_node = chain({"i1": "Sf", "node": "0", "i2": "Sf"}, ["i1>node", "i2>node"])
    with pytest.raises(ModelError, match="i1 and i2 contradict each other"):
        assign(open_node)


def test_a_loop_of_junctions_alone_is_refused():
    ring = chain(
        {"u": "Se", "a": "1", "b": "0", "c": "0", "d": "1", "R": "R"},
        ["u>a", "a>b", "a>c", "b>d", "c>d", "d>R"],
    )
    causality = assign(ring)
    walk = Walk(ring, causality, {"u": ca.SX.sym("u"), "R": ca.SX.sym("R")})
    with pytest.raises(ModelError, match="depend on themselves"):
        received(walk, "R")


@each("kind", ["TF", "GY"])
@each("against", [False, True])
def test_two_ports_carry_power_unchanged(kind, against):
    """e₁ᵀ f₁ = e₂ᵀ f₂, whichever way a two-port is read."""
    M = ca.DM([[2.0, 1.0, 0.3], [0.0, 1.5, -0.4], [0.2, 0.1, 1.1]])
    first, second = ("Sf", "Se") if kind == "TF" else ("Sf", "Sf")
    if against:
        first, second = ("Se", "Sf") if kind == "TF" else ("Se", "Se")
    elements = [GraphElement("a", first), GraphElement("x", kind, M, invertible=True), GraphElement("b", second)]
    bonds = [Bond("1", "a", "x", "rotation", 3), Bond("2", "b", "x", "rotation", 3)]
    bonds[1] = Bond("2", "x", "b", "rotation", 3)
    given = {"a": ca.DM([0.3, -1.2, 0.7]), "b": ca.DM([1.1, 0.4, -0.5])}
    two_port = make_graph(elements, bonds)
    walk = Walk(two_port, assign(two_port), given)
    powers = [float(ca.DM(ca.dot(walk.effort(bond), walk.flow(bond)))) for bond in bonds]
    assert powers[0] == pytest.approx(powers[1], rel=1e-14)  # round-off of a 3×3 solve
