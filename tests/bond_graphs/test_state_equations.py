"""State equations read off graphs, against those that textbooks and hands write.

Source of the examples: Karnopp, Margolis & Rosenberg 2012, ch. 4 and 5. Tolerance: 1e-12 relative is some thousand
roundings of expressions of a dozen operations.
"""

from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

from cardan.bond_graphs import Bond, GraphElement, Signals, checked_graph, state_equations
from cardan.errors import ModelError


def graph(elements, *chains):
    """A graph of elements, and bonds "a > b > c" in the domain after the colon."""
    bonds = []
    for chain in chains:
        domain, names = chain.split(": ")
        names = names.split(" > ")
        bonds += [Bond(f"{a}>{b}", a, b, domain) for a, b in pairwise(names)]
    return checked_graph(elements, bonds)


def element(name, kind, modulus=None, **options):
    return GraphElement(name, kind, modulus=modulus, **options)


def rates(found, state, **symbols):
    """ẋ as numbers, for a state by store and values of further symbols."""
    names = [*found.state.values(), *(symbol for symbol, _ in symbols.values())]
    values = [*(state[name] for name in found.state), *(value for _, value in symbols.values())]
    function = ca.Function("x_dot", names, [found.x_dot])
    return dict(zip(found.state, np.array(function(*values)).ravel(), strict=True))


def balance(found, state):
    """d(stored)/dt less the power of the sources plus that of the resistors [W], for constant sources."""
    stored = sum(found.stored.values())
    change = ca.jtimes(stored, found.x, found.x_dot)
    others = [name for name, x in found.graph.elements.items() if x.kind in ("Se", "Sf", "R", "EJS")]
    total = change + sum(found.power_into(name) for name in others)
    return float(ca.Function("balance", [*found.state.values()], [total])(*(state[name] for name in found.state)))


def test_a_dependent_mass_on_a_modulated_lever():
    """A crank turns a slider at y = r sin φ: (J + m r² cos²φ) φ̈ − m r² sin φ cos φ φ̇² = τ − k φ."""
    phi, p = ca.SX.sym("phi"), ca.SX.sym("p")
    found = state_equations(
        graph(
            [
                element("tau", "Se", value=3.0),
                element("crank", "1"),
                element("J", "I", 0.2),
                element("k", "C", 5.0),
                element("lever", "MTF", 0.3 * ca.cos(phi)),
                element("slider", "1"),
                element("m", "I", 4.0),
            ],
            "rotation: tau > crank > J",
            "rotation: crank > k",
            "rotation: crank > lever",
            "translation: lever > slider > m",
        ),
        {"J": p, "k": phi, "m": ca.SX.sym("unused")},
    )
    angle, w = 0.6, 3.5
    M, C = 0.2 + 4 * 0.09 * np.cos(angle) ** 2, -4 * 0.09 * np.sin(angle) * np.cos(angle)
    expected = 0.2 * (3.0 - 5 * angle - C * w**2) / M
    assert rates(found, {"J": 0.2 * w, "k": angle}) == pytest.approx({"J": expected, "k": w}, rel=1e-12)
    assert balance(found, {"J": 0.2 * w, "k": angle}) == pytest.approx(0, abs=1e-12)


def test_two_capacitors_in_parallel_share_the_charge():
    found = state_equations(
        graph(
            [
                element("i", "Sf", value=2.0),
                element("node", "0"),
                element("C1", "C", 1 / 3e-3),
                element("C2", "C", 1e3),
            ],
            "electrical: i > node > C1",
            "electrical: node > C2",
        )
    )
    assert found.causality.derivative == {"C2": ("C1",)}
    assert rates(found, {"C1": 0.1})["C1"] == pytest.approx(2 * 3 / 4, rel=1e-12)


