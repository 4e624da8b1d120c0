"""Matrices over CasADi numbers: put together by entries, factorised in a static order.

In: CasADi numbers (SX or DM). Out: CasADi numbers of the same kind. It knows no mechanism.
"""

from cardan.numerics import entries, sparse_ldl

__all__ = ["entries", "sparse_ldl"]
