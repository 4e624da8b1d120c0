"""The methods that every style of typesetting has, and the walk through an expression that calls them.

Every style has the same methods; `typeset` walks an expression and calls them. They take and return texts: the `value`
of a number, the `name` of a symbol or function with its `args` and the `exponent` behind it (`bare`: the argument needs
no parentheses), `left` and `right` of a relation, a `condition` or several, `top` and `bottom` of a fraction (`simple`:
which of them are single factors), the `base` of a power, the `inner` text of parentheses or of a root, the `factors` of
a product, the `terms` of a sum with their signs.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from cardan.rendering.algebra.expression import Expression, Head, is_negative

_LOOKUPS = frozenset(["low", "read"])
TRIGONOMETRIC = frozenset(["sin", "cos", "tan", "sinh", "cosh", "tanh"])
SIGNS = {"lt": "<", "le": "≤", "gt": ">", "ge": "≥", "eq": "=", "ne": "≠", "and": "∧", "or": "∨", "not": "¬"}
WORDS = {"pi": "π", "inf": "∞", "-inf": "−∞", "nan": "NaN"}
_OPPOSITE = {"lt": "ge", "le": "gt", "eq": "ne", "ne": "eq"}
_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_CONDITIONS = frozenset([*_OPPOSITE, "and", "or", "not"])
_TABLE = re.compile(r"f\d+_*'?")  # names of tables in documents
_UNNAMED = frozenset(["shared", "where", "sqrt", "abs", "pow"])  # functions that are written without their names


class Style(ABC):
    """A style of typesetting; all methods take and return texts."""

    with_tables: ClassVar[bool] = False  # whether tables are written out
    signs: ClassVar[Mapping[str, str]] = SIGNS  # of relations and logic
    times: ClassVar[str] = " "  # between factors
    plus_minus: ClassVar[tuple[str, str, str]] = (" + ", " - ", "-")  # between terms, and before a first one

    @abstractmethod
    def number(self, value: Any) -> str:
        """A `value` that is not negative."""

    @abstractmethod
    def symbol(self, name: str) -> str:
        """A symbol by its `name` in the model."""

    @abstractmethod
    def fraction(self, top: str, bottom: str, simple: tuple[bool, bool]) -> str:
        """`top` over `bottom`; `simple` says which of them need no parentheses."""

    @abstractmethod
    def power(self, base: str, exponent: int) -> str:
        """`base` with an `exponent`."""

    @abstractmethod
    def root(self, inner: str) -> str:
        """The square root of `inner`."""

    @abstractmethod
    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """Function `name` of `args`, to an `exponent`; `bare` says that the argument needs no parentheses."""

    @abstractmethod
    def chosen(self, condition: str, value: str) -> str:
        """`value` where a `condition` holds, else 0."""

    def relation(self, name: str, left: str, right: str) -> str:
        """The condition that `left` and `right` are in the relation lt, le, gt, ge, eq or ne (`name`)."""
        return f"{left} {self.signs[name]} {right}"

    def joined(self, name: str, conditions: Sequence[str]) -> str:
        """`conditions` joined by and or or, or the opposite of a single one: `name` is and, or, not."""
        return f"{self.signs['not']} {conditions[0]}" if name == "not" else f" {self.signs[name]} ".join(conditions)

    def parentheses(self, inner: str) -> str:
        """`inner` in parentheses."""
        return f"({inner})"

    def product(self, factors: Sequence[str]) -> str:
        """`factors` side by side."""
        return self.times.join(factors)

    def sum(self, terms: Sequence[tuple[bool, str]]) -> str:
        """`terms`, each with whether it is subtracted."""
        plus, minus, first = self.plus_minus
        signs = [first if terms[0][0] else "", *(minus if negative else plus for negative, _ in terms[1:])]
        return "".join(sign + text for sign, (_, text) in zip(signs, terms, strict=True))


def typeset(e: Expression, style: Style) -> str:
    """Text of an expression."""
    if e.kind == Head.SUM:
        return style.sum([(is_negative(term), _unsigned(term, style)) for term in e.args])
    if is_negative(e):
        return style.sum([(True, _unsigned(e, style))])
    return _unsigned(e, style)


def _unsigned(e: Expression, style: Style) -> str:
    """Text of an expression without its minus."""
    if e.kind == Head.NUMBER:
        return style.number(abs(e.number))
    if e.kind == Head.SYMBOL:
        return style.symbol(e.name)
    if e.kind == Head.CALL:
        return _call(e, style, 1)
    if e.kind == Head.SUM:
        return typeset(e, style)
    factor = abs(e.number)
    whole = isinstance(factor, Fraction) and decimal(factor) is None
    top, bottom = (factor.numerator, factor.denominator) if whole else (factor, 1)
    above = [pair for pair in e.args if pair[1] > 0]
    below = [(base, -exponent) for base, exponent in e.args if exponent < 0]
    single = len(above) == 1 and above[0][1] == 1 and above[0][0].kind in (Head.SYMBOL, Head.CALL)
    if not below and not (single and bottom != 1):
        return _product(factor, above, style)
    over, over_simple = _side(top, above, style)
    under, under_simple = _side(bottom, below, style)
    return style.fraction(over, under, (over_simple, under_simple))


def _side(number: Any, pairs: Sequence[tuple[Expression, int]], style: Style) -> tuple[str, bool]:
    """One side of a fraction, and whether it is a single factor."""
    if not pairs:
        return style.number(number), True
    if number == 1 and len(pairs) == 1 and pairs[0][1] == 1:
        base = pairs[0][0]
        return typeset(base, style), base.kind != Head.SUM and base.name != "where"
    return _product(number, pairs, style), number == 1 and len(pairs) == 1


def _product(number: Any, pairs: Sequence[tuple[Expression, int]], style: Style) -> str:
    """A number and powers side by side; sin q m could mean sin(q m), so that only a function may follow sin q."""
    lead = [] if number == 1 else [style.number(number)]
    followers = [_begins_with_name(base) for base, _ in pairs[1:]] + [True]
    return style.product([*lead, *(_power(*pair, style, ends) for pair, ends in zip(pairs, followers, strict=True))])


def _begins_with_name(base: Expression) -> bool:
    """Whether the text of a factor begins with the name of a function."""
    return base.kind == Head.CALL and bool(base.args) and base.name not in _UNNAMED | _CONDITIONS


def _power(base: Expression, exponent: int, style: Style, ends: bool = True) -> str:
    """A power; `ends` says that the argument of a function may stand without parentheses here."""
    if base.kind == Head.CALL:
        return _call(base, style, exponent, ends)
    text = typeset(base, style)
    if base.kind in (Head.SUM, Head.PRODUCT) or (base.kind == Head.NUMBER and (exponent != 1 or base.number < 0)):
        text = style.parentheses(text)
    return text if exponent == 1 else style.power(text, exponent)


def _call(e: Expression, style: Style, exponent: int, ends: bool = True) -> str:
    if e.name == "shared":
        return _power(e.args[0], exponent, style)
    if e.name in _CONDITIONS:
        return _raised(style.chosen(_condition(e, style), style.number(1)), exponent, style)
    if e.name == "where":
        return _raised(style.chosen(_condition(e.args[0], style), typeset(e.args[1], style)), exponent, style)
    kept = e.args[:1] if e.name in _LOOKUPS and not style.with_tables else e.args  # a table is too long
    args = [typeset(arg, style) for arg in kept]
    if e.name == "sqrt":
        text = style.root(args[0])
        return text if exponent == 1 else style.power(style.parentheses(text), exponent)
    exponent_first = exponent == 1 or e.name in TRIGONOMETRIC  # exp y to the power 2 would read as exp(y²)
    is_table = _TABLE.fullmatch(e.name) is not None  # f1 t would read as a product
    bare = ends and exponent_first and len(kept) == 1 and e.args[0].kind == Head.SYMBOL and not is_table
    return style.function(e.name, args, bare, exponent)


def _raised(text: str, exponent: int, style: Style) -> str:
    return text if exponent == 1 else style.power(style.parentheses(text), exponent)


def _condition(e: Expression, style: Style) -> str:
    """Text of a condition: a relation, its opposite, or several conditions joined; a number is true if it is not 0."""
    if e.kind != Head.CALL or e.name not in _CONDITIONS:
        return style.relation("ne", typeset(e, style), style.number(0))
    if e.name in _OPPOSITE:
        return _relation(e.name, e, style)
    if e.name == "not" and e.args[0].kind == Head.CALL and e.args[0].name in _OPPOSITE:
        return _relation(_OPPOSITE[e.args[0].name], e.args[0], style)
    parts = []
    for arg in e.args:
        compound = arg.kind == Head.CALL and arg.name in ("and", "or") and arg.name != e.name
        text = _condition(arg, style)
        parts.append(style.parentheses(text) if compound or e.name == "not" else text)
    return style.joined(e.name, parts)


def _relation(name: str, e: Expression, style: Style) -> str:
    """A relation of the arguments of `e`, a number on the right."""
    left, right = (typeset(arg, style) for arg in e.args)
    if e.args[0].kind == Head.NUMBER:
        return style.relation(_TURNED[name], right, left)
    return style.relation(name, left, right)


def decimal(value: Fraction) -> str | None:
    """`value` as a person writes a decimal: 981/100 is 9.81; None where a fraction reads better or no decimal ends."""
    if value.denominator == 1:
        return str(value.numerator)
    rest = value.denominator
    if rest <= 12 and rest % 5:
        return None
    places = 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest = rest // 10 if rest % 10 == 0 else rest // 2 if rest % 2 == 0 else rest // 5
        places += 1
    if rest != 1 or places > 15:
        return None
    digits = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}d}"
    return f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}"


def numeral(value: Any) -> str | tuple[int, int]:
    """A decimal text of a `value`, or (numerator, denominator)."""
    if isinstance(value, Fraction):
        text = decimal(value)
        return (value.numerator, value.denominator) if text is None else text
    text = repr(float(value)) if not isinstance(value, int) else str(value)
    return text[:-2] if text.endswith(".0") else text
