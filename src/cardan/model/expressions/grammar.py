"""The whitelist grammar of expressions: text in, a small syntax tree out.   Source: V. R. Pratt, Top down operator
precedence, POPL 1973

Numbers, angles such as 30 deg, names with dots, + - * / **, parentheses, the functions of `ARITY`, comparisons,
`and`, `or`, `not`. Nothing else exists: no attribute, index, string, call of anything unlisted. Length and nesting are
bounded, so that no text can exhaust memory or the recursion stack.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import NoReturn

from cardan.errors import ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.units import is_common

MAX_LENGTH = 4000  # characters; the longest expression in the gallery has fewer than 100
MAX_NESTING = 50  # parentheses, signs and powers inside each other; the parser takes 3 Python frames for each
MAX_SAMPLES = 500  # of an interpolation, more than an expression has room for
MAX_HEIGHT = 200  # of the tree, which a sum of 200 terms has; evaluation takes 2 of Python's 1000 frames for each

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
KEYWORDS = ("and", "or", "not")
CONSTANTS = {"pi": math.pi}
ANGLES = {"deg": math.pi / 180, "rad": 1.0, "turn": 2 * math.pi, "rev": 2 * math.pi}
"""Units of angles, which a number in an expression may have: 30 deg*sin(2*t)."""
DELAY = "delay"  # of sampled laws: delay(x, T) is the value that x had before the time T
ARITY: dict[str, tuple[int, int]] = {
    **dict.fromkeys(["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"], (1, 1)),
    **dict.fromkeys(["exp", "log", "log10", "sqrt", "abs", "sign", "step", "floor"], (1, 1)),
    **dict.fromkeys(["atan2", "mod", "hypot", "pow"], (2, 2)),
    **dict.fromkeys(["min", "max"], (2, 20)),
    "if": (3, 3),
    "interpolate": (5, 1 + 2 * MAX_SAMPLES),
    DELAY: (2, 2),
}
"""Functions with the smallest and the largest number of arguments."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/()<>,]))",
    re.ASCII,
)
_BINDING = {"or": 10, "and": 20, **dict.fromkeys(COMPARISONS, 40), "+": 50, "-": 50, "*": 60, "/": 60, "**": 80}
_NOT_BINDING, _SIGN_BINDING = 30, 70
_LOGICAL = frozenset([*COMPARISONS, *KEYWORDS])


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal number: its value."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a parameter, a coordinate, a point, `t`: whatever the place allows."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """An operation on operands; `operation` is a sign ("+", "<", "neg", …), a keyword, or a function of `ARITY`.

    `height` is the number of operations on the longest way down the tree.
    """

    operation: str
    operands: tuple[ParsedExpression, ...]
    height: int = 0

    @property
    def logical(self) -> bool:
        """True if the value is a condition rather than a number."""
        return self.operation in _LOGICAL


ParsedExpression = Constant | Name | Call


def parse(text: str) -> ParsedExpression:
    """The syntax tree of an expression.

    Example
    -------
    >>> sorted(names_of(parse("m*L**2 / 12 + payload.com.x")))
    ['L', 'm', 'payload.com.x']
    """
    if len(text) > MAX_LENGTH:
        raise ModelError(
            f"the expression has {len(text)} characters, more than {MAX_LENGTH}", "split it with parameters"
        )
    return _Parser(text).whole()


def names_of(expression: ParsedExpression) -> frozenset[str]:
    """All names that occur in an expression, constants like pi excluded."""
    if isinstance(expression, Name):
        return frozenset([expression.name])
    if isinstance(expression, Call):
        return frozenset().union(*map(names_of, expression.operands))
    return frozenset()


def has_delay(expression: ParsedExpression) -> bool:
    """Whether there is a delay in an expression."""
    return isinstance(expression, Call) and (
        expression.operation == DELAY or any(has_delay(operand) for operand in expression.operands)
    )


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


