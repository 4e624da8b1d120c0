"""Expressions that a user writes: grammar, operations, evaluation. Never Python's own `eval`.

In: a text. Out: a tree of calls, names and numbers, and its value on numbers or symbols.
"""

from __future__ import annotations
