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
from functools import cached_property, lru_cache

import numpy as np

from cardan.numerics.least_change import DEPENDENT
from cardan.system.assembly import Assembler
from cardan.system.assembly_functions import PLACES

__all__ = ["Embedding", "find_embedding"]

REGULAR = 1e-8  # ratio of a row that is independent of others: as an assembly has it
EXACT = 1e-12  # of velocities along the branch: a few thousand round-offs
DENOMINATORS = np.arange(1.0, 65.0)  # of factors that count as fractions and not as their round-off
EQUAL = 1e-14  # difference of constants that is round-off: equal angles are to be equal numbers, computed once [rad, m]
PREFERRED = 0.5  # of the largest: so much of a row is enough for an early coordinate to be an independent one
AHEAD = 0.6180339887498949  # of a coordinate: there a motion that starts in a singular position has left it [rad, m]
REACHES = (0.0, 0.7, 2.3, 11.0, 90.0)  # along the straight line [rad, m]: no closed loop but a linear one holds at all
HOLDS = 1e-12  # residual there, per unit of its size: a few thousand round-offs
SLOWEST = 1e-5  # of a factor: round-off hides what a coordinate does that is slower than that beside the others


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
    speed = _largest(v)
    V = _tangents(assembler, q + AHEAD * (v / speed) if speed > 0 else q)
    if V is None:
        return None
    own, T = _echelon(V)
    T[np.abs(T) <= EXACT] = 0.0
    slowest = np.min(np.abs(T), axis=0, where=T != 0, initial=1.0)
    if np.min(slowest) < SLOWEST or _largest(v - T @ v[own]) > EXACT * (1 + speed):
        return None
    if not _holds(assembler, q - T @ q[own], T, q[own], 1 / slowest):
        return None
    T = _simple(T)
    T[own] = np.eye(len(own))
    c = _merged(q - T @ q[own])
    c[own] = 0.0
    if not _holds(assembler, c, T, q[own]):
        return None
    entries = tuple((int(i), int(j), float(T[i, j])) for i, j in zip(*np.nonzero(T), strict=True))
    return Embedding(tuple(own), entries, tuple(c.tolist()))


def _tangents(assembler: Assembler, q: np.ndarray) -> np.ndarray | None:
    """Basis (nv, d) of the velocities that the constraints allow; None where none are or their rank is not clear.

    Of a position that is not closed it is none, which shows in the end.
    """
    columns: list[np.ndarray] = []
    for v in _directions(assembler.tree.nv):
        for _ in range(2):  # a step and its refinement
            _, _, dv, ratios = assembler.functions.moving(q, assembler.p, np.ones(len(v)), v)
            v = v + dv.ravel()
        columns.append(v)
        counted = ratios > DEPENDENT
        if not np.all(ratios[counted] > REGULAR):
            return None
        if len(columns) >= len(v) - np.sum(counted):
            break
    degrees = len(v) - int(np.sum(counted))
    if not degrees:
        return None
    return np.array(np.linalg.qr(np.transpose(columns))[0]) if degrees > 1 else np.reshape(v, (-1, 1))


@lru_cache(maxsize=64)
def _directions(n: int) -> np.ndarray:
    """Velocities (n, n) at random, always the same."""
    return np.random.default_rng(0).standard_normal((n, n))


def _echelon(V: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Rows of V (nv, d), as many as columns, far from each other's span and early, and V over these: T[own] = 1.

    Source: Gauss–Jordan elimination with pivoting, Golub & Van Loan 2013, §3.4
    """
    T, free = V.copy(), list(range(V.shape[1]))
    own: list[tuple[int, int]] = []
    while free:
        sizes = np.abs(T[:, free]).max(axis=1)
        k = int(np.argmax(sizes >= PREFERRED * sizes.max()))
        j = free.pop(int(np.argmax(np.abs(T[k, free]))))
        T[:, j] /= T[k, j]
        others = [i for i in range(T.shape[1]) if i != j]
        T[:, others] -= np.outer(T[:, j], T[k, others])
        own.append((k, j))
    own.sort()
    return [k for k, _ in own], T[:, [j for _, j in own]]


def _simple(T: np.ndarray) -> np.ndarray:
    """T with simple fractions in place of what round-off has left of them."""
    whole = np.round(T)
    if np.all(np.abs(T - whole) <= EXACT * (1 + np.abs(T))):
        return np.asarray(whole + 0.0)  # no -0.0
    multiples = T[..., None] * DENOMINATORS
    whole = np.round(multiples)
    near = np.abs(multiples - whole) <= EXACT * DENOMINATORS * (1 + np.abs(T[..., None]))
    first = np.argmax(near, axis=-1)[..., None]
    simple = np.take_along_axis(whole, first, -1)[..., 0] / DENOMINATORS[first[..., 0]]
    return np.where(near.any(axis=-1), simple + 0.0, T)


def _merged(c: np.ndarray) -> np.ndarray:
    """Constants c (nv,) of which those that differ by round-off are the same number, and 0 where they nearly are."""
    if _largest(c) <= EQUAL:
        return np.zeros_like(c)
    order = np.argsort(c)
    starts = np.diff(c[order], prepend=-np.inf) > EQUAL * (1 + np.abs(c[order]))
    first = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    out = np.empty_like(c)
    out[order] = c[order][first]
    return np.where(np.abs(out) <= EQUAL, 0.0, out)


def _holds(assembler: Assembler, c: np.ndarray, T: np.ndarray, y: np.ndarray, further: np.ndarray | float = 1) -> bool:
    """Whether all equations hold along straight lines from y (ny,), at REACHES or so many times `further` (ny,)."""
    Q = c + (y + further * _ways(len(y))) @ T.T
    gaps = assembler.functions.gaps(Q, assembler.p)[0].ravel()
    return bool(np.all(gaps <= HOLDS * (1 + np.max(np.abs(Q), axis=1))))


@lru_cache(maxsize=64)
def _ways(n: int) -> np.ndarray:
    """Ways (PLACES, n) to go in a straight line."""
    rng = np.random.default_rng(1)
    reaches = np.reshape(REACHES, (PLACES, 1))
    return np.array(reaches * rng.choice([-1.0, 1.0], (PLACES, n)) * rng.uniform(0.5, 1.0, (PLACES, n)))


def _largest(x: np.ndarray) -> float:
    """max |x|."""
    return float(np.abs(x).max(initial=0.0))
