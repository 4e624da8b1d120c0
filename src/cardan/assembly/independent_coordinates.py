"""Straight branches of motion, on which all coordinates are linear in a few independent ones: q = c + T y.

Gears, belts, racks and linkages of parallelograms move in this way. Their loop equations need not be solved during a
run, and positions in which they fold into a line are not singular for it. A numerical test at the start of a run finds
such a branch: the straight lines along the velocities that the constraints allow at the start must satisfy the
constraints far away as well. A branch has at most as many dimensions as there are such velocities, so if the lines
satisfy the constraints they are the whole branch.

Source: Wehage & Haug 1982, "Generalized coordinate partitioning for dimension reduction in analysis of constrained
dynamic systems", J. Mechanical Design 104:247, with a partition q = c + T y that holds everywhere
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.assembly.assembler import REGULAR, Assembler
from cardan.assembly.functions import PLACES
from cardan.frozen import dataclass, field
from cardan.kinematics.tree import Tree
from cardan.numerics.golden_section import GOLDEN
from cardan.numerics.largest import largest
from cardan.numerics.least_change import DEPENDENT
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM

DENOMINATORS = np.arange(1.0, 65.0)  # denominators for which a factor within round-off of a fraction is replaced by it
PREFERRED = 0.5  # share of the largest row above which an earlier coordinate is chosen as independent [-]
AHEAD = GOLDEN  # displacement after which a motion has left a singular start [rad, m]
REACHES = (0.0, 0.7, 2.3, 11.0, 90.0)  # test positions on a line [rad, m]: only linear loops close at all of them
SLOWEST = 1e-5  # smallest factor in T that the test resolves [-]: round-off hides the motion of slower coordinates


SizeEntries = tuple[tuple[int, int, int], ...]
"""Row, column and number of the size of each non-zero entry of a matrix; `Pattern` explains the numbers."""


@dataclass(frozen=True)
class Pattern:
    """The form of a straight branch without its sizes, such as gear ratios or starting positions.

    An entry k stands for the size with number k, an entry −k for its opposite. Sizes 0 and 1 have the values 0 and 1;
    all other sizes are inputs of the functions, so that one program serves all branches with this pattern.
    """

    q: tuple[int, ...]  # indices of the coordinates y (ny,)
    v: tuple[int, ...]  # indices of the velocities w (nw,)
    c: tuple[int, ...]  # numbers of the sizes of the constants (nq,), with sign
    Q: SizeEntries  # non-zero entries of ∂q/∂y (nq, ny)
    T: SizeEntries  # non-zero entries of ∂v/∂w (nv, nw)
    nv: int  # number of all velocities
    count: int  # number of sizes that are inputs


@dataclass(frozen=True)
class Embedding:
    """A straight branch of a mechanism: q = c + Q y and v = T w, where y and w are integrated.

    y contains all coordinates of joints with quaternions; the other dependent coordinates are linear in y.
    """

    pattern: Pattern  # which entries are equal, opposite, 0 or 1
    sizes: tuple[float, ...]  # values of the sizes that are inputs [1, rad, m]
    _maps: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @staticmethod
    def of(q: Sequence[int], v: Sequence[int], c: np.ndarray, Q: np.ndarray, T: np.ndarray) -> Embedding:
        """The branch with these constants and matrices."""
        known: dict[float, int] = {0.0: 0, 1.0: 1}

        def numbers(x: np.ndarray) -> list[int]:
            return [known.setdefault(abs(e), len(known)) * (1 if e >= 0 else -1) for e in x.tolist()]

        def entries(A: np.ndarray) -> SizeEntries:
            rows, columns = np.nonzero(A)
            return tuple(zip(rows.tolist(), columns.tolist(), numbers(A[rows, columns]), strict=True))

        parts = tuple(numbers(c)), entries(Q), entries(T)
        return Embedding(Pattern(tuple(q), tuple(v), *parts, len(T), len(known) - 2), tuple(known)[2:])

    @property
    def q(self) -> tuple[int, ...]:
        """Indices of the coordinates y (ny,)."""
        return self.pattern.q

    @property
    def v(self) -> tuple[int, ...]:
        """Indices of the velocities w (nw,)."""
        return self.pattern.v

    @property
    def c(self) -> np.ndarray:
        """Constants (nq,) [rad, m]."""
        return self._values(self.pattern.c)

    @property
    def Q(self) -> np.ndarray:
        """Matrix ∂q/∂y (nq, ny)."""
        return self._dense(self.pattern.Q, (len(self.pattern.c), len(self.q)))

    @property
    def T(self) -> np.ndarray:
        """Matrix ∂v/∂w (nv, nw)."""
        return self._dense(self.pattern.T, (self.pattern.nv, len(self.v)))

    def _values(self, numbers: Sequence[int]) -> np.ndarray:
        """Values of the sizes with these numbers."""
        n = np.array(numbers, dtype=int)
        return np.array([0.0, 1.0, *self.sizes])[np.abs(n)] * np.where(n < 0, -1.0, 1.0)

    def _dense(self, entries: SizeEntries, shape: tuple[int, int]) -> np.ndarray:
        out = np.zeros(shape)
        if entries:
            rows, columns, numbers = zip(*entries, strict=True)
            out[rows, columns] = self._values(numbers)
        return out

    def reduced(self, x: np.ndarray) -> np.ndarray:
        """(y, w, z) of states x = (q, v, z) (…, nx)."""
        nq = len(self.pattern.c)
        return x[..., [*self.q, *(nq + k for k in self.v), *range(nq + self.pattern.nv, x.shape[-1])]]

    def full(self, x: np.ndarray) -> np.ndarray:
        """States (q, v, z) (N, nx) computed from `x` = (y, w, z) (N, ny + nw + nz)."""
        matrix, constant = self._map(x.shape[1])
        return np.asarray(x @ matrix + constant)

    def place(self, state: int) -> int:
        """Index in x = (q, v, z) of the entry `state` of (y, w, z)."""
        nq = len(self.pattern.c)
        moving = [*self.q, *(nq + k for k in self.v)]
        return moving[state] if state < len(moving) else state - len(moving) + nq + self.pattern.nv

    def _map(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Matrix (size, nx) and constant (nx,) that convert reduced states with `size` entries into full states."""
        if size not in self._maps:
            nq, nv, ny, rows = len(self.c), self.pattern.nv, len(self.q), len(self.q) + len(self.v)
            matrix = np.zeros((size, nq + nv + size - rows))
            matrix[:ny, :nq] = self.Q.T
            matrix[ny:rows, nq : nq + nv] = self.T.T
            matrix[rows:, nq + nv :] = np.eye(size - rows)
            self._maps[size] = matrix, np.append(self.c, np.zeros(matrix.shape[1] - nq))
        return self._maps[size]


