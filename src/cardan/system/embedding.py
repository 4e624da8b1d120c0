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

from cardan.kinematics.tree import Tree
from cardan.numerics.least_change import DEPENDENT
from cardan.system.assembly import Assembler
from cardan.system.assembly_functions import PLACES

__all__ = ["Embedding", "dense", "find_embedding"]

REGULAR = 1e-8  # ratio of a row that is independent of others: as an assembly has it
EXACT = 1e-12  # of velocities along the branch: a few thousand round-offs
DENOMINATORS = np.arange(1.0, 65.0)  # of factors that count as fractions and not as their round-off
EQUAL = 1e-14  # difference of constants that is round-off: equal angles are to be equal numbers, computed once [rad, m]
PREFERRED = 0.5  # of the largest: so much of a row is enough for an early coordinate to be an independent one
AHEAD = 0.6180339887498949  # of a coordinate: there a motion that starts in a singular position has left it [rad, m]
REACHES = (0.0, 0.7, 2.3, 11.0, 90.0)  # along the straight line [rad, m]: no closed loop but a linear one holds at all
HOLDS = 1e-12  # residual there, per unit of its size: a few thousand round-offs
SLOWEST = 1e-5  # of a factor: round-off hides what a coordinate does that is slower than that beside the others


Entries = tuple[tuple[int, int, float], ...]
"""Row, column and value of what a matrix has."""


