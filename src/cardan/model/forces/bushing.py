"""Bushing: six springs and dampers between two markers, coupled or not, with a preload.

Source: law of `elastic`
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import casadi as ca
import numpy as np
from pydantic import BeforeValidator

from cardan.errors import Issue, ModelError
from cardan.model.forces.elastic import Elastic
from cardan.model.forces.load import Number
from cardan.model.quantities.fields import (
    DampingProduct,
    Force,
    Impulse,
    Stiffness,
    Torque,
    TorsionalDampingProduct,
    TorsionalStiffness,
)
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.element import ValueOf
from cardan.numerics.round_off import WRITTEN

_SIX = "write [x, y, z, rx, ry, rz], or six rows of six numbers"


def _rows(value: Any) -> Any:
    """Six rows; six numbers stand for a diagonal."""
    if not isinstance(value, (list, tuple)) or len(value) != 6:
        found = f"{len(value)} entries" if isinstance(value, (list, tuple)) else f"{value!r:.60}"
        raise ModelError(f"a bushing has six directions, not {found}", _SIX)
    if any(isinstance(row, (list, tuple)) for row in value):
        return value
    return tuple(tuple(entry if i == j else ZERO for j in range(6)) for i, entry in enumerate(value))


_ShiftRow = tuple[Stiffness, Stiffness, Stiffness, Force, Force, Force]
_TurnRow = tuple[Force, Force, Force, TorsionalStiffness, TorsionalStiffness, TorsionalStiffness]
Springs = Annotated[tuple[_ShiftRow, _ShiftRow, _ShiftRow, _TurnRow, _TurnRow, _TurnRow], BeforeValidator(_rows)]
_ShiftRate = tuple[DampingProduct, DampingProduct, DampingProduct, Impulse, Impulse, Impulse]
_TurnRate = tuple[Impulse, Impulse, Impulse, TorsionalDampingProduct, TorsionalDampingProduct, TorsionalDampingProduct]
Dampers = Annotated[tuple[_ShiftRate, _ShiftRate, _ShiftRate, _TurnRate, _TurnRate, _TurnRate], BeforeValidator(_rows)]
_NONE = (ZERO,) * 6
_EMPTY = (_NONE,) * 6


class Bushing(Elastic):
    """Six springs and dampers along and about the axes half-way between both markers, which coincide at rest."""

    type: Literal["bushing"] = "bushing"
    stiffness: Springs = _EMPTY  # of x, y, z, rx, ry, rz, or 6×6 [N/m, N, N m/rad]
    damping: Dampers = _EMPTY  # likewise [N s/m, N s, N m s]
    preload: tuple[Force, Force, Force, Torque, Torque, Torque] = _NONE  # on the child where both coincide [N, N m]

    def at_rest(self) -> Number:
        return ca.DM(3, 1)

    def springs(self) -> Number:
        return _matrix(self.stiffness)

    def dampers(self) -> Number:
        return _matrix(self.damping)

    def preloads(self) -> Number:
        return ca.vertcat(*self.preload)

    def value_issues(self, value_of: ValueOf) -> Iterable[Issue]:
        for key in ("stiffness", "damping"):
            matrix = np.array([[value_of(entry) for entry in row] for row in getattr(self, key)])
            yield from (issue.under(key) for issue in _faults(key, matrix))


def _faults(key: str, matrix: np.ndarray) -> Iterator[Issue]:
    """What is wrong with a matrix of stiffness or damping."""
    size = np.abs(matrix).max()
    if not np.isfinite(size):
        return  # its entries are refused one by one
    lacks = np.argwhere(np.abs(matrix - matrix.T) > WRITTEN * size)
    if lacks.size:
        i, j = (int(k) for k in lacks[0])
        fault = (
            f"the matrix is not symmetric: row {i + 1} has {matrix[i, j]:g} where column {i + 1} has {matrix[j, i]:g}"
        )
        yield Issue(fault, "a spring or damper has the same entry in both places")
    elif key == "damping" and np.linalg.eigvalsh(matrix)[0] < -WRITTEN * size:
        yield Issue("the damping would drive some motion", "write a matrix without negative eigenvalues")


def _matrix(rows: tuple[tuple[Number, ...], ...]) -> Number:
    """Rows as a matrix, whose literal zeros cost nothing."""
    return ca.sparsify(ca.SX(ca.blockcat([list(row) for row in rows])))
