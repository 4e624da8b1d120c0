"""Driving efforts U1 and constraint forces U2 of a graph with ports without inertia or with redundant constraints.

    Ẋ = T_i Z + T_iu1 U1 + T_iu2 U2 + r,    0 = T_u4 Z + T_u4u1 U1 + T_u4u2 U2 + s

The rows of the saddle system in which the unknowns stand, with Ẋ known from the motion: momentum of every inertia, and
the balance of efforts where a flow has no inertia. They are consistent, and may be more than the unknowns.

Source: Wang & Tao 2013, eqs. 8, 9
"""

from collections.abc import Sequence

import casadi as ca

from cardan.bond_graphs.formulae import Fields, UnifiedFormulae
from cardan.bond_graphs.matrices import JunctionStructure
from cardan.bond_graphs.records import Number
from cardan.numerics import sparse_qr
from cardan.numerics.entries import column


def saddle_efforts(
    structure: JunctionStructure, fields: Fields, kept: Sequence[int], Z: Number, w: Number, rates: Number
) -> tuple[Number, Number]:
    """U1 (m,) and U2 (c,); of constraint forces that are not unique those with the least sum of squares."""
    T = UnifiedFormulae("(13)", structure, fields, (), ()).T

    def known(row: str) -> Number:
        return T(row, "i") @ Z + T(row, "u4") @ w + T(row, "s") @ fields.s + T(row, "u3") @ fields.u3

    m, c = len(structure.given["u1"]), len(structure.given["u2"])
    acting = ca.sparsify(ca.vertcat(*(ca.horzcat(T(row, "u1"), T(row, "u2")) for row in ("i", "u4"))))
    factors = sparse_qr.factor(acting[:, [*range(m), *(m + k for k in kept)]])
    U = sparse_qr.solve(factors, ca.vertcat(rates - known("i"), -known("u4")))
    U2 = _spread(U[m:], kept, c)
    dropped = [k for k in range(c) if k not in set(kept)]
    if dropped:  # forces that change no motion
        others = (_spread(sparse_qr.solve(factors, acting[:, m + k])[m:], kept, c) for k in dropped)
        directions = ca.horzcat(*(x - _unit(k, c) for x, k in zip(others, dropped, strict=True)))
        U2 = U2 - directions @ sparse_qr.solve(sparse_qr.factor(directions), U2)
    return U[:m], U2


def _spread(x: Number, places: Sequence[int], size: int) -> Number:
    """Entries of x at their places in a column of zeros (size,)."""
    place = {k: i for i, k in enumerate(places)}
    return column([x[place[k]] if k in place else ca.SX(1, 1) for k in range(size)])


def _unit(k: int, size: int) -> Number:
    return ca.DM.eye(size)[:, k]
