"""Matrices over CasADi numbers: put together by entries, factorised along a tree.

In: CasADi numbers (SX or DM). Out: CasADi numbers of the same kind. It knows no mechanism.
"""

from cardan.numerics import entries, tree_ldl

__all__ = ["entries", "tree_ldl"]
