"""A system with constraints: selected equations, accelerations with multipliers and Baumgarte's terms, projection.

Source: Haug 1989, eq. 11.3.6; Baumgarte 1972, eq. 10; projection: Eich 1993
"""

from collections.abc import Container, Mapping, Sequence
from functools import partial, reduce

import casadi as ca

from cardan.formulations import clusters, composite_body, newton_euler, saddle
from cardan.formulations.clusters import Articulated
from cardan.formulations.saddle import Saddle
from cardan.frozen import dataclass, replace
from cardan.kinematics.constraints import ConstraintTerms, constraint_terms, with_feedback
from cardan.kinematics.motion import Motion, coordinate_rate, normalised
from cardan.kinematics.relations.ideal_parts import following
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.round_off import ROUND_OFF
from cardan.system.contacts import JointGroup, Rubbing, Solved, StoppedJoints, Stuck, held_still, with_friction
from cardan.system.drives import (
    drive_responses,
    drive_rows,
    hidden_rows,
    indirect_rows,
    solve_with_drives,
    unit_efforts,
    unselected_rows,
)
from cardan.system.given_parts import with_given_parts, without_following
from cardan.system.inertia_check import no_inertia
from cardan.system.locked import act_alone, locked

DAMPED = 1e-10  # pivot over its usual size below which it is damped [-]: no effect from 1e-2 on, bounded at zero


@dataclass(frozen=True)
class Selection:
    """The constraint equations that are solved, and how; selected at an assembled position."""

    kept: tuple[int, ...]  # indices of independent equations, which imply the others
    damped: tuple[float, ...] = ()  # size of each kept equation's pivot below which it is damped
    weight: float = 0.0  # α of the exact augmented form M + α ΦqᵀΦq, for a singular mass matrix [kg and the like]
    massless: tuple[str, ...] = ()  # velocities without inertia: nothing can be solved
    alpha: float = 0.0  # Baumgarte's α [1/s]
    beta: float = 0.0  # Baumgarte's β [1/s]
    exact: bool = False  # no pivot is damped: solutions are refined, and NaN in a singular position
    together: tuple[JointGroup, ...] = ()  # joints with friction that move only together, or in too few directions
    stopped: tuple[StoppedJoints, ...] = ()  # joints with friction beside stops by impact of the same freedom


NO_CONSTRAINTS = Selection(())

Along = tuple[Number, Number]
"""Symbols that a state is made of (k,), and their rates (k,)."""


def has_constraints(tree: Tree) -> bool:
    """Whether the tree has closed loops, further constraint equations or prescribed motions."""
    return bool(tree.cuts or tree.constraints or tree.motions)


def solved(
    tree: Tree,
    state: Motion,
    tau: Number,
    choice: Selection,
    loaded: Motion | None = None,
    stuck: Sequence[Stuck] = (),
    rubbing: Rubbing | None = None,
    given: Mapping[int, Number] | None = None,
    sized: bool = False,
) -> Solved:
    """Accelerations (nv,), multipliers of all equations (c,) and efforts of friction under the efforts tau (nv,).

    Without `sized`, sizes of accelerations may be missing.
    """
    terms = constraint_terms(tree, state)
    f, gamma = _sides(without_following(tree), state, tau, terms, choice, loaded)
    if indirect_rows(tree, terms.Phi.shape[0]):
        kept, more = _without_drives(tree, state, terms, choice), _units(stuck)
        sides = ca.horzcat(f, *more), ca.horzcat(gamma, ca.DM(gamma.shape[0], len(more)))

        def respond(a: Number, lam: Number) -> Solved:
            return with_friction(a, lam, stuck, rubbing, is_symmetric=False) if stuck else Solved(a, lam)

        return solve_with_drives(tree, state, kept, terms, sides, respond)
    if following(tree):
        solve = partial(_saddle(tree, state, terms, choice).solve, refined=choice.exact)
        a, lam, least = with_given_parts(tree, state if loaded is None else loaded, solve, f, gamma)
        return Solved(a, lam, given_slopes=least)
    if not stuck:
        return Solved(*_saddle(tree, state, terms, choice).solve(f, gamma, refined=choice.exact))
    if locks(tree, choice, stuck, rubbing):
        return locked(tree, state, f, stuck, sized=sized)
    units = ca.horzcat(*_units(stuck))
    return with_friction(
        *under_efforts(tree, state, tau, choice, units, loaded), stuck, rubbing, choice.together, given
    )