def find_embedding(assembler: Assembler, q: np.ndarray, v: np.ndarray) -> Embedding | None:
    """The straight branch on which a motion starts; None if its branch is curved, unclear or depends on time."""
    functions = assembler.functions
    if not functions.tree.nv or functions.moves_by_itself or functions.tree.motions or not functions.is_smooth:
        return None
    scalar = _Scalars.of(assembler.tree)
    speed = largest(v)
    V = _tangents(assembler, scalar, q, assembler.moved(q, AHEAD * (v / speed)) if speed > 0 else q)
    echelon = None if V is None else _echelon(V, scalar.turning)
    if echelon is None:
        return None
    independent, T = echelon
    T[np.abs(T) <= ROUND_OFF] = 0.0
    slowest, left = np.min(np.abs(T), where=T != 0, initial=1.0), largest(v - T @ v[independent])
    if slowest < SLOWEST or left > ROUND_OFF * (1 + speed):
        return None
    lines = _Lines(assembler, scalar, q, independent, T)
    if not lines.hold(1 / SLOWEST):
        return None
    simple = lines.simplified()
    return simple.embedding() if simple.hold() else None


@dataclass(frozen=True)
class _Scalars:
    """Coordinates with q̇ = v: all except those of joints with quaternions."""

    v: list[int]  # indices of their velocities
    q: list[int]  # indices of these coordinates
    turning: list[int]  # indices of the other velocities

    @staticmethod
    def of(tree: Tree) -> _Scalars:
        """The coordinates of a tree with q̇ = v."""
        plain = [link for link in tree.owners if len(link.q) == len(link.v)]  # a quaternion has four for three rates
        turning = [k for link in tree.owners if len(link.q) != len(link.v) for k in link.v]
        return _Scalars([k for link in plain for k in link.v], [i for link in plain for i in link.q], turning)


