"""Positions for many targets: from the guess, then from solutions of other targets and from random positions.

Further branches are found by random starts, too. They differ by more than whole turns of angles.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardan.analysis.inverse.solver import PositionSolver
from cardan.frozen import dataclass
from cardan.kinematics.tree import Tree
from cardan.singular.tolerances import SAME

RESTARTS = 16  # random positions from which a target is sought that the guess does not lead to
SURE = 8  # starts per branch without a new one that end a search: one with an average share is missed once in e⁸ = 3000
TURN = 2 * np.pi

Solve = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""What `PositionSolver.solve` is."""


@dataclass(frozen=True)
class Ranges:
    """Where coordinates may be and where random starts are drawn, in the order of q."""

    low: np.ndarray  # smallest allowed values (nq,); −∞ where nothing is demanded
    high: np.ndarray  # largest allowed values (nq,)
    reach: np.ndarray  # random starts lie so far from the guess at most (nq,)
    turning: np.ndarray  # whether a whole turn changes nothing (nq,)

    def turned(self, q: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """Positions (N, nq) with whole turns taken off: the nearest to the guess, or one within the limits."""
        near = q - np.where(self.turning, TURN * np.round((q - guess) / TURN), 0.0)
        up, down = np.ceil((self.low - near) / TURN), np.floor((self.high - near) / TURN)
        turns = np.where(up > 0, up, np.where(down < 0, down, 0.0))
        return near + np.where(self.turning, TURN * turns, 0.0)

    def hold(self, q: np.ndarray) -> np.ndarray:
        """Which positions (N, nq) are within the limits."""
        return np.asarray(np.all((q >= self.low) & (q <= self.high), axis=1))

    def between(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Largest difference (…) of the coordinates of two positions (…, nq), up to whole turns."""
        d = a - b
        d = d - np.where(self.turning, TURN * np.round(d / TURN), 0.0)
        return np.asarray(np.max(np.abs(d), axis=-1, initial=0.0))


@dataclass(frozen=True)
class Found:
    """Positions for N targets."""

    q: np.ndarray  # coordinates (N, nq), nearest ones where no position meets the target
    met: np.ndarray  # whether all equations hold (N,)
    inside: np.ndarray  # whether the coordinates are within their limits (N,)
    ratio: np.ndarray  # smallest independence of an equation from those before it (N,)

    def rows(self, which: np.ndarray) -> Found:
        """The positions `which`, by indices (M,) or by a mask (N,)."""
        return Found(self.q[which], self.met[which], self.inside[which], self.ratio[which])

    def with_rows(self, at: np.ndarray, other: Found) -> Found:
        """The positions with those `at` (M,) replaced by M `other` ones."""
        q, met, inside, ratio = self.q.copy(), self.met.copy(), self.inside.copy(), self.ratio.copy()
        q[at], met[at], inside[at], ratio[at] = other.q, other.met, other.inside, other.ratio
        return Found(q, met, inside, ratio)

    @property
    def good(self) -> np.ndarray:
        """Whether the target is met within the limits (N,)."""
        return self.met & self.inside


@dataclass(frozen=True)
class Search:
    """Targets, guesses, and what random starts need."""

    solver: PositionSolver  # equations of loops and targets
    ranges: Ranges  # where coordinates may be
    y: np.ndarray  # wanted values (N, ny)
    guess: np.ndarray  # coordinates (N, nq)
    seed: int  # of the random starts

    @property
    def tree(self) -> Tree:
        """The mechanism."""
        return self.solver.equations.tree

    def run(self) -> Found:
        """A position for every target."""
        best = self.tried(np.arange(len(self.y)), self.guess)
        if best.good.all():
            return best
        if best.good.any():
            from scipy.spatial import cKDTree

            solved, open_ = np.flatnonzero(best.good), np.flatnonzero(~best.good)
            near = solved[cKDTree(self.y[solved]).query(self.y[open_])[1]]
            best = self._better(best, open_, best.q[near])
        for k in range(RESTARTS):
            open_ = np.flatnonzero(~best.good)
            if not open_.size:
                break
            best = self._better(best, open_, self.drawn(open_, k))
        return best

    def nearer(self, found: Found) -> Found:
        """The positions that were found, moved in their open freedoms to the least change from the guess."""
        at = np.flatnonzero(found.good)
        q = self.solver.closest(found.q[at], self.y[at], self.guess[at])
        moved = Found(q, found.met[at], self.ranges.hold(q), found.ratio[at])
        return found.with_rows(at[moved.inside], moved.rows(moved.inside))

    def tried(self, at: np.ndarray, start: np.ndarray, solve: Solve | None = None) -> Found:
        """Positions for the targets `at` (M,), each from a `start` (M, nq); `solve` in place of the solver's own."""
        q, met, ratio = (solve or self.solver.solve)(start, self.y[at])
        q = self.ranges.turned(self._signed(q, at), self.guess[at])
        return Found(q, met, self.ranges.hold(q), ratio)

    def drawn(self, at: np.ndarray, number: int) -> np.ndarray:
        """Random positions (M, nq) for the targets `at` (M,); another `number` gives others."""
        rng, r = np.random.default_rng([self.seed, number]), self.ranges
        centre = self.guess[at]
        low = np.where(np.isfinite(r.low), r.low, centre - r.reach)
        high = np.where(np.isfinite(r.high), r.high, centre + r.reach)
        low, high = np.minimum(low, high), np.maximum(low, high)
        q = rng.uniform(low, high)
        for four in self._quaternions:
            e = rng.standard_normal((len(at), 4))
            q[:, four] = e / np.linalg.norm(e, axis=1, keepdims=True)
        return np.asarray(q)

    def branches(self, first: Found, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Solutions (N, K, nq) of every target, the one from the guess first, NaN after their number (N,)."""
        N, nq = first.q.shape
        kept, number = np.full((N, 1, nq), np.nan), first.good.astype(int)
        kept[first.good, 0] = first.q[first.good]
        vain, at = np.zeros(N, dtype=int), np.flatnonzero(first.good)
        draw = RESTARTS
        while (at := at[(number[at] < most) & (vain[at] < SURE * np.maximum(number[at], 4))]).size:
            found = self.tried(at, self.drawn(at, draw))
            draw += 1
            same = self.ranges.between(kept[at], found.q[:, None]) < SAME  # False for NaN
            new = found.good & ~same.any(axis=1)
            vain[at] = np.where(new, 0, vain[at] + 1)
            into = at[new]
            if into.size and number[into].max() == kept.shape[1]:
                kept = np.concatenate([kept, np.full((N, 1, nq), np.nan)], axis=1)
            kept[into, number[into]] = found.q[new]
            number[into] += 1
        away = self.ranges.between(kept, self.guess[:, None])
        away[:, 0] = np.where(np.isnan(away[:, 0]), np.nan, -1.0)  # the solution from the guess stays the first
        order = np.argsort(away, axis=1)
        return np.take_along_axis(kept, order[..., None], axis=1), number

    def _better(self, best: Found, at: np.ndarray, start: np.ndarray) -> Found:
        """The better of the positions so far and those from further starts for the targets `at`."""
        new = self.tried(at, start)
        old = best.rows(at)
        take = new.good | (new.met & ~old.met)
        both = ~new.met & ~old.met
        if both.any():
            closer = self._left(new.q[both], at[both]) < self._left(old.q[both], at[both])
            take[np.flatnonzero(both)[closer]] = True
        return best.with_rows(at[take], new.rows(take))

    def _left(self, q: np.ndarray, at: np.ndarray) -> np.ndarray:
        (r,) = self.solver.equations("residual", q, self.y[at], self.solver.p)
        return np.asarray(np.linalg.norm(r, axis=1))

    @property
    def _quaternions(self) -> list[list[int]]:
        """Indices of the coordinates of every quaternion."""
        of_links = ([i for i in link.q if self.tree.coordinates[i].unit == "1"] for link in self.tree.links)
        return [four for four in of_links if four]

    def _signed(self, q: np.ndarray, at: np.ndarray) -> np.ndarray:
        """The same positions, each quaternion with the sign of the guess."""
        for four in self._quaternions:
            q[:, four] *= np.where(np.sum(q[:, four] * self.guess[at][:, four], axis=1) < 0, -1.0, 1.0)[:, None]
        return q
