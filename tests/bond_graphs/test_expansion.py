"""A graph of scalar bonds along axes has the state equations of the graph of vector bonds that it was made of."""

import casadi as ca
import numpy as np
import pytest

from cardan.bond_graphs import Bond, GraphElement, checked_graph, expanded, state_equations
from cardan.errors import ModelError


def rates(graph, state, content):
    """Efforts and flows of all bonds and ẋ, for contents by store."""
    found = state_equations(graph, state)
    names = list(found.state.values())
    function = ca.Function("f", names, [found.x_dot, ca.vertcat(*found.flows.values())])
    x_dot, flows = function(*(content[name] for name in found.state))
    return np.array(x_dot).ravel(), np.array(flows).ravel(), found


def body(J):
    """A rigid body whose marker at r is held by springs and dampers: TF, EJS, C and R on vector bonds."""
    p = ca.SX.sym("p", 3)
    w = ca.solve(ca.SX(J), p)
    r = ca.DM([0.3, -0.2, 0.5])
    elements = [
        GraphElement("w", "1"),
        GraphElement("J", "I", modulus=ca.DM(J)),
        GraphElement("euler", "EJS", modulus=ca.skew(p).T),
        GraphElement("lever", "MTF", modulus=-ca.skew(r)),
        GraphElement("point", "1"),
        GraphElement("k", "C", modulus=ca.DM([[30, 4, 0], [4, 20, 0], [0, 0, 10]])),
        GraphElement("d", "R", modulus=ca.diag(ca.DM([1, 2, 3]))),
        GraphElement("F", "Se", value=ca.vertcat(w[0], 2, 3)),
    ]
    ends = [
        ("w", "J", "rotation"),
        ("w", "euler", "rotation"),
        ("w", "lever", "rotation"),
        ("lever", "point", "translation"),
        ("point", "k", "translation"),
        ("point", "d", "translation"),
        ("F", "point", "translation"),
    ]
    bonds = [Bond(f"{a}>{b}", a, b, domain, 3) for a, b, domain in ends]
    return checked_graph(elements, bonds), {"J": p, "k": ca.SX.sym("x", 3)}


def test_a_body_on_springs():
    graph, state = body(np.diag([0.3, 0.4, 0.6]))
    scalar = expanded(graph)
    assert all(bond.size == 1 for bond in scalar.bonds.values())
    axes = {f"{name}{axis}": (name, k) for name in ("J",) for k, axis in enumerate((".x", ".y", ".z"))}
    x, L = np.array([0.02, -0.05, 0.01]), np.array([0.2, 0.1, -0.3])
    x_dot, _, _ = rates(graph, state, {"J": L, "k": x})
    K = np.array([[30, 4, 0], [4, 20, 0], [0, 0, 10.0]])
    T = np.array([[1, 4 / 30, 0], [0, 1, 0], [0, 0, 1]])  # Lᵀ of K = L D Lᵀ: the states of the scalar springs are T x
    assert T.T @ np.diag([30, 20 - 16 / 30, 10]) @ T == pytest.approx(K)
    symbols = {name: state["J"][k] for name, (_, k) in axes.items()}
    symbols |= {f"k{axis}": ca.SX.sym(f"k{axis}") for axis in (".x", ".y", ".z")}
    contents = {f"J{axis}": L[k] for k, axis in enumerate((".x", ".y", ".z"))}
    contents |= {f"k{axis}": (T @ x)[k] for k, axis in enumerate((".x", ".y", ".z"))}
    got, _, other = rates(scalar, symbols, contents)
    assert not other.causality.derivative
    by_name = dict(zip(other.state, got, strict=True))
    assert [by_name[f"J{axis}"] for axis in (".x", ".y", ".z")] == pytest.approx(x_dot[:3], rel=1e-12)
    assert [by_name[f"k{axis}"] for axis in (".x", ".y", ".z")] == pytest.approx(T @ x_dot[3:], rel=1e-12)


