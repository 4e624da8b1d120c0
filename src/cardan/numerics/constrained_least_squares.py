"""Least squares under homogeneous equations, min |w + W x| under J x = 0, for sparse matrices at many instants.

[[WᵀW, Jᵀ], [J, 0]] (x, μ) = (−Wᵀw, 0), with refinement by the residuals of W and J themselves.

Source: Björck 1996, Numerical Methods for Least Squares Problems, §5.1 (equality constraints), §6.6.5 (refinement of
normal equations)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cardan.frozen import dataclass
from cardan.numerics import stacked_ldl
from cardan.numerics.round_off import ROUND_OFF
from cardan.numerics.sparse_ldl import saddle_order
from cardan.numerics.stacked import Entries
from cardan.numerics.stacked_ldl import Factors, Structure

__all__ = ["constrained_least_squares"]

CLEAR = 1e-9  # of what it was taken from: a pivot above is none of round-off, one below ROUND_OFF is
REFINED = 1e-9  # of w: what the last correction may change W x by; the next one would be far below round-off
CORRECTIONS = 3


def constrained_least_squares(W: Entries, w: np.ndarray, J: Entries, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """(x, sure): the solutions (N, c), and at which instants they can be relied on (N,).

    They cannot where J or W has lost rank, or nearly so.

    Example
    -------
    >>> one = np.array([[1.0, 1.0]])
    >>> J = Entries(np.array([0, 0]), np.array([0, 1]), one, (1, 2))
    >>> W = Entries(np.array([0, 1]), np.array([0, 1]), one, (2, 2))
    >>> x, sure = constrained_least_squares(W, np.array([[3.0, 1.0]]), J, 1)
    >>> x.round(12).tolist(), sure.tolist()
    ([[-1.0, 1.0]], [True])
    """
    W, J = W.significant(), J.significant()
    c, n = W.shape[1], J.shape[0]
    factors = _factors(W, J)
    sure = np.all([np.sum(factors.ratios > bound, axis=0) == c + rank for bound in (CLEAR, ROUND_OFF)], axis=0)
    x, mu = np.zeros((len(w), c)), np.zeros((len(w), n))
    W_T, J_T = W.T, J.T
    for _ in range(CORRECTIONS):
        rest = np.concatenate([-W_T.times(w + W.times(x)) - J_T.times(mu), -J.times(x)], axis=1)
        change = stacked_ldl.solve(factors, rest.T).T
        x, mu = x + change[:, :c], mu + change[:, c:]
    left, sizes = (np.max(np.abs(part), axis=1, initial=0.0) for part in (W.times(change[:, :c]), w))
    return x, sure & (left <= REFINED * sizes)


@dataclass(frozen=True)
class _Form:
    """Where the entries of W and J go in the factors."""

    structure: Structure
    products: tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]  # entries of W to be multiplied, and slots; by row
    slots: np.ndarray  # positions of the entries of J


def _factors(W: Entries, J: Entries) -> Factors:
    indices = (part.tobytes() for part in (W.rows, W.columns, J.rows, J.columns))
    form = _form(*indices, W.shape[1], J.shape[0])
    values = np.zeros((len(form.structure.slots), len(W.values)))
    entries = np.ascontiguousarray(W.values.T)
    for one, other, slots in form.products:
        values[slots] += entries[one] * entries[other]
    values[form.slots] = J.values.T
    return stacked_ldl.factor(form.structure, values)


@lru_cache(maxsize=16)
def _form(W_rows: bytes, W_columns: bytes, J_rows: bytes, J_columns: bytes, c: int, n: int) -> _Form:
    """The form for the patterns of W (m, c) and J (n, c)."""
    rows, columns, J_row, J_column = (np.frombuffer(part, dtype=int) for part in (W_rows, W_columns, J_rows, J_columns))
    by_row = np.argsort(rows, kind="stable")
    members = np.split(by_row, np.flatnonzero(np.diff(rows[by_row])) + 1) if len(rows) else []
    pattern: list[set[int]] = [set() for _ in range(c + n)]
    for row in members:
        touched = set(columns[row].tolist())
        for i in touched:
            pattern[i] |= touched - {i}
    order = saddle_order(pattern[:c], _sets(J_row, J_column, n))
    for i, j in zip(J_row.tolist(), J_column.tolist(), strict=True):
        pattern[c + i].add(j)
        pattern[j].add(c + i)
    structure = stacked_ldl.structure(pattern, order)
    products = tuple(_products(structure, columns, row) for row in members)
    slots = [structure.slot(c + i, j) for i, j in zip(J_row.tolist(), J_column.tolist(), strict=True)]
    return _Form(structure, products, np.array(slots, dtype=int))


def _products(
    structure: Structure, columns: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(one, other, slots): the products of a row's entries with each other."""
    first, second = np.tril_indices(len(members))
    one, other = members[first], members[second]
    slots = [structure.slot(i, j) for i, j in zip(columns[one].tolist(), columns[other].tolist(), strict=True)]
    return one, other, np.array(slots, dtype=int)


def _sets(rows: np.ndarray, columns: np.ndarray, count: int) -> list[set[int]]:
    """Columns of the entries in every row."""
    out: list[set[int]] = [set() for _ in range(count)]
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        out[i].add(j)
    return out
