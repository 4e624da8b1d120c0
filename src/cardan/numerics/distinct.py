"""Distinct numbers in order."""

import numpy as np


def distinct(x: np.ndarray) -> np.ndarray:
    """The distinct numbers (m,) among x (n,), from the smallest to the largest.

    `np.unique` gives the same; its first call imports NumPy's masked arrays, which takes as long as a short run.

    Example
    -------
    >>> distinct(np.array([2.0, 1.0, 2.0]))
    array([1., 2.])
    """
    x = np.sort(x)
    return np.concatenate([x[:1], x[1:][x[1:] != x[:-1]]])
