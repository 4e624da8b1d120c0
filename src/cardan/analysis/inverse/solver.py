"""Many positions at once by Levenberg's method, each from its own guess: SIMD lanes and threads over all of them.

Source: Nocedal & Wright 2006, §10.3 (Levenberg–Marquardt); damping by the residual: Yamashita & Fukushima 2001
"""

import numpy as np

from cardan.analysis.inverse.equations import TargetEquations
from cardan.assembly.assembler import ITERATIONS
from cardan.frozen import dataclass
from cardan.numerics.round_off import NEGLIGIBLE, ROUND_OFF

PLAIN = 8  # steps of all targets together; from a good guess Newton's method needs 4 to 6
SLOW = 0.99  # ratio of residuals of two steps from which on a step is slow
PATIENCE = 3  # slow steps in a row that end a search: it is at a minimum of the residual, not at a zero
STIFFEST = 1e6  # factor on the damping from which on no step helps


@dataclass(frozen=True)
class PositionSolver:
    """The equations of a mechanism with values for its parameters."""

    equations: TargetEquations  # loops and targets
    p: np.ndarray  # values of the parameters
    threads: int | None = None  # of machine code

    def solve(self, guess: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions (N, nq), which of them (N,) meet all equations,
        and the smallest independence (N,) of a row there.
        """
        largest = [np.max(np.abs(part), axis=1, initial=0.0) for part in (guess, y)]
        allowed = ROUND_OFF * (1 + np.maximum(*largest))
        q, found, ratio = self._plainly(guess, y, allowed)
        if not found.all():
            rest = np.flatnonzero(~found)
            q[rest], found[rest], ratio[rest] = self._carefully(guess[rest], y[rest], allowed[rest])
        return q, found, ratio

    def _plainly(
        self, guess: np.ndarray, y: np.ndarray, allowed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A few steps of all targets, without control; a target is found if every step has lowered its residual."""
        q, size = guess, np.full(len(guess), np.inf)
        found, falling, ratio = np.zeros(len(guess), dtype=bool), np.ones(len(guess), dtype=bool), size
        for _ in range(PLAIN):
            new, gap, independence, q = self.equations("advance", q, y, self.p, np.ones(1), threads=self.threads)
            found = falling & (gap[:, 0] <= allowed)
            falling &= found | (new[:, 0] < size)  # False for NaN
            size, ratio = new[:, 0], independence[:, 0]
            if (found | ~falling).all():
                break
        return np.array(q), found, np.array(ratio)

    def _carefully(
        self, guess: np.ndarray, y: np.ndarray, allowed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Levenberg's method with control of the damping, as `solve`; `allowed` (N,) are the gaps of found targets."""
        q, count = guess.copy(), len(guess)
        found, ratio = np.zeros(count, dtype=bool), np.zeros(count)
        at = np.arange(count)  # the searches that go on
        y, accepted, tried = y.copy(), guess.copy(), guess.copy()
        size, k, slow = np.full(count, np.inf), np.ones(count), np.zeros(count, dtype=int)
        for _ in range(ITERATIONS):
            if not at.size:
                break
            new, gap, independence, onward = self.equations(
                "advance", tried, y, self.p, k[:, None], threads=self.threads
            )
            new, gap = new[:, 0], gap[:, 0]
            done = gap <= allowed[at]
            q[at[done]], found[at[done]], ratio[at[done]] = onward[done], True, independence[done, 0]
            again, better = np.isinf(size), new < size  # False for NaN
            slow = np.where(better & ~again, np.where(new > SLOW * size, slow + 1, 0), slow)
            # a step that does not help is repeated from the accepted position, whose size counts as infinite for once
            k = np.where(again, k, np.where(better, np.maximum(0.1 * k, 1.0), 10.0 * k))
            accepted = np.where(better[:, None], tried, accepted)
            tried = np.where(better[:, None], onward, accepted)
            size = np.where(better, new, np.inf)
            stuck = ~done & ((slow >= PATIENCE) | (k > STIFFEST) | (again & ~better))
            q[at[stuck]] = accepted[stuck]
            going = ~(done | stuck)
            if not going.all():
                at, y, accepted, tried = at[going], y[going], accepted[going], tried[going]
                size, k, slow = size[going], k[going], slow[going]
        q[at] = accepted
        return q, found, ratio

    def nearest(self, start: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Positions (N, nq) with closed loops whose distance to the goals is smallest, near the start.

        Each step closes the loops to first order and comes nearer to the goals; then the loops are closed, so that
        positions with closed loops are compared (generalised reduced gradient: Nocedal & Wright 2006, §15.3).
        """
        closing = (
            PositionSolver(TargetEquations(self.equations.tree), self.p, self.threads) if self.equations.loops else None
        )
        no_goals = np.zeros((len(start), 0))
        q = closing.solve(start, no_goals)[0] if closing else start.copy()
        left, k, at = self._left(q, y), np.ones(len(q)), np.arange(len(q))
        for _ in range(ITERATIONS):
            if not at.size:
                break
            (tried,) = self.equations("approach", q[at], y[at], self.p, k[at, None], threads=self.threads)
            closed = np.ones(len(at), dtype=bool)
            if closing:
                tried, closed, _ = closing.solve(tried, no_goals[at])
            new = self._left(tried, y[at])
            better = closed & (new < left[at])
            settled = better & (new > (1 - NEGLIGIBLE) * left[at])
            q[at[better]], left[at[better]] = tried[better], new[better]
            k[at] = np.where(better, np.maximum(0.1 * k[at], 1e-6), 10.0 * k[at])
            at = at[~settled & (k[at] < STIFFEST)]
        return q

    def closest(self, start: np.ndarray, y: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """Positions (N, nq) that meet all equations with the least change from a guess, near the start."""
        q, k, at = start.copy(), np.ones(len(start)), np.arange(len(start))
        counted = [i for i, _ in self.equations.plain]

        def away(places: np.ndarray, which: np.ndarray) -> np.ndarray:
            return np.asarray(np.linalg.norm((places - guess[which])[:, counted], axis=1))

        for _ in range(ITERATIONS):
            if not at.size:
                break
            (tried,) = self.equations("pulled", q[at], y[at], self.p, k[at, None], guess[at], threads=self.threads)
            tried, met, _ = self.solve(tried, y[at])
            old, new = away(q[at], at), away(tried, at)
            better = met & (new < old)
            moved = np.max(np.abs(tried - q[at]), axis=1, initial=0.0)
            q[at[better]] = tried[better]
            k[at] = np.where(better, np.minimum(2 * k[at], 1.0), 0.5 * k[at])
            at = at[(k[at] > 1 / STIFFEST) & ~(better & (moved < NEGLIGIBLE * (1 + old)))]
        return q

    def _left(self, q: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Length (N,) of the goals' part of the residual."""
        (r,) = self.equations("residual", q, y, self.p, threads=self.threads)
        return np.asarray(np.linalg.norm(r[:, self.equations.loops :], axis=1))
