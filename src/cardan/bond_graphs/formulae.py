"""Unified formulae of driving efforts U1 and constraint forces U2, from junction-structure matrices and laws.

Resistors and Euler junction structures are eliminated first: with D_out = R D_in, E_out = R_E E_in and Z = F X,

    Ẋ = T_i Z + T_iu1 U1 + T_iu2 U2 + r,    0 = T_C Z + T_Cu1 U1 + T_Cu2 U2 + c.

A row of the second equation in which no unknown stands is differentiated; with H3 = T_C F T_iu1, H4 = T_C F T_iu2 that
gives (13). Rows in which T_Cu2 stands are solved as they are, (14). A graph may have rows of both kinds.

Source: Wang & Tao 2013, eqs. 13, 14, corrected: docs/errata.md
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import casadi as ca
import numpy as np

from cardan.bond_graphs.causality import Causality
from cardan.bond_graphs.matrices import FieldEntry, JunctionStructure
from cardan.bond_graphs.records import Graph, Number
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.numerics import sparse_ldl, sparse_qr
from cardan.numerics.entries import column

FormulaKind = Literal["(13)", "(14)", "partitioned"]
"""Which of the two formulae applies, or both, each to its rows."""


@dataclass(frozen=True)
class Fields:
    """Laws of the fields, in the order of the junction structure."""

    F: Number  # Z = F X: inverse inertias (n, n)
    K: Number  # what resistors and EJS give per unit of what they receive
    s: Number  # efforts of the springs, known flows
    u3: Number  # known efforts and flows


def field_laws(graph: Graph, causality: Causality, structure: JunctionStructure) -> Fields:
    """Laws of the fields of a graph whose laws are linear, its springs at their displacements."""

    def of(field: str) -> list[str]:
        return list(dict.fromkeys(name for name, _ in structure.given[field]))

    def resistance(name: str) -> Number:
        R = ca.SX(graph.elements[name].modulus)
        (bond,) = graph.ports[name]
        return R if causality.sets_effort(name, bond) else _inverse(R)

    inverse = [_inverse(ca.SX(graph.elements[name].modulus)) for name in of("i")]
    gain = [resistance(name) for name in of("L")] + [ca.SX(graph.elements[name].modulus) for name in of("E")]
    springs = [_known(graph, name) for name in of("s")]
    known = [ca.SX(graph.elements[name].value) for name in of("u3")]
    return Fields(_diagonal(inverse), _diagonal(gain), ca.SX(column(springs)), ca.SX(column(known)))


def _known(graph: Graph, name: str) -> Number:
    """Effort of a C at its displacement, or flow of an I."""
    element = graph.elements[name]
    return ca.SX(element.modulus) @ ca.SX(element.value) if element.kind == "C" else ca.SX(element.value)


def _diagonal(blocks: list[Number]) -> Number:
    return ca.diagcat(*blocks) if blocks else ca.SX(0, 0)


def _inverse(A: Number) -> Number:
    """A⁻¹, entry by entry where A is diagonal."""
    if A.sparsity().is_diag():
        return ca.diag(1 / ca.diag(A))
    return ca.SX(ca.solve(A, ca.SX.eye(A.shape[0])))


@dataclass(frozen=True)
class UnifiedFormulae:
    """The formulae of one graph; matrices are expressions of its symbols."""

    kind: FormulaKind  # which formula applies
    structure: JunctionStructure  # its matrices
    fields: Fields  # laws of its fields
    free: tuple[int, ...]  # constraint rows in which no unknown stands: they are differentiated
    kept: tuple[int, ...]  # constraint rows that are independent; forces of the others are zero

    def T(self, row: str, name: str) -> Number:
        """A matrix T: what a field receives per unit of what another gives, resistors and EJS eliminated."""
        block, y = self.structure.block, self._loop
        direct = block(row, name)
        through = ca.horzcat(block(row, "L"), block(row, "E"))
        if not through.nnz() or not y.nnz():
            return direct
        return ca.sparsify(direct + through @ y @ ca.vertcat(block("L", name), block("E", name)))

    @property
    def _loop(self) -> Number:
        """(I − K J_yy)⁻¹ K of resistors and EJS y."""
        block, K = self.structure.block, self.fields.K
        J = ca.vertcat(*(ca.horzcat(block(row, "L"), block(row, "E")) for row in ("L", "E")))
        return ca.solve(ca.SX.eye(K.shape[0]) - K @ J, K) if J.nnz() else K

    def forces(self, Z: Number) -> Number:
        """Ẋ (n,) without drives and constraint forces."""
        f = self.fields
        return self.T("i", "i") @ Z + self.T("i", "s") @ f.s + self.T("i", "u3") @ f.u3

    def unbalanced(self, Z: Number) -> Number:
        """Sums of flows at the constraints (c,) without drives and constraint forces."""
        f = self.fields
        return self.T("C", "i") @ Z + self.T("C", "s") @ f.s + self.T("C", "u3") @ f.u3

    def unknowns(self, Z: Number, first_rates: Number, drift: Number) -> tuple[Number, Number]:
        """U1 (m,) and U2 (c,)."""
        r = self.forces(Z)
        h = self._by_row(drift + self.T("C", "i") @ self.fields.F @ r, self.unbalanced(Z))
        return self.solved(first_rates - r[self._first], h)

    def momenta(self, first: Number) -> Number:
        """X (n,) of all inertias from X_i1, by the constraints of flows; only where all of them are differentiated.

        The momenta are those that impulses of drives and constraints would give: the same equations as those of U1, U2.
        """
        c, m = self.unbalanced(ca.SX(self.fields.F.shape[0], 1)), len(self.structure.given["u1"])
        if m == first.shape[0]:
            y, mu = self.solved(first, c)
            return self.T("i", "u1") @ y + self.T("i", "u2") @ mu
        E = ca.DM.eye(self.fields.F.shape[0])[:, self._first]  # impulses on X_i1 itself in place of those of drives
        kept = list(self.kept)
        T12, x = self.T("i", "u2")[:, kept], self._solve(c[kept])
        Y = self._solve((self.T("C", "i") @ self.fields.F @ E)[kept, :])
        y = ca.SX(ca.solve(ca.DM.eye(first.shape[0]) - T12[self._first, :] @ Y, first + T12[self._first, :] @ x))
        return E @ y - T12 @ (x + Y @ y)

    def solved(self, a: Number, h: Number) -> tuple[Number, Number]:
        """U1 and U2 with T_i1u1 U1 + T_i1u2 U2 = a, and constraint rows that are −h."""
        kept, (T11, T12, Y, S) = list(self.kept), self._eliminated
        x = self._solve(h[kept])
        U1 = ca.SX(ca.solve(S, T11.T @ (a + T12 @ x))) if S.shape[0] else ca.SX(0, 1)
        U2 = -(x + Y @ U1)
        place = {row: k for k, row in enumerate(kept)}
        return U1, column([U2[place[row]] if row in place else ca.SX(1, 1) for row in range(h.shape[0])])

    @property
    def _eliminated(self) -> tuple[Number, Number, Number, Number]:
        """T_i1u1, T_i1u2, H4⁻¹ H3 and S_u1u1."""
        T1, T2, first = self.T("i", "u1"), self.T("i", "u2"), self._first
        H3 = self._by_row(self.T("C", "i") @ self.fields.F @ T1, self.T("C", "u1"))
        T11, T12 = T1[first, :], T2[first, list(self.kept)]
        Y = self._solve(H3[list(self.kept), :])
        return T11, T12, Y, T11.T @ (T11 - T12 @ Y)

    @cached_property
    def _matrix(self) -> Number:
        """H4 in the rows that are differentiated, T_Cu2 in all others; independent rows and columns."""
        kept = list(self.kept)
        H4 = self.T("C", "i") @ self.fields.F @ self.T("i", "u2")
        return self._by_row(H4, self.T("C", "u2"))[kept, kept]

    @cached_property
    def _factors(self) -> sparse_ldl.Factor:
        """Factors of H4, which is symmetric and positive where all rows are differentiated: J_C F J_Cᵀ."""
        order = sparse_ldl.minimum_degree(sparse_ldl.neighbours(self._matrix))
        return sparse_ldl.factor(ca.SX(self._matrix), order)

    def _solve(self, b: Number) -> Number:
        if not b.shape[0]:
            return b
        if self.kind == "(13)":
            return sparse_ldl.solve(self._factors, ca.SX(b))
        return ca.solve(ca.densify(self._matrix), ca.densify(ca.SX(b)))

    def _by_row(self, free: Number, bound: Number) -> Number:
        """Rows that are differentiated from the first, all others from the second."""
        if not bound.shape[0]:
            return bound
        own = set(self.free)
        return ca.vertcat(*(free[k, :] if k in own else bound[k, :] for k in range(bound.shape[0])))

    @property
    def _first(self) -> list[int]:
        """Indices of X_i1 among all momenta."""
        own = set(self.structure.first)
        return [k for k, entry in enumerate(self.structure.given["i"]) if entry in own]


def unified_formulae(
    structure: JunctionStructure, fields: Fields, kept: tuple[int, ...] | None = None
) -> UnifiedFormulae:
    """The formulae that apply to a graph."""
    if structure.given["u4"]:
        name = structure.given["u4"][0][0]
        fault = f"{name} has no inertia, and the formulae divide by inertias"
        raise ModelError(Issue(fault, "give it one, or solve the saddle system", ("elements", name)))
    count = len(structure.received["C"])
    draft = UnifiedFormulae("(13)", structure, fields, tuple(range(count)), tuple(range(count)))
    unknown = ca.horzcat(draft.T("C", "u1"), draft.T("C", "u2"))
    bound = set(unknown.sparsity().get_triplet()[0])
    free = tuple(k for k in range(count) if k not in bound)
    kind: FormulaKind = "(13)" if len(free) == count else "partitioned" if free else "(14)"
    return UnifiedFormulae(kind, structure, fields, free, draft.kept if kept is None else kept)


def first_momenta(B: np.ndarray, J: np.ndarray, entries: tuple[FieldEntry, ...]) -> tuple[FieldEntry, ...]:
    """Components X_i1 that determine all flows, and on which the drives act directly.

    With B and J completed to d columns each, P = B (JᵀB)⁻¹ Jᵀ is a projection of rank d, and the minors of B and of J
    in rows S multiply to det P_SS det JᵀB. Diagonal pivots of P, the largest first, make it differ from zero: after
    each, P is a projection again, and its trace, the number of pivots to come, shows that there is one.
    """
    d, m = B.shape[1], J.shape[1]
    if m < d:
        _, _, rows = np.linalg.svd(J.T @ B)
        J = np.hstack([J, B @ rows[m:].T])
    P = B @ np.linalg.solve(J.T @ B, J.T)
    found = []
    for _ in range(d):
        k = int(np.argmax(np.abs(np.diag(P))))
        found.append(k)
        P = P - np.outer(P[:, k], P[k]) / P[k, k]
    return tuple(entries[k] for k in sorted(found))


def saddle_efforts(
    structure: JunctionStructure, fields: Fields, kept: Sequence[int], Z: Number, w: Number, rates: Number
) -> tuple[Number, Number]:
    """U1 (m,) and U2 (c,) of a graph with ports without inertia or with redundant constraints.

        Ẋ = T_i Z + T_iu1 U1 + T_iu2 U2 + r,    0 = T_u4 Z + T_u4u1 U1 + T_u4u2 U2 + s

    The rows of the saddle system in which the unknowns stand, with Ẋ known from the motion, are consistent, and may be
    more than the unknowns; of constraint forces that are not unique it gives those with the least sum of squares.

    Source: Wang & Tao 2013, eqs. 8, 9
    """
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
