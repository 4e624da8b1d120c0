"""Changes of sides of functions whose roots are known."""

import numpy as np

from cardan.numerics import intervals as iv
from cardan.numerics.isolation import Sided, changes
from tests.selection import each


def sign(x):
    return np.where(x >= 0, 1.0, 0.0)


def product_of(roots):
    """Π (x − root) with bounds by interval arithmetic, its derivative by the product rule."""

    def parts(low, high):
        return [(low - root, high - root) for root in roots]

    def bounds(low, high):
        one = np.ones_like(low), np.ones_like(low)
        value, slope = one, (np.zeros_like(low), np.zeros_like(low))
        for part in parts(low, high):
            value, slope = iv.multiply(value, part), iv.add(iv.multiply(slope, part), value)
        return value, slope

    return Sided(lambda x: np.prod([x - root for root in roots], axis=0), bounds, sign)


@each("seed", range(5))
def test_all_roots_are_found_however_near(seed):
    rng = np.random.default_rng(seed)
    roots = np.sort(rng.uniform(0, 1, 6))
    roots[1] = roots[0] + 1e-12
    roots[4] = roots[3] + 1e-6
    found = changes(product_of(roots), np.array([0.0]), np.array([1.0]), 1000)
    np.testing.assert_allclose(found, np.sort(roots), rtol=0, atol=np.spacing(1.0))  # at 0 the side is that of 1


def test_whole_numbers_passed():
    line = Sided(lambda x: 3 * x, lambda low, high: ((3 * low, 3 * high), (3 + 0 * low, 3 + 0 * low)), np.floor)
    found = changes(line, np.array([0.1]), np.array([20_000.1]), 100_000)
    assert found.size == 60_000
    assert (3 * found >= np.arange(1, 60_001)).all()
    assert (3 * np.nextafter(found, 0) < np.arange(1, 60_001)).all()
    assert changes(line, np.array([0.1]), np.array([20_000.1]), 1000) is None
