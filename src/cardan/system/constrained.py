"""A system with constraints: which equations take part, its accelerations with multipliers, its way back to Φ = 0.

Source: Haug 1989, eq. 11.3.6; Baumgarte 1972, eq. 10; projection: Eich 1993
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import casadi as ca

from cardan.formulations import composite_body, constrained, newton_euler
from cardan.formulations.constrained import Saddle
from cardan.kinematics.constraints import ConstraintTerms, constraint_terms
from cardan.kinematics.motion import Motion, coordinate_rate, normalised
from cardan.kinematics.tree import Number, Tree

__all__ = ["DAMPED", "NO_CONSTRAINTS", "Selection", "accelerations", "has_constraints", "projection"]


DAMPED = 1e-10  # of a row's pivot: exact to round-off where the pivot is 1e-2 of it, bounded at singular positions


@dataclass(frozen=True)
class Selection:
    """How the constraints of a system are solved; chosen by the numbers of an assembled position."""

    kept: tuple[int, ...]  # independent equations; the others hold by themselves
    damped: tuple[float, ...] = ()  # size below which the pivot of each of these is damped
    weight: float = 0.0  # α of the exact augmented form M + α ΦqᵀΦq, for a singular mass matrix [kg and the like]
    damping: float = 0.0  # Baumgarte's α [1/s]
    stiffness: float = 0.0  # Baumgarte's β [1/s]


NO_CONSTRAINTS = Selection(())


def has_constraints(tree: Tree) -> bool:
    """Whether any loop or further equation binds the coordinates of the tree."""
    return bool(tree.cuts or tree.constraints)


def accelerations(
    tree: Tree, state: Motion, tau: Number, choice: Selection, loaded: Motion | None = None
) -> tuple[Number, Number]:
    """(v̇, λ) under the efforts tau (nv,): accelerations and multipliers of all equations (c,).

    `loaded` is the state at the instant whose forces act, if that is another one.
    """
    terms = constraint_terms(tree, state)
    h = newton_euler.inverse_dynamics(tree, state if loaded is None else loaded, ca.DM(tree.nv, 1))
    gamma = terms.gamma - 2 * choice.damping * terms.rate - choice.stiffness**2 * terms.Phi
    f = tau - h + choice.weight * _kept(terms.Phi_q, choice).T @ _kept(gamma, choice)
    return constrained.solve(_saddle(tree, state, terms, choice), f, gamma)


def projection(tree: Tree, state: Motion, choice: Selection) -> tuple[Number, Number, Number, Number]:
    """(q, v, residual, distance): a Newton step back to Φ = 0 and Φ̇ = 0 in the metric of M, how far they were from it,
    and the distance from a singular position.
    """
    terms = constraint_terms(tree, state)
    system = _saddle(tree, state, terms, choice)
    sides = ca.horzcat(-terms.Phi, -terms.rate)
    change, _ = constrained.solve(system, choice.weight * _kept(terms.Phi_q, choice).T @ _kept(sides, choice), sides)
    q = normalised(tree, state.q + coordinate_rate(tree, state.q, change[:, 0]))
    away = ca.norm_inf(ca.densify(normalised(tree, state.q) - state.q))
    residual = ca.fmax(ca.norm_inf(terms.Phi), ca.norm_inf(terms.rate) / (1 + ca.norm_inf(state.v)))
    return q, state.v + change[:, 1], ca.fmax(away, residual), _distance(tree, system, choice)


def _distance(tree: Tree, system: Saddle, choice: Selection) -> Number:
    """Distance r from a singular position [-]: r² is the smallest pivot of a kept row over its squared length.

    The pivot of a row is the squared length, in the metric of M⁻¹, of what is left of it when the rows before it are
    taken away; it vanishes where the row depends on them, and nowhere else.
    """
    sizes = [ca.fabs(system.factors.D[tree.nv + i]) / size for i, size in enumerate(choice.damped)]
    return ca.sqrt(DAMPED * reduce(ca.fmin, sizes, ca.SX.inf()))


def _saddle(tree: Tree, state: Motion, terms: ConstraintTerms, choice: Selection) -> Saddle:
    M = composite_body.mass_matrix(tree, state)
    if choice.weight:
        J = _kept(terms.Phi_q, choice)
        M = M + choice.weight * (J.T @ J)
    return constrained.saddle(M, terms.Phi_q, choice.kept, choice.damped)


def _kept(x: Number, choice: Selection) -> Number:
    """Rows (k, n) of the independent equations."""
    return x[list(choice.kept), :] if choice.kept else ca.DM(0, x.shape[1])
