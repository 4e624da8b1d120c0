"""Mathematics as Unicode text.

The methods are those of `typesetting.Style`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cardan.frozen import dataclass
from cardan.rendering.styles.glyphs import GREEK, Glyph
from cardan.rendering.styles.typesetting import TRIGONOMETRIC, WORDS, Style, numeral

_SUBSCRIPTS = dict(zip("0123456789aehijklmnoprstuvx+-", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋", strict=True))
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_SUPERSCRIPTS = str.maketrans("0123456789-", _RAISED)
_BARE = re.compile(rf"\b(?:{'|'.join(sorted(TRIGONOMETRIC))})[{_RAISED}]* [^\s()]+$")  # ends in sin q


def with_index(base: str, index: str) -> str:
    """A letter with an index: small letters where Unicode has them, else behind a low line."""
    if all(letter in _SUBSCRIPTS for letter in index):
        return base + "".join(_SUBSCRIPTS[letter] for letter in index)
    return f"{base}_{index}"


@dataclass(frozen=True)
class Text(Style):
    """Unicode on one line."""

    glyphs: Mapping[str, Glyph]  # symbols by their names
    plus_minus = (" + ", " − ", "−")

    def number(self, value: Any) -> str:
        """Decimals, or a small fraction."""
        shown = numeral(value)
        return f"{shown[0]}/{shown[1]}" if isinstance(shown, tuple) else shown

    def symbol(self, name: str) -> str:
        """Letter, index and dots."""
        g = self.glyphs[name]
        letter = g.base.rstrip("'")
        primes = g.base[len(letter) :]
        base = GREEK.get(letter, letter) + ("", "\u0307", "\u0308")[g.dots] + primes
        return with_index(base, g.index)

    def fraction(self, top: str, bottom: str, simple: tuple[bool, bool]) -> str:
        """A slash, with parentheses where they are needed."""
        unclear = (not simple[0] and re.search(r" [+−] ", top)) or _BARE.search(top)  # sin q/a could mean sin(q/a)
        above = f"({top})" if unclear else top
        return f"{above}/{bottom}" if simple[1] else f"{above}/({bottom})"

    def power(self, base: str, exponent: int) -> str:
        """A raised exponent."""
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def root(self, inner: str) -> str:
        """A radical sign."""
        return f"√{inner}" if inner.isalnum() and inner[-1] not in _RAISED else f"√({inner})"

    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """The function's name, exponents of trigonometric functions behind it."""
        if name in WORDS:
            text = WORDS[name]
        elif name == "abs":
            text = f"abs({args[0]})" if "|" in args[0] else f"|{args[0]}|"
        elif name == "pow":
            text = f"({args[0]})^({args[1]})"
            return text if exponent == 1 else self.power(f"({text})", exponent)
        elif name in TRIGONOMETRIC:
            raised = "" if exponent == 1 else str(exponent).translate(_SUPERSCRIPTS)
            return f"{name}{raised} {args[0]}" if bare else f"{name}{raised}({', '.join(args)})"
        else:
            text = f"{name}({', '.join(args)})"
        return text if exponent == 1 else self.power(text, exponent)

    def chosen(self, condition: str, value: str) -> str:
        """Iverson's bracket before the value."""
        return f"[{condition}]" if value == self.number(1) else f"[{condition}] ({value})"
