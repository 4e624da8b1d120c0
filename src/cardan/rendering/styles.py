"""Four ways to set mathematics: LaTeX, MathML, Unicode text, and the grammar of model files.

Every style has the same methods; `typeset` walks an expression and calls them. They take and return texts: the `value`
of a number, the `name` of a symbol or function with its `args` and the `exponent` behind it (`bare`: the argument needs
no parentheses), `top` and `bottom` of a fraction (`simple`: which of them are single factors), the `base` of a power,
what is `inner` to parentheses or a root, the `factors` of a product, the `terms` of a sum with their signs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Any, Protocol

from .expression import Expression, Kind, is_negative
from .glyphs import GREEK, Glyph

__all__ = ["Grammar", "Latex", "MathML", "Style", "Text", "decimal", "typeset"]

_LOOKUPS = frozenset(["low", "read"])
_TRIGONOMETRIC = frozenset(["sin", "cos", "tan", "sinh", "cosh", "tanh"])
_LATEX_RELATIONS = {"lt": "<", "le": r"\le", "eq": "=", "ne": r"\ne"}
_RELATIONS = {"lt": "<", "le": "≤", "eq": "=", "ne": "≠"}


class Style(Protocol):
    """What a way to set mathematics can do; all methods take and return texts."""

    def number(self, value: Any) -> str:
        """A `value` that is not negative."""

    def symbol(self, name: str) -> str:
        """A symbol by its `name` in the model."""

    def fraction(self, top: str, bottom: str, simple: tuple[bool, bool]) -> str:
        """`top` over `bottom`; `simple` says which of them need no parentheses."""

    def power(self, base: str, exponent: int) -> str:
        """`base` with an `exponent`."""

    def root(self, inner: str) -> str:
        """The square root of `inner`."""

    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """Function `name` of `args`, to an `exponent`; `bare` says that the argument needs no parentheses."""

    def parentheses(self, inner: str) -> str:
        """`inner` in parentheses."""

    def product(self, factors: Sequence[str]) -> str:
        """`factors` side by side."""

    def sum(self, terms: Sequence[tuple[bool, str]]) -> str:
        """`terms`, each with whether it is subtracted."""


def typeset(e: Expression, style: Style) -> str:
    """Text of an expression.

    Parameters
    ----------
    e : Expression
        What to set.
    style : Style
        How to set it.
    """
    if e.kind == Kind.SUM:
        return style.sum([(is_negative(term), _unsigned(term, style)) for term in e.args])
    if is_negative(e):
        return style.sum([(True, _unsigned(e, style))])
    return _unsigned(e, style)


def _unsigned(e: Expression, style: Style) -> str:
    """Text of an expression without its minus."""
    if e.kind == Kind.NUMBER:
        return style.number(abs(e.number))
    if e.kind == Kind.SYMBOL:
        return style.symbol(e.name)
    if e.kind == Kind.CALL:
        return _call(e, style, 1)
    if e.kind == Kind.SUM:
        return typeset(e, style)
    factor = abs(e.number)
    whole = isinstance(factor, Fraction) and decimal(factor) is None
    top, bottom = (factor.numerator, factor.denominator) if whole else (factor, 1)
    above = [pair for pair in e.args if pair[1] > 0]
    below = [(base, -exponent) for base, exponent in e.args if exponent < 0]
    single = len(above) == 1 and above[0][1] == 1 and above[0][0].kind in (Kind.SYMBOL, Kind.CALL)
    if not below and not (single and bottom != 1):
        lead = [] if factor == 1 else [style.number(factor)]
        return style.product([*lead, *(_power(base, exponent, style) for base, exponent in above)])
    over, over_simple = _side(top, above, style)
    under, under_simple = _side(bottom, below, style)
    return style.fraction(over, under, (over_simple, under_simple))


def _side(number: Any, pairs: Sequence[tuple[Expression, int]], style: Style) -> tuple[str, bool]:
    """One side of a fraction, and whether it is a single factor."""
    if not pairs:
        return style.number(number), True
    if number == 1 and len(pairs) == 1 and pairs[0][1] == 1:
        base = pairs[0][0]
        return typeset(base, style), base.kind != Kind.SUM
    lead = [] if number == 1 else [style.number(number)]
    return style.product([*lead, *(_power(base, exponent, style) for base, exponent in pairs)]), (
        not lead and len(pairs) == 1
    )


def _power(base: Expression, exponent: int, style: Style) -> str:
    if base.kind == Kind.CALL:
        return _call(base, style, exponent)
    text = typeset(base, style)
    if base.kind in (Kind.SUM, Kind.PRODUCT) or (base.kind == Kind.NUMBER and exponent != 1):
        text = style.parentheses(text)
    return text if exponent == 1 else style.power(text, exponent)


def _call(e: Expression, style: Style, exponent: int) -> str:
    if e.name == "shared":
        return _power(e.args[0], exponent, style)
    shown = e.args[:1] if e.name in _LOOKUPS and not isinstance(style, Grammar) else e.args  # a table is too long
    args = [typeset(arg, style) for arg in shown]
    if e.name == "sqrt":
        text = style.root(args[0])
        return text if exponent == 1 else style.power(style.parentheses(text), exponent)
    return style.function(e.name, args, len(shown) == 1 and e.args[0].kind == Kind.SYMBOL, exponent)


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


def _shown(value: Any) -> str | tuple[int, int]:
    """A decimal text, or (numerator, denominator)."""
    if isinstance(value, Fraction):
        text = decimal(value)
        return (value.numerator, value.denominator) if text is None else text
    text = repr(float(value)) if not isinstance(value, int) else str(value)
    return text[:-2] if text.endswith(".0") else text


class Latex:
    """LaTeX with amsmath.

    Parameters
    ----------
    glyphs : mapping from str to Glyph
        Symbols by their names.
    """

    def __init__(self, glyphs: Mapping[str, Glyph]) -> None:
        self.glyphs = glyphs

    def number(self, value: Any) -> str:
        """Decimals, or a small fraction; powers of ten written out."""
        shown = _shown(value)
        if isinstance(shown, tuple):
            return rf"\tfrac{{{shown[0]}}}{{{shown[1]}}}"
        return re.sub(r"e([+-]?)0*(\d+)", lambda m: rf"\cdot 10^{{{m[1].replace('+', '')}{m[2]}}}", shown)

    def symbol(self, name: str) -> str:
        """Letter, index and dots."""
        g = self.glyphs[name]
        primes = g.base.count("'")
        base = g.base.rstrip("'")
        if base in GREEK:
            base = rf"\{'var' * (base in ('phi', 'epsilon', 'theta'))}{base}".replace(r"\vartheta", r"\theta")
        elif len(base) > 1:
            base = rf"\mathrm{{{_latex_text(base)}}}"
        dotted = rf"\{'d' * g.dots}ot{{{base}}}" if g.dots else base
        return dotted + "'" * primes + (f"_{{{_latex_index(g.index)}}}" if g.index else "")

    def fraction(self, top: str, bottom: str, simple: tuple[bool, bool]) -> str:
        """A built-up fraction."""
        return rf"\frac{{{top}}}{{{bottom}}}"

    def power(self, base: str, exponent: int) -> str:
        """A raised exponent."""
        return f"{base}^{{{exponent}}}"

    def root(self, inner: str) -> str:
        """A radical."""
        return rf"\sqrt{{{inner}}}"

    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """The function's name upright, exponents of trigonometric functions behind it."""
        if name == "pi":
            return r"\pi" if exponent == 1 else rf"\pi^{{{exponent}}}"
        if name in _RELATIONS:
            text = f"[{args[0]} {_LATEX_RELATIONS[name]} {args[1]}]"
        elif name == "where":
            text = rf"[{args[0]}]\,({args[1]})"
        elif name == "abs":
            text = rf"\left|{args[0]}\right|"
        elif name == "pow":
            return rf"\left({args[0]}\right)^{{{args[1]}}}"
        else:
            known = name in (*_TRIGONOMETRIC, "exp", "min", "max")
            head = rf"\{name}" if known else rf"\operatorname{{{_latex_text(name)}}}"
            raised = f"^{{{exponent}}}" if exponent != 1 and name in _TRIGONOMETRIC else ""
            text = f"{head}{raised} {args[0]}" if bare else rf"{head}{raised}{self.parentheses(', '.join(args))}"
            if raised:
                return text
        return text if exponent == 1 else self.power(text, exponent)

    def parentheses(self, inner: str) -> str:
        """Parentheses that grow only around what is tall."""
        tall = r"\frac" in inner or r"\sqrt" in inner
        return rf"\left({inner}\right)" if tall else f"({inner})"

    def product(self, factors: Sequence[str]) -> str:
        """A thin space between; a dot between numbers."""
        return r"\,".join(factors)

    def sum(self, terms: Sequence[tuple[bool, str]]) -> str:
        """Signs between."""
        return _signed(terms, " + ", " - ", "-")