@dataclass(frozen=True)
class _Lines:
    """Straight lines from a position: the branch through it, if the constraints hold along them."""

    assembler: Assembler
    scalar: _Scalars
    q: np.ndarray  # the position (nq,)
    independent: list[int]  # indices of the independent velocities w, including those of joints with quaternions
    T: np.ndarray  # ∂v/∂w (nv, nw)
    simple: bool = False  # whether round-off has been removed from T

    @property
    def T_scalar(self) -> np.ndarray:
        """Rows of T for the coordinates with q̇ = v."""
        T, turning = self.T[self.scalar.v], set(self.scalar.turning)
        if turning:
            T[:, [j for j, k in enumerate(self.independent) if k in turning]] = 0.0
        return T

    @property
    def y(self) -> np.ndarray:
        """Start of the lines in the independent coordinates; zero for quaternions."""
        return self._by_velocity(self.q[self.scalar.q])[self.independent]

    @property
    def c(self) -> np.ndarray:
        """Constants (nq,); zero for independent coordinates and for quaternions."""
        rest = self.q[self.scalar.q] - self.T_scalar @ self.y
        moved = self._by_velocity(_merged(rest) if self.simple else rest)
        moved[self.independent] = 0.0
        c = np.zeros(len(self.q))
        c[self.scalar.q] = moved[self.scalar.v]
        return c

    def _by_velocity(self, x: np.ndarray) -> np.ndarray:
        """The entries of x for coordinates with q̇ = v, in the order of the velocities (nv,)."""
        out = np.zeros(len(self.T))
        out[self.scalar.v] = x
        return out

    def simplified(self) -> _Lines:
        """These lines with round-off removed from T."""
        T = _simple(self.T)
        T[self.independent] = np.eye(len(self.independent))
        return _Lines(self.assembler, self.scalar, self.q, self.independent, T, simple=True)

    def hold(self, further: float = 1.0) -> bool:
        """Whether all equations hold along the lines, for any rotation of the quaternions."""
        scalar, Q = self.scalar, np.empty((PLACES, len(self.q)))
        Q[:] = self.q
        if scalar.turning:
            if np.any(self.T[scalar.v] != self.T_scalar):
                return False
            turned = np.zeros((PLACES, self.assembler.tree.nv))
            turned[:, scalar.turning] = _ways(len(scalar.turning))
            Q = np.array([self.assembler.moved(q, dv) for q, dv in zip(Q, turned, strict=True)])
        Q[:, scalar.q] = self.c[scalar.q] + (self.y + further * _ways(len(self.independent))) @ self.T_scalar.T
        return _close(self.assembler, Q)

    def embedding(self) -> Embedding:
        """These lines as the embedding of a run."""
        place, nq = dict(zip(self.scalar.v, self.scalar.q, strict=True)), len(self.q)
        followers = sorted(place.keys() - set(self.independent))
        rows = [place[k] for k in followers]
        y = sorted(set(range(nq)) - set(rows))
        Q = np.eye(nq)[:, y]
        for j, k in enumerate(self.independent):
            if k in place:
                Q[rows, y.index(place[k])] = self.T[followers, j]
        return Embedding.of(y, self.independent, self.c, Q, self.T)


