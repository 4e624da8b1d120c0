"""Assembles a mechanism: a position near the guess with closed loops, consistent velocities, independent equations.

Source: Levenberg–Marquardt: Nocedal & Wright 2006, §10.3; its damping: Yamashita & Fukushima 2001, "On the rate of
convergence of the Levenberg–Marquardt method", Computing Suppl. 15:239; rank by neighbours: docs/notation.md §8
"""

from collections.abc import Callable, Iterator, Sequence
from math import log10

import casadi as ca
import numpy as np

from cardan.assembly.branch_velocities import along_branch, other_branch
from cardan.assembly.failures import (
    contradictory_rates,
    does_not_close,
    half_a_turn_off,
    over_determined,
    too_small,
    touches_zero,
)
from cardan.assembly.functions import AssemblyFunctions, damping, distances
from cardan.frozen import dataclass
from cardan.kinematics.tree import Tree
from cardan.numerics.distinct import distinct
from cardan.numerics.largest import largest
from cardan.numerics.least_change import DEPENDENT
from cardan.numerics.rank import DEPENDENT as RANKLESS
from cardan.numerics.rank import (
    damped_least_squares,
    independent_rows,
    least_squares,
    most_independent_rows,
    null_space,
    row_distances,
)
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.system.constrained import DAMPED, NO_CONSTRAINTS, Selection, has_constraints
from cardan.system.inertia_check import without_inertia

ITERATIONS = 200  # largest number of steps of a search; from a good guess Newton's method needs fewer than 20
LONGEST = 0.5  # longest step of a search [rad or m]: a longer one may end on another branch
FLAT = 1e-4  # length of a row of Φq that counts as zero [-]: Φ = x² closed to 1e-9 leaves x = 3e-5, dΦ/dx = 6e-5
REGULAR = FLAT**2  # squared distance of a unit row from the span of the others that counts as independent [-]
NEIGHBOURS = 4  # number of positions at which a rank is computed: the largest one counts if some are singular
TRIES = 12  # number of tries to find them: from a singular position some tries end at that position again
WILD = 1e3  # largest length of a row over the longest row at q [-]: user expressions may be steep in open positions
APART = 1e-3  # smallest distance of a neighbour [rad, m]: nearer to a singular position, round-off decides the rank
SHAKES = (0.01, 0.01, 0.1, 0.1, 0.5, 0.5)  # sizes of random displacements from a guess without a good step [rad, m]


