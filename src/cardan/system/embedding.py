"""Straight branches of motion, on which all coordinates are linear in a few of them: q = c + T y.

Gears, belts and racks move so, and so do linkages of parallelograms: none of their loops has to be solved while they
move, and where they fold into a line nothing happens. Whether a mechanism moves so is asked of its numbers at the start
of a run: straight lines along the velocities that its constraints allow there have to fulfil them far away as well.
A branch has no more dimensions than there are such velocities, so that it is these lines where they do.

Source: Wehage & Haug 1982, "Generalized coordinate partitioning for dimension reduction in analysis of constrained
dynamic systems", J. Mechanical Design 104:247, with a partition q = c + T y that holds everywhere
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from cardan.numerics.least_change import DEPENDENT
from cardan.system.assembly import Assembler

__all__ = ["Embedding", "find_embedding"]

REGULAR = 1e-8  # ratio of a row that is independent of others: as an assembly has it
EXACT = 1e-12  # of velocities along the branch: a few thousand round-offs
SIMPLE = 64  # denominator of a factor that counts as a fraction and not as its round-off
EQUAL = 1e-14  # difference of constants that is round-off: equal angles are to be equal numbers, computed once [rad, m]
PREFERRED = 0.5  # of the largest: so much of a row is enough for an early coordinate to be an independent one
AHEAD = 0.6180339887498949  # of a coordinate: there a motion that starts in a singular position has left it [rad, m]
REACHES = (0.7, 2.3, 11.0, 90.0)  # along the straight line [rad, m]: no closed loop but a linear one holds at all
HOLDS = 1e-12  # residual there, per unit of its size: a few thousand round-offs


@dataclass(frozen=True)
class Embedding:
    """The straight branch q = c + T y, v = T ẏ of a mechanism with nq = nv coordinates, over ny of them."""

    independent: tuple[int, ...]  # coordinates that are y (ny,)
    entries: tuple[tuple[int, int, float], ...]  # row, column and value of what T (nv, ny) has
    c: tuple[float, ...]  # (nv,) [rad, m]

    @cached_property
    def T(self) -> np.ndarray:
        """The matrix (nv, ny)."""
        out = np.zeros((len(self.c), len(self.independent)))
        for i, j, value in self.entries:
            out[i, j] = value
        return out

    def reduced(self, x: np.ndarray) -> np.ndarray:
        """(y, ẏ, z) of a state x = (q, v, z) (nx,)."""
        return x[self._own(len(x))]

    def full(self, x: np.ndarray) -> np.ndarray:
        """States (N, nx) of reduced ones (N, 2 ny + nz)."""
        matrix, constant = self._map(x.shape[1])
        return np.asarray(x @ matrix + constant)

    def place(self, state: int) -> int:
        """Number among all states of a reduced one."""
        n, k = len(self.c), len(self.independent)
        return self.independent[state % k] + n * (state // k) if state < 2 * k else state + 2 * (n - k)

    def _own(self, nx: int) -> list[int]:
        """Numbers of the states that are kept, of nx."""
        n = len(self.c)
        return [*self.independent, *(n + k for k in self.independent), *range(2 * n, nx)]

    def _map(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Matrix (size, nx) and constant (nx,) that make states of reduced ones with so many entries."""
        if size not in self._maps:
            n, k = len(self.c), len(self.independent)
            matrix, constant = np.zeros((size, 2 * (n - k) + size)), np.zeros(2 * (n - k) + size)
            matrix[:k, :n] = matrix[k : 2 * k, n : 2 * n] = self.T.T
            matrix[2 * k :, 2 * n :] = np.eye(size - 2 * k)
            constant[:n] = self.c
            self._maps[size] = matrix, constant
        return self._maps[size]

    @cached_property
    def _maps(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        return {}


def find_embedding(assembler: Assembler, q: np.ndarray, v: np.ndarray) -> Embedding | None:
    """The straight branch on which a motion starts; None where its branch is curved, not clear, or follows time.

    Parameters
    ----------
    assembler : of the mechanism.
    q, v : assembled position (nq,) and consistent velocities (nv,).
    """
    tree, functions = assembler.tree, assembler.functions
    if tree.nq != tree.nv or functions.moves_by_itself or not functions.is_smooth:
        return None
    speed = float(np.max(np.abs(v)))
    ahead = q + AHEAD / speed * v if speed > 0 else q
    V = _tangents(assembler, ahead) if _closes(assembler, ahead) else None
    if V is None:
        return None
    own = _independent(V)
    T = _simple(V @ np.linalg.inv(V[own]))
    T[own] = np.eye(len(own))
    c = _merged(q - T @ q[own])
    c[own] = 0.0
    if np.max(np.abs(v - T @ v[own])) > EXACT * (1 + speed) or not _holds(assembler, c, T, q[own]):
        return None
    entries = tuple((int(i), int(j), float(T[i, j])) for i, j in zip(*np.nonzero(T), strict=True))
    return Embedding(tuple(own), entries, tuple(c.tolist()))


def _tangents(assembler: Assembler, q: np.ndarray) -> np.ndarray | None:
    """Basis (nv, d) of the velocities that the constraints allow; None where none are or their rank is not clear."""
    nv, rng = assembler.tree.nv, np.random.default_rng(0)
    columns: list[np.ndarray] = []
    for k in range(nv):
        v = rng.standard_normal(nv)
        for _ in range(2):  # a step and its refinement
            _, _, dv, ratios = (x.ravel() for x in assembler.functions.moving(q, assembler.p, np.ones(nv), v))
            v = v + dv
        counted = ratios > DEPENDENT
        if not np.all(ratios[counted] > REGULAR):
            return None
        if k == nv - np.sum(counted):
            break
        columns.append(v)
    return np.array(np.linalg.qr(np.transpose(columns))[0]) if columns else None


def _independent(V: np.ndarray) -> list[int]:
    """Rows of V (nv, d), as many as it has columns, that are far from each other's span; early ones first."""
    rest, own = V.copy(), []
    for _ in range(V.shape[1]):
        lengths = np.linalg.norm(rest, axis=1)
        own.append(int(np.argmax(lengths >= PREFERRED * np.max(lengths))))
        e = rest[own[-1]] / lengths[own[-1]]
        rest -= np.outer(rest @ e, e)
    return sorted(own)


def _simple(T: np.ndarray) -> np.ndarray:
    """T with simple fractions in place of what round-off has left of them."""
    fractions = [float(Fraction(x).limit_denominator(SIMPLE)) for x in T.ravel().tolist()]
    simple = np.reshape(fractions, T.shape)
    return np.where(np.abs(T - simple) < EXACT * (1 + np.abs(T)), simple, T)


def _merged(c: np.ndarray) -> np.ndarray:
    """Constants c (nv,) of which those that differ by round-off are the same number, and 0 where they nearly are."""
    order = np.argsort(c)
    starts = np.diff(c[order], prepend=-np.inf) > EQUAL * (1 + np.abs(c[order]))
    first = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    out = np.empty_like(c)
    out[order] = c[order][first]
    return np.where(np.abs(out) <= EQUAL, 0.0, out)


def _holds(assembler: Assembler, c: np.ndarray, T: np.ndarray, y: np.ndarray) -> bool:
    """Whether all equations hold along straight lines from y (ny,)."""
    rng = np.random.default_rng(1)
    ways = [reach * rng.choice([-1.0, 1.0], len(y)) * rng.uniform(0.5, 1.0, len(y)) for reach in (0.0, *REACHES)]
    return all(_closes(assembler, c + T @ (y + way)) for way in ways)


def _closes(assembler: Assembler, q: np.ndarray) -> bool:
    """Whether all equations hold at q (nq,)."""
    (gap,) = assembler.functions.gap(q, assembler.p)
    return float(gap[0, 0]) <= HOLDS * (1 + float(np.max(np.abs(q))))
