"""A traced law is the law: the same numbers, the same structure, no more operations."""

import casadi as ca
import numpy as np

from cardan.spatial.rotations import skew
from cardan.spatial.tracing import traced


def moments(m, r, f):
    """Two results of a few matrices."""
    return skew(r) @ f, m * (r @ r.T)


def operations(outputs):
    """Operations of a graph."""
    return ca.Function("f", ca.symvar(ca.veccat(*outputs)), list(outputs)).n_nodes()


def test_numbers_are_those_of_the_law(rng):
    operands = [ca.DM(rng.normal(size=shape)) for shape in ((1, 1), (3, 1), (3, 1))]
    for found, expected in zip(traced((1, 1), (3, 1), (3, 1))(moments)(*operands), moments(*operands), strict=True):
        np.testing.assert_array_equal(np.array(found), np.array(expected))


def test_zeros_and_ones_of_operands_vanish_as_in_the_law():
    m, r = ca.SX.sym("m"), ca.vertcat(ca.SX.sym("x"), ca.DM(1, 1), 1)
    operands = m, r, ca.vertcat(0, ca.SX.sym("f"), 0)
    found, expected = traced((1, 1), (3, 1), (3, 1))(moments)(*operands), moments(*operands)
    for a, b in zip(found, expected, strict=True):
        assert a.sparsity() == ca.sparsify(b).sparsity()
    assert operations(found) <= operations([ca.sparsify(x) for x in expected])
    assert str(found[0]) == "[(-f), 00, (x*f)]"
