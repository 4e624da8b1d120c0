"""Written expressions as SymPy ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from cardan.codegen.program.operations import OPERATIONS
from cardan.rendering.algebra.expression import Expression, Head, children

if TYPE_CHECKING:
    import sympy

    from cardan.rendering.algebra.readable import Matrix


def sympy_matrix(matrix: Matrix) -> sympy.Matrix:
    """The same matrix in SymPy."""
    import sympy as sp

    known: dict[Expression, Any] = {}
    entries = [sympy_expression(entry, known) for row in matrix.rows for entry in row]
    return sp.Matrix(*matrix.shape, entries)


def sympy_expression(root: Expression, known: dict[Expression, Any]) -> Any:
    """The same expression in SymPy; `known` holds its parts, and those of others before it."""
    functions = _functions()
    stack = [root]
    while stack:
        expression = stack[-1]
        missing = [child for child in children(expression) if child not in known]
        if expression in known or not missing:
            stack.pop()
            if expression not in known:
                known[expression] = _one(expression, known, functions)
        else:
            stack.extend(missing)
    return known[root]


def _one(e: Expression, known: dict[Expression, Any], functions: dict[str, Callable[..., Any]]) -> Any:
    import sympy as sp

    if e.kind == Head.NUMBER:
        return _number(e.number)
    if e.kind == Head.SYMBOL:
        return sp.Symbol(e.name)
    if e.kind == Head.SUM:
        return sp.Add(*(known[term] for term in e.args))
    if e.kind == Head.PRODUCT:
        powers = (sp.Pow(known[base], exponent) for base, exponent in e.args)
        return sp.Mul(_number(e.number), *powers)
    return functions[e.name](*(known[arg] for arg in e.args))


def _number(value: Any) -> Any:
    import sympy as sp

    return sp.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sp.Float(value)


def _functions() -> dict[str, Callable[..., Any]]:
    """What each function of an expression is in SymPy; truth is 1 and falsehood 0."""
    import sympy as sp

    made: dict[str, Callable[..., Any]] = {
        "shared": lambda a: a,
        "pi": lambda: sp.pi,
        "inf": lambda: sp.oo,
        "-inf": lambda: -sp.oo,
        "nan": lambda: sp.nan,
        "interpolate": _interpolated,
        "slope": _slope,
    }
    for operation in OPERATIONS.values():
        if operation.written and operation.sympy:
            made[operation.written] = partial(operation.sympy, sp)
    return made


def _interpolated(x: Any, *samples: Any) -> Any:
    """The lines between samples x0, y0, x1, y1, …, level outside them."""
    import sympy as sp

    lines = [(y0 + (y1 - y0) * (x - x0) / (x1 - x0), x < x1) for x0, y0, x1, y1 in _intervals(samples)]
    return sp.Piecewise((samples[1], x < samples[0]), *lines, (samples[-1], True))


def _slope(x: Any, *samples: Any) -> Any:
    """The slopes of these lines."""
    import sympy as sp

    slopes = [((y1 - y0) / (x1 - x0), x < x1) for x0, y0, x1, y1 in _intervals(samples)]
    return sp.Piecewise((0, x < samples[0]), *slopes, (0, True))


def _intervals(samples: Sequence[Any]) -> list[tuple[Any, Any, Any, Any]]:
    """x0, y0, x1, y1 of every interval that is no jump."""
    pairs = zip(samples[::2], samples[1::2], strict=True)
    return [(x0, y0, x1, y1) for (x0, y0), (x1, y1) in pairwise(pairs) if x0 != x1]
