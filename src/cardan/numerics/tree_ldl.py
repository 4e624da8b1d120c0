"""Factorisation M = LᵀDL of a positive matrix with the sparsity of a tree: no entry is filled in.

The unknowns have a parent array, as the velocities of a kinematic tree have; M[i, j] may differ from zero only where
one of i and j is an ancestor of the other. A chain as parent array makes it an ordinary dense factorisation.

Source: Featherstone 2008, Tables 6.3 and 6.5
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

__all__ = ["TreeFactor", "chain", "factor", "solve"]

Number = Any  # casadi.SX or casadi.DM


@dataclass(frozen=True)
class TreeFactor:
    """Factors of a matrix, and the tree they belong to."""

    order: tuple[int, ...]  # unknowns, parents first
    parent: tuple[int, ...]  # of each unknown, -1 for none
    L: dict[tuple[int, int], Number]  # entries below the unit diagonal, by unknown and ancestor
    D_inverse: dict[int, Number]  # inverse of the diagonal D, by unknown


def chain(n: int) -> tuple[int, ...]:
    """Parent array under which a full matrix (n×n) factorises."""
    return tuple(range(-1, n - 1))


def factor(M: Number, parent: Sequence[int], order: Sequence[int] | None = None) -> TreeFactor:
    """Factors of M (n×n).

    Parameters
    ----------
    M : symmetric positive matrix; only entries between an unknown and its ancestors are read.
    parent : parent of each unknown, -1 for none.
    order : the unknowns, parents before children; 0 … n−1 if absent.
    """
    order = tuple(range(len(parent)) if order is None else order)
    H = {(k, i): M[k, i] for k in order for i in (k, *_ancestors(parent, k))}
    L: dict[tuple[int, int], Number] = {}
    D_inverse: dict[int, Number] = {}
    for k in reversed(order):
        D_inverse[k] = 1 / H[k, k]
        for i in _ancestors(parent, k):
            a = H[k, i] * D_inverse[k]
            for j in (i, *_ancestors(parent, i)):
                H[i, j] = H[i, j] - a * H[k, j]
            L[k, i] = a
    return TreeFactor(order, tuple(parent), L, D_inverse)


def solve(factors: TreeFactor, b: Number) -> Number:
    """M⁻¹ b (n, k) for columns b (n, k), from the `factors` of M."""
    x = [b[i, :] for i in range(len(factors.parent))]
    for i in reversed(factors.order):
        for j in _ancestors(factors.parent, i):
            x[j] = x[j] - factors.L[i, j] * x[i]
    for i in factors.order:
        x[i] = x[i] * factors.D_inverse[i]
        for j in _ancestors(factors.parent, i):
            x[i] = x[i] - factors.L[i, j] * x[j]
    return ca.vertcat(ca.DM(0, b.shape[1]), *x)


def _ancestors(parent: Sequence[int], k: int) -> list[int]:
    """Ancestors of k, nearest first."""
    out = []
    k = parent[k]
    while k >= 0:
        out.append(k)
        k = parent[k]
    return out
