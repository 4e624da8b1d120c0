"""Mathematics as MathML.

The methods are those of `typesetting.Style`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from cardan.frozen import dataclass
from cardan.rendering.styles.glyphs import GREEK, Glyph
from cardan.rendering.styles.typesetting import SIGNS, TRIGONOMETRIC, WORDS, Style, numeral

_SIGNS = {key: f"<mo>{escape(sign)}</mo>" for key, sign in SIGNS.items()}
_THIN = '<mspace width="0.1667em"/>'


@dataclass(frozen=True)
class MathML(Style):
    """MathML Core, which browsers show without help."""

    glyphs: Mapping[str, Glyph]  # symbols by their names
    signs = _SIGNS
    times = _THIN
    plus_minus = ("<mo>+</mo>", "<mo>−</mo>", '<mo form="prefix">−</mo>')

    def number(self, value: Any) -> str:
        """Decimals, or a small fraction; powers of ten written out."""
        shown = numeral(value)
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
        letter = g.base.rstrip("'")
        primes = "′" * (len(g.base) - len(letter))
        base = f"<mi>{GREEK.get(letter, escape(letter))}{primes}</mi>"
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
        if name in WORDS:
            text = f"<mi>{WORDS[name]}</mi>"
        elif name == "abs" and "<mo>|" not in args[0]:
            text = f"<mrow><mo>|</mo>{args[0]}<mo>|</mo></mrow>"
        elif name == "pow":
            text = f"<msup>{self.parentheses(args[0])}<mrow>{args[1]}</mrow></msup>"
            return text if exponent == 1 else self.power(self.parentheses(text), exponent)
        else:
            head = f"<mi>{name}</mi>"
            raised = exponent != 1 and name in TRIGONOMETRIC
            if raised:
                head = f"<msup>{head}<mn>{exponent}</mn></msup>"
            inner = "<mo>,</mo>".join(args)
            inner = f"{_THIN}{inner}" if bare else self.parentheses(inner)
            text = f"<mrow>{head}{inner}</mrow>"
            if raised:
                return text
        return text if exponent == 1 else self.power(text, exponent)

    def relation(self, name: str, left: str, right: str) -> str:
        """The sign between."""
        return f"<mrow>{left}{self.signs[name]}{right}</mrow>"

    def joined(self, name: str, conditions: Sequence[str]) -> str:
        """Signs of logic between."""
        return f"<mrow>{super().joined(name, conditions)}</mrow>"

    def chosen(self, condition: str, value: str) -> str:
        """Iverson's bracket before the value."""
        bracket = f'<mo fence="true">[</mo>{condition}<mo fence="true">]</mo>'
        return f"<mrow>{bracket}{'' if value == self.number(1) else self.parentheses(value)}</mrow>"

    def parentheses(self, inner: str) -> str:
        """Parentheses that grow only around what is tall."""
        stretchy = "" if "<mfrac><" in inner else ' stretchy="false"'
        return f"<mrow><mo{stretchy}>(</mo>{inner}<mo{stretchy}>)</mo></mrow>"

    def product(self, factors: Sequence[str]) -> str:
        """A thin space between."""
        return f"<mrow>{super().product(factors)}</mrow>" if len(factors) > 1 else factors[0]

    def sum(self, terms: Sequence[tuple[bool, str]]) -> str:
        """Signs between."""
        return f"<mrow>{super().sum(terms)}</mrow>"
