"""Equations a person reads.

In: a CasADi Function with names for its inputs, and what a document says about them. Out: its matrices in a short form
(`readable`), as SymPy, and documents in LaTeX, HTML, JSON, text, or as a SymPy script (`FORMATS`); and bond graphs as
SVG (`graphs`). This room knows no machine: only names, units and expressions.
"""

from cardan.rendering.algebra.budget import BUDGET, Budget
from cardan.rendering.algebra.expression import number
from cardan.rendering.algebra.readable import Matrix, readable
from cardan.rendering.algebra.sympy_target import sympy_matrix
from cardan.rendering.documents.document import Document, Quantity
from cardan.rendering.documents.writers import FORMATS, as_formula

__all__ = [
    "BUDGET",
    "FORMATS",
    "Budget",
    "Document",
    "Matrix",
    "Quantity",
    "as_formula",
    "number",
    "readable",
    "sympy_matrix",
]
