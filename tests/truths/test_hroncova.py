"""The arms of Hroncová by 4×4 matrices written out here: positions, M, velocity forces, gravity in every formulation.

The reference multiplies basic matrices, differentiates them by T' = T D, and evaluates eqs. 7–11 with plain loops over
the indices; pseudo-inertias about the frame origins come from the inertia about the centre of mass (Steiner).
"""

import numpy as np
import pytest

import cardan
from cardan.matrix_form.terms import FORMULATIONS

D3, D4, D6, G = 0.2, 0.3, 0.15, 9.81
BODIES = """
12.0; 0.133 -0.042 0.085; 0.339311 0.331948 0.188741 -0.002355 0.010207 0.034899
6.0; 0.111 -0.041 0.142; 0.186061 0.180928 0.038011 -0.007318 0.028197 0.039772
4.0; -0.009 -0.141 0.118; 0.074513 0.033025 0.072462 0.025533 -0.013139 0.027604
2.5; 0.046 -0.046 0.002; 0.011332 0.006328 0.011007 -0.000078 -0.00002 -0.001278
1.5; 0.102 0.095 0.05; 0.003638 0.011691 0.010371 -0.001738 0.003758 0.000776
0.8; -0.076 0.02 0.137; 0.000554 0.000852 0.000887 -0.000139 -0.000083 -0.000033
"""  # mass [kg]; centre of mass [m]; inertia about it xx yy zz xy xz yz [kg m²]
SIX = (
    ((), 6),
    ((), 3),
    (((3, D3),), 2),
    (((2, D4),), 5),
    ((), 1),
    (((1, D6),), 4),
)  # fixed basic matrices, kind of q_i
THREE = (((), 6), ((), 3), ((), 2))
ARMS = {"manipulator_3dof": THREE, "manipulator_6dof": SIX}
ROUND_OFF = 1e-11  # 1e5 round-offs: some thousand operations on numbers up to 1e3
every_arm = pytest.mark.parametrize("name", ARMS)


def basic(kind, x):
    """The basic matrix `kind` at x."""
    T = np.eye(4)
    if kind <= 3:
        T[kind - 1, 3] = x
        return T
    i, j = [(1, 2), (2, 0), (0, 1)][kind - 4]
    T[i, i] = T[j, j] = np.cos(x)
    T[j, i], T[i, j] = np.sin(x), -np.sin(x)
    return T


def operator(kind):
    """Its derivative at 0: T' = T D."""
    D = np.zeros((4, 4))
    if kind <= 3:
        D[kind - 1, 3] = 1
        return D
    i, j = [(1, 2), (2, 0), (0, 1)][kind - 4]
    D[j, i], D[i, j] = 1, -1
    return D


def pseudo_inertias():
    """I_l about the frame origins, and m r."""
    out = []
    for line in BODIES.strip().splitlines():
        m, c, I = (np.array([float(x) for x in part.split()]) for part in line.split(";"))
        tensor = np.array([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]])
        tensor = tensor + m * (c @ c * np.eye(3) - np.outer(c, c))
        P = np.zeros((4, 4))
        P[:3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
        P[:3, 3] = P[3, :3] = m * c
        P[3, 3] = m[0]
        out.append(P)
    return out


def chain(arm, q, counts):
    """B of the link `len(counts)`, the i-th joint matrix differentiated `counts[i]` times."""
    B = np.eye(4)
    for (fixed, kind), x, count in zip(arm, q, counts, strict=False):
        for step in fixed:
            B = B @ basic(*step)
        B = B @ basic(kind, x) @ np.linalg.matrix_power(operator(kind), count)
    return B


def derivative(arm, q, link, *by):
    """B_l^{i…}: zero where a coordinate does not move the link."""
    if any(i > link for i in by):
        return np.zeros((4, 4))
    return chain(arm, q, [by.count(i) for i in range(link + 1)])


def equations(arm, q):
    """a0[i, k], a1[j, i, k], a2[k] of eqs. 8–10."""
    n, I = len(arm), pseudo_inertias()
    a0, a1, a2 = np.zeros((n, n)), np.zeros((n, n, n)), np.zeros(n)
    for k in range(n):
        B_k = [derivative(arm, q, link, k) for link in range(n)]
        a2[k] = G * sum((B_k[link] @ I[link])[2, 3] for link in range(k, n))
        for i in range(n):
            a0[i, k] = sum(np.trace(derivative(arm, q, link, i) @ I[link] @ B_k[link].T) for link in range(n))
            for j in range(i + 1):
                sigma = 1 if j == i else 2
                traces = (np.trace(derivative(arm, q, link, j, i) @ I[link] @ B_k[link].T) for link in range(n))
                a1[j, i, k] = sigma * sum(traces)
    return a0, a1, a2


def states(name):
    rng = np.random.default_rng(6)
    n = len(ARMS[name])
    return zip(rng.uniform(-2, 2, (4, n)), rng.uniform(-2, 2, (4, n)), strict=True)


@every_arm
def test_positions_are_products_of_basic_matrices(name):
    arm, dyn = ARMS[name], cardan.compile(cardan.load(name))
    for q, _ in states(name):
        poses = dyn.forward_kinematics(q)
        for link, pose in enumerate(poses.values()):
            np.testing.assert_allclose(pose, chain(arm, q[: link + 1], [0] * (link + 1)), rtol=0, atol=1e-14)


@every_arm
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation_gives_equations_7_to_12(name, formulation):
    eq = cardan.equations(cardan.load(name), motors="none", formulation=formulation)
    for q, v in states(name):
        a0, a1, a2 = equations(ARMS[name], q)
        terms = eq.evaluate(q, v)
        np.testing.assert_allclose(terms["M"], a0, rtol=0, atol=ROUND_OFF * np.max(a0))
        velocity = np.einsum("jik,j,i->k", a1, v, v)
        np.testing.assert_allclose(terms["C"] @ v, velocity, rtol=0, atol=ROUND_OFF * np.max(np.abs(velocity)))
        np.testing.assert_allclose(terms["g"], a2, rtol=0, atol=ROUND_OFF * np.max(np.abs(a2)))


def test_coefficients_by_their_indices():
    """The three-axis arm, symbol by symbol."""
    found = cardan.equations(cardan.load("manipulator_3dof"), motors="none").trace_coefficients()
    for q, _ in states("manipulator_3dof"):
        a0, a1, a2 = equations(THREE, q)
        at = dict(zip(("q1", "q2", "q3"), q, strict=True)) | {"g": G}
        for symbolic, expected in ((found.a0, a0), (found.a1, a1), (found.a2, a2[:, None])):
            np.testing.assert_allclose(np.array(symbolic.subs(at)).astype(float), expected, rtol=0, atol=1e-11 * 22 * 4)


def test_equation_13_gives_the_accelerations_of_the_compiled_function():
    dyn = cardan.compile(cardan.load("manipulator_6dof"), motors="none")
    for q, v in states("manipulator_6dof"):
        a0, a1, a2 = equations(SIX, q)
        tau = np.linspace(-1, 1, 6)
        expected = np.linalg.solve(a0, tau - np.einsum("jik,j,i->k", a1, v, v) - a2)
        amplified = ROUND_OFF * np.linalg.cond(a0)
        np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), expected, rtol=0, atol=amplified)
