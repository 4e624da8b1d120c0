"""Vectors of three numbers in equations by hand: the cross product of NumPy, for arrays of any shape, takes longer."""

import numpy as np

__all__ = ["cross", "skew"]


def cross(a, b):
    """a × b, with the bits of `np.cross`, which takes ten times as long."""
    (a0, a1, a2), (b0, b1, b2) = a, b
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def skew(w):
    """The matrix of w ×, (3, 3)."""
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
