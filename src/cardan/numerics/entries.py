"""Matrices put together entry by entry, for symbols and numbers alike; what is not given is a structural zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

__all__ = ["column", "matrix"]

Number = Any  # casadi.SX or casadi.DM


def column(entries: Sequence[Number]) -> Number:
    """Column (n,) of the entries; n may be 0."""
    return ca.vertcat(ca.DM(0, 1), *entries)


def matrix(entries: Mapping[tuple[int, int], Number], rows: int, columns: int) -> Number:
    """Matrix (rows×columns) of the entries by index."""
    zero = ca.DM(1, 1)
    lines = [ca.horzcat(ca.DM(1, 0), *(entries.get((i, j), zero) for j in range(columns))) for i in range(rows)]
    return ca.vertcat(ca.DM(0, columns), *lines)
