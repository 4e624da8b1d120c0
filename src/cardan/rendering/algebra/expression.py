"""Expressions as a person writes them: numbers, symbols, sums, products with powers, and functions.

An expression is frozen and knows how many operations it has, counted as `sympy.count_ops` counts them. The
constructors `add`, `multiply` and `power` flatten, merge equal terms and factors, and leave out zeros and ones; they
expand nothing. The function `shared` is its argument; it keeps a long sum in one piece.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any


class Head:
    """The outermost operation of an expression, or that it is a number or a symbol."""

    NUMBER, SYMBOL, SUM, PRODUCT, CALL = range(5)


class Expression:
    """One expression, whose `kind` is one of `Head`, with the `name` of a symbol or function.

    `number` is a number, or the factor of a product; `args` are terms of a sum, (base, exponent) pairs of a product,
    arguments of a function.
    """

    __slots__ = ("_hash", "args", "kind", "name", "number", "operations")

    def __init__(self, kind: int, name: str = "", number: Any = Fraction(1), args: tuple = ()) -> None:
        self.kind = kind
        self.name = name
        self.number = number
        self.args = args
        self.operations = _operations(self)
        self._hash = hash((kind, name, args, *number.as_integer_ratio()))  # quicker than that of a fraction

    def __hash__(self) -> int:
        """Computed once."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Whether both are written alike."""
        if self is other:
            return True
        return (
            isinstance(other, Expression)
            and self._hash == other._hash
            and (self.kind, self.name, self.number, self.args) == (other.kind, other.name, other.number, other.args)
        )

    def __repr__(self) -> str:
        """The structure as text, for debugging."""
        shown = [part for part in (self.name, str(self.number), *map(repr, self.args)) if part]
        return f"{('Number', 'Symbol', 'Sum', 'Product', 'Call')[self.kind]}({', '.join(shown)})"


def number(value: Fraction | float | int) -> Expression:
    """The number `value`; whole numbers and fractions are exact, infinity and what is undefined are calls."""
    if isinstance(value, float) and not math.isfinite(value):
        return call(repr(value))
    return Expression(Head.NUMBER, number=Fraction(value) if isinstance(value, int) else value)


def symbol(name: str) -> Expression:
    """The symbol of this name."""
    return Expression(Head.SYMBOL, name)


def call(name: str, *args: Expression) -> Expression:
    """The function `name` of its arguments `args`."""
    return Expression(Head.CALL, name, args=args)


def add(*terms: Expression) -> Expression:
    """The sum of `terms`; like terms are merged, and a term without minus comes first if there is one."""
    factors: dict[Expression, Any] = {}
    for term in terms:
        for one in term.args if term.kind == Head.SUM else (term,):
            factor, rest = parts(one)
            factors[rest] = factors.get(rest, 0) + factor
    kept = [_scaled(rest, factor) for rest, factor in factors.items() if factor]
    if not kept:
        return ZERO
    if len(kept) == 1:
        return kept[0]
    if is_negative(kept[0]):
        first = next((k for k, term in enumerate(kept) if not is_negative(term)), 0)
        kept.insert(0, kept.pop(first))
    return Expression(Head.SUM, args=tuple(kept))


def multiply(*factors: Expression) -> Expression:
    """The product of `factors`; like bases are merged. A number alone is multiplied into a sum."""
    return product(Fraction(1), [(factor, 1) for factor in factors])


def power(base: Expression, exponent: int) -> Expression:
    """`base` to the `exponent`."""
    return product(Fraction(1), [(base, exponent)])


def product(factor: Any, powers: list[tuple[Expression, int]]) -> Expression:
    """factor · Π base^exponent."""
    exponents: dict[Expression, int] = {}
    for base, exponent in powers:
        factor = _collect(base, exponent, factor, exponents)
    pairs = tuple((base, exponent) for base, exponent in exponents.items() if exponent)
    if not factor or not pairs:
        return number(factor if factor else Fraction(0))
    if len(pairs) == 1 and factor != 1 and pairs[0][1] == 1 and pairs[0][0].kind == Head.SUM:
        return add(*(product(factor, [(term, 1)]) for term in pairs[0][0].args))
    return _made(factor, pairs)


