"""LᵀDL with the sparsity of a tree against dense linear algebra."""

import casadi as ca
import numpy as np
import pytest

from cardan.numerics.tree_ldl import chain, factor, solve

TREES = {
    "chain": (-1, 0, 1, 2, 3),
    "star": (-1, 0, 0, 0, 0),
    "two branches": (-1, 0, 1, 0, 3, 4),
    "forest": (-1, -1, 1, 0, 2),
    "file order against the tree": (3, -1, 1, 1, 0),
    "one": (-1,),
    "none": (),
}


def ancestors(parent, k):
    """k and its ancestors."""
    return [k, *ancestors(parent, parent[k])] if k >= 0 else []


def order(parent):
    """The unknowns, parents before children."""
    return sorted(range(len(parent)), key=lambda k: len(ancestors(parent, k)))


def random_matrix(parent, seed=3):
    """Positive matrix Σ Jᵀ J with the pattern of the tree, as a mass matrix is."""
    rng, n = np.random.default_rng(seed), len(parent)
    M = 0.1 * np.eye(n)
    for k in range(n):
        J = np.zeros((3, n))
        J[:, ancestors(parent, k)] = rng.normal(size=(3, len(ancestors(parent, k))))
        M += J.T @ J
    return M


@pytest.mark.parametrize("name", TREES)
def test_solution_is_that_of_dense_algebra(name):
    parent = TREES[name]
    M, b = random_matrix(parent), np.random.default_rng(4).normal(size=(len(parent), 3))
    x = np.array(solve(factor(ca.DM(M), parent, order(parent)), ca.DM(b)))
    error = 1e-15 * max(1.0, np.linalg.cond(M)) * 100 if len(parent) else 0  # Higham 2002, Theorem 10.3: n κ ε
    np.testing.assert_allclose(x, np.linalg.solve(M, b), atol=error * np.max(np.abs(b), initial=1))


def test_no_entry_is_filled_in():
    parent = TREES["two branches"]
    factors = factor(ca.DM(random_matrix(parent)), parent)
    assert set(factors.L) == {(k, i) for k in range(6) for i in ancestors(parent, k)[1:]}
    L, D = np.eye(6), np.diag([1 / float(factors.D_inverse[k]) for k in range(6)])
    for (k, i), entry in factors.L.items():
        L[k, i] = float(entry)
    np.testing.assert_allclose(L.T @ D @ L, random_matrix(parent), atol=1e-14 * 30)  # entries up to 30


def test_a_full_matrix_is_a_chain():
    A = np.random.default_rng(5).normal(size=(4, 4))
    M = A @ A.T + np.eye(4)
    assert chain(4) == (-1, 0, 1, 2)
    x = np.array(solve(factor(ca.DM(M), chain(4)), ca.DM([1, 2, 3, 4]))).ravel()
    np.testing.assert_allclose(M @ x, [1, 2, 3, 4], atol=1e-12)  # n κ ε with κ up to 1e3


def test_symbols_give_the_same_numbers():
    parent = TREES["star"]
    M = ca.SX.sym("M", 5, 5)
    function = ca.Function("x", [M], [solve(factor(M, parent), ca.DM.ones(5))])
    numbers = ca.DM(random_matrix(parent))
    x = solve(factor(numbers, parent), ca.DM.ones(5))
    np.testing.assert_allclose(np.array(function(numbers)), np.array(x), rtol=1e-13)
