"""Factors L D Lᵀ of symmetric matrices of one pattern at many instants, in a static order, all instants at once.

A pivot that vanishes up to round-off is left out together with its unknown: consistent equations of which some depend
on others still have a solution.

Source: Davis 2006, Direct Methods for Sparse Linear Systems, §4.1, §4.8; generalised inverse by elimination: Golub &
Van Loan 2013, §4.2.8
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.frozen import dataclass
from cardan.numerics.round_off import ROUND_OFF

__all__ = ["Factors", "Structure", "factor", "solve", "structure"]


@dataclass(frozen=True)
class _Column:
    """A column of L below the diagonal."""

    unknown: int  # that is eliminated
    rows: np.ndarray  # unknowns (k,) eliminated later that it is coupled with
    slots: np.ndarray  # positions of these couplings (k,)
    pairs: tuple[np.ndarray, np.ndarray]  # of its rows, by their numbers in `rows`: the entries that it changes
    targets: np.ndarray  # their slots


@dataclass(frozen=True)
class Structure:
    """Which entries the factors have, and where they are kept."""

    n: int  # unknowns
    columns: tuple[_Column, ...]  # in the order of elimination
    slots: Mapping[tuple[int, int], int]  # positions of entries, by the later and the earlier unknown

    def slot(self, i: int, j: int) -> int:
        """Where the entry of two unknowns is kept."""
        return self.slots[i, j] if (i, j) in self.slots else self.slots[j, i]


@dataclass(frozen=True)
class Factors:
    """Factors of the matrices at N instants."""

    structure: Structure  # which entries there are
    L: np.ndarray  # entries (slots, N)
    D_inverse: np.ndarray  # (n, N); zero for unknowns that are left out
    ratios: np.ndarray  # (n, N): pivots over the diagonal entries they came from


def structure(pattern: Sequence[set[int]], order: Sequence[int]) -> Structure:
    """Structure of the factors of a symmetric matrix."""
    place = {k: i for i, k in enumerate(order)}
    later = [{i for i in pattern[k] if place.get(i, -1) > place[k]} for k in order]
    below: list[list[int]] = []
    slots = {(k, k): i for i, k in enumerate(order)}
    for position, k in enumerate(order):
        rows = sorted(later[position], key=place.__getitem__)
        below.append(rows)
        slots |= {(i, k): len(slots) + offset for offset, i in enumerate(rows)}
        if rows:
            later[place[rows[0]]].update(rows[1:])  # the column that is eliminated next of these inherits them
    columns = tuple(_column(k, rows, slots) for k, rows in zip(order, below, strict=True))
    return Structure(len(pattern), columns, slots)


def factor(form: Structure, values: np.ndarray) -> Factors:
    """Factors of matrices."""
    L, whole = values.copy(), np.zeros((form.n, values.shape[1]))
    D_inverse, ratios = np.zeros_like(whole), np.zeros_like(whole)
    for column in form.columns:
        k = column.unknown
        d = L[form.slots[k, k]]
        whole[k] += np.abs(values[form.slots[k, k]])
        ratios[k] = np.divide(np.abs(d), whole[k], out=np.zeros_like(d), where=whole[k] != 0)
        taken = ~(ratios[k] <= ROUND_OFF)  # a NaN is
        D_inverse[k] = np.divide(1.0, d, out=np.zeros_like(d), where=taken)
        entries = L[column.slots]
        scaled = entries * D_inverse[k]
        first, second = column.pairs
        L[column.targets] -= scaled[first] * entries[second]
        whole[column.rows] += np.abs(scaled * entries)
        L[column.slots] = scaled
    return Factors(form, L, D_inverse, ratios)


def solve(factors: Factors, b: np.ndarray) -> np.ndarray:
    """Solutions x (n, N) of A x = b; zero where an unknown was left out."""
    x = b.copy()
    for column in factors.structure.columns:
        x[column.rows] -= factors.L[column.slots] * x[column.unknown]
    x *= factors.D_inverse
    for column in reversed(factors.structure.columns):
        x[column.unknown] -= np.einsum("in,in->n", factors.L[column.slots], x[column.rows])
    return x


def _column(k: int, rows: Sequence[int], slots: Mapping[tuple[int, int], int]) -> _Column:
    first, second = np.tril_indices(len(rows))
    targets = [slots[rows[i], rows[j]] for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    return _Column(
        k,
        np.array(rows, dtype=int),
        np.array([slots[i, k] for i in rows], dtype=int),
        (first, second),
        np.array(targets, dtype=int),
    )
