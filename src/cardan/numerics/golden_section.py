"""Minima of functions of one variable, many side by side.

Source: Press et al. 2007, §10.2
"""

from collections.abc import Callable

import numpy as np

GOLDEN = (5**0.5 - 1) / 2


def minima(of: Callable[[np.ndarray], np.ndarray], a: np.ndarray, b: np.ndarray, iterations: int) -> np.ndarray:
    """Arguments (C,) of the minima of C functions between a and b (C,), by golden section."""
    low, high = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    y_low, y_high = of(low), of(high)
    for _ in range(iterations):
        left = y_low < y_high
        a, b = np.where(left, a, low), np.where(left, high, b)
        low_new, high_new = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        fresh = np.where(left, low_new, high_new)
        y_fresh = of(fresh)
        y_low, y_high = np.where(left, y_fresh, y_high), np.where(left, y_low, y_fresh)
        low, high = low_new, high_new
    return np.asarray(0.5 * (a + b))