def test_a_coupled_inertia():
    """The flows of a body with products of inertia are those of its expansion: p = L D Lᵀ f, so p' = D Lᵀ f."""
    J = np.array([[0.5, 0.1, -0.05], [0.1, 0.4, 0.02], [-0.05, 0.02, 0.6]])
    elements = [
        GraphElement("w", "1"),
        GraphElement("J", "I", modulus=ca.DM(J)),
        GraphElement("tau", "Se", value=ca.DM([1, 2, 3])),
    ]
    graph = checked_graph(elements, [Bond("w>J", "w", "J", "rotation", 3), Bond("tau>w", "tau", "w", "rotation", 3)])
    found = state_equations(expanded(graph))
    chol = np.linalg.cholesky(J)
    unit = chol / np.diag(chol)
    w, alpha = np.array([0.2, -0.5, 0.8]), np.linalg.solve(J, [1, 2, 3])
    D = np.diag(chol) ** 2
    contents = D * (unit.T @ w)
    x_dot = np.array(ca.Function("f", [*found.state.values()], [found.x_dot])(*contents)).ravel()
    flow = np.array(ca.Function("f", [*found.state.values()], [found.flows["w>J.y"]])(*contents)).ravel()
    assert x_dot == pytest.approx(D * (unit.T @ alpha), rel=1e-12)
    assert flow == pytest.approx(w[1], rel=1e-12)


def test_a_gyrator_between_bonds_of_different_size():
    """Two coils on one rotor: e₂ = M f₁ with M (1, 2)."""
    M = ca.DM([[0.3, 0.5]])
    elements = [
        GraphElement("i", "1"),
        GraphElement("L", "I", modulus=ca.diag(ca.DM([0.1, 0.2]))),
        GraphElement("u", "Se", value=ca.DM([5, 7])),
        GraphElement("motor", "GY", modulus=M),
        GraphElement("rotor", "1"),
        GraphElement("J", "I", modulus=0.04),
        GraphElement("R", "R", modulus=ca.DM([[2, 0.5], [0.5, 1]])),
    ]
    bonds = [
        Bond("i>L", "i", "L", "electrical", 2),
        Bond("u>i", "u", "i", "electrical", 2),
        Bond("i>R", "i", "R", "electrical", 2),
        Bond("i>motor", "i", "motor", "electrical", 2),
        Bond("motor>rotor", "motor", "rotor", "rotation"),
        Bond("rotor>J", "rotor", "J", "rotation"),
    ]
    graph = checked_graph(elements, bonds)
    x_dot, _, _ = rates(graph, None, {"L": [0.02, 0.03], "J": 0.4})
    got, _, found = rates(expanded(graph), None, {"L.1": 0.02, "L.2": 0.03, "J": 0.4})
    assert dict(zip(found.state, got, strict=True)) == pytest.approx(
        dict(zip(["L.1", "L.2", "J"], x_dot, strict=True)), rel=1e-12
    )
    i, w = np.array([0.2, 0.15]), 10.0
    expected = np.array([5, 7]) - np.array([[2, 0.5], [0.5, 1]]) @ i - np.array([0.3, 0.5]) * w
    assert x_dot == pytest.approx([*expected, 0.3 * 0.2 + 0.5 * 0.15], rel=1e-12)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (GraphElement("k", "C", law=lambda x: x**3), "the law of C 'k' is not linear"),
        (GraphElement("k", "R", modulus=ca.DM([[1, 2], [0, 1]])), "the modulus of R 'k' is not symmetric"),
    ],
)
def test_what_has_no_expansion_is_refused_by_name(wrong, words):
    parts = [GraphElement("F", "Se", value=ca.DM([1, 2])), wrong]
    with pytest.raises(ModelError, match=words):
        expanded(checked_graph(parts, [Bond("b", "F", "k", "translation", 2)]))
