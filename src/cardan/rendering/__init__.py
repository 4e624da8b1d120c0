"""Equations a person reads.

In: a CasADi Function with names for its inputs, and what a document says about them. Out: its matrices in a short form
(`readable`), as SymPy. This room knows no machine: only names, units and expressions.
"""

from .readable import BUDGET, Matrix, readable
from .sympy_target import sympy_matrix

__all__ = ["BUDGET", "Matrix", "readable", "sympy_matrix"]
