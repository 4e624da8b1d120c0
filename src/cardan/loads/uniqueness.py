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
from cardan.numerics.constrained_least_squares import constrained_least_squares
from cardan.numerics.numbers import Numbers as Values
from cardan.numerics.rank import DEPENDENT, stacked_least_squares
from cardan.numerics.stacked import Entries

__all__ = [
    "Answer",
    "Distribution",
    "Sensitivity",
    "SensitivityAt",
    "least_multipliers",
    "numbers",
    "sensitivity",
    "uniqueness",
]

Answer = Literal["yes", "no", "unknown"]
"""Whether a component is unique; "unknown" if it depends on loads out of the plane of a planar model."""

INSENSITIVE = 1e-6  # derivative over the largest one that counts as zero [-]: neighbours are closed to 1e-9
STRESSES = 3  # number of random self-stresses that are tried in each position


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
    patterns: tuple[ca.Sparsity, ...]  # patterns of Φq, W and H
    nonzeros: Callable[..., Sequence[np.ndarray]]  # (t, x, u, p) → non-zeros (N, nnz) of Φq, W and H

    def at(self, *rows: np.ndarray) -> tuple[Entries, Entries, Entries]:
        """Φq, W and H at N instants."""
        Phi_q, W, H = map(_entries, self.patterns, self.nonzeros(*rows))
        return Phi_q, W, H


SensitivityAt = Callable[[Sequence[np.ndarray]], tuple[Entries, Entries, Entries]]
"""Positions q (nq,) → Φq, W and H of a sensitivity at them."""


def numbers(
    tree: Tree, p: np.ndarray, frame: Frame = "world", *, idle: Sequence[int] = ()
) -> tuple[tuple[Label, ...], SensitivityAt]:
    """Labels of the reactions, and a function that gives their sensitivity at t = 0 for the parameters p."""
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    parts = sensitivity(tree, motion(tree, q, v, t=0), frame, idle=idle)
    matrices = [ca.substitute(ca.SX(x), v, ca.DM.zeros(tree.nv)) for x in (parts.Phi_q, parts.W, parts.H)]
    function = Values(ca.Function("sensitivity", [q, tree.p], [ca.densify(matrix.nz[:]) for matrix in matrices]))

    def at(places: Sequence[np.ndarray]) -> tuple[Entries, Entries, Entries]:
        found = [[values.ravel() for values in function(place, p)] for place in places]
        stacks = (np.array(stack) for stack in zip(*found, strict=True))
        Phi_q, W, H = (_entries(x.sparsity(), stack) for x, stack in zip(matrices, stacks, strict=True))
        return Phi_q, W, H

    return parts.labels, at


def uniqueness(
    named: Sequence[Label],
    evaluate: SensitivityAt,
    places: Sequence[np.ndarray],
    rank: int,
    rounding: float = 0.0,
) -> dict[str, tuple[Answer, ...]]:
    """Answer for each component of each reaction, by name, from an assembled position and its neighbours."""
    Phi_q, W, H = evaluate(places)
    zero = max(INSENSITIVE, rounding**0.5)
    unknown, loose = np.zeros(W.shape[0], dtype=bool), np.zeros(W.shape[0], dtype=bool)
    unknown[H.significant(zero).rows] = True
    for stress in _self_stresses(Phi_q, rank):
        loose |= np.any(np.abs(W.times(stress)) > zero * np.max(np.abs(W.values), initial=0.0), axis=0)
    answers = np.where(unknown, "unknown", np.where(loose, "no", "yes"))
    return {label.name: tuple(row) for label, row in zip(named, _split(answers.tolist(), named), strict=True)}


def least_multipliers(Phi_q: Entries, W: Entries, w: np.ndarray, kept: Sequence[int]) -> np.ndarray:
    """Changes δλ (N, c) of the multipliers that minimise |w + W δλ|, the norm of the reactions, at the same motion.

    δλ satisfies Φqᵀ δλ = 0. w is projected onto the complement of all self-stresses W N with Φqᵀ N = 0, so the result
    does not depend on which joints are cut.
    """
    change, sure = constrained_least_squares(W, w, Phi_q.T, len(kept))
    for instant in np.flatnonzero(~sure):
        one = slice(instant, instant + 1)
        change[one] = _by_null_space(Phi_q.at(one), W.at(one), w[one], kept)
    return change


def _by_null_space(Phi_q: Entries, W: Entries, w: np.ndarray, kept: Sequence[int]) -> np.ndarray:
    """`least_multipliers` near singular positions.

    N = [1; −X] for the equations left out and the kept ones, with Φq,keptᵀ X = Φq,leftᵀ.
    """
    c = Phi_q.shape[0]
    left = [i for i in range(c) if i not in set(kept)]
    J = Phi_q.dense()
    N = np.zeros((len(J), c, len(left)))
    N[:, left] = np.eye(len(left))
    N[:, list(kept)] = -stacked_least_squares(J[:, list(kept)].swapaxes(1, 2), J[:, left].swapaxes(1, 2))
    s = stacked_least_squares(W.dense() @ N, w[:, :, None])
    return -(N @ s)[..., 0]


def _entries(pattern: ca.Sparsity, values: np.ndarray) -> Entries:
    rows, columns = (np.array(indices, dtype=int) for indices in pattern.get_triplet())
    return Entries(rows, columns, values, pattern.shape)


def _split(entries: Sequence[Answer], named: Sequence[Label]) -> Iterator[Sequence[Answer]]:
    start = 0
    for label in named:
        yield entries[start : start + label.size]
        start += label.size


def _self_stresses(Phi_q: Entries, rank: int) -> Iterator[np.ndarray]:
    """Random multipliers (N, c) in the null space of Φqᵀ: self-stresses of the mechanism; zero in singular positions.

    A component that no sample changes does not depend on self-stresses, with an error probability of
    INSENSITIVE ** STRESSES in every position.
    """
    rng, (c, _), count = np.random.default_rng(0), Phi_q.shape, len(Phi_q.values)
    one = Entries(np.arange(c), np.arange(c), np.ones((count, c)), (c, c))
    for _ in range(STRESSES):
        drawn = rng.standard_normal((count, c))
        found, sure = constrained_least_squares(one, -drawn, Phi_q.T, rank)
        found[~sure] = 0.0
        for place in np.flatnonzero(~sure):
            J = Phi_q.at(slice(place, place + 1)).dense()[0]
            sizes, directions = np.linalg.svd(J.T)[1:]
            if not rank or sizes[rank - 1] > DEPENDENT * sizes[0]:  # a singular position has further self-stresses
                N = directions[rank:].T
                found[place] = N @ (N.T @ drawn[place])
        yield found
