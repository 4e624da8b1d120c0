"""LDLᵀ in a static order against dense linear algebra: trees, saddles, damped pivots, fill."""

import casadi as ca
import numpy as np
import pytest

from cardan.numerics.sparse_ldl import factor, inverse_sizes, minimum_degree, saddle_order, solve
from tests.selection import each

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


def leaves_first(parent):
    """The unknowns, children before parents: nothing is filled in then (Featherstone 2008, §6.5)."""
    return sorted(range(len(parent)), key=lambda k: -len(ancestors(parent, k)))


def random_matrix(parent, seed=3):
    """Positive matrix Σ Jᵀ J with the pattern of the tree, as a mass matrix is."""
    rng, n = np.random.default_rng(seed), len(parent)
    M = 0.1 * np.eye(n)
    for k in range(n):
        J = np.zeros((3, n))
        J[:, ancestors(parent, k)] = rng.normal(size=(3, len(ancestors(parent, k))))
        M += J.T @ J
    return M


def sparse(A):
    """A CasADi matrix with the zeros of A as structural ones."""
    return ca.sparsify(ca.DM(A))


def pattern(A):
    """Neighbours of every unknown of a symmetric matrix."""
    return [set(np.flatnonzero(row)) - {i} for i, row in enumerate(A)]


def saddle(n, rows, seed=0, coupled=True):
    """[[M, Jᵀ], [J, 0]] with M of a chain of n and the rows touching the coordinates given; and M, J."""
    rng = np.random.default_rng(seed)
    M = np.diag(rng.uniform(1, 2, n))
    if coupled:
        M += np.diag(off := rng.uniform(-0.3, 0.3, n - 1), 1) + np.diag(off, -1)
    J = np.zeros((len(rows), n))
    for i, row in enumerate(rows):
        J[i, list(row)] = rng.uniform(0.5, 1.5, len(row))
    return np.block([[M, J.T], [J, np.zeros((len(rows), len(rows)))]]), M, J


@each("name", TREES)
@each("order", [None, "leaves first"])
def test_solution_is_that_of_dense_algebra(name, order):
    parent = TREES[name]
    M, b = random_matrix(parent), np.random.default_rng(4).normal(size=(len(parent), 3))
    x = np.array(solve(factor(sparse(M), leaves_first(parent) if order else None), ca.DM(b)))
    error = 1e-15 * max(1.0, np.linalg.cond(M)) * 100 if len(parent) else 0  # Higham 2002, Theorem 10.3: n κ ε
    np.testing.assert_allclose(x, np.linalg.solve(M, b), rtol=0, atol=error * np.max(np.abs(b), initial=1))


def test_leaves_first_fills_nothing_in_and_the_factors_give_the_matrix():
    parent = TREES["two branches"]
    A = random_matrix(parent)
    factors = factor(sparse(A), leaves_first(parent))
    assert {(k, i) for k, column in factors.L.items() for i in column} == {
        (k, i) for k in range(6) for i in ancestors(parent, k)[1:]
    }
    L, D = np.eye(6), np.diag([1 / float(factors.D_inverse[k]) for k in range(6)])
    for k, column in factors.L.items():
        for i, entry in column.items():
            L[i, k] = float(entry)
    np.testing.assert_allclose(L @ D @ L.T, A, rtol=0, atol=1e-14 * 30)  # entries up to 30


@each("name", ["chain", "two branches", "forest"])
def test_sizes_by_the_inverse_are_the_diagonal_of_dense_algebra(name):
    parent = TREES[name]
    A = random_matrix(parent)
    J = np.random.default_rng(1).normal(size=(3, len(parent))) * (np.arange(3)[:, None] <= np.arange(len(parent)))
    sizes = np.array(inverse_sizes(factor(sparse(A), leaves_first(parent)), sparse(J))).ravel()
    expected = np.diag(J @ np.linalg.solve(A, J.T))
    np.testing.assert_allclose(sizes, expected, rtol=1e-15 * 100 * np.linalg.cond(A))  # Higham 2002, Theorem 10.3


