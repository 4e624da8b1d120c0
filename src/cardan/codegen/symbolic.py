"""SymPy target: the instruction list of a CasADi Function as exact SymPy matrices.

Numbers that a person would write as a decimal become exact rationals (0.1 is 1/10); any other float is kept as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import casadi as ca

from ..errors import SolveError
from .instruction import NAMES, Instruction
from .program import flatten

if TYPE_CHECKING:
    import sympy

__all__ = ["exact", "to_sympy"]

_SHORT = 12  # digits a person writes; a float with more came out of a computation and stays a float


def to_sympy(function: ca.Function, symbols: Mapping[str, Sequence[str]]) -> dict[str, sympy.Matrix]:
    """Matrices of all outputs of `function`, by name.

    Parameters
    ----------
    function : casadi.Function
        Function of SX.
    symbols : mapping from str to sequence of str
        Names of the entries of every input, in order.

    Raises
    ------
    SolveError
        An operation has no SymPy form.

    Example
    -------
    >>> import casadi as ca
    >>> x = ca.SX.sym("x")
    >>> to_sympy(ca.Function("f", [x], [0.5 * ca.sin(x)], ["x"], ["y"]), {"x": ["angle"]})["y"]
    Matrix([[sin(angle)/2]])
    """
    import sympy as sp

    program = flatten(function)
    inputs = [sp.Symbol(name) for port in program.inputs for name in symbols[port.name]]
    values: list[Any] = []
    table = _table()
    for instruction in program.instructions:
        values.append(_value(instruction, inputs, values, table))
    out, start = {}, 0
    for port in program.outputs:
        entries = [sp.Integer(0) if i < 0 else values[i] for i in program.results[start : start + port.size]]
        out[port.name] = sp.Matrix(port.rows, port.columns, entries)
        start += port.size
    return out


def _value(
    instruction: Instruction, inputs: Sequence[Any], values: Sequence[Any], table: Mapping[int, Callable[..., Any]]
) -> Any:
    if instruction.op == ca.OP_INPUT:
        return inputs[instruction.args[0]]
    if instruction.op == ca.OP_CONST:
        return exact(instruction.value)
    if instruction.op not in table:
        raise SolveError(f"{NAMES.get(instruction.op, instruction.op)} has no symbolic form")
    return table[instruction.op](*(values[i] for i in instruction.args))


def exact(value: float) -> Any:
    """The rational number that the float `value` was written as, if it is short; else π or the float.

    Example
    -------
    >>> exact(0.1), exact(0.3333333333333333)
    (1/10, 0.333333333333333)
    """
    import sympy as sp

    digits = repr(value).partition("e")[0].replace(".", "").strip("-0")
    if len(digits) > _SHORT or value != value or value in (float("inf"), -float("inf")):
        return sp.pi if value == float(sp.pi) else sp.Float(value)
    fraction = Fraction(repr(value))
    return sp.Rational(fraction.numerator, fraction.denominator)


def _table() -> dict[int, Callable[..., Any]]:
    """Operation table: the meaning of each CasADi operation in SymPy."""
    import sympy as sp

    def truth(relation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        return lambda a, b: sp.Piecewise((1, relation(a, b)), (0, True))

    functions = {
        "SIN": sp.sin, "COS": sp.cos, "TAN": sp.tan, "ASIN": sp.asin, "ACOS": sp.acos, "ATAN": sp.atan,
        "ATAN2": sp.atan2, "SINH": sp.sinh, "COSH": sp.cosh, "TANH": sp.tanh, "ASINH": sp.asinh, "ACOSH": sp.acosh,
        "ATANH": sp.atanh,
        "EXP": sp.exp, "LOG": sp.log, "SQRT": sp.sqrt, "FABS": sp.Abs, "SIGN": sp.sign, "FLOOR": sp.floor,
        "CEIL": sp.ceiling, "ERF": sp.erf, "FMIN": sp.Min, "FMAX": sp.Max,
    }  # fmt: skip
    return {getattr(ca, f"OP_{name}"): function for name, function in functions.items()} | {
        ca.OP_ADD: lambda a, b: a + b,
        ca.OP_SUB: lambda a, b: a - b,
        ca.OP_MUL: lambda a, b: a * b,
        ca.OP_DIV: lambda a, b: a / b,
        ca.OP_NEG: lambda a: -a,
        ca.OP_SQ: lambda a: a**2,
        ca.OP_TWICE: lambda a: 2 * a,
        ca.OP_INV: lambda a: 1 / a,
        ca.OP_POW: lambda a, b: a**b,
        ca.OP_CONSTPOW: lambda a, b: a**b,
        ca.OP_LOG1P: lambda a: sp.log(1 + a),
        ca.OP_EXPM1: lambda a: sp.exp(a) - 1,
        ca.OP_HYPOT: lambda a, b: sp.sqrt(a**2 + b**2),
        ca.OP_FMOD: lambda a, b: a - b * sp.sign(a / b) * sp.floor(sp.Abs(a / b)),
        ca.OP_LT: truth(sp.StrictLessThan),
        ca.OP_LE: truth(sp.LessThan),
        ca.OP_EQ: truth(sp.Eq),
        ca.OP_NE: truth(sp.Ne),
        ca.OP_NOT: lambda a: sp.Piecewise((1, sp.Eq(a, 0)), (0, True)),
        ca.OP_AND: lambda a, b: sp.Piecewise((1, sp.And(sp.Ne(a, 0), sp.Ne(b, 0))), (0, True)),
        ca.OP_OR: lambda a, b: sp.Piecewise((1, sp.Or(sp.Ne(a, 0), sp.Ne(b, 0))), (0, True)),
        ca.OP_IF_ELSE_ZERO: lambda a, b: sp.Piecewise((b, sp.Ne(a, 0)), (0, True)),
    }
