"""The cross product of the tests' own equations by hand, against that of NumPy."""

import numpy as np

from tests.vectors import cross, skew


def test_cross_products_have_the_bits_of_numpy():
    for a, b in np.random.default_rng(1).normal(size=(20, 2, 3)):
        np.testing.assert_array_equal(cross(a, b), np.cross(a, b))
        np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), atol=1e-15)  # three roundings of numbers near 1