Residuals = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Φ (c,) and Φq (c, n) of coordinates (nq,)."""


@dataclass(frozen=True)
class Velocities:
    """Consistent velocities, and those of the given ones that were changed."""

    v: np.ndarray  # velocities (nv,)
    changed: tuple[tuple[str, float, float], ...]  # name, given value and used value of each changed velocity
    undecided: tuple[str, float, float] | None = None  # name, used value and value on another branch of one not given


@dataclass(frozen=True)
class Assembler:
    """Solves the constraints of a tree for positions and velocities, with the parameters p at time 0."""

    functions: AssemblyFunctions  # functions of the tree
    p: np.ndarray

    @property
    def tree(self) -> Tree:
        """The mechanism."""
        return self.functions.tree

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Φ (c,), Φq (c, n), Φt (c,) at q (nq,)."""
        Phi, Phi_q, Phi_t = self.functions.terms(q, self.p)
        return Phi.ravel(), Phi_q, Phi_t.ravel()

    def inertia(self, q: np.ndarray) -> np.ndarray:
        """M (n, n) at q (nq,)."""
        return self.functions.inertia(q, self.p)[0]

    def moved(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """q (nq,) after the small displacement dv (nv,)."""
        return self.functions.step(q, dv)[0].ravel()

    def position(self, guess: np.ndarray, held: Sequence[int] = (), firm: Sequence[int] = ()) -> np.ndarray:
        """Position (nq,) near the guess in which all equations hold, found without moving along the velocities `held`,
        nor along the `firm` ones where the loops allow it.
        """
        if firm:
            q, gap = self._nearest(guess, [*held, *firm])
            guess = q if gap <= ROUND_OFF * _size(guess) else guess
        best, closed = self.search(guess, held)
        if closed:
            self._check_upright(best)
            self._check_rounding(best)
            return best
        if held:
            self._refuse_held(guess, held)
        raise does_not_close(self.tree, self.functions.labels, self.at(best)[0], best, self.p)

    def nearest(self, guess: np.ndarray) -> tuple[np.ndarray, float]:
        """The position (nq,) nearest to the guess in which all equations without time hold, and the remaining gap.

        Equations with time are left out because they would hold the mechanism where it is at time 0.
        """
        if self.functions.follows_time:
            return self._any_nearest(guess, (), self.functions.without_time)
        return self._nearest(guess, ())

    def velocities(self, q: np.ndarray, wanted: np.ndarray, given: Sequence[int]) -> Velocities:
        """Velocities with Φq v = −Φt: as near as possible to the `given` ones first, then to the other wanted ones."""
        v = self._consistent(q, wanted, given)
        other = None
        if v.any() and not is_regular(self.functions.pivots(q, self.p)[0].ravel()):
            v = along_branch(self, q, v, given)
            other = other_branch(self, q, v, given)
        moved = np.abs(v - wanted) > ROUND_OFF * (1 + np.abs(wanted))
        v = np.where(moved, v, wanted)
        names = [f"{entry.name}.v" for entry in self.tree.velocities]
        changed = tuple((names[k], float(wanted[k]), float(v[k])) for k in given if moved[k])
        if changed or other is None:
            return Velocities(v, changed)
        k = int(np.argmax(np.abs(other - v)))
        return Velocities(v, changed, (names[k], float(v[k]), float(other[k])))

    def _consistent(self, q: np.ndarray, wanted: np.ndarray, given: Sequence[int]) -> np.ndarray:
        """Velocities (nv,) with Φq v = −Φt nearest to the wanted ones, the given ones first."""
        near = self._regular_velocities(q, wanted, given)
        if near is not None:
            return near
        _, J, Phi_t = self.at(q)
        # near a singular position rows may differ by less than the tolerance of the rank
        tries = [least_squares(J, -Phi_t, nothing) for nothing in (RANKLESS, ROUND_OFF)]
        allowed = ROUND_OFF * (1 + largest(Phi_t))
        v = next((v for v in tries if largest(J @ v + Phi_t) <= allowed), None)
        if v is None:
            raise contradictory_rates(self.functions.labels, J @ tries[0] + Phi_t)
        N, given = null_space(J), list(given)
        v = v + N @ least_squares(N[given], (wanted - v)[given])
        rest = N @ null_space(N[given])
        return np.array(v + rest @ least_squares(rest, wanted - v))

    def selection(self, q: np.ndarray) -> Selection:
        """Independent equations, by the rank of Φq at assembled neighbours of q, and how the solve weights them."""
        if not has_constraints(self.tree):
            return NO_CONSTRAINTS
        ratios, inertias = (x.ravel() for x in self.functions.pivots(q, self.p))
        if is_regular(ratios) and is_regular(inertias):
            every = tuple(range(len(ratios)))
            return _selected(every, self.functions.sizes(every, 0.0)(q, self.p)[0].ravel())
        jacobians = [self.at(near)[1] for near in self.neighbours(q)]
        self._check_binding(q, jacobians)
        return self.selection_of(self.most_rows(q, jacobians), q)

    def most_rows(
        self, q: np.ndarray, jacobians: Sequence[np.ndarray], rows: Sequence[int] | None = None
    ) -> tuple[int, ...]:
        """The largest set of equations that is independent at one of several positions around q (nq,)."""
        if rows is not None:
            jacobians = [J[list(rows)] for J in jacobians]
        longest = max(np.max(np.linalg.norm(J, axis=1), initial=0.0) for J in jacobians)
        usual = self.lengths(q) if rows is None else self.lengths(q)[list(rows)]
        lengths = np.fmin(usual, WILD * longest)
        scaled = [_over(J, lengths) for J in jacobians]
        clear = [_has_clear_rank(J, lengths) for J in jacobians]  # q itself may be a singular position
        counted = [J for J, is_clear in zip(scaled, clear, strict=True) if is_clear or not any(clear[1:])]
        sets = [independent_rows(J) for J in counted]
        rank = max(map(len, sets))
        regular = [J for J, kept in zip(counted, sets, strict=True) if len(kept) == rank]
        best = most_independent_rows(regular, rank)
        # on another branch other equations may be redundant: then the first position decides
        everywhere = all(len(independent_rows(J[list(best)])) == rank for J in regular)
        return best if everywhere else most_independent_rows(regular[:1], rank)

    def selection_of(self, kept: Sequence[int], q: np.ndarray) -> Selection:
        """A selection of these equations, which are independent around q (nq,), weighted by row lengths around q."""
        J, M = self.at(q)[1][list(kept)], self.inertia(q)
        weight = 0.0
        if without_inertia(self.tree, M):
            if massless := without_inertia(self.tree, M, J):
                return Selection(tuple(kept), massless=massless)
            weight = _decade((np.trace(M) or 1.0) / np.sum(J**2))  # a driven mechanism may have no inertia at all
        lengths, around = self.functions.sizes(tuple(kept), weight), (q, *self._turned(q))
        return _selected(kept, np.max([lengths(place, self.p)[0].ravel() for place in around], axis=0), weight)

    def _turned(self, q: np.ndarray) -> list[np.ndarray]:
        """Positions with all angles changed at random, loops open: a row that is zero at q has another length there."""
        rng, angular = np.random.default_rng(0), np.array([entry.unit == "rad/s" for entry in self.tree.velocities])
        return [self.moved(q, angular * rng.standard_normal(self.tree.nv)) for _ in range(NEIGHBOURS)]

    def lengths(self, q: np.ndarray) -> np.ndarray:
        """Largest lengths (c, 1) of the rows of Φq at q and at positions turned at random from q."""
        rows = [self.at(place)[1] for place in (q, *self._turned(q))]
        return np.max([np.linalg.norm(J, axis=1, keepdims=True) for J in rows], axis=0)

    def neighbours(self, q: np.ndarray, reach: float = 0.1) -> list[np.ndarray]:
        """q and assembled positions around it, at time 0 or later, not all of them singular."""
        if not self.tree.nv:
            return [q]
        rng, lengths = np.random.default_rng(0), self.lengths(q)
        near: list[np.ndarray] = []
        doubtful: list[np.ndarray] = []
        for _ in range(TRIES):
            other, gap = self.nearest(self.moved(q, reach * rng.standard_normal(self.tree.nv)))
            if gap <= 1e-9 and largest(other - q) > APART:
                (near if _has_clear_rank(self.at(other)[1], lengths) else doubtful).append(other)
            if len(near) == NEIGHBOURS:
                break
        return [q, *(near or self._along_branches(q, reach, lengths) or doubtful[:NEIGHBOURS])]

    def _along_branches(self, q: np.ndarray, reach: float, lengths: np.ndarray) -> list[np.ndarray]:
        """Positions with a clear rank, each reached along a branch of motion from a singular position q (nq,).

        Of many loops in singular positions, random displacements move only some; this method moves one after the other.
        """
        out, N = [], null_space(self.at(q)[1])
        for k in distinct(np.linspace(0, self.tree.nv - 1, NEIGHBOURS, dtype=int)).tolist():
            v = along_branch(self, q, N @ N[k], [k])
            ahead = self.moved(q, reach / max(largest(v), ROUND_OFF) * v)
            other, gap = self.nearest(ahead)
            if gap <= 1e-9 and _has_clear_rank(self.at(other)[1], lengths):
                out.append(other)
        return out

    def _check_rounding(self, q: np.ndarray) -> None:
        """Refuse a position in which more than rounding keeps the equations that are left out from holding."""
        if not self._is_within_rounding(q):
            gaps = self.functions.gaps_of_all(q, self.p)[0].ravel()
            raise does_not_close(self.tree, self.functions.labels, gaps, q, self.p)

    def _is_within_rounding(self, q: np.ndarray) -> bool:
        """Whether the equations that are left out hold up to rounding."""
        if not self.tree.rounded:
            return True
        gaps = self.functions.gaps_of_all(q, self.p)[0].ravel()
        return all(abs(gaps[one.row]) <= one.tolerance * one.size for one in self.tree.rounded)

    def _check_upright(self, q: np.ndarray) -> None:
        """Refuse a closed position in which the joint that closes a loop is turned by half a revolution."""
        for cut, upright in zip(self.tree.cuts, self.functions.upright(q, self.p)[0].ravel(), strict=True):
            if upright < 0:
                raise half_a_turn_off(cut.joint)

    def _check_binding(self, q: np.ndarray, jacobians: Sequence[np.ndarray]) -> None:
        """Refuse an equation whose derivatives are zero wherever it holds but not elsewhere, such as x² = 0."""
        steepest = np.max([np.linalg.norm(J, axis=1) for J in jacobians], axis=0)
        apart = self.at(self.moved(q, LONGEST * np.random.default_rng(0).standard_normal(self.tree.nv)))[0]
        relations = {*self.tree.constraints, *(motion.name for motion in self.tree.motions)}
        large = np.flatnonzero(steepest > RANKLESS).tolist()
        own = np.max([row_distances(J, large) for J in jacobians], axis=0)  # of what the large equations do not imply
        for i, (owner, _) in enumerate(self.functions.labels):
            if owner in relations and steepest[i] < FLAT < abs(apart[i]):
                raise touches_zero(owner)
            if steepest[i] <= RANKLESS and own[i] > ROUND_OFF_OF_SUM:
                raise too_small(owner, float(steepest[i]))

    def search(self, guess: np.ndarray, held: Sequence[int]) -> tuple[np.ndarray, bool]:
        """The position (nq,) with the smallest gap found from the guess, and whether its loops are closed.

        Equations that are left out choose among the positions in which the others hold.
        """
        best, gap = guess, np.inf
        for start in self.starts(guess, held):
            q, left = self._nearest(start, held)
            if left < gap:
                best, gap = q, left
            if left <= ROUND_OFF * _size(guess) and self._is_within_rounding(q):
                return q, True
        return best, gap <= ROUND_OFF * _size(guess)

    def starts(self, guess: np.ndarray, held: Sequence[int]) -> Iterator[np.ndarray]:
        """The guess (nq,), then random places further and further from it along the velocities that are not `held`.

        They are the same ones in every call. Where rounding leaves equations out, the position nearest to all comes
        second: the others alone may lead from the guess to another assembly.
        """
        yield guess
        if self.tree.rounded:
            yield Assembler(self.functions.of_all, self.p).search(guess, held)[0]
        rng = np.random.default_rng(0)
        for size in SHAKES:
            shake = size * rng.standard_normal(self.tree.nv)
            shake[list(held)] = 0
            yield self.moved(guess, shake)

    def _refuse_held(self, guess: np.ndarray, held: Sequence[int]) -> None:
        """Refuse the held coordinates; name the last one, in file order, without which the mechanism closes.

        Coordinates that the closed loops lock anyway are not named.
        """
        without_any, closed = self.search(guess, ())
        if not closed:
            return
        names = [entry.name for entry in self.tree.velocities]
        for group in reversed(list(dict.fromkeys(_group(names[k]) for k in held))):
            q, closed = self.search(guess, [k for k in held if _group(names[k]) != group])
            if closed and self._locked(q, [k for k in held if _group(names[k]) == group]):
                return
            if closed:
                raise over_determined(self.tree, guess, q, group, [names[k] for k in held])
        raise over_determined(self.tree, guess, without_any, "", [names[k] for k in held])

    def _locked(self, q: np.ndarray, velocities: Sequence[int]) -> bool:
        """Whether the directions and lengths of loops in space allow none of some velocities at q (nq,)."""
        cuts = {cut.joint for cut in self.tree.cuts if self.tree.normal is None}
        rows = [i for i, (owner, _) in enumerate(self.functions.labels) if owner in cuts]
        return not np.abs(null_space(self.at(q)[1][rows])[list(velocities)]).max(initial=0.0) > RANKLESS

    def _nearest(self, guess: np.ndarray, held: Sequence[int]) -> tuple[np.ndarray, float]:
        """The nearest position found, and the largest of the `distances` there.

        Levenberg's method with sparse steps as long as they reduce the gap, else Levenberg–Marquardt.
        """
        return self._regular_nearest(guess, held) or self._any_nearest(guess, held)

    def _regular_nearest(self, guess: np.ndarray, held: Sequence[int]) -> tuple[np.ndarray, float] | None:
        """Levenberg's method with sparse steps, damped by |Φ|²; None if a step does not reduce the gap.

        With this damping it converges quadratically even if equations are dependent in closed positions, and ends near
        the guess (Yamashita & Fukushima 2001); without damping it drifts along closed positions to a singular one.
        """
        q, old, w = guess, np.inf, _free(self.tree.nv, held)
        for _ in range(ITERATIONS):
            Phi, dv = (x.ravel() for x in self.functions.closing(q, self.p, w))
            widest, size = largest(Phi), float(np.linalg.norm(Phi))
            if widest < 1e-15 * _size(guess) or (widest < ROUND_OFF and size > 0.9 * old):
                return q, widest
            if not size < old:
                return None
            q, old = self.moved(q, dv * min(1.0, LONGEST / max(largest(dv), 1e-300))), size
        return None

    def _regular_velocities(self, q: np.ndarray, wanted: np.ndarray, given: Sequence[int]) -> np.ndarray | None:
        """Velocities (nv,) nearest to the wanted ones with the given ones kept exactly; None if that may fail."""
        v, w = wanted, _free(self.tree.nv, given)
        for _ in range(3):  # a solve and two refinements
            rate, Phi_t, dv, ratios = (x.ravel() for x in self.functions.moving(q, self.p, w, v))
            if largest(rate) <= 0.1 * ROUND_OFF * (1 + largest(Phi_t)):
                return np.where(np.abs(v - wanted) > ROUND_OFF * (1 + np.abs(wanted)), v, wanted)
            if not _clear(ratios):
                return None
            v = v + dv
        return None

    def _any_nearest(
        self, guess: np.ndarray, held: Sequence[int], rows: Sequence[int] | None = None
    ) -> tuple[np.ndarray, float]:
        """Levenberg–Marquardt from the guess; ends where the equations, or some `rows`, hold or no step helps."""
        counted = slice(None) if rows is None else list(rows)

        def at(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            Phi, J, _ = self.at(q)
            return Phi[counted], J[counted]

        q = self.descended(guess, held, at)
        Phi, J = at(q)
        return q, largest(distances(ca.DM(Phi), ca.DM(J)).full())

    def descended(self, guess: np.ndarray, held: Sequence[int], at: Residuals) -> np.ndarray:
        """The position (nq,) to which Levenberg–Marquardt leads: equations hold there, or no step helps."""
        q, mu = guess, 0.0
        free = [k for k in range(self.tree.nv) if k not in set(held)]
        Phi, J = at(q)
        for _ in range(ITERATIONS):
            if not (np.isfinite(Phi).all() and np.isfinite(J).all()):
                break
            if largest(Phi) < 1e-15 * _size(guess) or not free:
                break
            dv = np.zeros(self.tree.nv)
            dv[free] = damped_least_squares(J[:, free], -Phi, max(mu, float(damping(ca.DM(Phi), ca.DM(J)))))
            q_new = self.moved(q, dv * min(1.0, LONGEST / max(largest(dv), 1e-300)))
            Phi_new, J_new = at(q_new)
            if np.linalg.norm(Phi_new) < np.linalg.norm(Phi):
                small = np.linalg.norm(Phi_new) > 0.9 * np.linalg.norm(Phi) and mu == 0
                q, Phi, J, mu = q_new, Phi_new, J_new, 0.1 * mu if mu > 1e-10 else 0.0
                if small and largest(Phi) < ROUND_OFF:
                    break
            else:
                mu = max(10 * mu, 1e-6)
                if mu > 1e6 or largest(Phi) < 1e-14 * _size(guess):
                    break
        return q


def _has_clear_rank(J: np.ndarray, lengths: np.ndarray) -> bool:
    """Whether each row (c, n), divided by its usual length (c, 1), is clearly independent or clearly dependent.

    A position is closed to round-off ε. At the distance s from a singular position, a row that depends on the others
    differs from their combination by ε/s.
    """
    sizes = np.linalg.svd(_over(J, lengths), compute_uv=False)
    return not np.any((sizes > 0.1 * RANKLESS) & (sizes < FLAT))


def _over(J: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Rows (c, n) divided by their usual lengths (c, 1): a row that is nearly zero here is small in any unit."""
    return np.array(J / np.where(lengths > ROUND_OFF, lengths, 1.0))


def is_regular(ratios: np.ndarray) -> bool:
    """Whether all ratios of pivot to diagonal entry are so large that the matrix has full rank."""
    return bool(np.min(ratios, initial=1.0) > REGULAR)  # False for NaN


def _clear(ratios: np.ndarray) -> bool:
    """Whether every row is either far from the span of the others or within it."""
    return bool(np.all((ratios > REGULAR) | (ratios <= DEPENDENT)))  # False for NaN


def _free(n: int, held: Sequence[int]) -> np.ndarray:
    """Weights of n entries: 1 for an entry that may change, 0 for a held one."""
    w = np.ones(n)
    for k in held:
        w[k] = 0.0
    return w


def _selected(kept: Sequence[int], sizes: np.ndarray, weight: float = 0.0) -> Selection:
    """The selection of the equations `kept`, with the squared lengths of their rows."""
    return Selection(tuple(kept), tuple(_decade(x) for x in (DAMPED * sizes).tolist()), weight)


def _decade(x: float) -> float:
    """The power of ten nearest to x: rounded weights let all positions share one compiled program."""
    return float(f"1e{round(log10(x))}") if x > 0 else 0.0


def _group(name: str) -> str:
    """Name of the group of velocities that are held together: a coordinate, or the joint of a quaternion."""
    joint, dot, component = name.rpartition(".")
    return joint if dot and component in ("wx", "wy", "wz") else name


def _size(q: np.ndarray) -> float:
    return 1.0 + largest(q)
