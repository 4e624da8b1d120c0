"""Expressions: parsed once, evaluated over any kind of number.

A syntax tree of `grammar` comes in; floats, NumPy arrays, CasADi or SymPy expressions come out, depending on the table
of `operations` that is given. What a name stands for is the caller's affair: `lookup` decides.
"""

import math
from collections.abc import Callable
from typing import Any

from cardan.errors import ModelError
from cardan.model.expressions.grammar import COMPARISONS, Call, Constant, Name, ParsedExpression
from cardan.model.expressions.operations import FLOAT, Functions

_DIFFERENCES = frozenset([*COMPARISONS, "min", "max"])
_SELF_SWITCHING = frozenset(["sign", "step", "abs"])


def evaluate(expression: ParsedExpression, lookup: Callable[[str], Any], functions: Functions = FLOAT) -> Any:
    """The value of an expression, as whatever kind of number `lookup` and `functions` work on.

    Example
    -------
    >>> from cardan.model.expressions.grammar import parse
    >>> float(evaluate(parse("m*L**2 / 3"), {"m": 1.5, "L": 2.0}.__getitem__))
    2.0
    """
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Name):
        return lookup(expression.name)
    operands = [evaluate(operand, lookup, functions) for operand in expression.operands]
    return functions[expression.operation](*operands)


def check_constants(expression: ParsedExpression) -> None:
    """Refuse an `expression` of which a part without names has no finite value, such as 1/0 in "1/0*swing"."""
    _constant(expression)


def _constant(expression: ParsedExpression) -> float | None:
    """The value of an expression without names; None where there are names."""
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Name):
        return None
    found = [_constant(operand) for operand in expression.operands]
    operands = [operand for operand in found if operand is not None]
    if len(operands) < len(found):
        return None
    value = float(FLOAT[expression.operation](*operands))
    if not math.isfinite(value):
        sign = len(operands) == 2 and not expression.operation.isalpha()
        shown = [f"({operand:g})" if sign and operand < 0 else f"{operand:g}" for operand in operands]
        part = f" {expression.operation} ".join(shown) if sign else f"{expression.operation}({', '.join(shown)})"
        raise ModelError(f"the part {part} of the expression is {value}", "write a part with a finite value")
    return value


def switching(expression: ParsedExpression) -> tuple[ParsedExpression, ...]:
    """Sub-expressions at whose changes of sign, or of value for a `floor`, the whole may jump or kink.

    An integrator steps to these changes instead of over them. `sign`, `step` and `abs` switch with the sign of their
    argument, comparisons, `min` and `max` with that of the difference of their operands, `floor(x)` with its own value
    and `mod(x, y)` with that of floor(x/y); `atan2(y, x)` jumps where y changes its sign at x < 0. (The zeros of
    sin(π x) are a round-off away from the jumps of floor(x).) An interpolation switches at its places, which
    `Call("places", …)` with its operands stands for.

    Example
    -------
    >>> from cardan.model.expressions.grammar import parse
    >>> switching(parse("10*step(t - 2)")) == (parse("t - 2"),)
    True
    """
    return tuple(dict.fromkeys(_switching(expression)))


def _switching(expression: ParsedExpression) -> list[ParsedExpression]:
    if not isinstance(expression, Call):
        return []
    inner = [found for operand in expression.operands for found in _switching(operand)]
    return [*inner, *_own_switching(expression.operation, expression.operands)]


def _own_switching(operation: str, operands: tuple[ParsedExpression, ...]) -> list[ParsedExpression]:
    if operation in _SELF_SWITCHING or operation == "atan2":
        return [operands[0]]
    if operation in _DIFFERENCES:
        return [Call("-", (a, b)) for i, b in enumerate(operands) for a in operands[:i]]
    if operation == "floor":
        return [Call("floor", operands)]
    if operation == "interpolate":
        return [Call("places", operands)]
    if operation == "mod":
        return [Call("floor", (Call("/", operands),))]
    return []
