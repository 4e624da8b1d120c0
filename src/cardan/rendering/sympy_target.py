"""Written expressions as SymPy ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .expression import Expression, Kind, children

if TYPE_CHECKING:
    import sympy

    from .readable import Matrix

__all__ = ["sympy_matrix"]


def sympy_matrix(matrix: Matrix) -> sympy.Matrix:
    """The same matrix in SymPy.

    Parameters
    ----------
    matrix : Matrix
        What to convert.
    """
    import sympy as sp

    known: dict[Expression, Any] = {}
    entries = [_converted(entry, known) for row in matrix.rows for entry in row]
    return sp.Matrix(*matrix.shape, entries)


def _converted(root: Expression, known: dict[Expression, Any]) -> Any:
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

    if e.kind == Kind.NUMBER:
        return _number(e.number)
    if e.kind == Kind.SYMBOL:
        return sp.Symbol(e.name)
    if e.kind == Kind.SUM:
        return sp.Add(*(known[term] for term in e.args))
    if e.kind == Kind.PRODUCT:
        powers = (sp.Pow(known[base], exponent) for base, exponent in e.args)
        return sp.Mul(_number(e.number), *powers)
    return functions[e.name](*(known[arg] for arg in e.args))


def _number(value: Any) -> Any:
    import sympy as sp

    return sp.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sp.Float(value)


def _functions() -> dict[str, Callable[..., Any]]:
    """What each function of an expression is in SymPy; truth is 1 and falsehood 0."""
    import sympy as sp

    def truth(relation: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: sp.Piecewise((1, relation(*args)), (0, True))

    same = "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt sign floor erf"
    return {name: getattr(sp, name) for name in same.split()} | {
        "shared": lambda a: a,
        "pi": lambda: sp.pi,
        "inf": lambda: sp.oo,
        "-inf": lambda: -sp.oo,
        "nan": lambda: sp.nan,
        "abs": sp.Abs,
        "ceil": sp.ceiling,
        "min": sp.Min,
        "max": sp.Max,
        "pow": sp.Pow,
        "log1p": lambda a: sp.log(1 + a),
        "expm1": lambda a: sp.exp(a) - 1,
        "hypot": lambda a, b: sp.sqrt(a**2 + b**2),
        "fmod": lambda a, b: a - b * sp.sign(a / b) * sp.floor(sp.Abs(a / b)),
        "lt": truth(sp.StrictLessThan),
        "le": truth(sp.LessThan),
        "eq": truth(sp.Eq),
        "ne": truth(sp.Ne),
        "not": truth(lambda a: sp.Eq(a, 0)),
        "and": truth(lambda a, b: sp.And(sp.Ne(a, 0), sp.Ne(b, 0))),
        "or": truth(lambda a, b: sp.Or(sp.Ne(a, 0), sp.Ne(b, 0))),
        "low": lambda x, *grid: sp.Add(*(truth(sp.GreaterThan)(x, knot) for knot in grid[1:-1])),
        "read": lambda i, *values: sp.Piecewise(*((value, i < k + sp.S.Half) for k, value in enumerate(values))),
        "where": lambda a, b: sp.Piecewise((b, sp.Ne(a, 0)), (0, True)),
    }
