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


MOTOR = [
    element("u", "Se", value=12.0),
    element("circuit", "1"),
    element("L", "I", 0.01),
    element("R", "R", 2.0),
    element("motor", "GY", 0.3),
    element("rotor", "1"),
    element("J", "I", 0.02),
    element("twist", "0"),
    element("shaft", "C", 50.0),
    element("load", "1"),
    element("J2", "I", 0.5),
    element("b", "R", 0.1),
]


def test_a_motor_with_a_flexible_shaft():
    found = state_equations(
        graph(
            MOTOR,
            "electrical: u > circuit > L",
            "electrical: circuit > R",
            "electrical: circuit > motor",
            "rotation: motor > rotor > J",
            "rotation: rotor > twist > shaft",
            "rotation: twist > load > J2",
            "rotation: load > b",
        )
    )
    x = {"L": 0.03, "J": 0.4, "shaft": 0.2, "J2": 1.1}
    i, w1, torque, w2 = 0.03 / 0.01, 0.4 / 0.02, 50 * 0.2, 1.1 / 0.5
    assert rates(found, x) == pytest.approx(
        {"L": 12 - 2 * i - 0.3 * w1, "J": 0.3 * i - torque, "shaft": w1 - w2, "J2": torque - 0.1 * w2}, rel=1e-12
    )
    assert balance(found, x) == pytest.approx(0, abs=1e-12)


def test_a_rigid_shaft_adds_the_inertia_of_the_load_through_the_gear():
    """ṗ1 = J1/(J1 + n² J2) τ: the load follows the rotor, and takes its part of the torque."""
    found = state_equations(
        graph(
            [
                element("tau", "Se", value=3.0),
                element("rotor", "1"),
                element("J1", "I", 0.2),
                element("gear", "TF", 0.25),
                element("load", "1"),
                element("J2", "I", 4.0),
            ],
            "rotation: tau > rotor > J1",
            "rotation: rotor > gear > load > J2",
        )
    )
    assert found.causality.derivative == {"J2": ("J1",)}
    assert rates(found, {"J1": 0.7})["J1"] == pytest.approx(3.0 * 0.2 / (0.2 + 0.25**2 * 4.0), rel=1e-12)
    assert balance(found, {"J1": 0.7}) == pytest.approx(0, abs=1e-12)


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


def test_two_tanks_with_orifices():
    """V̇1 = Q − k √(P1 − P2), V̇2 = k √(P1 − P2) − k √P2: laws that give a flow for a pressure."""

    def orifice(e):
        return 2e-4 * ca.sign(e) * ca.sqrt(ca.fabs(e))

    found = state_equations(
        graph(
            [
                element("pump", "Sf", value=0.02),
                element("tank1", "0"),
                element("C1", "C", 9810 / 0.5),
                element("pipe", "1"),
                element("valve", "R", law=orifice, gives="flow"),
                element("tank2", "0"),
                element("C2", "C", 9810 / 0.25),
                element("outlet", "R", law=orifice, gives="flow"),
            ],
            "hydraulic: pump > tank1 > C1",
            "hydraulic: tank1 > pipe > valve",
            "hydraulic: pipe > tank2 > C2",
            "hydraulic: tank2 > outlet",
        )
    )
    P1, P2 = 9810 / 0.5 * 0.6, 9810 / 0.25 * 0.1
    Q = 2e-4 * np.sqrt([P1 - P2, P2])
    assert rates(found, {"C1": 0.6, "C2": 0.1}) == pytest.approx({"C1": 0.02 - Q[0], "C2": Q[0] - Q[1]}, rel=1e-12)


def test_a_gyroscope_precesses():
    """A symmetric rotor: precession of the transverse rates at (Jz − Jx) ωz / Jx (Euler's equations)."""
    J = np.diag([0.3, 0.3, 0.5])
    p = ca.SX.sym("p", 3)
    rotor = [element("w", "1"), element("J", "I", ca.DM(J)), element("euler", "EJS", ca.skew(p).T)]
    bonds = [Bond("a", "w", "J", "rotation", 3), Bond("b", "w", "euler", "rotation", 3)]
    found = state_equations(checked_graph(rotor, bonds), {"J": p})
    w = np.array([0.2, -0.1, 9.0])
    x_dot = np.array(ca.Function("f", [p], [found.x_dot])(J @ w)).ravel()
    assert x_dot == pytest.approx(-np.cross(w, J @ w), rel=1e-12, abs=1e-12)
    assert float(ca.Function("e", [p], [found.power_into("euler")])(J @ w)) == pytest.approx(0, abs=1e-12)


def test_entropy_flows_between_two_bodies_keep_the_energy():
    """Ṡ1 = −G (T1 − T2)/T1, Ṡ2 = G (T1 − T2)/T2 with T = T0 exp(S/C): a lossless R field on a bond of size 2."""

    def conduction(T):
        heat = 3.0 * (T[0] - T[1])
        return ca.vertcat(heat / T[0], -heat / T[1])

    parts = [
        element("bodies", "0"),
        element("C", "C", law=lambda S: 300 * ca.exp(S / ca.DM([2.0, 5.0]))),
        element("wall", "R", law=conduction, gives="flow"),
    ]
    bonds = [Bond(name, "bodies", name, "thermal", 2) for name in ("C", "wall")]
    found = state_equations(checked_graph(parts, bonds))
    S = np.array([0.5, -0.2])
    T = 300 * np.exp(S / [2, 5])
    x_dot, power = ca.Function("f", [*found.state.values()], [found.x_dot, found.power("C")])(S)
    expected = 3 * (T[0] - T[1]) * np.array([-1, 1]) / T
    assert np.array(x_dot).ravel() == pytest.approx(expected, rel=1e-12)
    assert float(power) == pytest.approx(0, abs=1e-10)


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
