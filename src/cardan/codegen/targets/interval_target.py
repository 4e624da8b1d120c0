"""Interval target: bounds of a function's results where its one argument runs through intervals."""

from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cardan.codegen.program.program import Program, flatten
from cardan.codegen.program.tables import LOW, READ
from cardan.numerics import intervals as iv
from cardan.numerics.intervals import Interval

Array = NDArray[np.float64]
Bounds = Callable[[Array, Array], list[Interval]]

OPERATIONS: dict[int, Callable[..., Interval]] = {
    # arithmetic
    ca.OP_ADD: iv.add,
    ca.OP_SUB: iv.subtract,
    ca.OP_MUL: iv.multiply,
    ca.OP_DIV: iv.divide,
    ca.OP_NEG: iv.negate,
    ca.OP_INV: lambda a: iv.divide((np.ones_like(a[0]), np.ones_like(a[0])), a),
    ca.OP_SQ: iv.square,
    ca.OP_TWICE: lambda a: iv.add(a, a),
    # powers and roots
    ca.OP_POW: iv.power,
    ca.OP_CONSTPOW: iv.power,
    ca.OP_SQRT: iv.increasing(np.sqrt, 0.0),
    ca.OP_HYPOT: lambda a, b: iv.increasing(np.hypot)(iv.absolute(a), iv.absolute(b)),
    # exponentials
    ca.OP_EXP: iv.increasing(np.exp),
    ca.OP_LOG: iv.increasing(np.log, 0.0),
    ca.OP_LOG1P: iv.increasing(np.log1p, -1.0),
    ca.OP_EXPM1: iv.increasing(np.expm1),
    # circular and hyperbolic functions
    ca.OP_SIN: iv.sine,
    ca.OP_COS: iv.cosine,
    ca.OP_TAN: iv.tangent,
    ca.OP_ASIN: iv.increasing(np.arcsin, -1.0, 1.0),
    ca.OP_ACOS: lambda a: iv.increasing(lambda x: np.arccos(-x), -1.0, 1.0)(iv.negate(a)),
    ca.OP_ATAN: iv.increasing(np.arctan),
    ca.OP_ATAN2: iv.arc_tangent_2,
    ca.OP_SINH: iv.increasing(np.sinh),
    ca.OP_COSH: iv.hyperbolic_cosine,
    ca.OP_TANH: iv.increasing(np.tanh),
    ca.OP_ASINH: iv.increasing(np.arcsinh),
    ca.OP_ACOSH: iv.increasing(np.arccosh, 1.0),
    ca.OP_ATANH: iv.increasing(np.arctanh, -1.0, 1.0),
    # sign and size
    ca.OP_FABS: iv.absolute,
    ca.OP_SIGN: iv.increasing(np.sign),
    ca.OP_FMIN: iv.increasing(np.fmin),
    ca.OP_FMAX: iv.increasing(np.fmax),
    # whole numbers
    ca.OP_FLOOR: iv.increasing(np.floor),
    ca.OP_CEIL: iv.increasing(np.ceil),
    # conditions
    ca.OP_LT: iv.less,
    ca.OP_LE: iv.less_or_equal,
    ca.OP_EQ: iv.equal,
    ca.OP_NE: lambda a, b: iv.negation(iv.equal(a, b)),
    ca.OP_NOT: iv.negation,
    ca.OP_AND: iv.conjunction,
    ca.OP_OR: iv.disjunction,
    ca.OP_IF_ELSE_ZERO: iv.where,
}
"""Operations on intervals. The values of all others, which no expression of a model uses, count as unbounded."""


def bounds_of(function: ca.Function) -> Bounds:
    """The function (lowest, highest argument (N,)) → bounds (N,) of each of its results."""
    program = flatten(function)

    def bounds(low: Array, high: Array) -> list[Interval]:
        with np.errstate(all="ignore"):
            return _evaluate(program, low, high)

    return bounds


def _evaluate(program: Program, low: Array, high: Array) -> list[Interval]:
    values: list[Interval] = []
    for instruction in program.instructions:
        operands = [values[arg] for arg in instruction.args] if instruction.op != ca.OP_INPUT else []
        if instruction.op == ca.OP_INPUT:
            values.append((low, high))
        elif instruction.op == ca.OP_CONST:
            constant = np.full_like(low, instruction.value)
            values.append(iv.bound(constant, constant))
        elif instruction.op == LOW:
            inner = np.array(instruction.table[1:-1])
            values.append(tuple(np.searchsorted(inner, x, side="right") * 1.0 for x in operands[0]))  # type: ignore[arg-type]
        elif instruction.op == READ:
            values.append(_entries(np.array(instruction.table), operands[0]))
        elif instruction.op in OPERATIONS:
            values.append(OPERATIONS[instruction.op](*operands))
        else:
            values.append((np.full_like(low, -np.inf), np.full_like(low, np.inf)))
    zero = np.zeros_like(low)
    return [values[number] if number >= 0 else (zero, zero) for number in program.results]


def _entries(table: Array, index: Interval) -> Interval:
    """Bounds of the entries of a table: of one where the index is known, else of all."""
    known, last = index[0] == index[1], len(table) - 1
    entry = table[np.clip(np.where(known, index[0], 0), 0, last).astype(int)]
    return np.where(known, entry, table.min()), np.where(known, entry, table.max())
