"""The ways to write a document, by name."""

from collections.abc import Callable, Mapping

from cardan.rendering.documents.data import data, script
from cardan.rendering.documents.document import Document
from cardan.rendering.documents.html import html, html_body
from cardan.rendering.documents.latex import latex, latex_formula
from cardan.rendering.documents.text import text

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
