"""Puts a mechanism together: a position near the guess in which all loops close, consistent velocities, independent equations.

Source: Levenberg–Marquardt: Nocedal & Wright 2006, §10.3; rank by neighbours: docs/notation.md §8
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from cardan.errors import AssemblyError
from cardan.formulations import composite_body
from cardan.kinematics.constraints import constraint_rows, constraint_terms
from cardan.kinematics.motion import coordinate_rate, motion, normalised
from cardan.kinematics.tree import Tree
from cardan.numerics.entries import column
from cardan.system.inertia_check import SINGULAR, no_inertia, smallest_inertia
from cardan.system.constrained import NO_CONSTRAINTS, Selection, has_constraints

__all__ = ["Assembler", "AssemblyFunctions", "Velocities", "independent_rows"]

CLOSED = 1e-12  # residual of an assembled position, per unit of its size: a few thousand round-offs
ITERATIONS = 200  # from a guess within reach Newton needs fewer than 20
DEPENDENT = 1e-7  # a unit row this close to the span of the others is a combination of them: √round-off, with a margin
NEIGHBOURS = 4  # positions at which a rank is taken; one singular by chance among them does no harm


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
    def terms(self) -> ca.Function:
        """(Φ, Φq, Φt, M) of (q, p) at time 0."""
        tree = self.tree
        t, q, v = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
        state = motion(tree, q, v, t=t, z=ca.DM.zeros(len(tree.currents)))
        parts = constraint_terms(tree, state)
        outputs = (parts.Phi, parts.Phi_q, parts.Phi_t, composite_body.mass_matrix(tree, state))
        zero = ca.DM.zeros(1 + tree.nv)
        at_start = [ca.densify(ca.substitute(ca.SX(x), ca.vertcat(t, v), zero)) for x in outputs]
        return ca.Function("terms", [q, tree.p], at_start)

    @cached_property
    def step(self) -> ca.Function:
        """q moved by dv (nv,)."""
        q, dv = ca.SX.sym("q", self.tree.nq), ca.SX.sym("dv", self.tree.nv)
        return ca.Function("step", [q, dv], [normalised(self.tree, q + coordinate_rate(self.tree, q, dv))])


@dataclass(frozen=True)
class Assembler:
    """Numbers of the constraints of a tree, at the parameters p and time 0."""

    functions: AssemblyFunctions
    p: np.ndarray

    @property
    def tree(self) -> Tree:
        """The mechanism."""
        return self.functions.tree

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Φ (c,), Φq (c, n), Φt (c,), M (n, n) at q (nq,)."""
        Phi, Phi_q, Phi_t, M = (np.array(x) for x in self.functions.terms(q, self.p))
        return Phi.ravel(), Phi_q, Phi_t.ravel(), M

    def moved(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """q (nq,) after the small displacement dv (nv,)."""
        return np.array(self.functions.step(q, dv)).ravel()

    def position(self, guess: np.ndarray, held: Sequence[int] = ()) -> np.ndarray:
        """Position (nq,) near the guess in which all equations hold; the velocities' entries `held` do not move.

        Raises
        ------
        AssemblyError
            There is none; the message names the equation with the widest gap.
        """
        q = self._nearest(guess, held)
        Phi = self.at(q)[0]
        if Phi.size and np.max(np.abs(Phi)) > CLOSED * _size(guess):
            raise AssemblyError(self._failure(Phi, held))
        return q

    def velocities(self, q: np.ndarray, wanted: np.ndarray, given: Sequence[int]) -> Velocities:
        """Velocities with Φq v = −Φt: those `given` kept if that is possible, else all changed as little as can be."""
        _, J, Phi_t, _ = self.at(q)
        names = [entry.name for entry in self.tree.velocities]
        free = [k for k in range(len(names)) if k not in set(given)]
        v = wanted.copy()
        v[free] += _least_squares(J[:, free], -Phi_t - J @ v)
        if J.size and np.max(np.abs(J @ v + Phi_t)) > 1e-10 * (1 + np.max(np.abs(wanted))):
            v = wanted + _least_squares(J, -Phi_t - J @ wanted)
        moved = np.abs(v - wanted) > 1e-12 * (1 + np.abs(wanted))
        return Velocities(v, tuple((f"{names[k]}.v", float(wanted[k]), float(v[k])) for k in given if moved[k]))

    def selection(self, q: np.ndarray) -> Selection:
        """Independent equations, by their rank at re-assembled neighbours of q, and the form that the solve takes."""
        if not has_constraints(self.tree):
            return NO_CONSTRAINTS
        kept = max((independent_rows(self.at(near)[1]) for near in self.neighbours(q)), key=len)
        _, J, _, M = self.at(q)
        J = J[list(kept)]
        if smallest_inertia(M)[0] >= SINGULAR:
            return Selection(kept)
        self._check_inertia(M, J)
        return Selection(kept, float(np.trace(M) / np.sum(J**2)))

    def _check_inertia(self, M: np.ndarray, J: np.ndarray) -> None:
        """Refuse a mass matrix that is singular on the motions that the constraints allow."""
        allowed = null_space(J)
        size, direction = smallest_inertia(allowed.T @ M @ allowed)
        if allowed.size and size < SINGULAR:
            k = int(np.argmax(np.abs(allowed @ direction)))
            raise no_inertia(self.tree.velocities[k].name)

    def neighbours(self, q: np.ndarray) -> list[np.ndarray]:
        """Assembled positions around q that are not all special."""
        rng = np.random.default_rng(0)
        near = [self._nearest(self.moved(q, 0.1 * rng.standard_normal(self.tree.nv)), ()) for _ in range(NEIGHBOURS)]
        closed = [other for other in near if np.max(np.abs(self.at(other)[0]), initial=0) <= 1e-9]
        return [q, *closed]

    def _nearest(self, guess: np.ndarray, held: Sequence[int]) -> np.ndarray:
        """Levenberg–Marquardt from the guess; ends where the equations hold or nothing gets better."""
        q, mu = guess, 0.0
        free = [k for k in range(self.tree.nv) if k not in set(held)]
        Phi, J, _, _ = self.at(q)
        for _ in range(ITERATIONS):
            if Phi.size == 0 or np.max(np.abs(Phi)) < 1e-15 * _size(guess) or not free:
                break
            dv = np.zeros(self.tree.nv)
            dv[free] = _damped(J[:, free], -Phi, mu)
            q_new = self.moved(q, dv * min(1.0, 0.5 / max(np.max(np.abs(dv)), 1e-300)))
            Phi_new, J_new, _, _ = self.at(q_new)
            if np.linalg.norm(Phi_new) < np.linalg.norm(Phi):
                small = np.linalg.norm(Phi_new) > 0.9 * np.linalg.norm(Phi) and mu == 0
                q, Phi, J, mu = q_new, Phi_new, J_new, 0.1 * mu if mu > 1e-10 else 0.0
                if small and np.max(np.abs(Phi)) < CLOSED:
                    break
            else:
                mu = max(10 * mu, 1e-6)
                if mu > 1e6 or np.max(np.abs(Phi)) < 1e-14 * _size(guess):
                    break
        return q

    def _failure(self, Phi: np.ndarray, held: Sequence[int]) -> str:
        worst = int(np.argmax(np.abs(Phi)))
        owner, component = self.functions.labels[worst]
        names = ", ".join(self.tree.velocities[k].name for k in held)
        cure = f"the coordinates held are {names}: hold fewer, as guesses" if held else "check lengths and markers"
        return (
            f"{owner!r} does not close: at the nearest position a gap of {abs(Phi[worst]):.3g} is left ({component}); "
            f"{cure}, or start from a better guess"
        )


def independent_rows(J: np.ndarray) -> tuple[int, ...]:
    """Rows of J (c, n) that are no combination of the rows before them."""
    basis = np.zeros((0, J.shape[1]))
    kept = []
    for i, row in enumerate(J):
        size = np.linalg.norm(row)
        rest = row / size if size > DEPENDENT else np.zeros_like(row)
        for _ in range(2):  # twice is enough (Kahan)
            rest = rest - basis.T @ (basis @ rest)
        if np.linalg.norm(rest) > DEPENDENT:
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            kept.append(i)
    return tuple(kept)


def null_space(J: np.ndarray) -> np.ndarray:
    """Orthonormal columns (n, n − rank) of the velocities that J (c, n) maps to zero."""
    if not J.size:
        return np.eye(J.shape[1])
    _, sizes, directions = np.linalg.svd(J)
    return directions[int(np.sum(sizes > DEPENDENT * sizes[0])) :].T


def _size(q: np.ndarray) -> float:
    return 1.0 + float(np.max(np.abs(q), initial=0.0))


def _least_squares(J: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(J, b, rcond=1e-10)[0] if J.size else np.zeros(J.shape[1])


def _damped(J: np.ndarray, b: np.ndarray, mu: float) -> np.ndarray:
    """Minimum of |J x − b|² + mu |x|²; of least norm for mu = 0."""
    if mu == 0:
        return _least_squares(J, b)
    return np.linalg.lstsq(np.vstack([J, np.sqrt(mu) * np.eye(J.shape[1])]), np.concatenate([b, np.zeros(J.shape[1])]), rcond=None)[0]