def locks(tree: Tree, choice: Selection, stuck: Sequence[Stuck], rubbing: Rubbing | None) -> bool:
    """Whether joints that stick are locked one by one, without loops and loads that join them."""
    return not (has_constraints(tree) or choice.together or rubbing) and act_alone(tree, stuck)


def _units(stuck: Sequence[Stuck]) -> list[Number]:
    """Unit efforts (n,) along each of these motions."""
    return [one.slip.J.T for one in stuck]


def under_efforts(
    tree: Tree, state: Motion, tau: Number, choice: Selection, more: Number, loaded: Motion | None = None
) -> tuple[Number, Number]:
    """(v̇, λ) under the efforts tau (nv,), and in further columns the changes of both by further efforts."""
    terms = constraint_terms(tree, state)
    f, gamma = _sides(tree, state, tau, terms, choice, loaded)
    sides = ca.horzcat(f, more), ca.horzcat(gamma, ca.DM(gamma.shape[0], more.shape[1]))
    return _saddle(tree, state, terms, choice).solve(*sides)


def solution_rates(
    tree: Tree, state: Motion, tau: Number, choice: Selection, solution: tuple[Number, Number], along: Along
) -> tuple[Number, Number]:
    """Rates of (v̇, λ) along a motion of the state, under the efforts tau (nv,).

    The equations of motion, linear in v̇ and λ with the matrix A, are differentiated as they stand: A (v̈, λ̇) is what
    their residuals change by at fixed v̇ and λ. So no factorisation is differentiated.
    """
    f, gamma = residual_rates(tree, state, tau, choice, solution, along)
    terms = constraint_terms(tree, state)
    f = f + choice.weight * _kept(terms.Phi_q, choice).T @ _kept(gamma, choice)
    return _saddle(tree, state, terms, choice).solve(f, gamma)


def residual_rates(
    tree: Tree, state: Motion, tau: Number, choice: Selection, solution: tuple[Number, Number], along: Along
) -> tuple[Number, Number]:
    """Rates of τ − h − M v̇ + Φqᵀ λ (nv,) and of γ − Φq v̇ (c,) along a motion of the state, at fixed v̇ and λ."""
    a, lam = solution
    terms = constraint_terms(tree, state)
    f = tau - newton_euler.inverse_dynamics(tree, state, a) + terms.Phi_q.T @ lam
    gamma = _gamma(tree, state, terms, choice)
    rates = ca.jtimes(ca.SX(ca.vertcat(f, gamma - terms.Phi_q @ a)), *along)
    return rates[: tree.nv, :], rates[tree.nv :, :]


def _sides(
    tree: Tree, state: Motion, tau: Number, terms: ConstraintTerms, choice: Selection, loaded: Motion | None
) -> tuple[Number, Number]:
    """Right-hand sides of the equations of motion (nv,) and of those of the constraints (c,)."""
    h = newton_euler.inverse_dynamics(tree, state if loaded is None else loaded, ca.DM(tree.nv, 1))
    gamma = _gamma(tree, state, terms, choice)
    return tau - h + choice.weight * _kept(terms.Phi_q, choice).T @ _kept(gamma, choice), gamma


def _gamma(tree: Tree, state: Motion, terms: ConstraintTerms, choice: Selection) -> Number:
    """Right-hand sides of the constraints (c,), with what brings drift back."""
    gamma = terms.gamma - 2 * choice.alpha * terms.rate - choice.beta**2 * terms.Phi
    return with_feedback(tree, state, terms, gamma) if any(one.is_fed_back for one in tree.motions) else gamma


def responses(tree: Tree, state: Motion, choice: Selection) -> Number:
    """Accelerations (k, c) of the components of motions that other joints drive, under unit efforts of these joints."""
    terms = constraint_terms(tree, state)
    return drive_responses(tree, state, _without_drives(tree, state, terms, choice), terms)


def free_response(
    tree: Tree, state: Motion, tau: Number, terms: ConstraintTerms, loops: Selection
) -> tuple[Number, Number]:
    """Accelerations (nv,) under the efforts tau (nv,) without indirect drives, and those (nv, d) of unit efforts."""
    count = terms.Phi.shape[0]
    direct = [row for row in drive_rows(tree, count) if row not in indirect_rows(tree, count)]
    choice = replace(loops, kept=(*loops.kept, *direct), damped=())
    system, units = _saddle(tree, state, terms, choice), unit_efforts(tree, count)
    f, gamma = _sides(tree, state, tau, terms, choice, None)
    a, _ = system.solve(ca.horzcat(f, units), ca.horzcat(gamma, ca.DM(count, units.shape[1])))
    return a[:, 0], a[:, 1:]


