"""Documents of the trace form print the matrix method, and what they print fits together.

Source: Hroncová, eqs. (1)–(13)
"""

from __future__ import annotations

import json

import pytest
import sympy as sp

import cardan
from tests.selection import each, few

pytestmark = pytest.mark.filterwarnings("ignore::cardan.ModelWarning")


@pytest.fixture(scope="module")
def documents():
    """Equations and the matrices of their sections as SymPy, by name of the model."""
    known = {}

    def get(name, **options):
        if name not in known:
            equations = cardan.equations(cardan.load(name), formulation="trace_lagrange", **options)
            known[name] = equations, scope_of(equations)
        return known[name]

    return get


def scope_of(equations):
    """Names of the script that makes the matrices."""
    scope = {}
    exec(equations.render("sympy"), scope)
    return scope


def same(a, b):
    return sp.simplify(a - b) == sp.zeros(*a.shape)


@each("name", ["manipulator_3dof", "slider_crank", "planar_manipulator_mounted"])
def test_derivatives_are_those_of_the_transformation_matrices(documents, name):
    equations, scope = documents(name)
    q = [sp.Symbol(one) for one in equations.coordinates]
    for l, _ in enumerate(equations.model.bodies, 1):
        B = scope[f"products_B_{l}"]
        for k, qk in enumerate(q, 1):
            first = scope.get(f"derivatives_B_{l}_{k}", sp.zeros(4))
            assert same(B.diff(qk), first), (l, k)
            for j, qj in enumerate(q[:k], 1):
                assert same(first.diff(qj), scope.get(f"derivatives_B_{l}_{j}_{k}", sp.zeros(4))), (l, j, k)


@pytest.mark.parametrize("name", few(["manipulator_3dof", "manipulator_6dof"], 1))
def test_products_of_the_basic_matrices_are_the_transformation_matrices(documents, name):
    equations, scope = documents(name)
    B = sp.eye(4)
    for l, _ in enumerate(equations.model.bodies, 1):
        B = B * scope[f"basic_matrices_T_{l}"]
        assert same(B, scope[f"products_B_{l}"]), l


@each("name", ["manipulator_3dof", "slider_crank"])
def test_coefficients_are_the_traces(documents, name):
    """Eqs. (8)–(10), without the rotors of motors."""
    model = cardan.load(name)
    equations = cardan.equations(model, "none", "trace_lagrange")
    scope, n = scope_of(equations), len(equations.velocities)
    bodies = range(1, len(model.bodies) + 1)

    def by(l, *k):
        return scope.get("_".join(map(str, ("derivatives_B", l, *k))), sp.zeros(4))

    for k in range(1, n + 1):
        for i in range(1, n + 1):
            a0 = sum((by(l, i) * scope[f"pseudo_inertias_I_{l}"] * by(l, k).T).trace() for l in bodies)
            assert sp.simplify(a0 - scope["coefficients_a0"][i - 1, k - 1]) == 0
            for j in range(1, i + 1):
                a1 = sum((by(l, j, i) * scope[f"pseudo_inertias_I_{l}"] * by(l, k).T).trace() for l in bodies)
                form = scope.get(f"coefficients_a1_{k}", sp.zeros(n))
                assert sp.simplify((1 if i == j else 2) * a1 - form[j - 1, i - 1]) == 0
    rates = sp.Matrix([sp.Symbol(name) for name in equations.velocities])
    forces = [(rates.T * scope.get(f"coefficients_a1_{k}", sp.zeros(n)) * rates)[0] for k in range(1, n + 1)]
    assert same(scope["coefficients_a0"], scope["M"])
    assert same(sp.Matrix(forces), scope["C"] * rates)
    assert same(scope["coefficients_a2"], scope["g"])


def test_the_document_reads_like_the_paper(documents):
    equations, _ = documents("manipulator_6dof")
    text = equations.render()
    for line in (
        "T₁₂ = T_rot6 (q₁) = ",
        "T₃₄ = T_trans3 (d₃) T_trans2 (q₃) = ",
        "T₄₅ = T_trans2 (d₄) T_rot5 (q₄) = ",
        "T₆₇ = T_trans1 (d₆) T_rot4 (q₆) = ",
        "B₆ = B₅ T₆₇ = ",
        "a₁ₖ^ji = σⱼᵢ Σₗ tr (Bₗ^ji Iₗ Bₗ^kᵀ)",
        "A₀ q̈ + aᵥ + a_g = a_F",
        "q̈ = A₀⁻¹ (a_F − aᵥ − a_g)",
    ):
        assert line in text, line
    assert "Mass matrix:" not in text
    paper = equations.render("latex")
    assert paper.count("{") == paper.count("}")
    assert r"\mathbf{B}_{\mathbf{l}}^{ji}" in paper


def test_what_is_no_basic_matrix_is_written_by_its_two_parts():
    turned = {"position": [1, 0, 0], "rpy": [0.3, 0.4, 0]}
    arm = {"type": "revolute", "parent": {"body": "ground", **turned}, "child": "arm", "axis": "z"}
    model = cardan.Model(bodies={"arm": {"mass": 1}}, joints={"q1": arm})
    equations = cardan.equations(model, formulation="trace_lagrange")
    assert "T₁₂ = T₁₂^c T₁₂^v = " in equations.render()
    found = json.loads(equations.render("json"))["sections"]["basic_matrices"]
    assert found["variable_1"]["entries"][0][:2] == ["cos(q1)", "-sin(q1)"]


def test_springs_stay_in_g(documents):
    equations, scope = documents("spring_pendulum")
    text = equations.render()
    assert "Gradient of the potential energy:" in text
    assert "(g(q) − a_g)" in text
    assert not same(scope["coefficients_a2"], scope["g"])