def _latex_text(text: str) -> str:
    return text.replace("_", r"\_")


def _latex_index(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z]?[\d,+\-]*[A-Za-z]?", text) else rf"\mathrm{{{_latex_text(text)}}}"


def _signed(terms: Sequence[tuple[bool, str]], plus: str, minus: str, first: str) -> str:
    out = ""
    for k, (negative, text) in enumerate(terms):
        sign = (first if negative else "") if k == 0 else (minus if negative else plus)
        out += sign + text
    return out


_THIN = '<mspace width="0.1667em"/>'


class MathML:
    """MathML Core, which browsers show without help.

    Parameters
    ----------
    glyphs : mapping from str to Glyph
        Symbols by their names.
    """

    def __init__(self, glyphs: Mapping[str, Glyph]) -> None:
        self.glyphs = glyphs

    def number(self, value: Any) -> str:
        """Decimals, or a small fraction; powers of ten written out."""
        shown = _shown(value)
        if isinstance(shown, tuple):
            return f'<mfrac displaystyle="false"><mn>{shown[0]}</mn><mn>{shown[1]}</mn></mfrac>'
        mantissa, e, exponent = shown.partition("e")
        if not e:
            return f"<mn>{shown}</mn>"
        return f"<mrow><mn>{mantissa}</mn><mo>·</mo><msup><mn>10</mn><mn>{int(exponent)}</mn></msup></mrow>".replace(
            "<mn>-", "<mn>−"
        )

    def symbol(self, name: str) -> str:
        """Letter, index and dots."""
        g = self.glyphs[name]
        base = f"<mi>{GREEK.get(g.base, escape(g.base))}</mi>"
        if g.dots:
            base = f'<mover accent="true">{base}<mo>{"˙¨"[g.dots - 1]}</mo></mover>'
        if not g.index:
            return base
        inner = f"<mn>{g.index}</mn>" if g.index.isdigit() else f'<mi mathvariant="normal">{escape(g.index)}</mi>'
        return f"<msub>{base}{inner}</msub>"

    def fraction(self, top: str, bottom: str, simple: tuple[bool, bool]) -> str:
        """A built-up fraction."""
        return f"<mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>"

    def power(self, base: str, exponent: int) -> str:
        """A raised exponent."""
        if base.startswith("<msub>"):
            return f"<msubsup>{base[6:-7]}<mn>{exponent}</mn></msubsup>"
        return f"<msup><mrow>{base}</mrow><mn>{exponent}</mn></msup>"

    def root(self, inner: str) -> str:
        """A radical."""
        return f"<msqrt>{inner}</msqrt>"

    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """The function's name upright, exponents of trigonometric functions behind it."""
        if name == "pi":
            text = "<mi>π</mi>"
        elif name in _RELATIONS:
            text = f"<mrow><mo>[</mo>{args[0]}<mo>{escape(_RELATIONS[name])}</mo>{args[1]}<mo>]</mo></mrow>"
        elif name == "where":
            text = f"<mrow><mo>[</mo>{args[0]}<mo>]</mo>{self.parentheses(args[1])}</mrow>"
        elif name == "abs":
            text = f"<mrow><mo>|</mo>{args[0]}<mo>|</mo></mrow>"
        elif name == "pow":
            return f"<msup>{self.parentheses(args[0])}<mrow>{args[1]}</mrow></msup>"
        else:
            head = f"<mi>{name}</mi>"
            raised = exponent != 1 and name in _TRIGONOMETRIC
            if raised:
                head = f"<msup>{head}<mn>{exponent}</mn></msup>"
            inner = "<mo>,</mo>".join(args)
            inner = f"{_THIN}{inner}" if bare else self.parentheses(inner)
            text = f"<mrow>{head}{inner}</mrow>"
            if raised:
                return text
        return text if exponent == 1 else self.power(text, exponent)

    def parentheses(self, inner: str) -> str:
        """Parentheses that grow only around what is tall."""
        stretchy = "" if "<mfrac><" in inner else ' stretchy="false"'
        return f"<mrow><mo{stretchy}>(</mo>{inner}<mo{stretchy}>)</mo></mrow>"

    def product(self, factors: Sequence[str]) -> str:
        """A thin space between."""
        return f"<mrow>{_THIN.join(factors)}</mrow>" if len(factors) > 1 else factors[0]

    def sum(self, terms: Sequence[tuple[bool, str]]) -> str:
        """Signs between."""
        minus = '<mo form="prefix">−</mo>'
        return f"<mrow>{_signed(terms, '<mo>+</mo>', '<mo>−</mo>', minus)}</mrow>"


