"""The parts of an expression that depend on t and parameters alone, so that their course is known before a run."""

from collections.abc import Collection, Iterable, Mapping

from cardan.frozen import dataclass
from cardan.model.expressions.evaluation import switching
from cardan.model.expressions.grammar import Call, Name, ParsedExpression, names_of


@dataclass(frozen=True)
class Definitions:
    """What the names in expressions stand for."""

    parameters: Collection[str]
    lets: Mapping[str, ParsedExpression]  # names for parts of expressions, each after those in it
    leaves: Mapping[str, frozenset[str]]  # what each of these names depends on, other such names excluded
    inner: Mapping[str, tuple[str, ...]]  # such names that each of them depends on, itself included
    lines: frozenset[str]  # those that are straight lines over t, or constant

    def of(self, expression: ParsedExpression) -> frozenset[str]:
        """Names that an expression depends on, those of `lets` excluded."""
        return frozenset().union(*(self.leaves.get(name, {name}) for name in names_of(expression)))

    def parts(self, expression: ParsedExpression) -> tuple[str, ...]:
        """Names of `lets` that an expression depends on."""
        return tuple(dict.fromkeys(part for name in sorted(names_of(expression)) for part in self.inner.get(name, ())))


def known_names(parameters: Collection[str], lets: Iterable[tuple[str, ParsedExpression]] = ()) -> Definitions:
    """What names stand for."""
    names = Definitions(parameters, {}, {}, {}, frozenset())
    for name, expression in lets:
        line = {name} if _is_line(expression, names) else set()
        names = Definitions(
            parameters,
            {**names.lets, name: expression},
            {**names.leaves, name: names.of(expression)},
            {**names.inner, name: (*names.parts(expression), name)},
            names.lines | line,
        )
    return names


def is_timed(expression: ParsedExpression, names: Definitions) -> bool:
    """Whether an `expression` depends on t and, beside it, on parameters only; `names` are those it may hold."""
    used = names.of(expression)
    return "t" in used and all(name in names.parameters for name in used - {"t"})


def timed_parts(expression: ParsedExpression, names: Definitions) -> tuple[ParsedExpression, ...]:
    """The largest sub-expressions of t and parameters alone.

    Example
    -------
    >>> from cardan.model.expressions.grammar import parse
    >>> timed_parts(parse("exp(-k*t)*swing + sin(t)"), known_names({"k"})) == (parse("exp(-k*t)"), parse("sin(t)"))
    True
    """
    if is_timed(expression, names):
        return (expression,)
    if not isinstance(expression, Call):
        return ()
    return tuple(part for operand in expression.operands for part in timed_parts(operand, names))


def switching_within(expression: ParsedExpression, names: Definitions) -> tuple[ParsedExpression, ...]:
    """Conditions of `switching` in an `expression` and in what its `names` stand for."""
    whole = (expression, *(names.lets[name] for name in names.parts(expression)))
    return tuple(dict.fromkeys(condition for each in whole for condition in switching(each)))


def essence(expression: ParsedExpression, names: Definitions) -> ParsedExpression:
    """The expression without constant summands and factors, which do not move the places where it turns.

    Example
    -------
    >>> from cardan.model.expressions.grammar import parse
    >>> essence(parse("-A*exp(-t)/2 + B"), known_names({"A", "B"})) == parse("exp(-t)")
    True
    """
    if isinstance(expression, Call) and expression.operation in ("neg", "+", "-", "*", "/"):
        moving = [operand for operand in expression.operands if "t" in names.of(operand)]
        if len(moving) == 1 and not (expression.operation == "/" and moving[0] is expression.operands[1]):
            return essence(moving[0], names)
    return expression


def is_steady(expression: ParsedExpression, names: Definitions) -> bool:
    """Whether an expression is a sum of straight lines and sines of straight lines.

    Such a function is as lively at every time as at any other. It cannot rest while the steps grow and then pass within
    one of them, as a pulse can.
    """
    core = essence(expression, names)
    if isinstance(core, Call) and core.operation in ("+", "-"):
        return all(is_steady(operand, names) for operand in core.operands)
    if isinstance(core, Call) and core.operation in ("sin", "cos"):
        return _is_line(core.operands[0], names)
    return _is_line(core, names)


def _is_line(expression: ParsedExpression, names: Definitions) -> bool:
    core = essence(expression, names)
    if isinstance(core, Call) and core.operation in ("+", "-"):
        return all(_is_line(operand, names) for operand in core.operands)
    if isinstance(core, Name) and core.name in names.lets:
        return core.name in names.lines
    return isinstance(core, Name) or "t" not in names.of(core)
