"""The ways to write a document, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .data import data, script
from .document import Document
from .html import html, html_body
from .latex import latex, latex_formula
from .text import text

__all__ = ["FORMATS", "as_formula", "as_page_body"]

FORMATS: Mapping[str, Callable[[Document], str]] = {
    "text": text,
    "latex": latex,
    "html": html,
    "json": data,
    "sympy": script,
}
"""Ways to write a document."""

as_formula = latex_formula
as_page_body = html_body
