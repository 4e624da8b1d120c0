"""NumberArray of elements with vector bonds: one number, a list, or a matrix as a list of rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

import casadi as ca
import numpy as np
from pydantic import PlainValidator

from cardan.errors import Issue, ModelError
from cardan.model.quantities.fields import INPUT
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import ROUND_OFF_OF_SUM

Number = Any  # casadi.SX

_NUMBERS = "write one number, a list [1, 2, 3], or a matrix as a list of rows [[1, 0], [0, 1]]"


def _reader(kind: NumberKind) -> Callable[[Any], Any]:
    """Reads a number, a list or a list of rows of one length; every entry takes the kind."""

    def read(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            return Scalar.read(value).of(kind)
        rows = [isinstance(entry, (list, tuple)) for entry in value]
        if not value or (
            any(rows) and len({len(entry) if isinstance(entry, (list, tuple)) else 0 for entry in value}) > 1
        ):
            raise ModelError(f"{f'{value!r:.60}'} is not a matrix", _NUMBERS)
        return tuple(read(entry) for entry in value)

    return read


NumberArray = Annotated[Any, PlainValidator(_reader(NumberKind("a number", "2", None)))]
"""A number of parameters, a list or a matrix of them."""
SignalArray = Annotated[Any, PlainValidator(_reader(replace(INPUT, scope="motion")))]
"""The same of numbers that may follow the motion."""


def entries(value: Any, size: int) -> tuple[Scalar, ...]:
    """The components of a column; one number that is zero stands for all of them."""
    if isinstance(value, Scalar):
        return (value,) * (size if value.value == 0 else 1)
    return tuple(value)


def as_column(value: Any, number: Callable[[Any], Number], size: int) -> Number:
    """Effort or flow of a source (n,): as many entries as are given."""
    if value is None:
        return number(None)
    return ca.vertcat(*(ca.SX(number(entry)) for entry in entries(value, size)))


def as_matrix(value: Any, number: Callable[[Any], Number], shape: tuple[int, int], *, line: bool = False) -> Number:
    """A modulus: a number times the identity, a list as the diagonal, rows as they stand."""
    rows, columns = shape
    if isinstance(value, Scalar):
        return ca.SX(number(value)) * ca.SX.eye(rows) if rows == columns else ca.SX(number(value))
    if not isinstance(value[0], tuple):
        values = ca.vertcat(*(ca.SX(number(entry)) for entry in value))
        if line and rows != columns:
            return values.T if rows == 1 else values
        return ca.diag(values)
    return ca.vertcat(*(ca.horzcat(*(ca.SX(number(entry)) for entry in row)) for row in value))


def column_issues(key: str, value: Any, size: int) -> Iterator[Issue]:
    """The fault that a column, an initial value or that of a source, has not as many components as its bond."""
    if value is None:
        return
    if isinstance(value, tuple) and any(isinstance(entry, tuple) for entry in value):
        yield Issue(f"{key} is a matrix", f"give {size} components as a list", (key,))
    elif len(entries(value, size)) != size:
        count = len(entries(value, size))
        fault = f"{key} has {count} component{'s' if count > 1 else ''}, the bond size {size}"
        yield Issue(fault, f"give a list of {size}", (key,))


def store_issues(key: str, value: Any, size: int, *, excluded: bool) -> Iterator[Issue]:
    """Faults of the matrix of a store: energy exists if it is symmetric, and is positive if the matrix is."""
    if value is None or isinstance(value, Scalar) or not isinstance(value[0], tuple):
        return
    if (len(value), len(value[0])) != (size, size):
        return
    for i in range(size):
        for j in range(i):
            if value[i][j] != value[j][i]:
                fault = f"{key} is not symmetric: {value[i][j]} in row {i + 1}, {value[j][i]} in row {j + 1}"
                yield Issue(
                    fault, "a store without losses has a symmetric matrix; put the rest into a GY or an R", (key,)
                )
                return
    yield from _eigenvalue_issues(key, value, excluded=excluded)


def loss_issues(key: str, value: Any, size: int) -> Iterator[Issue]:
    """The fault that the matrix of a resistor creates power: its symmetric part has a negative eigenvalue."""
    if isinstance(value, tuple) and isinstance(value[0], tuple) and (len(value), len(value[0])) == (size, size):
        yield from _eigenvalue_issues(key, value, excluded=False)


def _eigenvalue_issues(key: str, value: Sequence[Sequence[Scalar]], *, excluded: bool) -> Iterator[Issue]:
    """The fault that the symmetric part of a matrix of numbers has an eigenvalue below zero, or not above it."""
    numbers = [[entry.value for entry in row] for row in value]
    if any(entry is None for row in numbers for entry in row):
        return
    A = np.array(numbers, dtype=float)
    least, scale = float(np.linalg.eigvalsh((A + A.T) / 2)[0]), float(np.abs(A).max())
    if least < -ROUND_OFF_OF_SUM * scale or (excluded and least <= ROUND_OFF_OF_SUM * scale):
        wanted = "positive definite" if excluded else "positive semidefinite"
        yield Issue(f"{key} is not {wanted}: it has the eigenvalue {least:.3g}", "correct its entries", (key,))


def is_zero(value: Any) -> bool:
    """Whether all entries are the number zero."""
    parts: Sequence[Any] = (value,) if isinstance(value, Scalar) else value
    return all(part.value == 0 if isinstance(part, Scalar) else is_zero(part) for part in parts)
