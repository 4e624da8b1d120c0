"""Singular positions of mechanisms with loops, searched from random assembled positions, and their kind.

Types 1 and 2 are zeros of the singular value of [Φq; S] that generally is the smallest, where S gives the velocities of
the output (type 1) or of the drives (type 2): Newton's method on it and on Φ, by the least change. Where branches meet
a combination of the equations has no derivative: Φ = 0, Φqᵀ μ = 0, μᵀ μ = 1 by Gauss and Newton's method.

Source: Gosselin & Angeles 1990 (types 1 and 2); derivative of a singular value: Golub & Van Loan 2013, §8.6
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import AssemblyError
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.tree import Number, Place, Tree
from cardan.numerics.rank import independent_rows
from cardan.singular.singularity import SingularityKind, SingularSet

__all__ = ["LoopReach", "loop_reach"]

STARTS = 30  # assembled positions from which is searched
SAMPLES = 6  # of them that decide what holds in general
TRIES = 10  # guesses for each, of which most close
ITERATIONS = 40  # of Newton's method, which needs about ten
STALLED = (12, 1e-2)  # after so many steps what is still larger than this has a least value that is not zero
FOUND = 1e-11  # singular value, and gap of the loops
REGULAR = 1e-6  # singular value of Φq where no branches meet
LOST = 1e-8  # singular value of a lost rank; in random positions it is larger by far
NEAR = 3e-6  # singular value in a position that is known to the root of FOUND
SAME = 1e-5  # coordinates [rad or m] that are one
STEP = 0.3  # longest step of the search [rad or m]


Found = tuple[SingularityKind, int, np.ndarray]  # kind, rank there, coordinates


@dataclass(frozen=True)
class LoopReach:
    """What velocities a mechanism with loops can give a marker."""

    rank: int  # of the marker's velocities in general
    here: int  # the same in the position
    sets: tuple[SingularSet, ...]  # singular positions, the nearest first


def loop_reach(
    tree: Tree, assembler: Assembler, q: np.ndarray, place: Place, rows: slice, driven: Sequence[int], seed: int
) -> LoopReach:
    """Rank of a marker's velocities, and singular positions.

    Parameters
    ----------
    tree : the mechanism, with loops.
    assembler : of the same.
    q : assembled coordinates (nq,) from which distances count.
    place : the marker.
    rows : of its Jacobian that count.
    driven : velocities that motors drive.
    seed : of the random positions.
    """
    search = _Search(tree, assembler, q, np.random.default_rng(seed))
    kept = max((independent_rows(assembler.at(near)[1]) for near in search.samples), key=len)
    loops = _Loops(tree, kept)
    output = search.watched("type 1", loops, loops.marker(place)[rows, :])
    drives = search.watched("type 2", loops, ca.DM.eye(tree.nv)[list(driven), :])
    found = [*search.branches(loops.branching()), *search.zeros(output), *search.zeros(drives)]
    sets = _chosen(search, found, example=tree.nv - len(kept) > 1)
    return LoopReach(output.rank - len(kept), search.motions(output, q), sets)


class _Loops:
    """The independent equations of the loops over symbols."""

    def __init__(self, tree: Tree, kept: Sequence[int]) -> None:
        self.tree, self.kept = tree, list(kept)
        self.q, self.v, t = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("t")
        self.state = motion(tree, self.q, self.v, t=t)
        parts = constraint_terms(tree, self.state)
        chosen = [ca.SX(parts.Phi)[self.kept], ca.SX(parts.Phi_q)[self.kept, :]]
        self.Phi, self.Phi_q = ca.substitute(chosen, [t, self.v], [ca.SX(0), ca.SX.zeros(tree.nv)])

    def marker(self, place: Place) -> Number:
        """Jacobian (6, n) of a marker."""
        return ca.SX(jacobian(self.tree, self.state, place))

    def stacked(self, S: Number) -> tuple[ca.Function, ca.Function]:
        """(q, p) → Φ (c,), A = [Φq; S] (rows, n); and (q, p, u, w) → derivative of uᵀ A w along v."""
        A = ca.vertcat(self.Phi_q, ca.SX(S))
        u, w = ca.SX.sym("u", A.shape[0]), ca.SX.sym("w", A.shape[1])
        return self._function([], [self.Phi, A]), self._function([u, w], [self._along(u.T @ A @ w)])

    def branching(self) -> ca.Function:
        """(q, p, μ) → Φ (c,), Φq (c, n), the derivative (n, n) of Φqᵀ μ."""
        mu = ca.SX.sym("mu", len(self.kept))
        return self._function([mu], [self.Phi, self.Phi_q, self._along(self.Phi_q.T @ mu)])

    def _along(self, x: Number) -> Number:
        return ca.jacobian(x, self.q) @ ca.jacobian(coordinate_rate(self.tree, self.q, self.v), self.v)

    def _function(self, inputs: list[Number], results: list[Number]) -> ca.Function:
        return ca.Function("loops", [self.q, self.tree.p, *inputs], [ca.densify(ca.SX(x)) for x in results])


@dataclass(frozen=True)
class _Watched:
    """What tells one kind of singular position: A = [Φq; S] with the rows S."""

    kind: SingularityKind
    function: ca.Function  # (q, p) → Φ, A
    slope: ca.Function  # (q, p, u, w) → derivative of uᵀ A w
    loops: int  # rows of Φq
    lengths: np.ndarray  # of the rows of A, the largest ones (rows, 1)
    rank: int  # of A in general


def _chosen(search: _Search, found: Sequence[Found], example: bool) -> tuple[SingularSet, ...]:
    """The positions, nearest first; one of a kind as an example where a curve or surface of them exists."""
    out: list[tuple[float, SingularSet]] = []
    for kind in get_args(SingularityKind):
        places = sorted(((search.distance(q), rank, q) for name, rank, q in found if name == kind), key=lambda x: x[0])
        different: list[tuple[float, int, np.ndarray]] = []
        for distance, rank, q in places:
            if not any(search.apart(q, other) < SAME for _, _, other in different):
                different.append((distance, rank, q))
        for distance, rank, q in different[: 1 if example else None]:
            out.append((distance, SingularSet(search.by_name(q), rank, kind, example)))
    return tuple(entry for _, entry in sorted(out, key=lambda pair: pair[0]))


class _Search:
    """Assembled positions and zeros of singular values; rows of a matrix weigh alike."""

    def __init__(self, tree: Tree, assembler: Assembler, q: np.ndarray, rng: np.random.Generator) -> None:
        self.tree, self.assembler, self.start, self.rng = tree, assembler, q, rng
        self.angles = np.array([entry.unit == "rad" for entry in tree.coordinates], dtype=bool)
        self.positions = [q, *(place for place in (self._random() for _ in range(STARTS)) if place is not None)]
        self.samples = self.positions[1 : SAMPLES + 1] or assembler.neighbours(q)

    def watched(self, kind: SingularityKind, loops: _Loops, S: Number) -> _Watched:
        """Rank and size of a matrix in the sampled positions."""
        function, slope = loops.stacked(S)
        samples = [np.array(function(q, self.assembler.p)[1]) for q in self.samples]
        lengths = np.max([np.linalg.norm(A, axis=1, keepdims=True) for A in samples], axis=0)
        lengths = np.where(lengths > 0, lengths, 1.0)
        rank = max(int(np.sum(_sizes(A / lengths) > LOST)) for A in samples)
        return _Watched(kind, function, slope, len(loops.kept), lengths, rank)

    def motions(self, watched: _Watched, q: np.ndarray) -> int:
        """Independent velocities that S tells in the position q (nq,)."""
        A = self._numbers(watched, q)[1]
        return int(np.sum(_sizes(A) > NEAR)) - int(np.sum(_sizes(A[: watched.loops]) > NEAR))

    def zeros(self, watched: _Watched) -> Iterator[Found]:
        """Positions where A has lost rank and Φq has not."""
        if watched.rank == watched.loops:  # what S tells never moves
            return
        for start in self.positions:
            q = self._zero(watched, start)
            if q is not None and min(_sizes(self._numbers(watched, q)[1][: watched.loops]), default=1) > REGULAR:
                yield watched.kind, self.motions(watched, q), q

    def branches(self, function: ca.Function) -> Iterator[Found]:
        """Positions where Φq has less rank than in their neighbours; nowhere if it has no rows."""
        for start in self.positions if function.size1_in(2) else ():
            q = self._branch(function, start)
            if q is not None:
                here, *near = (self._loops_rank(place) for place in self.assembler.neighbours(q))
                if here < max(near, default=here):
                    yield "branch", here, q

    def _loops_rank(self, q: np.ndarray) -> int:
        """Rank of the whole Φq: a redundant equation may keep what those that were chosen lose."""
        J = self.assembler.at(q)[1]
        largest = max(np.max(np.abs(self.assembler.at(place)[1])) for place in (q, *self.samples))
        return int(np.sum(_sizes(J / largest) > NEAR))

    def distance(self, q: np.ndarray) -> float:
        """From the position in which the mechanism was given."""
        return self.apart(q, self.start)

    def apart(self, q: np.ndarray, other: np.ndarray) -> float:
        """Largest difference of a coordinate, angles modulo a turn."""
        difference = np.where(self.angles, (q - other + np.pi) % (2 * np.pi) - np.pi, q - other)
        return float(np.max(np.abs(difference)))

    def by_name(self, q: np.ndarray) -> dict[str, float]:
        """Coordinates by name, angles in (−π, π]."""
        turned = np.where(self.angles, (q + np.pi - SAME) % (2 * np.pi) - np.pi + SAME, q)
        return {entry.name: float(x) for entry, x in zip(self.tree.coordinates, turned, strict=True)}

    def _random(self) -> np.ndarray | None:
        """An assembled position near a guess: velocities' directions up to half a turn or a metre away."""
        for _ in range(TRIES):
            guess = self.assembler.moved(self.start, self.rng.uniform(-np.pi, np.pi, self.tree.nv))
            try:
                return self.assembler.position(guess)
            except AssemblyError:
                continue
        return None

    def _zero(self, watched: _Watched, q: np.ndarray) -> np.ndarray | None:
        """A zero of the singular value from q (nq,); None where the search ends elsewhere."""
        Phi, J, size, gradient = self._smallest(watched, q)
        for count in range(ITERATIONS):
            if size < FOUND and np.max(np.abs(Phi)) < FOUND:
                return q
            if count > STALLED[0] and size > STALLED[1]:
                return None
            step = np.linalg.lstsq(np.vstack([J, gradient]), -np.append(Phi, size), rcond=REGULAR)[0]
            step *= min(1.0, STEP / max(float(np.linalg.norm(step)), 1e-300))
            places = [self.assembler.moved(q, factor * step) for factor in (1, 2)]  # 2: where the zero is double
            trials = [(*self._smallest(watched, place), place) for place in places]
            Phi, J, size, gradient, q = min(trials, key=lambda trial: trial[2] + float(np.linalg.norm(trial[0])))
        return None

    def _smallest(self, watched: _Watched, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
        """Φ, Φq, the singular value that generally differs from zero, and its gradient (n,)."""
        Phi, A = self._numbers(watched, q)
        U, sizes, Vt = np.linalg.svd(A)
        k = watched.rank - 1
        gradient = watched.slope(q, self.assembler.p, U[:, k] / watched.lengths.ravel(), Vt[k])
        return Phi.ravel(), A[: watched.loops], float(sizes[k]), np.array(gradient).ravel()

    def _numbers(self, watched: _Watched, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Φ and A, rows divided by the lengths of those of A."""
        Phi, A = (np.array(x) for x in watched.function(q, self.assembler.p))
        return Phi / watched.lengths[: len(Phi)], A / watched.lengths

    def _branch(self, function: ca.Function, q: np.ndarray) -> np.ndarray | None:
        """A position with Φ = 0 and Φqᵀ μ = 0 for some μ of length 1, from q (nq,)."""
        n, c = self.tree.nv, function.size1_in(2)
        mu = np.linalg.svd(np.array(function(q, self.assembler.p, 0)[1]))[0][:, -1]
        for count in range(ITERATIONS):
            Phi, J, H = (np.array(x) for x in function(q, self.assembler.p, mu))
            residual = np.concatenate([Phi.ravel(), J.T @ mu, [(mu @ mu - 1) / 2]])
            size = np.max(np.abs(residual))
            if size < FOUND:
                return q
            if count > STALLED[0] and size > STALLED[1]:
                return None
            matrix = np.block([[J, np.zeros((c, c))], [H, J.T], [np.zeros((1, n)), mu[None, :]]])
            step = np.linalg.lstsq(matrix, -residual, rcond=REGULAR)[0]
            step *= min(1.0, STEP / max(float(np.linalg.norm(step[:n])), 1e-300))
            q, mu = self.assembler.moved(q, step[:n]), mu + step[n:]
        return None


def _sizes(A: np.ndarray) -> np.ndarray:
    """Singular values."""
    return np.linalg.svd(A, compute_uv=False)
