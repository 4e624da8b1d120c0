"""Puts a mechanism together: a position near the guess where all loops close, consistent velocities, independent rows.

Source: Levenberg–Marquardt: Nocedal & Wright 2006, §10.3; its damping: Yamashita & Fukushima 2001, "On the rate of
convergence of the Levenberg–Marquardt method", Computing Suppl. 15:239; rank by neighbours: docs/notation.md §8
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log10

import casadi as ca
import numpy as np

from cardan.formulations import composite_body
from cardan.kinematics.constraints import constraint_rows, constraint_terms, follows_time
from cardan.kinematics.motion import coordinate_rate, motion, normalised
from cardan.kinematics.tree import Number, Tree
from cardan.numerics import sparse_ldl
from cardan.numerics.entries import column
from cardan.numerics.least_change import DEPENDENT, least_change
from cardan.numerics.numbers import Numbers
from cardan.numerics.rank import DEPENDENT as RANKLESS
from cardan.numerics.rank import damped_least_squares, independent_rows, least_squares, null_space
from cardan.system.assembly_failure import contradictory_rates, does_not_close, over_determined, touches_zero
from cardan.system.branch_velocities import along_branch
from cardan.system.constrained import NO_CONSTRAINTS, Selection, has_constraints
from cardan.system.inertia_check import SINGULAR, no_inertia, smallest_inertia

__all__ = ["Assembler", "AssemblyFunctions", "Velocities"]

CLOSED = 1e-12  # residual of an assembled position, per unit of its size: a few thousand round-offs
CONSISTENT = 1e-12  # of velocities: a few thousand round-offs
ITERATIONS = 200  # from a guess within reach Newton needs fewer than 20
LONGEST = 0.5  # step [rad or m]: a longer one may lead to another branch
DAMPED = 1e-10  # of a row's pivot: exact to round-off where the pivot is 1e-2 of it, bounded at singular positions
FLAT = 1e-4  # of derivatives: a square is closed to 1e-9 where its root, and half its derivative, is 3e-5
DAMPING = 0.1  # of the square of the longest row of Φq, at most, where a search is far from a closed position
NO_INERTIA = 1e-300  # stands for 0 [kg, kg m²]
REGULAR = FLAT**2  # square of the distance of a row from the span of others: far from DEPENDENT²
NEIGHBOURS = 4  # positions at which a rank is taken; one singular by chance among them does no harm
TRIES = 12  # at them: from a singular position some lead back to it
APART = 1e-3  # from the position [rad, m]: nearer to a singular one, round-off tells the rank
SHAKES = (0.01, 0.01, 0.1, 0.1, 0.5, 0.5)  # moves away from a guess in which no small step helps, such as links in line


@dataclass(frozen=True)
class Velocities:
    """Consistent velocities, and what had to be changed for them."""

    v: np.ndarray  # (nv,)
    changed: tuple[tuple[str, float, float], ...]  # name, given, used


@dataclass(frozen=True)
class AssemblyFunctions:
    """What an assembly evaluates, made once for a tree."""

    tree: Tree

    @cached_property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """(owner, component) of every equation."""
        nothing = ca.DM.zeros(len(self.tree.currents))
        neutral = motion(self.tree, ca.SX(ca.DM(self.tree.neutral)), ca.SX(self.tree.nv, 1), t=0, z=nothing)
        return tuple((row.owner, row.component) for row in constraint_rows(self.tree, neutral))

    @cached_property
    def terms(self) -> Numbers:
        """(Φ, Φq, Φt, M) of (q, p) at time 0, dense."""
        return self._function(*self._at_start)

    @cached_property
    def closing(self) -> Numbers:
        """(Φ, dv) of (q, p, w): the damped `least_change` dv by which Φ nearly vanishes to first order, weights w."""
        Phi, Phi_q, _, _ = self._at_start
        w = ca.SX.sym("w", self.tree.nv)
        longest = ca.fmax(ca.mmax(ca.sum2(Phi_q**2)), NO_INERTIA)
        dv, _ = least_change(Phi_q, w, -Phi, ca.fmin(ca.sumsqr(Phi) / longest, DAMPING))
        return self._function(Phi, dv, inputs=[w])

    @cached_property
    def moving(self) -> Numbers:
        """(Φ̇, Φt, dv, ratios) of (q, p, w, v): `least_change` dv by which Φ̇ vanishes, weights w."""
        _, Phi_q, Phi_t, _ = self._at_start
        w, v = ca.SX.sym("w", self.tree.nv), ca.SX.sym("v", self.tree.nv)
        rate = Phi_q @ v + Phi_t
        return self._function(rate, Phi_t, *least_change(Phi_q, w, -rate), inputs=[w, v])

    @cached_property
    def turning(self) -> Numbers:
        """(γ, what no accelerations reach of it) of (q, p, v) at time 0."""
        gamma, Phi_q, v = self._turning
        change, _ = least_change(Phi_q, ca.SX.ones(self.tree.nv), gamma)
        return self._function(gamma, gamma - Phi_q @ change, inputs=[v])

    @cached_property
    def bending(self) -> Numbers:
        """(γ, its derivatives by v) of (q, p, v) at time 0."""
        gamma, _, v = self._turning
        return self._function(gamma, ca.jacobian(gamma, v), inputs=[v])

    @cached_property
    def pivots(self) -> Numbers:
        """(ratios, sizes, inertias) of (q, p): pivots of Φq Φqᵀ over its diagonal, of Φq M⁻¹ Φqᵀ and of M alike."""
        _, Phi_q, _, M = self._at_start
        ratios = least_change(Phi_q, ca.SX.ones(self.tree.nv), ca.SX(Phi_q.shape[0], 1))[1]
        factors = sparse_ldl.factor(M, composite_body.elimination_order(self.tree))
        inertias = [1 / (factors.D_inverse[k] * ca.fmax(M[k, k], NO_INERTIA)) for k in range(self.tree.nv)]
        return self._function(ratios, sparse_ldl.inverse_sizes(factors, Phi_q), column(inertias))

    @cached_property
    def _symbols(self) -> Number:
        return ca.SX.sym("q", self.tree.nq)

    @cached_property
    def _turning(self) -> tuple[Number, Number, Number]:
        """(γ, Φq, v) at time 0, sparse; v are its symbols."""
        tree, t, v = self.tree, ca.SX.sym("t"), ca.SX.sym("v", self.tree.nv)
        parts = constraint_terms(tree, motion(tree, self._symbols, v, t=t, z=ca.DM.zeros(len(tree.currents))))
        gamma, Phi_q = ca.substitute([ca.SX(parts.gamma), ca.SX(parts.Phi_q)], [t], [ca.SX(0)])
        return gamma, Phi_q, v

    @cached_property
    def _at_start(self) -> tuple[Number, Number, Number, Number]:
        """(Φ, Φq, Φt, M) at time 0, sparse."""
        tree, t, v = self.tree, ca.SX.sym("t"), ca.SX.sym("v", self.tree.nv)
        state = motion(tree, self._symbols, v, t=t, z=ca.DM.zeros(len(tree.currents)))
        parts = constraint_terms(tree, state)
        outputs = [ca.SX(x) for x in (parts.Phi, parts.Phi_q, parts.Phi_t, composite_body.mass_matrix(tree, state))]
        Phi, Phi_q, Phi_t, M = ca.substitute(outputs, [t, v], [ca.SX(0), ca.SX.zeros(tree.nv)])
        return Phi, Phi_q, Phi_t, M

    def _function(self, *results: Number, inputs: Sequence[Number] = ()) -> Numbers:
        dense = [ca.densify(ca.SX(result)) for result in results]
        return Numbers(ca.Function("assembly", [self._symbols, self.tree.p, *inputs], dense))

    @cached_property
    def moves_by_itself(self) -> bool:
        """Whether time or velocities stand in an equation, so that a mechanism without any freedom may still move."""
        tree = self.tree
        t, q, v = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
        return follows_time(tree, motion(tree, q, v, t=t, z=ca.DM.zeros(len(tree.currents))))

    @cached_property
    def step(self) -> Numbers:
        """q moved by dv (nv,)."""
        q, dv = ca.SX.sym("q", self.tree.nq), ca.SX.sym("dv", self.tree.nv)
        moved = ca.SX(normalised(self.tree, q + coordinate_rate(self.tree, q, dv)))
        return Numbers(ca.Function("step", [q, dv], [ca.densify(moved)]))


@dataclass(frozen=True)
class Assembler:
    """Numbers of the constraints of a tree, at the parameters p and time 0."""

    functions: AssemblyFunctions  # of the tree
    p: np.ndarray

    @property
    def tree(self) -> Tree:
        """The mechanism."""
        return self.functions.tree

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Φ (c,), Φq (c, n), Φt (c,), M (n, n) at q (nq,)."""
        Phi, Phi_q, Phi_t, M = self.functions.terms(q, self.p)
        return Phi.ravel(), Phi_q, Phi_t.ravel(), M

    def moved(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """q (nq,) after the small displacement dv (nv,)."""
        return self.functions.step(q, dv)[0].ravel()

    def position(self, guess: np.ndarray, held: Sequence[int] = ()) -> np.ndarray:
        """Position (nq,) near the guess in which all equations hold; the velocities' entries `held` do not move.

        Raises
        ------
        AssemblyError
            There is none. The message names the equation with the widest gap and the nearest position, or, where it is
            for too many held coordinates, one that has to be released.
        """
        best, closed = self._search(guess, held)
        if closed:
            return best
        if held:
            self._refuse_held(guess, held)
        raise does_not_close(self.tree, self.functions.labels, self.at(best)[0], best)

    def velocities(self, q: np.ndarray, wanted: np.ndarray, given: Sequence[int]) -> Velocities:
        """Velocities with Φq v = −Φt that keep those `given` as nearly as can be, and then the others.

        Parameters
        ----------
        q : assembled coordinates (nq,).
        wanted : velocities (nv,) to be kept.
        given : entries of them that come first.

        Raises
        ------
        AssemblyError
            There are none: equations that follow time contradict each other.
        """
        v = self._consistent(q, wanted, given)
        if v.any() and not _regular(self.functions.pivots(q, self.p)[0].ravel()):
            v = along_branch(self, q, v, given)
        moved = np.abs(v - wanted) > CONSISTENT * (1 + np.abs(wanted))
        v = np.where(moved, v, wanted)
        names = [entry.name for entry in self.tree.velocities]
        return Velocities(v, tuple((f"{names[k]}.v", float(wanted[k]), float(v[k])) for k in given if moved[k]))

    def _consistent(self, q: np.ndarray, wanted: np.ndarray, given: Sequence[int]) -> np.ndarray:
        """Velocities (nv,) with Φq v = −Φt, nearest to those wanted, as `velocities` has it."""
        near = self._regular_velocities(q, wanted, given)
        if near is not None:
            return near
        _, J, Phi_t, _ = self.at(q)
        v = least_squares(J, -Phi_t, RANKLESS)
        if _largest(J @ v + Phi_t) > CONSISTENT * (1 + _largest(Phi_t)):
            raise contradictory_rates(self.functions.labels, J @ v + Phi_t)
        N, given = null_space(J), list(given)
        v = v + N @ least_squares(N[given], (wanted - v)[given])
        rest = N @ null_space(N[given])
        return np.array(v + rest @ least_squares(rest, wanted - v))

    def selection(self, q: np.ndarray) -> Selection:
        """Independent equations, by their rank at re-assembled neighbours of q, and the form that the solve takes."""
        if not has_constraints(self.tree):
            return NO_CONSTRAINTS
        ratios, sizes, inertias = (x.ravel() for x in self.functions.pivots(q, self.p))
        if _regular(ratios) and _regular(inertias):
            return _selected(range(len(sizes)), sizes)
        places = self.neighbours(q)
        jacobians = [self.at(near)[1] for near in places]
        self._check_binding(q, jacobians)
        return self._solved(max(map(independent_rows, jacobians), key=len), places)

    def selection_of(self, kept: Sequence[int], q: np.ndarray) -> Selection:
        """These equations, which are independent around q (nq,), and the form that the solve takes.

        Parameters
        ----------
        kept : numbers of the equations.
        q : a position on the way of a motion.
        """
        return self._solved(kept, self.neighbours(q))

    def _solved(self, kept: Sequence[int], places: Sequence[np.ndarray]) -> Selection:
        """The form that the solve takes with the equations `kept` at the first of these places, and around it."""
        _, J, _, M = self.at(places[0])
        J = J[list(kept)]
        weight = 0.0
        if smallest_inertia(M)[0] < SINGULAR:
            self._check_inertia(M, J)
            weight = _decade(np.trace(M) / np.sum(J**2))
        around = [places[0], *self._turned(places[0])]
        sizes = np.max([self._sizes(place, kept, weight) for place in around], axis=0)
        return _selected(kept, sizes, weight)

    def _sizes(self, q: np.ndarray, kept: Sequence[int], weight: float) -> np.ndarray:
        """Squared lengths of the rows of Φq in the metric of M⁻¹; some vanish where all links are in line."""
        _, J, _, M = self.at(q)
        J = J[list(kept)]
        return np.einsum("ij,ij->i", J, np.linalg.solve(M + weight * J.T @ J, J.T).T)

    def _turned(self, q: np.ndarray) -> list[np.ndarray]:
        """Positions, not assembled, with all angles turned at random: rows that vanish at q have their length there."""
        rng, angular = np.random.default_rng(0), np.array([entry.unit == "rad/s" for entry in self.tree.velocities])
        return [self.moved(q, angular * rng.standard_normal(self.tree.nv)) for _ in range(NEIGHBOURS)]

    def neighbours(self, q: np.ndarray, reach: float = 0.1) -> list[np.ndarray]:
        """q and assembled positions around it that are not all special.

        Parameters
        ----------
        q : assembled coordinates (nq,).
        reach : how far each coordinate is moved before, in the mean square [rad, m].
        """
        rng, near = np.random.default_rng(0), []
        for _ in range(TRIES):
            other, gap = self._nearest(self.moved(q, reach * rng.standard_normal(self.tree.nv)), ())
            if gap <= 1e-9 and _largest(other - q) > APART:
                near.append(other)
            if len(near) == NEIGHBOURS:
                break
        return [q, *near]

    def _check_binding(self, q: np.ndarray, jacobians: Sequence[np.ndarray]) -> None:
        """Refuse an equation whose derivatives vanish wherever it holds, though it does not hold everywhere."""
        steepest = np.max([np.linalg.norm(J, axis=1) for J in jacobians], axis=0)
        apart = self.at(self.moved(q, 0.1 * np.random.default_rng(0).standard_normal(self.tree.nv)))[0]
        for i, (owner, _) in enumerate(self.functions.labels):
            if owner in self.tree.constraints and steepest[i] < FLAT < abs(apart[i]):
                raise touches_zero(owner)

    def _check_inertia(self, M: np.ndarray, J: np.ndarray) -> None:
        """Refuse a mass matrix that is singular on the motions that the constraints allow."""
        allowed = null_space(J)
        size, direction = smallest_inertia(allowed.T @ M @ allowed)
        if allowed.size and size < SINGULAR:
            k = int(np.argmax(np.abs(allowed @ direction)))
            raise no_inertia(self.tree.velocities[k].name)

    def _search(self, guess: np.ndarray, held: Sequence[int]) -> tuple[np.ndarray, bool]:
        """The position with the smallest gap that is found from the guess, and whether it is closed."""
        best, gap = guess, np.inf
        for start in self._starts(guess, held):
            q, left = self._nearest(start, held)
            if left < gap:
                best, gap = q, left
            if gap <= CLOSED * _size(guess):
                return best, True
        return best, False

    def _starts(self, guess: np.ndarray, held: Sequence[int]) -> Iterator[np.ndarray]:
        """The guess, then the same places each time, further and further from it."""
        yield guess
        rng = np.random.default_rng(0)
        for size in SHAKES:
            shake = size * rng.standard_normal(self.tree.nv)
            shake[list(held)] = 0
            yield self.moved(guess, shake)

    def _refuse_held(self, guess: np.ndarray, held: Sequence[int]) -> None:
        """Name a coordinate among those held without which the mechanism closes: the last one, in file order."""
        without_any, closed = self._search(guess, ())
        if not closed:
            return
        names = [entry.name for entry in self.tree.velocities]
        for group in reversed(list(dict.fromkeys(_group(names[k]) for k in held))):
            q, closed = self._search(guess, [k for k in held if _group(names[k]) != group])
            if closed:
                raise over_determined(self.tree, guess, q, group, [names[k] for k in held])
        raise over_determined(self.tree, guess, without_any, "", [names[k] for k in held])

    def _nearest(self, guess: np.ndarray, held: Sequence[int]) -> tuple[np.ndarray, float]:
        """The next position, and the largest |Φ| there.

        By sparse steps while they help, else by those of Levenberg and Marquardt.
        """
        return self._regular_nearest(guess, held) or self._any_nearest(guess, held)

    def _regular_nearest(self, guess: np.ndarray, held: Sequence[int]) -> tuple[np.ndarray, float] | None:
        """Levenberg's method with sparse steps, damped by |Φ|²; None where a step does not help.

        So damped it converges as Newton's method, also where equations depend on others only in closed positions, and
        ends near the guess (Yamashita & Fukushima 2001); undamped it runs along such positions to a singular one.
        """
        q, old, w = guess, np.inf, _free(self.tree.nv, held)
        for _ in range(ITERATIONS):
            Phi, dv = (x.ravel() for x in self.functions.closing(q, self.p, w))
            widest, size = _largest(Phi), float(np.linalg.norm(Phi))
            if widest < 1e-15 * _size(guess) or (widest < CLOSED and size > 0.9 * old):
                return q, widest
            if not size < old:
                return None
            q, old = self.moved(q, dv * min(1.0, LONGEST / max(_largest(dv), 1e-300))), size
        return None

    def _regular_velocities(self, q: np.ndarray, wanted: np.ndarray, given: Sequence[int]) -> np.ndarray | None:
        """Velocities (nv,) next to those wanted that keep those `given` exactly; None where there may be none."""
        v, w = wanted, _free(self.tree.nv, given)
        for _ in range(3):  # a step and its refinement
            rate, Phi_t, dv, ratios = (x.ravel() for x in self.functions.moving(q, self.p, w, v))
            if _largest(rate) <= 0.1 * CONSISTENT * (1 + _largest(Phi_t)):
                return np.where(np.abs(v - wanted) > CONSISTENT * (1 + np.abs(wanted)), v, wanted)
            if not _clear(ratios):
                return None
            v = v + dv
        return None

    def _any_nearest(self, guess: np.ndarray, held: Sequence[int]) -> tuple[np.ndarray, float]:
        """Levenberg–Marquardt from the guess; ends where the equations hold or nothing gets better."""
        q, mu = guess, 0.0
        free = [k for k in range(self.tree.nv) if k not in set(held)]
        Phi, J, _, _ = self.at(q)
        for _ in range(ITERATIONS):
            if not (np.isfinite(Phi).all() and np.isfinite(J).all()):
                break
            if _largest(Phi) < 1e-15 * _size(guess) or not free:
                break
            dv = np.zeros(self.tree.nv)
            dv[free] = damped_least_squares(J[:, free], -Phi, max(mu, _damping(Phi, J)))
            q_new = self.moved(q, dv * min(1.0, LONGEST / max(_largest(dv), 1e-300)))
            Phi_new, J_new, _, _ = self.at(q_new)
            if np.linalg.norm(Phi_new) < np.linalg.norm(Phi):
                small = np.linalg.norm(Phi_new) > 0.9 * np.linalg.norm(Phi) and mu == 0
                q, Phi, J, mu = q_new, Phi_new, J_new, 0.1 * mu if mu > 1e-10 else 0.0
                if small and _largest(Phi) < CLOSED:
                    break
            else:
                mu = max(10 * mu, 1e-6)
                if mu > 1e6 or _largest(Phi) < 1e-14 * _size(guess):
                    break
        return q, _largest(Phi)


def _regular(ratios: np.ndarray) -> bool:
    """Whether all pivots over their diagonals are so large that the matrix has full rank."""
    return bool(np.min(ratios, initial=1.0) > REGULAR)  # a NaN is not


def _clear(ratios: np.ndarray) -> bool:
    """Whether every row is far from the span of others or within it."""
    return bool(np.all((ratios > REGULAR) | (ratios <= DEPENDENT)))  # a NaN is neither


def _damping(Phi: np.ndarray, J: np.ndarray) -> float:
    """|Φ|², at most DAMPING of the longest row of Φq: Levenberg's method then ends near where it starts."""
    return min(float(Phi @ Phi), DAMPING * float(np.max(np.sum(J**2, axis=1))))


def _free(n: int, held: Sequence[int]) -> np.ndarray:
    """1 for each of n entries that may change, 0 for those held."""
    w = np.ones(n)
    for k in held:
        w[k] = 0.0
    return w


def _selected(kept: Sequence[int], sizes: np.ndarray, weight: float = 0.0) -> Selection:
    """These equations, with the squared lengths of their rows."""
    return Selection(tuple(kept), tuple(_decade(x) for x in (DAMPED * sizes).tolist()), weight)


def _decade(x: float) -> float:
    """The power of ten next to x: sizes that need no digits must not make another program for each position."""
    return float(f"1e{round(log10(x))}") if x > 0 else 0.0


def _group(name: str) -> str:
    """What is held or released together: a coordinate, or the orientation of a joint with a quaternion."""
    joint, dot, component = name.rpartition(".")
    return joint if dot and component in ("wx", "wy", "wz") else name


def _size(q: np.ndarray) -> float:
    return 1.0 + _largest(q)


def _largest(x: np.ndarray) -> float:
    """max |x|, 0 if it is empty."""
    return float(np.abs(x).max(initial=0.0))
