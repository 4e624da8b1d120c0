"""Matrices: put together by entries, factorised in a static order, and their ranks.

In: CasADi numbers (SX or DM), or NumPy arrays for ranks. Out: numbers of the same kind. It knows no mechanism.
"""

from cardan.numerics import entries, rank, sparse_ldl

__all__ = ["entries", "rank", "sparse_ldl"]
