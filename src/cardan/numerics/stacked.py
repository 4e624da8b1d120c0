"""Sparse matrices of one pattern at many instants."""

from __future__ import annotations

import numpy as np

from cardan.frozen import dataclass
from cardan.numerics.round_off import ROUND_OFF

__all__ = ["Entries"]


@dataclass(frozen=True)
class Entries:
    """Sparse matrices (r, c) of one pattern, at N instants."""

    rows: np.ndarray  # (nnz,)
    columns: np.ndarray  # (nnz,)
    values: np.ndarray  # (N, nnz)
    shape: tuple[int, int]  # (r, c)

    def dense(self) -> np.ndarray:
        """The matrices (N, r, c)."""
        out = np.zeros((len(self.values), *self.shape))
        out[:, self.rows, self.columns] = self.values
        return out

    def times(self, x: np.ndarray) -> np.ndarray:
        """Products (N, r) with x (N, c)."""
        out = np.zeros((len(self.values), self.shape[0]))
        order = np.argsort(self.rows, kind="stable")
        rows, starts = np.unique(self.rows[order], return_index=True)
        if len(rows):
            out[:, rows] = np.add.reduceat(self.values[:, order] * x[:, self.columns[order]], starts, axis=1)
        return out

    @property
    def T(self) -> Entries:
        """The transposed matrices (c, r)."""
        return Entries(self.columns, self.rows, self.values, self.shape[::-1])

    def chosen(self, rows: np.ndarray) -> Entries:
        """Some of the rows; `rows` (r,) says which."""
        number = np.cumsum(rows) - 1
        part = self._entries(rows[self.rows])
        return Entries(number[part.rows], part.columns, part.values, (int(np.sum(rows)), self.shape[1]))

    def at(self, instants: slice) -> Entries:
        """The matrices of some of the instants."""
        return Entries(self.rows, self.columns, self.values[instants], self.shape)

    def significant(self, least: float = ROUND_OFF) -> Entries:
        """Without the entries that are round-off at all instants: at most `least` of the largest one."""
        sizes = np.max(np.abs(self.values), axis=0, initial=0.0)
        return self._entries(~(sizes <= least * np.fmax.reduce(sizes, initial=0.0)))  # a NaN stays

    def _entries(self, which: np.ndarray) -> Entries:
        return Entries(self.rows[which], self.columns[which], self.values[:, which], self.shape)