def _tangents(assembler: Assembler, scalar: _Scalars, q: np.ndarray, ahead: np.ndarray) -> np.ndarray | None:
    """Basis (nv, d) of the velocities that the constraints allow at the position `ahead` (nq,).

    None if there are no such velocities, if the rank is unclear, or if a straight line from q along the first of them
    violates the constraints, so that the branch is not straight. If the loops are open at `ahead` the basis is wrong;
    the later test of the lines then fails.
    """
    columns: list[np.ndarray] = []
    for v in _directions(assembler.tree.nv):
        for _ in range(2):  # a solve and its refinement
            _, _, dv, ratios = assembler.functions.moving(ahead, assembler.p, np.ones(len(v)), v)
            v = v + dv.ravel()
        columns.append(v)
        counted = ratios > DEPENDENT
        if not np.all(ratios[counted] > REGULAR):
            return None
        if len(columns) == 1 and not _closes_along(assembler, scalar, q, v):
            return None
        if len(columns) >= len(v) - np.sum(counted):
            break
    degrees = len(v) - int(np.sum(counted))
    if not degrees:
        return None
    return np.array(np.linalg.qr(np.transpose(columns))[0]) if degrees > 1 else np.reshape(v, (-1, 1))


def _closes_along(assembler: Assembler, scalar: _Scalars, q: np.ndarray, v: np.ndarray) -> bool:
    """Whether all equations hold on the straight line from q (nq,) along v (nv,) while quaternions do not change."""
    way = np.zeros(len(q))
    way[scalar.q] = v[scalar.v]
    return _close(assembler, q + np.outer(REACHES, way / max(largest(way), ROUND_OFF)))


def _close(assembler: Assembler, Q: np.ndarray) -> bool:
    """Whether all equations hold at the positions Q (PLACES, nq)."""
    gaps = assembler.functions.gaps(Q, assembler.p)[0].ravel()
    return bool(np.all(gaps <= ROUND_OFF * (1 + np.max(np.abs(Q), axis=1))))


def _directions(n: int) -> np.ndarray:
    """Random velocities (n, n), the same in every call."""
    return np.random.default_rng(0).standard_normal((n, n))


def _echelon(V: np.ndarray, first: list[int]) -> tuple[list[int], np.ndarray] | None:
    """Indices of d independent rows of V (nv, d), early rows preferred, and T = V V[independent]⁻¹.

    The rows `first` have to be among them; None if these are dependent.
    Source: Gauss–Jordan elimination with pivoting, Golub & Van Loan 2013, §3.4
    """
    T, free, wanted = V.copy(), list(range(V.shape[1])), list(first)
    chosen: list[tuple[int, int]] = []
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
        chosen.append((k, j))
    chosen.sort()
    return None if wanted else ([k for k, _ in chosen], T[:, [j for _, j in chosen]])


def _simple(T: np.ndarray) -> np.ndarray:
    """T with entries that differ from a simple fraction or whole number by round-off replaced by it."""
    whole = np.round(T)
    T = np.where(np.abs(T - whole) <= ROUND_OFF * (1 + np.abs(T)), whole, T) + 0.0  # no -0.0
    if np.array_equal(T, whole):
        return T
    multiples = T[..., None] * DENOMINATORS
    whole = np.round(multiples)
    near = np.abs(multiples - whole) <= ROUND_OFF_OF_SUM * DENOMINATORS * (1 + np.abs(T[..., None]))
    first = np.argmax(near, axis=-1)[..., None]
    simple = np.take_along_axis(whole, first, -1)[..., 0] / DENOMINATORS[first[..., 0]]
    return _merged(np.where(near.any(axis=-1), simple + 0.0, T))


def _merged(x: np.ndarray) -> np.ndarray:
    """The numbers x with absolute values that differ by round-off made equal, and round-off of zero made 0."""
    sizes = np.abs(x).ravel()
    if largest(sizes) <= ROUND_OFF_OF_SUM:
        return np.zeros_like(x)
    order = np.argsort(sizes)
    starts = np.diff(sizes[order], prepend=0.0) > ROUND_OFF_OF_SUM * (1 + sizes[order])
    first = np.append(0.0, sizes[order][starts])
    sizes[order] = first[np.cumsum(starts)]
    return np.asarray(np.sign(x) * sizes.reshape(x.shape) + 0.0)  # no -0.0


def _ways(n: int) -> np.ndarray:
    """Displacements (PLACES, n) along a straight line, n coordinates at different speeds."""
    rng = np.random.default_rng(1)
    reaches = np.reshape(REACHES, (PLACES, 1))
    return np.array(reaches * rng.choice([-1.0, 1.0], (PLACES, n)) * rng.uniform(0.5, 1.0, (PLACES, n)))
