"""Determinants of expressions against NumPy. Tolerance: elimination of matrices whose pivots are of order 1."""

import casadi as ca
import numpy as np
import pytest

from cardan.numerics.determinant import determinant
from tests.selection import each


@each("n", [1, 2, 5, 10])
def test_it_is_numpys(n):
    rng = np.random.default_rng(n)
    A = np.eye(n) + 0.5 * rng.uniform(-1, 1, (n, n))
    x = ca.SX.sym("x", n, n)
    f = ca.Function("f", [x], [determinant(x)])
    assert float(f(A)) == pytest.approx(np.linalg.det(A), rel=1e-12)
    assert f.n_instructions() < 2 * n**3 + 10 * n**2  # no expansion by minors


def test_of_a_semidefinite_matrix_it_is_zero():
    """A row that is zero, as that of a joint at its dead centre, and one of the identity behind it."""
    A = np.array([[2.0, 0, 1], [0, 0, 0], [0, 0, 1]])
    assert float(ca.DM(ca.evalf(determinant(ca.DM(A))))) == 0
