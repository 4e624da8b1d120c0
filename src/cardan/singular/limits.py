"""Accelerations and multipliers along a run whose loops are closed, singular positions included.

In a singular position Φq has a lower rank than beside it: the equations of motion leave accelerations and multipliers
open there that have a limit along the motion. So both are taken from the positions around, through which the motion
comes and goes, and multipliers are completed by what balances the accelerations there, Φqᵀ λ = M v̇ + h − τ.
Where that has no finite solution, multipliers grow without bound on the way there, and are NaN.

Source: Haug 1989, eq. 11.3.6 (the equations); Bayo & Avello 1994, "Singularity-free augmented Lagrangian algorithms for
constrained multibody dynamics", Nonlinear Dynamics 5:209 (what they lack in singular positions)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.independent_coordinates import Embedding
from cardan.functions.system_functions import SystemFunctions, functions_of
from cardan.numerics.rank import least_squares
from cardan.singular.closure import CLOSED
from cardan.system.constrained import NO_CONSTRAINTS

__all__ = ["Complete", "Rows", "Solutions"]

Array = np.ndarray
Rows = tuple[Array, Array, Array, Array]
"""t (N,), x (N, nx), u (N, m), p of N instants."""
Complete = Callable[[Rows, Array], Array]
"""Solutions (N, nv + c) in place of others, with the multipliers that are meant among those of one motion."""

NEAR = 5e-3  # distance to a singular position below which the damping of its equations shows in their solution, 2e-11
PLACES = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])  # of positions around
SIX = np.array([0.1, -0.6, 1.5, 1.5, -0.6, 0.1]) / 2  # of them: the even polynomial of degree 4 through them, at 0
FOUR = np.array([0.0, -1.0, 4.0, 4.0, -1.0, 0.0]) / 6  # the same of degree 2 through the inner four
FIRST = 0.02  # from one to the next: first in the fastest coordinate [rad, m], then in distance [-]
TRIES = 12  # at this way
LESS, MORE = 0.25, 1.5  # of the way, where loops do not close and where the places are too near, at least
ASIDE = 0.5  # of the way from a place to where the loops close, at most: what is further away is elsewhere
SMOOTH = 1e-5  # of accelerations, by which polynomials of degree 2 and 4 differ: the latter's errors are some 1e-7 then
ROUGH = 0.1  # the same, from which on polynomials tell nothing
NEARLY = 0.1  # singular values, of the largest, of loops that are singular, or nearly
BOUND = 1e-10  # of the largest derivative, from which on an equation binds a velocity; less is round-off
TINY = 1e-9  # of the way, for a division
CLOSINGS = 6  # Newton steps that close the loops around: each squares what is lacking, a thousandth of the way
STILL = 1e-9  # velocities without a direction [SI units of each]
LOOSE = 1e-2  # singular values of Φq, of the largest, below which multipliers are those of the positions around
TOLD = 1e-7  # the same, above which the equations themselves tell accelerations, to 1e-2 or better
NOTHING = 1e-13  # the same, where they are not: below that they are round-off
EXACT = 1e-7  # of accelerations: so well the positions around tell them
UNBOUND = 1e-5  # the same where multipliers grow without bound: so exact are velocities 1e-6 rad from there
BALANCED = 1e-10  # of the efforts: a tenth of what reactions are to balance them to
ROUNDOFF = 1e-14  # of what multipliers carry: some fifty of its digits' last


@dataclass(frozen=True)
class Solutions:
    """Accelerations and multipliers of one run.

    Parameters
    ----------
    functions : of the system, which has constraints.
    assembly : functions of its assembly.
    branch : the straight branch of the run, if it was integrated on one.
    passes : whether states are held on the constraints, so that the motion goes through singular positions.
    """

    functions: SystemFunctions
    assembly: AssemblyFunctions
    branch: Embedding | None
    passes: bool

    def at(self, rows: Rows, complete: Complete) -> Array:
        """v̇ and λ (N, nv + c) at some instants; λ is NaN where it grows without bound.

        Parameters
        ----------
        rows : the instants.
        complete : gives the multipliers that are meant where equations are redundant.
        """
        found, distance = self._solved(rows, complete, rows[0])
        for k in np.flatnonzero(distance < NEAR).tolist():
            here = _instant(rows, k)
            beside = self._beside(here, found[k], complete)
            if beside is not None:
                found[k] = self._continued(here, found[k], beside)
        return found

    def on_branch(self, rows: Rows, branch: Embedding) -> Array:
        """Accelerations (N, nv) on the straight branch of the run, where nothing is singular.

        Parameters
        ----------
        rows : the instants.
        branch : the straight branch.
        """
        (t, x, u, p), system = rows, self.functions.system
        expressions = tuple(self.functions.expressions.items())
        functions = functions_of(system.model, system.motors, expressions, NO_CONSTRAINTS, branch.pattern)
        return functions.batch("accelerations")(t, branch.reduced(x), u, np.append(p, branch.sizes))[0]

    def _solved(self, rows: Rows, complete: Complete, now: Array) -> tuple[Array, Array]:
        """What the equations say (N, nv + c) under the forces of the instants `now` (N,), and the distances to singular
        positions (N,), ∞ where nobody asks.
        """
        t, x, u, p = rows
        a, lam, nearness = self.functions.batch("solution")(t, x, np.column_stack([u, now]), p)
        found = complete((now, x, u, p), np.hstack([a, lam]))
        if self.branch is not None:
            found[:, : a.shape[1]] = self.on_branch(rows, self.branch)
        return found, nearness[:, 0] if self.passes else np.full(len(a), np.inf)

    def _beside(self, here: Rows, own: Array, complete: Complete) -> Array | None:
        """The solution (nv + c,) that those before and behind an instant lead to, else what the equations say without
        damping; None where neither can be told.
        """
        tree = self.functions.system.tree
        v = here[1][0, tree.nq : tree.nq + tree.nv]
        if self._speed(here) < STILL and not self.assembly.follows_time:  # at rest accelerations tell the way
            first = self._undamped(here, complete) if self.branch is None else own
            if first is None:
                return None
            v = first[: tree.nv]
        around = self._around(here, v, complete) if np.max(np.abs(v)) >= STILL else None
        return self._undamped(here, complete) if around is None else around

    def _around(self, here: Rows, v: Array, complete: Complete) -> Array | None:
        """The solution (nv + c,) that those before and behind an instant along v (nv,) lead to; None where they do not
        tell.
        """
        nv, speed, fastest = len(v), self._speed(here), float(np.max(np.abs(v)))
        apart, part, best, least = FIRST / fastest, None, None, ROUGH
        for _ in range(TRIES):
            rows, found, distance = self._along(here, v, apart, complete)
            if not np.isfinite(found).all():
                apart *= LESS
                continue
            near = np.min(distance) < NEAR
            if not near:
                four, six = FOUR @ found, SIX @ found
                size = float(np.max(np.abs(found[:, :nv]))) + speed**2
                rough = float(np.max(np.abs((six - four)[:nv]))) / size
                if rough < least:
                    best, least = np.array(six), rough
                if rough <= SMOOTH:
                    break
            if part is None:
                part = self._singular_part(here, rows)
                alone = float(np.max(np.abs(v[part]), initial=0.0))
                if alone < STILL:
                    return None
                if v[~part].any():
                    v, apart = np.where(part, v, 0.0), apart * fastest / alone
                    continue
            if near:
                apart *= float(np.clip(FIRST * PLACES[-1] / max(np.max(distance), TINY), MORE, 1 / TINY))
            else:
                apart *= 2 * LESS
        return best

    def _undamped(self, here: Rows, complete: Complete) -> Array | None:
        """What the equations say without damping (nv + c,), to round-off over the square of the distance; None if it is
        too near.
        """
        nv, kept = self.functions.system.tree.nv, list(self.functions.system.choice.kept)
        J = self.functions.distribution("world").at(*here)[0].dense()[0]
        sizes = np.linalg.svd(J[kept], compute_uv=False)
        if not sizes[-1] > TOLD * sizes[0]:
            return None
        bias, *inertia = self._efforts(here, np.vstack([np.zeros(nv), np.eye(nv)]))
        zero = np.zeros((len(kept), len(kept)))
        saddle = np.block([[np.transpose(inertia) - bias[:, None], -J[kept].T], [J[kept], zero]])
        gamma = np.ravel(self.functions.batch("gamma")(*here)[0])[kept]
        found, scale = np.zeros((1, nv + len(J))), np.max(np.abs(saddle), axis=1)
        found[0, [*range(nv), *(nv + k for k in kept)]] = np.linalg.solve(
            saddle / scale[:, None], np.concatenate([-bias, gamma]) / scale
        )
        return np.array(complete(here, found)[0])

    def _singular_part(self, here: Rows, around: Rows) -> Array:
        """Which velocities (nv,) are bound to those that lose rank here: along them the places lie.

        Loops that share no joint with these, and what no loop binds, may stand meanwhile, however fast they are.
        """
        Phi_q, nv = self.functions.distribution("world"), self.functions.system.tree.nv
        bound, J = Phi_q.at(*around)[0].significant(BOUND), Phi_q.at(*here)[0].dense()[0]
        if self.assembly.follows_time:  # what time moves, moves together
            return np.isin(np.arange(nv), bound.columns)
        out, kept = np.zeros(nv, dtype=bool), set(self.functions.system.choice.kept)
        for members in _parts(bound.columns, nv + bound.rows, nv + len(J)):
            columns = members[members < nv]
            rows = [i for i in (members[members >= nv] - nv).tolist() if i in kept]
            if rows and len(columns):
                sizes = np.linalg.svd(J[np.ix_(rows, columns)], compute_uv=False)
                out[columns] = len(rows) > len(columns) or sizes[-1] < NEARLY * sizes[0]
        return out

    def _along(self, here: Rows, v: Array, apart: float, complete: Complete) -> tuple[Rows, Array, Array]:
        """States before and behind an instant, their solutions (6, nv + c), their distances to singular positions (6,).

        Where loops close elsewhere than along the velocity solutions are NaN.

        Parameters
        ----------
        here : the instant.
        v : velocities (nv,) along which the places lie.
        apart : time from one of them to the next [s].
        complete : as of `at`.
        """
        t, x, u, p = here
        nq, way = self.functions.system.tree.nq, apart * PLACES
        y = np.repeat(x, len(way), axis=0)
        y[:, :nq] = [self.assembly.step(x[0, :nq], dt * v)[0].ravel() for dt in way]
        rows = t + (way if self.assembly.follows_time else 0 * way), y, np.repeat(u, len(way), axis=0), p
        for _ in range(CLOSINGS):
            rows = rows[0], self.functions.batch("closer")(*rows)[0], rows[2], p
        gaps, rates = self.functions.compiled("violation")(*rows)
        found, distance = self._solved(rows, complete, np.full(len(way), t[0]))
        aside = np.max(np.abs(rows[1][:, :nq] - y[:, :nq]), axis=1)
        closed = (gaps < CLOSED) & (rates < CLOSED * (1 + self._speed(here)))
        found[~(closed & (aside <= ASIDE * np.max(np.abs(v)) * np.abs(way)))] = np.nan
        return rows, found, distance

    def _continued(self, here: Rows, own: Array, around: Array) -> Array:
        """The solution (nv + c,) at an instant beside or in a singular position.

        Parameters
        ----------
        here : the instant.
        own : what its equations say.
        around : what the positions around say.
        """
        nv, exact, speed = self.functions.system.tree.nv, self.branch is not None, self._speed(here)
        a = own[:nv] if exact else around[:nv]
        J = self.functions.distribution("world").at(*here)[0].dense()[0]
        left, sizes, right = np.linalg.svd(J)
        for least, lam, within in ((LOOSE, around[nv:], EXACT), (NOTHING, own[nv:], UNBOUND)):
            rank = min(int(np.sum(sizes > least * sizes[0])), len(self.functions.system.choice.kept))
            free = right[rank:].T  # velocities that no equation counted here forbids
            bias, efforts, *inertia = self._efforts(here, np.vstack([np.zeros(nv), a, free.T]))
            M_free = np.transpose(inertia) - bias[:, None]
            change = np.zeros(nv)
            if not exact:
                # what no multiplier carries is what the accelerations around are off by, or it is too much for that
                change = free @ least_squares(free.T @ M_free, -free.T @ (efforts - J.T @ lam))
                if np.max(np.abs(change)) > within * (np.max(np.abs(a)) + speed**2):
                    continue
                efforts = self._efforts(here, (a + change)[None])[0]
            rest = efforts - J.T @ lam
            lam = lam + left[:, :rank] @ ((right[:rank] @ rest) / sizes[:rank])
            size = max(np.max(np.abs(bias)), np.max(np.abs(efforts)), np.max(np.abs(M_free), initial=0.0) * speed**2)
            allowed = BALANCED * size + ROUNDOFF * np.max(np.abs(J.T) @ np.abs(lam))
            if np.max(np.abs(free.T @ rest), initial=0.0) <= allowed:
                return np.append(a + change if within == EXACT else a, lam)
        return np.append(a, np.full(len(J), np.nan))

    def _speed(self, here: Rows) -> float:
        """The largest velocity at an instant."""
        tree = self.functions.system.tree
        return float(np.max(np.abs(here[1][0, tree.nq : tree.nq + tree.nv])))

    def _efforts(self, here: Rows, a: Array) -> Array:
        """M v̇ + h − τ (N, nv) at one instant for accelerations (N, nv)."""
        t, x, u = (np.repeat(part, len(a), axis=0) for part in here[:3])
        return self.functions.batch("carried")(t, x, np.hstack([u, a]), here[3])[0]


def _parts(a: Array, b: Array, n: int) -> list[Array]:
    """Members of each part of a graph of n nodes whose edges are (a, b), arrays of the same length."""
    pattern = ca.Sparsity.triplet(n, n, [*a.tolist(), *b.tolist(), *range(n)], [*b.tolist(), *a.tolist(), *range(n)])
    count, order, starts = pattern.scc()
    return [np.array(order[starts[k] : starts[k + 1]]) for k in range(count)]


def _instant(rows: Rows, k: int) -> Rows:
    """One of the instants."""
    t, x, u, p = rows
    return t[k : k + 1], x[k : k + 1], u[k : k + 1], p