class _Parser:
    """One pass over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._split()
        self.position = 0
        self.nesting = 0

    def whole(self) -> ParsedExpression:
        """The expression that takes up the whole text."""
        expression = self._expression(0)
        if self._next.kind != "end":
            self._unexpected(self._next)
        return expression

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        at, end = 0, len(self.text.rstrip())
        while at < end:
            match = _TOKEN.match(self.text, at)
            if match is None:
                self._refuse_character(at + len(self.text[at:]) - len(self.text[at:].lstrip()))
            kind = str(match.lastgroup)
            tokens.append(_Token(kind, match[kind], match.start(kind)))
            at = match.end()
        return [*tokens, _Token("end", "", end)]

    @property
    def _next(self) -> _Token:
        return self.tokens[self.position]

    def _take(self) -> _Token:
        token = self._next
        self.position += 1
        return token

    def _expression(self, binding: int) -> ParsedExpression:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise ModelError(f"the expression is nested deeper than {MAX_NESTING} levels", "split it with parameters")
        left = self._prefix()
        while (power := _BINDING.get(self._next.text, 0)) > binding:
            left = self._infix(left, power)
        self.nesting -= 1
        return left

    def _prefix(self) -> ParsedExpression:
        token = self._take()
        if token.kind == "number":
            return self._number(token)
        if token.text == "(":
            inside = self._expression(0)
            self._expect(")", token)
            return inside
        if token.text == "not":
            return self._call("not", token, self._condition(_NOT_BINDING))
        if token.text == "-":
            return self._negative(token)
        if token.text == "+":
            return self._operand(_SIGN_BINDING)
        if token.kind == "name" and token.text not in KEYWORDS:
            return self._function(token) if self._next.text == "(" else self._name(token)
        self._unexpected(token)

    def _infix(self, left: ParsedExpression, power: int) -> ParsedExpression:
        token = self._take()
        if token.text in ("and", "or"):
            self._require(left, token, logical=True)
            return self._call(token.text, token, left, self._condition(power))
        self._require(left, token, logical=False)
        right = self._operand(power - 1 if token.text == "**" else power)
        if token.text in COMPARISONS and self._next.text in COMPARISONS:
            self._refuse(self._next, "comparisons do not chain", 'write "a < b and b < c"')
        return self._call(token.text, token, left, right)

    def _negative(self, token: _Token) -> ParsedExpression:
        inside = self._operand(_SIGN_BINDING)
        return Constant(-inside.value) if isinstance(inside, Constant) else self._call("neg", token, inside)

    def _number(self, token: _Token) -> ParsedExpression:
        value = float(token.text)
        if not math.isfinite(value):
            self._refuse(token, f"{token.text} is too large for a number", "")
        if self._next.text in ANGLES:
            return Constant(value * ANGLES[self._take().text])
        if self._next.kind == "name" and self._next.text not in KEYWORDS:
            self._refuse(self._next, f"{token.text} and {self._next.text} stand side by side", _between(self._next))
        return Constant(value)

    def _name(self, token: _Token) -> ParsedExpression:
        if token.text in ARITY:
            self._refuse(token, f"{token.text} is a function", f'write "{token.text}(…)"')
        return Constant(CONSTANTS[token.text]) if token.text in CONSTANTS else Name(token.text)

    def _function(self, token: _Token) -> ParsedExpression:
        if token.text not in ARITY:
            self._refuse(token, f"there is no function {token.text!r}", nearest(token.text, ARITY))
        opening = self._take()
        arguments = [self._argument(token, 0)]
        while self._next.text == ",":
            self._take()
            arguments.append(self._argument(token, len(arguments)))
        self._expect(")", opening)
        low, high = ARITY[token.text]
        if not low <= len(arguments) <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            self._refuse(token, f"{token.text} has {len(arguments)} argument(s)", f"it takes {wanted}")
        if token.text == "interpolate":
            self._check_pairs(token, arguments[1:])
        return self._call(token.text, token, *arguments)

    def _check_pairs(self, token: _Token, samples: list[ParsedExpression]) -> None:
        """Refuse samples x0, y0, x1, y1, … that are not numbers in pairs, in order of x with at most two at one x."""
        numbers = [sample.value for sample in samples if isinstance(sample, Constant)]
        if len(numbers) < len(samples) or len(numbers) % 2:
            self._refuse(token, "it needs pairs of plain numbers", 'write "interpolate(x, x0, y0, x1, y1)"')
        x = numbers[::2]
        if any(after < before for before, after in pairwise(x)):
            self._refuse(token, "its pairs are out of order", "sort them by their first number")
        if any(first == third for first, third in zip(x, x[2:], strict=False)):
            cure = "a jump has two pairs: the value before and the value after it"
            self._refuse(token, "three values stand at one place", cure)

    def _argument(self, function: _Token, index: int) -> ParsedExpression:
        return self._condition(0) if function.text == "if" and index == 0 else self._operand(0)

    def _operand(self, binding: int) -> ParsedExpression:
        start = self._next
        operand = self._expression(binding)
        self._require(operand, start, logical=False)
        return operand

    def _condition(self, binding: int) -> ParsedExpression:
        start = self._next
        condition = self._expression(binding)
        self._require(condition, start, logical=True)
        return condition

    def _require(self, operand: ParsedExpression, token: _Token, *, logical: bool) -> None:
        if logical == (isinstance(operand, Call) and operand.logical):
            return
        if logical:
            self._refuse(token, "a number stands where a condition belongs", 'compare it, such as "x > 0"')
        self._refuse(token, "a condition stands where a number belongs", 'write "if(a > b, 1, 0)"')

    def _call(self, operation: str, token: _Token, *operands: ParsedExpression) -> Call:
        height = 1 + max(operand.height if isinstance(operand, Call) else 0 for operand in operands)
        if height > MAX_HEIGHT:
            self._refuse(token, f"more than {MAX_HEIGHT} operations follow from each other", "split it with parameters")
        return Call(operation, operands, height)

    def _expect(self, text: str, opening: _Token) -> None:
        token = self._take()
        if token.text != text:
            if token.kind == "end":
                self._refuse(opening, 'the parenthesis "(" is never closed', 'add the missing ")"')
            self._unexpected(token)

    def _unexpected(self, token: _Token) -> NoReturn:
        if token.kind == "end":
            self._refuse(token, "the expression ends too early", "a number, name or parenthesis is missing")
        comma = "a number has a decimal point, as 0.5; a comma stands between the arguments of a function"
        cure = comma if token.text == "," else "a sign or an operand is missing before it"
        self._refuse(token, f"{token.text!r} is not expected here", cure)

    def _refuse_character(self, at: int) -> NoReturn:
        character = self.text[at]
        cure = 'write "**" for a power' if character == "^" else "only numbers, names, + - * / ** ( ) , and comparisons"
        self._refuse(_Token("character", character, at), f"the character {character!r} has no meaning here", cure)

    def _refuse(self, token: _Token, fault: str, cure: str) -> NoReturn:
        shown = self.text if len(self.text) <= 80 else f"{self.text[:77]}…"
        raise ModelError(f"in {shown!r}, at character {token.at + 1}: {fault}", cure)


def _between(name: _Token) -> str:
    """What to write where a `name` stands beside a number."""
    if not is_common(name.text):
        return 'write "*" between them'
    return 'an expression has no units: write the number in SI, or make the quantity a parameter; a product needs "*"'