def test_a_store_that_follows_a_source_takes_its_rate():
    """A capacitor across a source takes i = C du/dt; a coil beside it is not disturbed."""
    t = ca.SX.sym("t")
    u = 5 * ca.sin(3 * t)
    parts = [element("u", "Se", value=u), element("node", "0"), element("C", "C", 1 / 0.01), element("L", "I", 0.5)]
    found = state_equations(
        graph(parts, "electrical: u > node > C", "electrical: node > L"), signals=Signals(rates=((t, ca.SX(1)),))
    )
    assert set(found.causality.derivative) == {"C"}
    current = ca.Function("i", [t, *found.state.values()], [found.flows["u>node"]])
    assert float(current(0.4, 0.2)) == pytest.approx(0.01 * 15 * np.cos(1.2) + 0.2 / 0.5, rel=1e-12)


def test_an_algebraic_loop_of_resistors_is_solved():
    """A T of three resistors between a coil and a capacitor: i3 = (R2 i1 − u)/(R2 + R3)."""
    found = state_equations(
        graph(
            [
                element("a", "1"),
                element("L", "I", 0.1),
                element("R1", "R", 3.0),
                element("n", "0"),
                element("R2", "R", 7.0),
                element("b", "1"),
                element("R3", "R", 5.0),
                element("C", "C", 20.0),
            ],
            "electrical: a > L",
            "electrical: a > R1",
            "electrical: a > n > R2",
            "electrical: n > b > R3",
            "electrical: b > C",
        )
    )
    assert found.causality.free
    i, u = 0.4 / 0.1, 20 * 0.3
    through = (7 * i - u) / (7 + 5)
    expected = {"L": -3 * i - 7 * (i - through), "C": through}
    assert rates(found, {"L": 0.4, "C": 0.3}) == pytest.approx(expected, rel=1e-12)
    assert balance(found, {"L": 0.4, "C": 0.3}) == pytest.approx(0, abs=1e-12)


def test_a_nonlinear_law_in_an_algebraic_loop_is_refused_by_name():
    parts = [
        element("u", "Se", value=1.0),
        element("a", "1"),
        element("R1", "R", 2.0),
        element("n", "0"),
        element("diode", "R", law=lambda e: ca.exp(e) - 1, gives="flow"),
        element("R2", "R", 5.0),
    ]
    wired = graph(parts, "electrical: u > a > R1", "electrical: a > n > diode", "electrical: n > R2")
    with pytest.raises(ModelError, match="the law of R 'diode' is not linear, and lies in an algebraic loop with R"):
        state_equations(wired)


def test_a_nonlinear_store_in_derivative_causality_is_refused_by_name():
    parts = [
        element("node", "0"),
        element("C1", "C", 3.0),
        element("C2", "C", law=lambda x: x**3),
        element("r", "R", 1.0),
    ]
    wired = graph(parts, "electrical: node > C1", "electrical: node > C2", "electrical: node > r")
    with pytest.raises(ModelError, match=r"C 'C2' follows C1 \(derivative causality\), and its law is not linear"):
        state_equations(wired)


def test_a_store_that_follows_an_input_of_unknown_rate_is_refused_by_name():
    u = ca.SX.sym("u")
    parts = [element("u", "Se", value=u), element("node", "0"), element("C", "C", 3.0), element("r", "R", 1.0)]
    wired = graph(parts, "electrical: u > node > C", "electrical: node > r")
    with pytest.raises(ModelError, match=r"C 'C' follows 'u' .* whose rate is not known"):
        state_equations(wired, signals=Signals(inputs={"u": u}))


def test_a_store_that_follows_a_law_which_reads_one_way_is_refused_by_name():
    """A pipe's inertia behind an orifice whose law gives the flow: the law has to give the pressure."""
    parts = [
        element("P", "Se", value=1.0),
        element("pipe", "1"),
        element("inertia", "I", 3.0),
        element("orifice", "R", law=lambda e: ca.sqrt(e), gives="flow"),
    ]
    wired = graph(parts, "hydraulic: P > pipe > inertia", "hydraulic: pipe > orifice")
    with pytest.raises(ModelError, match="I 'inertia' follows 'orifice' without delay") as caught:
        state_equations(wired)
    assert "the other way around" in caught.value.issues[0].cure


def test_a_source_of_unknown_value_is_refused_by_name():
    parts = [element("u", "Se", unknown="drive"), element("L", "I", 1.0)]
    with pytest.raises(ModelError, match="the value of 'u' is unknown"):
        state_equations(graph(parts, "electrical: u > L"))
