"""The smallest and the largest value of a result over a motion, and when it has them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class _Pair(NamedTuple):
    smallest: np.ndarray
    largest: np.ndarray


class Extent(_Pair):
    """Smallest and largest values (*shape) of a result as a pair, with their instants (*shape) [s].

    Parameters
    ----------
    smallest, largest : ndarray
        The values, in the SI unit of the result; NaN where it is NaN at an instant.
    t_smallest, t_largest : ndarray
        The first instants at which they occur [s].

    Examples
    --------
    >>> extent = extent_of(np.array([0.0, 0.5, 1.0]), np.array([0.0, 3.0, 2.0]))
    >>> low, high = extent
    >>> float(high), float(extent.t_largest)
    (3.0, 0.5)
    """

    t_smallest: np.ndarray
    t_largest: np.ndarray

    def __new__(
        cls, smallest: np.ndarray, largest: np.ndarray, t_smallest: np.ndarray, t_largest: np.ndarray
    ) -> Extent:
        """Return the pair with its instants."""
        self = super().__new__(cls, smallest, largest)
        self.t_smallest, self.t_largest = t_smallest, t_largest
        return self

    def __getnewargs__(self) -> tuple[np.ndarray, ...]:
        """Return what a copy is made of."""
        return self.smallest, self.largest, self.t_smallest, self.t_largest

    def joined(self, other: Extent) -> Extent:
        """Return the extent over two parts of a motion; what is NaN in this part stays NaN."""
        lower, higher = other.smallest < self.smallest, other.largest > self.largest
        return Extent(
            np.where(lower, other.smallest, self.smallest),
            np.where(higher, other.largest, self.largest),
            np.where(lower, other.t_smallest, self.t_smallest),
            np.where(higher, other.t_largest, self.t_largest),
        )


def extent_of(t: np.ndarray, y: np.ndarray) -> Extent:
    """Return the extent of samples."""
    low, high = np.argmin(y, axis=0), np.argmax(y, axis=0)
    return Extent(np.min(y, axis=0), np.max(y, axis=0), t[low], t[high])