def test_symbols_give_the_same_numbers():
    parent = TREES["star"]
    M = ca.SX.sym("M", 5, 5)
    function = ca.Function("x", [M], [solve(factor(M), ca.DM.ones(5))])
    numbers = ca.DM(random_matrix(parent))
    x = solve(factor(numbers), ca.DM.ones(5))
    np.testing.assert_allclose(np.array(function(numbers)), np.array(x), rtol=1e-13)


@each("seed", range(5))
def test_a_saddle_in_its_order_is_solved_without_pivoting(seed):
    A, _, _ = saddle(8, [{0, 1}, {1, 2, 5}, {4, 7}, {6, 7}], seed)
    b = np.random.default_rng(seed).normal(size=(12, 2))
    order = saddle_order(pattern(A[:8, :8]), [set(np.flatnonzero(row)) for row in A[8:, :8]])
    assert sorted(order) == list(range(12))
    x = np.array(solve(factor(sparse(A), order), ca.DM(b)))
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=0, atol=1e-15 * 100 * np.linalg.cond(A) * np.abs(b).max())


def test_minimum_degree_is_that_of_the_definition():
    """Against a search among all unknowns left, on random graphs."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        A = rng.random((12, 12)) < 0.2
        graph = dict(enumerate(pattern(A | A.T)))
        expected = []
        given = [set(row) for row in graph.values()]
        level = np.zeros(12, int)
        while graph:
            k = min(graph, key=lambda i: (len(graph[i]), level[i], i))
            clique = graph.pop(k)
            for i in clique:
                level[i] = max(level[i], level[k] + 1)
                graph[i] = (graph[i] | clique) - {i, k}
            expected.append(k)
        assert minimum_degree(given) == expected


def test_pivots_of_the_rows_are_negative():
    """Each is −Φq M⁻¹ Φqᵀ of what came before: Sylvester's inertia of a saddle is (n, c)."""
    A, _, _ = saddle(6, [{0, 1}, {3, 4, 5}], 2)
    order = saddle_order(pattern(A[:6, :6]), [{0, 1}, {3, 4, 5}])
    factors = factor(sparse(A), order)
    signs = {k: np.sign(float(d)) for k, d in factors.D_inverse.items()}
    assert [signs[k] for k in range(8)] == [1] * 6 + [-1] * 2


def test_a_damped_pivot_is_exact_where_it_is_large_and_bounded_where_it_vanishes():
    """d/(d² + ε²) differs from 1/d by (ε/d)², and is at most 1/(2ε)."""
    eps = 1e-9
    for d in (1.0, -3.0, 0.2):
        inverse = float(factor(ca.DM([[d]]), [0], {0: eps}).D_inverse[0])
        assert inverse == pytest.approx(1 / d, rel=1e-15)
    assert float(factor(ca.DM([[0.0]]), [0], {0: eps}).D_inverse[0]) == 0
    assert abs(float(factor(ca.DM([[eps]]), [0], {0: eps}).D_inverse[0])) == pytest.approx(0.5 / eps)


def test_the_work_of_a_chain_of_loops_grows_linearly():
    """N loops side by side: instructions per loop stay the same, in the pattern of the N-four-bar mechanism."""

    def instructions(loops):
        n = 2 * loops + 1
        rows = [set(range(2 * k, 2 * k + 3)) for k in range(loops) for _ in range(2)]
        M = ca.diag(ca.SX.sym("m", n)) + ca.SX(n, n)
        J = ca.SX(len(rows), n)
        for i, row in enumerate(rows):
            for k in row:
                J[i, k] = ca.SX.sym(f"J{i}_{k}")
        A = ca.vertcat(ca.horzcat(M, J.T), ca.horzcat(J, ca.SX(len(rows), len(rows))))
        x = solve(factor(A, saddle_order([set()] * n, rows)), ca.SX.ones(n + len(rows)))
        return ca.Function("x", ca.symvar(A), [x]).n_instructions()

    small, large = instructions(10), instructions(40)
    assert large < 4.4 * small  # 4 for linear, 64 for cubic growth
