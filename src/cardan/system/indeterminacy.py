"""Which reactions the equations of motion determine, and the minimum-norm distribution of those they do not.

Multipliers λ and λ + N s, with N spanning the null space of Φqᵀ, give the same motion: a reaction is unique iff W N = 0
for its rows W = ∂w/∂λ. What a loop of a planar model transmits out of its plane is no multiplier at all: a reaction
that depends on it is unknown.

Source: Wojtyra 2009, Multibody Syst. Dyn. 21:131 (unique reactions); Frączek & Wojtyra 2011, Mech. Mach. Theory 46:312
(minimum-norm solution)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import casadi as ca
import numpy as np

from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import Motion, motion
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.rank import independent_rows
from cardan.system.assembly import Assembler
from cardan.system.reactions import Reaction, hidden_count, reactions

__all__ = ["Answer", "Indeterminacy", "Sensitivity", "self_stress", "sensitivity", "uniqueness"]

Answer = Literal["yes", "no", "unknown"]
"""Whether a component is unique; unknown: a planar model cannot say it at all."""

NOTHING = 1e-6  # of the largest derivative: what neighbours closed to 1e-9 leave of an exact zero, with a margin


@dataclass(frozen=True)
class Sensitivity:
    """How all reactions depend on what carries loads in closed loops; m reactions of three components."""

    names: tuple[str, ...]  # of the reactions (m,)
    world: tuple[bool, ...]  # whether they stand in world axes (m,)
    Phi_q: Number  # (c, n)
    W: Number  # ∂(reactions)/∂λ (3 m, c)
    H: Number  # ∂(reactions)/∂(what is hidden out of the plane) (3 m, h)


def sensitivity(tree: Tree, state: Motion) -> Sensitivity:
    """Φq and the derivatives of all reactions, as expressions.

    Parameters
    ----------
    tree : the mechanism.
    state : of symbols; its velocities do not matter.
    """
    terms = constraint_terms(tree, state)
    lam, hidden = ca.SX.sym("lam", terms.Phi.shape[0]), ca.SX.sym("hidden", hidden_count(tree))
    found: list[Reaction] = reactions(tree, state, ca.DM(tree.nv, 1), lam, hidden)
    w = ca.vertcat(*(ca.SX(reaction.vector) for reaction in found))
    return Sensitivity(
        tuple(reaction.name for reaction in found),
        tuple(reaction.frame == "world" for reaction in found),
        terms.Phi_q,
        ca.jacobian(w, lam),
        ca.jacobian(w, hidden),
    )


def uniqueness(assembler: Assembler, q: np.ndarray, kept: Sequence[int]) -> dict[str, tuple[Answer, Answer, Answer]]:
    """Whether each component of each reaction is unique, by name: in the position q (nq,) or any of its neighbours.

    Parameters
    ----------
    assembler : of the mechanism.
    q : assembled coordinates.
    kept : independent equations.
    """
    parts, evaluate = _numbers(assembler.tree)
    loose = np.zeros((len(parts.names), 3), dtype=bool)
    unknown = loose.copy()
    for near in assembler.neighbours(q):
        Phi_q, W, H = (np.array(x) for x in evaluate(near, assembler.p))
        if len(independent_rows(Phi_q)) == len(kept):  # a singular position proves nothing
            loose |= _moved(self_stress(Phi_q, W, len(kept)), W)
        unknown |= _moved(H, H)
    answers = np.where(unknown, "unknown", np.where(loose, "no", "yes"))
    return {name: tuple(row.tolist()) for name, row in zip(parts.names, answers, strict=True)}


def self_stress(Phi_q: np.ndarray, W: np.ndarray, rank: int) -> np.ndarray:
    """W N (…, 3 m, c − rank): reactions under multipliers that move nothing.

    Parameters
    ----------
    Phi_q : Jacobian (…, c, n).
    W : derivatives of the reactions (…, 3 m, c).
    rank : independent equations.
    """
    left = np.linalg.svd(Phi_q, full_matrices=True)[0]
    return W @ left[..., :, rank:]


@dataclass(frozen=True)
class Indeterminacy:
    """Answers for a mechanism, and what turns any distribution of its reactions into the one of minimum norm."""

    names: tuple[str, ...]  # of the reactions (m,)
    world: tuple[bool, ...]  # whether they stand in world axes (m,)
    unique: dict[str, tuple[Answer, Answer, Answer]]  # by name of the reaction
    rank: int  # independent equations
    count: int  # equations

    @cached_property
    def redundant(self) -> bool:
        """Whether there is anything to distribute."""
        return self.rank < self.count

    def settled(self, w: np.ndarray, Phi_q: np.ndarray | None, W: np.ndarray | None) -> np.ndarray:
        """Reactions (…, 3 m) of least Σ|f|² + Σ|n|² (N and N m alike, world axes); NaN where unknown.

        The projection of w onto what is orthogonal to all self-stresses: the same whichever joints are cut.

        Parameters
        ----------
        w : any reactions (…, 3 m) that belong to the motion.
        Phi_q, W : as of `self_stress`; not needed where nothing is redundant.
        """
        unknown = np.array([[answer == "unknown" for answer in self.unique[name]] for name in self.names]).ravel()
        if self.redundant:
            assert Phi_q is not None
            assert W is not None
            G = self_stress(Phi_q, W, self.rank)
            counted = np.repeat(self.world, 3) & ~unknown
            s = np.linalg.pinv(G[..., counted, :], rcond=NOTHING) @ w[..., counted, None]
            w = w - (G @ s)[..., 0]
        return np.where(unknown, np.nan, w)


def _numbers(tree: Tree) -> tuple[Sensitivity, ca.Function]:
    """The sensitivity at t = 0 and its numbers over (q, p)."""
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    parts = sensitivity(tree, motion(tree, q, v, t=0, z=ca.DM.zeros(len(tree.currents))))
    results = [ca.substitute(ca.densify(ca.SX(x)), v, ca.DM.zeros(tree.nv)) for x in (parts.Phi_q, parts.W, parts.H)]
    return parts, ca.Function("sensitivity", [q, tree.p], results)


def _moved(G: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Components (m, 3) that any column of G (3 m, k) changes, against the largest entry of `scale`."""
    return np.any(np.abs(G) > NOTHING * np.max(np.abs(scale), initial=0.0), axis=1).reshape(-1, 3)
