"""Mathematics in the grammar of model files.

The methods are those of `typesetting.Style`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from cardan.rendering.styles.typesetting import SIGNS, Style


class Grammar(Style):
    """The expressions of model files: + - * / **, parentheses, functions, names with dots."""

    with_tables = True
    signs = SIGNS | {"le": "<=", "ge": ">=", "eq": "==", "ne": "!=", "and": "and", "or": "or", "not": "not"}
    times = "*"

    def number(self, value: Any) -> str:
        """Exact: a whole number, a fraction, or all digits of a float."""
        return str(value) if isinstance(value, Fraction) else repr(value)

    def symbol(self, name: str) -> str:
        """The name."""
        return name

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
        """name(arguments); model files have decimals in tables, no fractions."""
        if name in ("interpolate", "slope"):
            args = [args[0], *(repr(float(Fraction(arg))) if "/" in arg else arg for arg in args[1:])]
        text = f"{name}({', '.join(args)})" if args else name
        return text if exponent == 1 else self.power(text, exponent)

    def chosen(self, condition: str, value: str) -> str:
        """The function if."""
        return f"if({condition}, {value}, 0)"
