"""Matrices put together entry by entry, for symbols and numbers alike; what is not given is a structural zero."""

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

Number = Any  # casadi.SX or casadi.DM


def column(entries: Sequence[Number]) -> Number:
    """Column (n,) of the entries; n may be 0."""
    return ca.vertcat(ca.DM(0, 1), *entries)


def matrix(entries: Mapping[tuple[int, int], Number], rows: int, columns: int) -> Number:
    """Matrix (rows×columns) of the entries by index."""
    given = sorted((j, i) for (i, j), entry in entries.items() if not _is_structural_zero(entry))
    values = column([entries[i, j] for j, i in given])
    pattern = ca.Sparsity.triplet(rows, columns, [i for _, i in given], [j for j, _ in given])
    return type(values)(pattern, values)


def _is_structural_zero(entry: Number) -> bool:
    return isinstance(entry, (ca.SX, ca.DM)) and not entry.nnz()
