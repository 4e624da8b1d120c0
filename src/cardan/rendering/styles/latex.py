"""Mathematics as LaTeX with amsmath.

The methods are those of `typesetting.Style`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cardan.frozen import dataclass
from cardan.rendering.styles.glyphs import GREEK, Glyph
from cardan.rendering.styles.typesetting import SIGNS, TRIGONOMETRIC, Style, numeral

_WORDS = {"pi": r"\pi", "inf": r"\infty", "-inf": r"-\infty", "nan": r"\mathrm{NaN}"}


@dataclass(frozen=True)
class Latex(Style):
    """LaTeX with amsmath."""

    glyphs: Mapping[str, Glyph]  # symbols by their names
    signs = SIGNS | {"le": r"\le", "ge": r"\ge", "ne": r"\ne", "and": r"\wedge", "or": r"\vee", "not": r"\neg"}
    times = r"\,"

    def number(self, value: Any) -> str:
        """Decimals, or a small fraction; powers of ten written out."""
        shown = numeral(value)
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
        elif not base.isalpha() or len(base) > 1:
            base = rf"\mathrm{{{_latex_text(base)}}}"
        dotted = rf"\{'d' * g.dots}ot{{{base}}}" if g.dots else base
        return dotted + (f"_{{{_latex_index(g.index)}}}" if g.index else "") + "'" * primes

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
        if name in _WORDS:
            text = _WORDS[name]
        elif name == "abs" and "|" not in args[0]:
            text = rf"\left|{args[0]}\right|"
        elif name == "pow":
            text = rf"\left({args[0]}\right)^{{{args[1]}}}"
            return text if exponent == 1 else self.power(rf"\left({text}\right)", exponent)
        else:
            known = name in (*TRIGONOMETRIC, "exp", "min", "max")
            head = rf"\{name}" if known else rf"\operatorname{{{_latex_text(name)}}}"
            raised = f"^{{{exponent}}}" if exponent != 1 and name in TRIGONOMETRIC else ""
            text = f"{head}{raised} {args[0]}" if bare else rf"{head}{raised}{self.parentheses(', '.join(args))}"
            if raised:
                return text
        return text if exponent == 1 else self.power(text, exponent)

    def chosen(self, condition: str, value: str) -> str:
        """Iverson's bracket before the value."""
        tall = r"\frac" in condition or r"\sqrt" in condition
        bracket = rf"\left[{condition}\right]" if tall else f"[{condition}]"
        return bracket if value == self.number(1) else rf"{bracket}\,{self.parentheses(value)}"

    def parentheses(self, inner: str) -> str:
        """Parentheses that grow only around what is tall."""
        tall = r"\frac" in inner or r"\sqrt" in inner
        return rf"\left({inner}\right)" if tall else f"({inner})"


def _latex_text(text: str) -> str:
    return text.replace("_", r"\_")


def _latex_index(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z]?[\d,+\-]*[A-Za-z]?", text) else rf"\mathrm{{{_latex_text(text)}}}"
