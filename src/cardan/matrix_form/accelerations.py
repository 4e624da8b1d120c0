"""Accelerations in symbols, v̇ = M⁻¹ (B u + Q − C v − D v − g), of mechanisms with at most three velocities.

By Cramer's rule, each numerator over det M; common factors of the two are cancelled where the entries are simplified.
"""

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.errors import ModelError
from cardan.rendering import Budget, Matrix, number, readable

ACCELERATIONS = "accelerations"
MOST = 3  # velocities for which inverses are written: numerators are sums of n! products of n entries

_NUMBERS = "cardan.compile(model).forward_dynamics gives numbers"


def accelerations(function: ca.Function, drives: str, symbols: Mapping[str, Sequence[str]], budget: Budget) -> Matrix:
    """Accelerations (n, 1), each in a short form."""
    given = dict(zip(function.name_in(), function.sx_in(), strict=True))
    terms = dict(zip(function.name_out(), function.call([*given.values()]), strict=True))
    M, B, v = terms["M"], terms["B"], given["v"]
    n = M.shape[0]
    if terms["Phi"].shape[0]:
        raise ModelError("accelerations in symbols are those of mechanisms without loops and constraints", _NUMBERS)
    if not n:
        raise ModelError("the model has no velocities, and so no accelerations", "write the rates of its states: rates")
    if n > MOST:
        raise ModelError(f"accelerations of {n} velocities would be too long in symbols: at most {MOST}", _NUMBERS)
    force = B @ given[drives][: B.shape[1]] + terms["Q"] - terms["C"] @ v - terms["D"] @ v - terms["g"]
    columns = ca.horzsplit(M)
    below = _determinant(columns)
    above = [_determinant([force if j == k else column for j, column in enumerate(columns)]) for k in range(n)]
    outputs = [ca.vertcat(*above) / below, below]
    quotients = ca.Function(ACCELERATIONS, [*given.values()], outputs, [*given], [ACCELERATIONS, "below"])
    found = readable(quotients, symbols, budget)
    if found["below"].rows == ((number(0),),):
        fault = "the mass matrix is singular: no acceleration follows from it"
        raise ModelError(fault, "give every moving body a mass or an inertia")
    return found[ACCELERATIONS]


def _determinant(columns: list[ca.SX]) -> ca.SX:
    """The determinant of a matrix of these columns, expanded by its first row."""
    if not columns:
        return ca.SX(1)
    minors = [[column[1:] for j, column in enumerate(columns) if j != k] for k in range(len(columns))]
    return ca.SX(sum((-1) ** k * columns[k][0] * _determinant(minor) for k, minor in enumerate(minors)))
