"""Checks of a whole model: names, expressions, values, planarity.

In: a model whose records are right by themselves. Out: issues, each with its path, fault and cure.
"""

from __future__ import annotations