def self_stresses(tree: Tree, state: Motion, choice: Selection) -> Number:
    """Multipliers N (c, r) without effect on the motion, Φqᵀ N = 0, one for each equation that `choice` leaves out.

    Under a unit multiplier e of a redundant equation, the multipliers λ of the kept ones balance it: Φqᵀ (e + λ) = 0.
    """
    terms = constraint_terms(tree, state)
    count = terms.Phi.shape[0]
    without = {*choice.kept, *unselected_rows(tree, count)}
    left = [row for row in range(count) if row not in without]
    units = ca.DM.eye(count)[:, left]
    loops = _without_drives(tree, state, terms, choice)  # drives have no part in what loops hold in themselves
    return units + loops.solve(terms.Phi_q.T @ units, ca.DM(count, len(left)))[1]


def _without_drives(tree: Tree, state: Motion, terms: ConstraintTerms, choice: Selection) -> Saddle | Articulated:
    """Factors without the equations that indirect drives keep, and without the hidden relations of these."""
    count = terms.Phi.shape[0]
    return _saddle(tree, state, terms, choice, without={*indirect_rows(tree, count), *hidden_rows(tree, count)})


def projection(
    tree: Tree, state: Motion, choice: Selection, stuck: Sequence[Stuck] = ()
) -> tuple[Number, Number, Number, Number]:
    """(q, v, residual, distance): q and v after a Newton step to Φ = 0 and Φ̇ = 0 in the metric of M, the largest
    residual before the step, and the distance from a singular position. Velocities of `stuck` that are held become
    zero, and so do those that can only move together with them.
    """
    terms = constraint_terms(tree, state, held=True, kept=choice.kept)
    system = _saddle(tree, state, terms, choice)
    sides = ca.horzcat(-terms.Phi, -terms.rate, ca.DM(terms.Phi.shape[0], len(stuck)))
    f = choice.weight * _kept(terms.Phi_q, choice).T @ _kept(sides, choice)
    change, _ = system.solve(f + ca.horzcat(ca.DM(tree.nv, 2), *_units(stuck)), sides)
    q = normalised(tree, state.q + coordinate_rate(tree, state.q, change[:, 0]))
    away = ca.norm_inf(ca.densify(normalised(tree, state.q) - state.q))
    residual = ca.fmax(ca.norm_inf(terms.Phi), ca.norm_inf(terms.rate) / (1 + ca.norm_inf(state.v)))
    v = held_still(state.v + change[:, 1], change[:, 2:], stuck, choice.together) if stuck else state.v + change[:, 1]
    return q, v, ca.fmax(away, residual), _distance(system, choice)


def _distance(system: Saddle | Articulated, choice: Selection) -> Number:
    """Distance r from a singular position [-]: r² is the smallest pivot of a kept row over its squared length.

    The pivot of a row is the squared length, in the metric of M⁻¹, of its part orthogonal to the rows before it. It is
    zero exactly where the row depends on these rows.
    """
    pivots = system.pivots
    sizes = [ca.fabs(pivots[row]) / size for row, size in zip(choice.kept, choice.damped, strict=False)]
    return ca.sqrt(DAMPED * reduce(ca.fmin, sizes, ca.SX.inf()))


def _saddle(
    tree: Tree, state: Motion, terms: ConstraintTerms, choice: Selection, without: Container[int] = ()
) -> Saddle | Articulated:
    """Factors of the kept equations, except those whose index is in `without`."""
    if choice.massless:
        raise no_inertia(choice.massless)
    sizes = choice.damped or (0.0,) * len(choice.kept)
    rows = [(row, size) for row, size in zip(choice.kept, sizes, strict=True) if row not in without]
    kept, damped = [row for row, _ in rows], [size for _, size in rows]
    if choice.exact:
        M = saddle.weighted(composite_body.mass_matrix(tree, state), terms.Phi_q[kept, :], choice.weight)
        return saddle.saddle(M, terms.Phi_q, kept, lost=[ROUND_OFF / DAMPED * size for size in damped])
    return clusters.equations(tree, state, terms.Phi_q, kept, damped=damped, weight=choice.weight)


def _kept(x: Number, choice: Selection) -> Number:
    """Rows (k, n) of the independent equations."""
    return x[list(choice.kept), :] if choice.kept else ca.DM(0, x.shape[1])
