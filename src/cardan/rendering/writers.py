"""The ways to write a document, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .data import data, script
from .document import Document
from .html import html, html_body
from .latex import latex, latex_formula
from .text import text

__all__ = ["FORMATS", "as_formula"]

FORMATS: Mapping[str, Callable[[Document], str]] = {
    "text": text,
    "latex": latex,
    "html": html,
    "html_body": html_body,
    "json": data,
    "sympy": script,
}
"""Ways to write a document."""

as_formula = latex_formula
