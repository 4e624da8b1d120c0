"""Which reactions the equations of motion determine, and the minimum-norm distribution of the other reactions.

Multipliers λ and λ + N s, with N spanning the null space of Φqᵀ, give the same motion: a reaction is unique iff W N = 0
for its rows W = ∂w/∂λ. Loads that a loop of a planar model transmits out of its plane have no multiplier: a reaction
that depends on such a load is unknown.

Source: Wojtyra 2005, Multibody Syst. Dyn. 14:23, and Wojtyra & Frączek 2013, Multibody Syst. Dyn. 30:153 (which
reactions are unique, from the Jacobian; the latter with equations on velocities); minimum norm: docs/decisions
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import Motion, at_rest, motion
from cardan.kinematics.tree import Number, Tree
from cardan.loads.reactions import Frame, Label, hidden_count, labels, reactions
from cardan.numerics.rank import DEPENDENT, stacked_least_squares

Answer = Literal["yes", "no", "unknown"]
"""Whether a component is unique; "unknown" if it depends on loads out of the plane of a planar model."""

INSENSITIVE = 1e-6  # derivative over the largest one that counts as zero [-]: neighbours are closed to 1e-9


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of all reactions, m components, by the c multipliers and by h loads out of the plane."""

    labels: tuple[Label, ...]  # labels of the reactions, in one frame
    Phi_q: Number  # (c, n), with a column more for each drive's equation that is empty or fed back: no self-stress
    W: Number  # ∂(reactions)/∂λ (m, c)
    H: Number  # ∂(reactions)/∂(loads out of the plane) (m, h)


def sensitivity(tree: Tree, state: Motion, frame: Frame = "world", *, idle: Sequence[int] = ()) -> Sensitivity:
    """Φq and the derivatives of all reactions, as expressions."""
    terms = constraint_terms(tree, state)
    lam, hidden = ca.SX.sym("lam", terms.Phi.shape[0]), ca.SX.sym("hidden", hidden_count(tree))
    found = reactions(tree, at_rest(tree, state), None, lam, hidden, frame)
    w = ca.vertcat(ca.SX(0, 1), *(ca.SX(vector) for vector in found))
    columns = ca.DM(ca.Sparsity.triplet(lam.shape[0], len(idle), list(idle), list(range(len(idle)))), 1)
    Phi_q = ca.horzcat(terms.Phi_q, columns)
    return Sensitivity(tuple(labels(tree, frame)), Phi_q, ca.jacobian(w, lam), ca.jacobian(w, hidden))


@dataclass(frozen=True)
class Distribution:
    """The sensitivity of reactions as numbers at many instants."""

    labels: tuple[Label, ...]  # labels of the reactions
    shapes: tuple[tuple[int, int], ...]  # of Φq, W and H
    entries: Callable[..., Sequence[np.ndarray]]  # (t, x, u, p) → Φq, W and H (N, rows · columns), row by row

    def at(self, *rows: np.ndarray) -> Matrices:
        """Φq, W and H at N instants."""
        Phi_q, W, H = (x.reshape(len(x), *shape) for x, shape in zip(self.entries(*rows), self.shapes, strict=True))
        return Phi_q, W, H


Matrices = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Φq (N, c, n), W (N, m, c) and H (N, m, h) of a sensitivity at N instants."""


def row_by_row(matrix: Number) -> Number:
    """All entries of a matrix as a column."""
    return ca.densify(ca.vec(ca.SX(matrix).T))


def numbers(tree: Tree, p: np.ndarray, places: Sequence[np.ndarray]) -> tuple[tuple[Label, ...], Matrices]:
    """Labels of the reactions, and their sensitivity at positions q (nq,), at t = 0 for the parameters p."""
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    parts = sensitivity(tree, motion(tree, q, v, t=0))
    matrices = [ca.substitute(ca.SX(x), v, ca.DM.zeros(tree.nv)) for x in (parts.Phi_q, parts.W, parts.H)]
    function = ca.Function("sensitivity", [q, tree.p], [ca.densify(matrix) for matrix in matrices])
    Phi_q, W, H = (np.array([x.full() for x in stack]) for stack in zip(*(function(q, p) for q in places), strict=True))
    return parts.labels, (Phi_q, W, H)


def uniqueness(
    named: Sequence[Label], matrices: Matrices, rank: int, rounding: float = 0.0
) -> dict[str, tuple[Answer, ...]]:
    """Answer for each component of each reaction, by name, from an assembled position and its neighbours."""
    Phi_q, W, H = matrices
    zero = max(INSENSITIVE, rounding**0.5)
    unknown, loose = (
        np.any(np.abs(changes) > zero * np.max(np.abs(of), initial=0.0), axis=(0, 2))
        for changes, of in ((H, H), (W @ _self_stresses(Phi_q, rank), W))
    )
    answers = np.where(unknown, "unknown", np.where(loose, "no", "yes"))
    return {label.name: tuple(row) for label, row in zip(named, _split(answers.tolist(), named), strict=True)}


def least_multipliers(Phi_q: np.ndarray, W: np.ndarray, w: np.ndarray, kept: Sequence[int]) -> np.ndarray:
    """Changes δλ (N, c) of the multipliers that minimise |w + W δλ|, the norm of the reactions, at the same motion.

    δλ satisfies Φqᵀ δλ = 0. w is projected onto the complement of all self-stresses W N with Φqᵀ N = 0, so the result
    does not depend on which joints are cut: N = [1; −X] for the equations left out and the kept ones, with
    Φq,keptᵀ X = Φq,leftᵀ.
    """
    count, c = Phi_q.shape[:2]
    left = [i for i in range(c) if i not in set(kept)]
    N = np.zeros((count, c, len(left)))
    N[:, left] = np.eye(len(left))
    N[:, list(kept)] = -stacked_least_squares(Phi_q[:, list(kept)].swapaxes(1, 2), Phi_q[:, left].swapaxes(1, 2))
    return -(N @ stacked_least_squares(W @ N, w[:, :, None]))[..., 0]


def _split(entries: Sequence[Answer], named: Sequence[Label]) -> Iterator[Sequence[Answer]]:
    start = 0
    for label in named:
        yield entries[start : start + label.size]
        start += label.size


def _self_stresses(Phi_q: np.ndarray, rank: int) -> np.ndarray:
    """Orthonormal multipliers (N, c, c − rank) in the null space of Φqᵀ; zero in singular positions."""
    sizes, directions = np.linalg.svd(Phi_q.swapaxes(1, 2))[1:]
    stresses = directions[:, rank:].swapaxes(1, 2).copy()
    if rank:  # a singular position has further self-stresses
        stresses[~(sizes[:, rank - 1] > DEPENDENT * sizes[:, 0])] = 0.0
    return stresses
