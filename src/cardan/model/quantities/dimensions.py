"""Dimensions of expressions, inferred from those of their names wherever all of them are known.

A bare number may be anything in SI ("9.81*m" is a force), so a product with one in it has no known dimension. Sums,
`min`, `max` and the like have the dimension of their operands, which must agree; `sin`, `exp` and the like work on
numbers without unit and give bare numbers: "cos(t)" may stand for a torque as "1" may.

The unit of a result is inferred more freely: there 2 in "2*force" is a count. A factor such as 1000, 3.6 or 180/pi
leaves the unit open, since it may turn one unit into another.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from cardan.errors import Issue, ModelError
from cardan.model.expressions.grammar import COMPARISONS, DELAY, KEYWORDS, Call, Constant, Name, ParsedExpression
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import DIMENSIONLESS, SECOND, Dimension, describe, short_unit

Known = Dimension | None
"""A dimension; None where bare numbers leave it open."""

_ALIKE = frozenset(["+", "-", "min", "max", "hypot", "mod", "atan2", *COMPARISONS])
_KEEP_UNITS = frozenset(["+", "-", "neg", "abs", "min", "max", "hypot"])
_PURE = frozenset(["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10"])
_BARE = _PURE | {"sign", "step", *COMPARISONS, *KEYWORDS}
"""Operations whose value is a number without unit, whatever they work on."""
_DIGITS = frozenset(range(10))


def infer(
    expression: ParsedExpression,
    dimension_of: Callable[[str], Known],
    *,
    plain: Callable[[ParsedExpression], bool] = lambda factor: False,
) -> Known:
    """The dimension of an expression; None where it cannot be known."""
    if isinstance(expression, Constant):
        return None
    if isinstance(expression, Name):
        return dimension_of(expression.name)
    operands = [infer(operand, dimension_of, plain=plain) for operand in expression.operands]
    if expression.operation in ("*", "/") and any(known is not None for known in operands):
        factors = zip(expression.operands, operands, strict=True)
        operands = [DIMENSIONLESS if known is None and plain(factor) else known for factor, known in factors]
    return _combine(expression, operands)


def sure_dimension(scalar: Scalar, dimension_of: Callable[[str], Known]) -> Known:
    """The dimension of a `scalar`, whose names have those that `dimension_of` gives; None if bare numbers hide it."""
    if scalar.expression is None or scalar.dimension is not None:
        return scalar.dimension
    try:
        return infer(scalar.expression, dimension_of)
    except ModelError:  # reported where the expression itself is checked
        return None


def expression_unit(
    expression: ParsedExpression, units: Mapping[str, str], dimension_of: Callable[[str], Known]
) -> str:
    """SI unit of an expression: that of its only name, the common one of a sum, else by its dimension; may be empty.

    Factors that are counts, such as 2, 1/3 or cos(q), change no unit; others, such as 1000, leave it open.

    Example
    -------
    >>> from cardan.model.expressions.grammar import parse
    >>> from cardan.model.units import dimension_of
    >>> units = {"drive.voltage": "V", "drive.current": "A", "swing.q": "rad"}
    >>> [expression_unit(parse(text), units, lambda name: dimension_of(units[name]))
    ...  for text in ("drive.voltage*drive.current", "abs(swing.q) - 0.1", "2*swing.q", "180/pi*swing.q")]
    ['W', 'rad', 'rad', '']
    """
    own = _common_unit(expression, units)
    if own:
        return own
    try:
        dimension = infer(expression, dimension_of, plain=_is_count)
    except ModelError:  # reported where the expression itself is checked
        return ""
    return "" if dimension is None else short_unit(dimension)


def _common_unit(expression: ParsedExpression, units: Mapping[str, str]) -> str:
    """Unit of the only name in an expression, times counts, or the common one of the names in a sum; else empty."""
    if isinstance(expression, Name):
        return units.get(expression.name, "")
    if not isinstance(expression, Call):
        return ""
    if expression.operation in ("*", "/"):
        one, other = expression.operands
        if expression.operation == "*" and _is_count(one):
            one, other = other, one
        return _common_unit(one, units) if _is_count(other) else ""
    if expression.operation not in _KEEP_UNITS:
        return ""
    found = {_common_unit(operand, units) for operand in expression.operands if not isinstance(operand, Constant)}
    return found.pop() if len(found) == 1 else ""


def _is_count(factor: ParsedExpression) -> bool:
    """Whether a factor is a number without unit that turns no unit into another: of one digit, its inverse, a sine.

    No unit is 2 to 9 times another one of its kind: 1000 mm, 180/pi degrees, 3.6 km/h and 60 s are.
    """
    if isinstance(factor, Constant):
        size = abs(factor.value)
        return size in _DIGITS or (size != 0 and 1 / size in _DIGITS)
    if isinstance(factor, Name):
        return False
    return factor.operation in _BARE or all(_is_count(operand) for operand in factor.operands)


def unlike_terms(expression: ParsedExpression, dimension_of: Callable[[str], Known]) -> list[Issue]:
    """What is wrong with the sums, comparisons, `min` and the like in an expression: terms of unlike dimensions.

    Example
    -------
    >>> from cardan.model.expressions.grammar import parse
    >>> from cardan.model.units import METRE, SECOND
    >>> units = {"x": METRE, "T": SECOND}
    >>> [issue.fault for issue in unlike_terms(parse("2*(x + T) + exp(-T)"), units.get)]
    ["'+' joins a length and a time"]
    """
    issues: list[Issue] = []

    def dimension(part: ParsedExpression) -> Known:
        if not isinstance(part, Call):
            return infer(part, dimension_of)
        operands = [dimension(operand) for operand in part.operands]
        try:
            return _combine(part, operands)
        except ModelError as error:
            issues.extend(error.issues if part.operation in _ALIKE or part.operation == "if" else ())
            return None

    dimension(expression)
    return issues


def likely_dimension(scalar: Scalar, dimension_of: Callable[[str], Known]) -> Known:
    """The dimension of a `scalar` if bare factors are numbers without unit; names have those of `dimension_of`."""
    if scalar.expression is None or scalar.dimension is not None:
        return scalar.dimension
    try:
        sure = infer(scalar.expression, dimension_of)
        return infer(scalar.expression, dimension_of, plain=lambda factor: True) if sure is None else sure
    except ModelError:  # a bare number may stand for a factor with a unit
        return None


def _combine(call: Call, operands: Sequence[Known]) -> Known:
    operation = call.operation
    if operation in _ALIKE:
        common = _common(operation, operands)
        return None if operation == "atan2" else common
    if operation == "if":
        return _common(operation, operands[1:])
    if operation == DELAY and operands[1] not in (None, SECOND):
        raise ModelError(f"the time of a delay is {describe(operands[1])}", "give it in seconds")
    if operation in ("neg", "abs", DELAY):
        return operands[0]
    if operation in ("*", "/"):
        return _product(operands, -1 if operation == "/" else 1)
    if operation in ("**", "pow"):
        return _power(operands, call.operands[1])
    if operation == "sqrt":
        return operands[0] and operands[0].to(0.5)
    if operation in _PURE:
        _require_number(operation, operands[0])
    return None


def _common(operation: str, operands: Sequence[Known]) -> Known:
    known = [dimension for dimension in operands if dimension is not None]
    for other in known[1:]:
        if other != known[0]:
            fault = f"{operation!r} joins {describe(known[0])} and {describe(other)}"
            raise ModelError(fault, "both have to be of the same kind")
    return known[0] if known else None


def _product(operands: Sequence[Known], power: int) -> Known:
    if any(dimension is None for dimension in operands):
        return None
    known = [dimension for dimension in operands if dimension is not None]
    return reduce(lambda a, b: a.times(b, power), known)


def _power(operands: Sequence[Known], exponent: ParsedExpression) -> Known:
    base, power = operands
    _require_number("**", power)
    if base is None or not isinstance(exponent, Constant):
        return DIMENSIONLESS if base == DIMENSIONLESS else None
    return base.to(exponent.value)


def _require_number(operation: str, dimension: Known) -> None:
    if dimension is not None and dimension != DIMENSIONLESS:
        raise ModelError(
            f"{operation!r} works on numbers without unit, not on {describe(dimension)}", "divide by a unit"
        )