_SUBSCRIPTS = dict(zip("0123456789aehijklmnoprstuvx+-", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋", strict=True))
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Text:
    """Unicode on one line.

    Parameters
    ----------
    glyphs : mapping from str to Glyph
        Symbols by their names.
    """

    def __init__(self, glyphs: Mapping[str, Glyph]) -> None:
        self.glyphs = glyphs

    def number(self, value: Any) -> str:
        """Decimals, or a small fraction."""
        shown = _shown(value)
        return f"{shown[0]}/{shown[1]}" if isinstance(shown, tuple) else shown

    def symbol(self, name: str) -> str:
        """Letter, index and dots."""
        g = self.glyphs[name]
        base = GREEK.get(g.base, g.base) + ("", "\u0307", "\u0308")[g.dots]
        if all(letter in _SUBSCRIPTS for letter in g.index):
            return base + "".join(_SUBSCRIPTS[letter] for letter in g.index)
        return f"{base}_{g.index}"

    def fraction(self, top: str, bottom: str, simple: tuple[bool, bool]) -> str:
        """A slash, with parentheses where they are needed."""
        above = top if simple[0] or not re.search(r" [+−] ", top) else f"({top})"
        return f"{above}/{bottom}" if simple[1] else f"{above}/({bottom})"

    def power(self, base: str, exponent: int) -> str:
        """A raised exponent."""
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def root(self, inner: str) -> str:
        """A radical sign."""
        return f"√{inner}" if inner.isalnum() else f"√({inner})"

    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """The function's name, exponents of trigonometric functions behind it."""
        if name == "pi":
            text = "π"
        elif name in _RELATIONS:
            text = f"[{args[0]} {_RELATIONS[name]} {args[1]}]"
        elif name == "where":
            text = f"[{args[0]}]({args[1]})"
        elif name == "abs":
            text = f"|{args[0]}|"
        elif name == "pow":
            return f"({args[0]})^({args[1]})"
        elif name in _TRIGONOMETRIC:
            raised = "" if exponent == 1 else str(exponent).translate(_SUPERSCRIPTS)
            return f"{name}{raised} {args[0]}" if bare else f"{name}{raised}({', '.join(args)})"
        else:
            text = f"{name}({', '.join(args)})"
        return text if exponent == 1 else self.power(text, exponent)

    def parentheses(self, inner: str) -> str:
        """Parentheses."""
        return f"({inner})"

    def product(self, factors: Sequence[str]) -> str:
        """A space between."""
        return " ".join(factors)

    def sum(self, terms: Sequence[tuple[bool, str]]) -> str:
        """Signs between."""
        return _signed(terms, " + ", " − ", "−")


class Grammar:
    """The expressions of model files: + - * / **, parentheses, functions, names with dots.

    Parameters
    ----------
    names : mapping from str to str
        Other names for symbols.
    rational : str
        How a fraction is written: "{}/{}".
    """

    def __init__(self, names: Mapping[str, str] | None = None, rational: str = "{}/{}") -> None:
        self.names = names or {}
        self.rational = rational

    def number(self, value: Any) -> str:
        """Exact: a whole number, a fraction, or all digits of a float."""
        if isinstance(value, Fraction):
            whole = value.denominator == 1
            return str(value.numerator) if whole else self.rational.format(value.numerator, value.denominator)
        return repr(value)

    def symbol(self, name: str) -> str:
        """The name."""
        return self.names.get(name, name)

    def fraction(self, top: str, bottom: str, simple: tuple[bool, bool]) -> str:
        """A slash; what is not a single factor in parentheses."""
        above = top if simple[0] or (" + " not in top and " - " not in top) else f"({top})"
        return f"{above}/{bottom}" if simple[1] and "/" not in bottom else f"{above}/({bottom})"

    def power(self, base: str, exponent: int) -> str:
        """Two stars."""
        return f"{base}**{exponent}"

    def root(self, inner: str) -> str:
        """The function sqrt."""
        return f"sqrt({inner})"

    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """name(arguments)."""
        relation = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}.get(name)
        if name == "pi":
            text = "pi"
        elif relation:
            text = f"({args[0]} {relation} {args[1]})"
        elif name == "where":
            text = f"if({args[0]}, {args[1]}, 0)"
        else:
            text = f"{name}({', '.join(args)})"
        return text if exponent == 1 else self.power(text, exponent)

    def parentheses(self, inner: str) -> str:
        """Parentheses."""
        return f"({inner})"

    def product(self, factors: Sequence[str]) -> str:
        """Stars between."""
        return "*".join(factors)

    def sum(self, terms: Sequence[tuple[bool, str]]) -> str:
        """Signs between."""
        return _signed(terms, " + ", " - ", "-")