@dataclass(frozen=True)
class Embedding:
    """The straight branch of a mechanism over the coordinates and velocities that are integrated: q = c + Q y, v = T w.

    Joints with quaternions are among them as they are; the other coordinates are linear in each other.
    """

    q: tuple[int, ...]  # coordinates that are y (ny,)
    v: tuple[int, ...]  # velocities that are w (nw,)
    c: tuple[float, ...]  # (nq,) [rad, m]
    Q: Entries  # (nq, ny)
    T: Entries  # (nv, nw)
    nv: int  # velocities

    def reduced(self, x: np.ndarray) -> np.ndarray:
        """(y, w, z) of a state x = (q, v, z) (nx,)."""
        nq = len(self.c)
        return x[[*self.q, *(nq + k for k in self.v), *range(nq + self.nv, len(x))]]

    def full(self, x: np.ndarray) -> np.ndarray:
        """States (N, nx) of reduced ones (N, ny + nw + nz)."""
        matrix, constant = self._map(x.shape[1])
        return np.asarray(x @ matrix + constant)

    def place(self, state: int) -> int:
        """Number among all states of a reduced one."""
        own = [*self.q, *(len(self.c) + k for k in self.v)]
        return own[state] if state < len(own) else state - len(own) + len(self.c) + self.nv

    def _map(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Matrix (size, nx) and constant (nx,) that make states of reduced ones with so many entries."""
        if size not in self._maps:
            nq, ny, nw = len(self.c), len(self.q), len(self.v)
            rows = ny + nw
            matrix = np.zeros((size, nq + self.nv + size - rows))
            matrix[:ny, :nq] = dense(self.Q, (nq, ny)).T
            matrix[ny:rows, nq : nq + self.nv] = dense(self.T, (self.nv, nw)).T
            matrix[rows:, nq + self.nv :] = np.eye(size - rows)
            self._maps[size] = matrix, np.append(self.c, np.zeros(matrix.shape[1] - nq))
        return self._maps[size]

    @cached_property
    def _maps(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        return {}


def dense(entries: Entries, shape: tuple[int, int]) -> np.ndarray:
    """The matrix (rows, columns) with some entries.

    Parameters
    ----------
    entries : row, column and value of each.
    shape : of the matrix.
    """
    out = np.zeros(shape)
    for i, j, value in entries:
        out[i, j] = value
    return out


def find_embedding(assembler: Assembler, q: np.ndarray, v: np.ndarray) -> Embedding | None:
    """The straight branch on which a motion starts; None where its branch is curved, not clear, or follows time.

    Parameters
    ----------
    assembler : of the mechanism.
    q, v : assembled position (nq,) and consistent velocities (nv,).
    """
    functions = assembler.functions
    if functions.moves_by_itself or not functions.is_smooth:
        return None
    scalar = _Scalars.of(assembler.tree)
    speed = _largest(v)
    V = _tangents(assembler, assembler.moved(q, AHEAD * (v / speed)) if speed > 0 else q)
    echelon = None if V is None else _echelon(V, scalar.turning)
    if echelon is None:
        return None
    own, T = echelon
    T[np.abs(T) <= EXACT] = 0.0
    slowest = np.min(np.abs(T), axis=0, where=T != 0, initial=1.0)
    if np.min(slowest) < SLOWEST or _largest(v - T @ v[own]) > EXACT * (1 + speed):
        return None
    lines = _Lines(assembler, scalar, q, own, T)
    if not lines.hold(1 / slowest):
        return None
    simple = lines.simplified()
    return simple.embedding() if simple.hold() else None


@dataclass(frozen=True)
class _Scalars:
    """Coordinates that are the integrals of their velocities, as all are but those of joints with quaternions."""

    v: list[int]  # numbers of these velocities
    q: list[int]  # of their coordinates
    turning: list[int]  # of the other velocities

    @staticmethod
    def of(tree: Tree) -> _Scalars:
        """Those of a tree."""
        plain = [link for link in tree.links if len(link.q) == len(link.v)]  # a quaternion has four for three rates
        turning = [k for link in tree.links if len(link.q) != len(link.v) for k in link.v]
        return _Scalars([k for link in plain for k in link.v], [i for link in plain for i in link.q], turning)


@dataclass(frozen=True)
class _Lines:
    """Straight lines from a position, which may be the branch on which it lies."""

    assembler: Assembler
    scalar: _Scalars
    q: np.ndarray  # the position (nq,)
    own: list[int]  # velocities that are independent, those of quaternions among them
    T: np.ndarray  # (nv, nw): all velocities over these
    simple: bool = False  # whether numbers are as they are meant, without round-off

    @cached_property
    def T_scalar(self) -> np.ndarray:
        """Rows of T of coordinates that are no quaternions, over all velocities that are independent."""
        T, turning = self.T[self.scalar.v], set(self.scalar.turning)
        if turning:
            T[:, [j for j, k in enumerate(self.own) if k in turning]] = 0.0
        return T

    @cached_property
    def y(self) -> np.ndarray:
        """Where the lines begin, over the same; zero for quaternions."""
        return self._by_velocity(self.q[self.scalar.q])[self.own]

    @cached_property
    def c(self) -> np.ndarray:
        """Constants (nq,); those of coordinates that are independent, and of quaternions, are 0."""
        rest = self.q[self.scalar.q] - self.T_scalar @ self.y
        moved = self._by_velocity(_merged(rest) if self.simple else rest)
        moved[self.own] = 0.0
        c = np.zeros(len(self.q))
        c[self.scalar.q] = moved[self.scalar.v]
        return c

    def _by_velocity(self, x: np.ndarray) -> np.ndarray:
        """Entries of coordinates that are no quaternions, in the order of velocities (nv,)."""
        out = np.zeros(len(self.T))
        out[self.scalar.v] = x
        return out

    def simplified(self) -> _Lines:
        """The same with numbers as they are meant."""
        T = _simple(self.T)
        T[self.own] = np.eye(len(self.own))
        return _Lines(self.assembler, self.scalar, self.q, self.own, T, simple=True)

    def hold(self, further: np.ndarray | float = 1.0) -> bool:
        """Whether all equations hold along the lines, however quaternions turn.

        Parameters
        ----------
        further : times so much (nw,) as REACHES tell.
        """
        scalar, Q = self.scalar, np.empty((PLACES, len(self.q)))
        Q[:] = self.q
        if scalar.turning:
            if np.any(self.T[scalar.v] != self.T_scalar):
                return False
            turned = np.zeros((PLACES, self.assembler.tree.nv))
            turned[:, scalar.turning] = _ways(len(scalar.turning))
            Q = np.array([self.assembler.moved(q, dv) for q, dv in zip(Q, turned, strict=True)])
        Q[:, scalar.q] = self.c[scalar.q] + (self.y + further * _ways(len(self.own))) @ self.T_scalar.T
        gaps = self.assembler.functions.gaps(Q, self.assembler.p)[0].ravel()
        return bool(np.all(gaps <= HOLDS * (1 + np.max(np.abs(Q), axis=1))))

    def embedding(self) -> Embedding:
        """What a run needs of them."""
        scalar, tree = self.scalar, self.assembler.tree
        place, own = dict(zip(scalar.v, scalar.q, strict=True)), set(self.own)
        followers = {place[k] for k in scalar.v if k not in own}
        kept = [i for i in range(tree.nq) if i not in followers]
        number = {i: n for n, i in enumerate(kept)}
        rates = [(int(i), int(j), float(self.T[i, j])) for i, j in zip(*np.nonzero(self.T), strict=True)]
        rows = [(place[i], number[place[self.own[j]]], value) for i, j, value in rates if place.get(i) in followers]
        identity = [(i, n, 1.0) for i, n in number.items()]
        return Embedding(
            tuple(kept), tuple(self.own), tuple(self.c.tolist()), tuple(identity + rows), tuple(rates), tree.nv
        )


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


def _echelon(V: np.ndarray, first: list[int]) -> tuple[list[int], np.ndarray] | None:
    """Rows of V (nv, d), as many as columns, far from each other's span and early, and V over these: T[own] = 1.

    The rows `first` have to be among them; None where they depend on each other.
    Source: Gauss–Jordan elimination with pivoting, Golub & Van Loan 2013, §3.4
    """
    T, free, wanted = V.copy(), list(range(V.shape[1])), list(first)
    own: list[tuple[int, int]] = []
    while free:
        sizes = np.abs(T[:, free]).max(axis=1)
        k = wanted.pop() if wanted else int(np.argmax(sizes >= PREFERRED * sizes.max()))
        if sizes[k] <= DEPENDENT:
            return None
        j = free.pop(int(np.argmax(np.abs(T[k, free]))))
        T[:, j] /= T[k, j]
        others = [i for i in range(T.shape[1]) if i != j]
        if others:
            T[:, others] -= np.outer(T[:, j], T[k, others])
        own.append((k, j))
    own.sort()
    return None if wanted else ([k for k, _ in own], T[:, [j for _, j in own]])


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


@lru_cache(maxsize=64)
def _ways(n: int) -> np.ndarray:
    """Ways (PLACES, n) to go in a straight line."""
    rng = np.random.default_rng(1)
    reaches = np.reshape(REACHES, (PLACES, 1))
    return np.array(reaches * rng.choice([-1.0, 1.0], (PLACES, n)) * rng.uniform(0.5, 1.0, (PLACES, n)))


def _largest(x: np.ndarray) -> float:
    """max |x|."""
    return float(np.abs(x).max(initial=0.0))
