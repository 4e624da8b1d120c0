"""Search for the singular positions of a mechanism, with loops or without, from random assembled positions.

Positions of types 1 and 2 are zeros of the smallest singular value of [Φq; S] that is not zero in general; S v are the
velocities of the output (type 1) or of the drives (type 2). Newton's method with the least change finds its zeros
together with those of Φ. Positions where branches meet solve Φ = 0, Φqᵀ μ = 0, μᵀ μ = 1 by the Gauss–Newton method.
For an open arm, which has no Φ, as many coordinates as possible are then released, so that a condition such as
q4 = 90° remains.

Source: Gosselin & Angeles 1990 (types 1 and 2); derivative of a singular value: Golub & Van Loan 2013, §8.6; singular
arms: Siciliano et al. 2009, §3.3
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import AssemblyError
from cardan.frozen import dataclass
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.tree import Number, Place, Tree
from cardan.numerics.largest import largest
from cardan.numerics.rank import independent_rows
from cardan.numerics.round_off import TINY
from cardan.singular.singularity import SingularityKind, SingularSet
from cardan.singular.tolerances import FOUND, ITERATIONS, SAME, STARTS, STEP


def search(
    tree: Tree, assembler: Assembler, q: np.ndarray, place: Place, rows: slice, driven: Sequence[int], seed: int
) -> tuple[int, int, tuple[SingularSet, ...]]:
    """Number of independent velocities of a marker in general, that number at q, and the singular positions found.

    The singular positions of a mechanism with loops are sorted by their distance from q.
    """
    positions = _Positions(tree, assembler, q, np.random.default_rng(seed))
    kept = max((independent_rows(assembler.at(place)[1]) for place in positions.random), key=len)
    equations = _Equations(tree, kept)
    output = _Watched.of("type 1", equations, equations.marker(place)[rows, :], positions)
    found = list(output.zeros(positions))
    if equations.kept:
        drives = _Watched.of("type 2", equations, ca.DM.eye(tree.nv)[list(driven), :], positions)
        found += [*drives.zeros(positions), *_branches(equations, positions)]
        sets = _nearest(positions, found, example=tree.nv - len(equations.kept) > 1)
    else:
        sets = _conditions(output, positions, found)
    return output.rank - len(equations.kept), output.motions(q, assembler.p), sets


@dataclass(frozen=True)
class _Position:
    """A singular position."""

    kind: SingularityKind
    rank: int  # rank of the matrix that loses rank
    q: np.ndarray  # coordinates (nq,)


class _Positions:
    """Assembled positions of a mechanism, and distances between them."""

    def __init__(self, tree: Tree, assembler: Assembler, q: np.ndarray, rng: np.random.Generator) -> None:
        self.tree, self.assembler, self.start, self.rng = tree, assembler, q, rng
        self.angles = np.array([entry.unit == "rad" for entry in tree.coordinates], dtype=bool)
        found = [place for place in (self.another() for _ in range(STARTS)) if place is not None]
        self.random = found or assembler.neighbours(q)

    def another(self) -> np.ndarray | None:
        """A random assembled position, up to half a turn or 3 m from the start; None if the loops do not close."""
        try:
            return self.assembler.position(
                self.assembler.moved(self.start, self.rng.uniform(-np.pi, np.pi, self.tree.nv))
            )
        except AssemblyError:
            return None

    def apart(self, q: np.ndarray, other: np.ndarray) -> float:
        """Largest difference of a coordinate, angles modulo a turn."""
        difference = np.where(self.angles, (q - other + np.pi) % (2 * np.pi) - np.pi, q - other)
        return largest(difference)

    def by_name(self, q: np.ndarray) -> dict[str, float]:
        """Coordinates by name, angles in (−π, π]."""
        turned = np.where(self.angles, (q + np.pi - SAME) % (2 * np.pi) - np.pi + SAME, q)
        return {entry.name: float(x) for entry, x in zip(self.tree.coordinates, turned, strict=True)}


class _Equations:
    """The independent equations `kept` of the loops over symbols."""

    def __init__(self, tree: Tree, kept: Sequence[int]) -> None:
        self.tree, self.kept = tree, list(kept)
        self.q, self.v, t = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("t")
        self.state = motion(tree, self.q, self.v, t=t)
        self.Phi, self.Phi_q = ca.SX(0, 1), ca.SX(0, tree.nv)
        if kept:
            parts = constraint_terms(tree, self.state)
            chosen = [ca.SX(parts.Phi)[self.kept], ca.SX(parts.Phi_q)[self.kept, :]]
            self.Phi, self.Phi_q = ca.substitute(chosen, [t, self.v], [ca.SX(0), ca.SX.zeros(tree.nv)])

    def marker(self, place: Place) -> Number:
        """Jacobian (6, nv) of a marker."""
        return ca.SX(jacobian(self.tree, self.state, place))

    def stacked(self, S: Number) -> tuple[ca.Function, ca.Function]:
        """(q, p) → Φ (c,), A = [Φq; S] (rows, nv); and (q, p, u, w) → derivative of uᵀ A w along v."""
        A = ca.vertcat(self.Phi_q, ca.SX(S))
        u, w = ca.SX.sym("u", A.shape[0]), ca.SX.sym("w", A.shape[1])
        return self._function([], [self.Phi, A]), self._function([u, w], [self._along(u.T @ A @ w)])

    def branching(self) -> ca.Function:
        """(q, p, μ) → Φ (c,), Φq (c, nv), the derivative (nv, nv) of Φqᵀ μ."""
        mu = ca.SX.sym("mu", len(self.kept))
        return self._function([mu], [self.Phi, self.Phi_q, self._along(self.Phi_q.T @ mu)])

    def _along(self, x: Number) -> Number:
        return ca.jacobian(x, self.q) @ ca.jacobian(coordinate_rate(self.tree, self.q, self.v), self.v)

    def _function(self, inputs: list[Number], results: list[Number]) -> ca.Function:
        return ca.Function("loops", [self.q, self.tree.p, *inputs], [ca.densify(ca.SX(x)) for x in results])


@dataclass(frozen=True)
class _Watched:
    """The matrix A = [Φq; S] whose loss of rank makes one kind of singular position."""

    kind: SingularityKind
    function: ca.Function  # (q, p) → Φ, A
    slope: ca.Function  # (q, p, u, w) → derivative of uᵀ A w
    loops: int  # number of rows of Φq
    lengths: np.ndarray  # largest lengths of the rows of A (rows, 1)
    rank: int  # rank of A in general

    @staticmethod
    def of(kind: SingularityKind, equations: _Equations, S: Number, positions: _Positions) -> _Watched:
        """The matrix with the rows S, its rank and size taken from random positions."""
        function, slope = equations.stacked(S)
        samples = [np.array(function(q, positions.assembler.p)[1]) for q in positions.random]
        lengths = np.max([np.linalg.norm(A, axis=1, keepdims=True) for A in samples], axis=0)
        lengths = np.where(lengths > 0, lengths, 1.0)
        rank = max(_rank(A / lengths) for A in samples)
        return _Watched(kind, function, slope, len(equations.kept), lengths, rank)

    def numbers(self, q: np.ndarray, p: ca.DM) -> tuple[np.ndarray, np.ndarray]:
        """Φ (c,) and A in a position, each row divided by its length."""
        Phi, A = (np.array(x) for x in self.function(q, p))
        return (Phi / self.lengths[: len(Phi)]).ravel(), A / self.lengths

    def motions(self, q: np.ndarray, p: ca.DM, zero: float = SAME) -> int:
        """Number of independent velocities S v that the loops allow; singular values up to `zero` count as 0."""
        A = self.numbers(q, p)[1]
        return _rank(A, zero) - _rank(A[: self.loops], zero)

    def zeros(self, positions: _Positions) -> Iterator[_Position]:
        """Positions where A loses rank and Φq does not; none if S v is always zero."""
        p = positions.assembler.p
        for start in [positions.start, *positions.random] if self.rank > self.loops else []:
            q = self._zero(positions.assembler, start)
            if q is not None and _rank(self.numbers(q, p)[1][: self.loops]) == self.loops:
                yield _Position(self.kind, self.motions(q, p), q)

    def _zero(self, assembler: Assembler, q: np.ndarray) -> np.ndarray | None:
        """A closed position in which the singular value is zero; None if the search from q (nq,) ends elsewhere."""
        Phi, J, size, gradient = self._smallest(q, assembler.p)
        for _ in range(ITERATIONS):
            if max(size, largest(Phi)) < FOUND:
                return q
            step = _bounded(np.linalg.lstsq(np.vstack([J, gradient]), -np.append(Phi, size), rcond=SAME)[0])
            places = [assembler.moved(q, factor * step) for factor in (1, 2)]  # factor 2 for a double zero
            trials = [(*self._smallest(place, assembler.p), place) for place in places]
            Phi, J, size, gradient, q = min(trials, key=lambda trial: trial[2] + float(np.linalg.norm(trial[0])))
        return None

    def _smallest(self, q: np.ndarray, p: ca.DM) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
        """Φ, Φq, the singular value that generally differs from zero, and its gradient (nv,)."""
        Phi, A = self.numbers(q, p)
        U, sizes, Vt = np.linalg.svd(A)
        k = self.rank - 1
        gradient = self.slope(q, p, U[:, k] / self.lengths.ravel(), Vt[k])
        return Phi, A[: self.loops], float(sizes[k]), np.array(gradient).ravel()


def _branches(equations: _Equations, positions: _Positions) -> Iterator[_Position]:
    """Positions where Φq has a lower rank than in their neighbours."""
    function, assembler = equations.branching(), positions.assembler

    def rank(q: np.ndarray) -> int:
        """Rank of all rows of Φq: it may be full where the selected rows are dependent."""
        scale = max(largest(assembler.at(place)[1]) for place in (q, *positions.random[:1]))
        return _rank(assembler.at(q)[1] / scale)

    for start in [positions.start, *positions.random]:
        q = _branch(function, assembler, start)
        if q is not None:
            here, *near = (rank(place) for place in assembler.neighbours(q))
            if here < max(near, default=here):
                yield _Position("branch", here, q)


def _branch(function: ca.Function, assembler: Assembler, q: np.ndarray) -> np.ndarray | None:
    """A position with Φ = 0 and Φqᵀ μ = 0 for some μ of length 1, from q (nq,)."""
    c = function.size1_in(2)
    mu = np.linalg.svd(np.array(function(q, assembler.p, 0)[1]))[0][:, -1]
    for _ in range(ITERATIONS):
        Phi, J, H = (np.array(x) for x in function(q, assembler.p, mu))
        n = J.shape[1]
        residual = np.concatenate([Phi.ravel(), J.T @ mu, [(mu @ mu - 1) / 2]])
        if largest(residual) < FOUND:
            return q
        matrix = np.block([[J, np.zeros((c, c))], [H, J.T], [np.zeros((1, n)), mu[None, :]]])
        step = np.linalg.lstsq(matrix, -residual, rcond=SAME)[0]
        step *= min(1.0, STEP / max(float(np.linalg.norm(step[:n])), TINY))
        q, mu = assembler.moved(q, step[:n]), mu + step[n:]
    return None


def _nearest(positions: _Positions, found: Sequence[_Position], example: bool) -> tuple[SingularSet, ...]:
    """The positions, nearest first; of a curve or surface of positions only one example."""
    out: list[tuple[float, SingularSet]] = []
    for kind in get_args(SingularityKind):
        different: list[tuple[float, _Position]] = []
        for entry in (entry for entry in found if entry.kind == kind):
            if not any(positions.apart(entry.q, other.q) < SAME for _, other in different):
                different.append((positions.apart(entry.q, positions.start), entry))
        different.sort(key=lambda pair: pair[0])
        for distance, entry in different[: 1 if example else None]:
            out.append((distance, SingularSet(positions.by_name(entry.q), entry.rank, kind, example)))
    return tuple(entry for _, entry in sorted(out, key=lambda pair: pair[0]))


def _conditions(output: _Watched, positions: _Positions, found: Sequence[_Position]) -> tuple[SingularSet, ...]:
    """Conditions for singular positions of an open arm; one example of each condition on several coordinates."""
    sets: list[SingularSet] = []
    for entry in found:
        values = positions.by_name(entry.q)
        if any(all(abs(values[name] - value) < SAME for name, value in known.where.items()) for known in sets):
            continue
        new = _released(output, positions, entry.q)
        if not (new.example and any(known.where.keys() == new.where.keys() for known in sets)):
            sets.append(new)
    return tuple(sets)


def _released(output: _Watched, positions: _Positions, q: np.ndarray) -> SingularSet:
    """The condition that q (nq,) satisfies: coordinates that may have any value are released."""
    held, p = np.ones(len(q), dtype=bool), positions.assembler.p

    def ranks() -> list[int]:
        return [output.motions(np.where(held, q, other), p, 1e3 * FOUND) for other in positions.random]

    for k in range(len(q)):
        held[k] = False
        held[k] = max(ranks()) == output.rank
    values = positions.by_name(q)
    where = {name: values[name] for name, kept in zip(values, held, strict=True) if kept}
    return SingularSet(where, max(ranks()), example=len(where) > 1)


def _bounded(step: np.ndarray) -> np.ndarray:
    """The step (nv,), not longer than allowed."""
    return step * min(1.0, STEP / max(float(np.linalg.norm(step)), TINY))


def _rank(A: np.ndarray, zero: float = SAME) -> int:
    """Rank of a matrix with rows of about unit length; singular values up to `zero` count as 0."""
    return int(np.sum(np.linalg.svd(A, compute_uv=False) > zero)) if A.size else 0