def _collect(base: Expression, exponent: int, factor: Any, exponents: dict[Expression, int]) -> Any:
    """The number in front, after one power has been entered into a product."""
    if base.kind == Head.NUMBER and (base.number or exponent > 0):
        return factor * base.number**exponent
    if base.kind == Head.PRODUCT:
        for inner, inner_exponent in base.args:
            factor = _collect(inner, inner_exponent * exponent, factor, exponents)
        return factor * base.number**exponent
    if base.kind == Head.CALL and base.name == "sqrt" and exponent % 2 == 0:
        return _collect(base.args[0], exponent // 2, factor, exponents)
    exponents[base] = exponents.get(base, 0) + exponent
    return factor


def _made(factor: Any, pairs: tuple[tuple[Expression, int], ...]) -> Expression:
    if factor == 1 and len(pairs) == 1 and pairs[0][1] == 1:
        return pairs[0][0]
    return Expression(Head.PRODUCT, number=factor, args=pairs)


def parts(term: Expression) -> tuple[Any, Expression]:
    """(number, rest) whose product the `term` is."""
    if term.kind == Head.NUMBER:
        return term.number, ONE
    if term.kind == Head.PRODUCT and term.number != 1:
        return term.number, _made(Fraction(1), term.args)
    return Fraction(1), term


def _scaled(rest: Expression, factor: Any) -> Expression:
    if rest is ONE or rest == ONE:
        return number(factor)
    if factor == 1:
        return rest
    pairs = rest.args if rest.kind == Head.PRODUCT else ((rest, 1),)
    return product(factor * rest.number if rest.kind == Head.PRODUCT else factor, list(pairs))


def is_negative(term: Expression) -> bool:
    """Whether the `term` is written with a minus."""
    return term.kind in (Head.NUMBER, Head.PRODUCT) and term.number < 0


def walk(root: Expression) -> Iterator[Expression]:
    """All parts of `root`, inner ones first, each once for every place where it is written."""
    stack = [(root, False)]
    while stack:
        expression, done = stack.pop()
        if done:
            yield expression
            continue
        stack.append((expression, True))
        stack.extend((child, False) for child in reversed(children(expression)))


def children(expression: Expression) -> list[Expression]:
    """Direct parts of an expression: terms, bases or arguments."""
    if expression.kind == Head.PRODUCT:
        return [base for base, _ in expression.args]
    return list(expression.args)


def _operations(e: Expression) -> int:
    """Operations as `sympy.count_ops` counts them: a minus, +, ·, /, a power and a function are one each."""
    if e.kind == Head.NUMBER:
        return (e.number < 0) + (isinstance(e.number, Fraction) and e.number.denominator != 1)
    if e.kind == Head.SYMBOL:
        return 0
    if e.kind == Head.CALL:
        own = 0 if not e.args or e.name == "shared" else 2 if e.name == "sqrt" else 1  # √x is x to the power 1/2
        return own + sum(arg.operations for arg in e.args)
    if e.kind == Head.SUM:
        minus = sum(map(is_negative, e.args))
        return sum(arg.operations for arg in e.args) - minus + len(e.args) - 1 + (minus == len(e.args))
    above = below = count = 0
    for base, exponent in e.args:
        count += base.operations
        if exponent > 0:
            above += 1
            count += exponent != 1
        else:
            below += 1
            count += exponent != -1
    top, bottom = e.number.as_integer_ratio() if isinstance(e.number, Fraction) else (e.number, 1)
    above += top not in (1, -1)
    below += bottom != 1
    return count + (top < 0) + (above - 1 if above else 0) + below


ZERO, ONE, PI = number(0), number(1), call("pi")
