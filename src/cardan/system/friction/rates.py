"""Rates of accelerations, multipliers and efforts of friction: their equations are differentiated, not their solution.

The efforts and parts y solve F(x, v̇, λ, y) = 0 with v̇ = a₀ + A φ and λ = λ₀ + Λ φ. So ẏ = −G⁻¹ Ḟ, where Ḟ is the rate
of F while y is held, and G the matrix of Newton's method. None of the steps of the method is differentiated, and of the
columns A and Λ only what the determinants need, and the directions in which joints cannot move (`restricted`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca

from cardan.kinematics.tree import Number
from cardan.system.friction.coupled import Solved, Stuck, completions, held_efforts, load_equations
from cardan.system.friction.equations import Rubbing
from cardan.system.friction.groups import SharedLimits

__all__ = ["friction_rates"]


def friction_rates(
    columns: tuple[Number, Number],
    stuck: Sequence[Stuck],
    rubbing: Rubbing | None,
    shared: Sequence[SharedLimits],
    found: Solved,
    along: tuple[Number, Number],
    held: tuple[Number, Number],
) -> Solved:
    """Rates of what `with_friction` finds, along a motion of the state; sizes and tests of it have none."""
    rows, s, y = [each.velocity for each in stuck], len(stuck), found.unknowns
    own = ca.vertcat(*(each.slip.accelerations(columns[0]) for each in stuck))
    H, a0 = ca.densify(own[:, 1:]), ca.densify(own[:, 0])
    whole = ca.densify(ca.vertcat(*(each.slip.accelerations(found.a) for each in stuck)))
    moving, rates = ca.vertcat(along[0], found.a, found.lam), ca.vertcat(along[1], *held)
    limits, slopes = dict[int, Number](), dict[int, Number]()
    completed = completions(H, columns[0][:, 1:], stuck)
    if rubbing is None:
        dy = held_efforts(H, ca.jtimes(whole + completed @ y[:s], moving, rates), stuck, completed)
        slides = ca.vertcat(*(each.slides for each in stuck))
    else:
        equations = load_equations(*columns, H, a0, stuck, rubbing, shared, completed)
        fixed = ca.SX.sym("H", s, s)  # what the efforts do to v̇ is part of v̇: their matrix counts as constant
        a, lam = (ca.horzcat(each, ca.SX(each.shape[0], s)) for each in (found.a, found.lam))
        residual = load_equations(a, lam, fixed, whole - fixed @ y[:s], stuck, rubbing, shared, completed, H)
        A, b = replace(residual, unloaded=equations.loads).linearised(y)
        dF = ca.substitute(ca.jtimes(A @ y - b, moving, rates), fixed, H)
        dy = -ca.solve(equations.linearised(y)[0], dF)
        limits, regular, slides = residual.limits(y[:s]), equations.regularity(y), equations.slides
    d_phi = dy[:s]
    da, d_lam = (each + column[:, 1:] @ d_phi for each, column in zip(held, columns, strict=True))
    da = ca.SX(da)
    for i, each in enumerate(stuck):
        for k in each.rests:
            da[k] *= slides[i]
    if rubbing is not None:
        moving, rates = ca.vertcat(moving, y), ca.vertcat(along[1], da, d_lam, dy)
        limits = {k: ca.jtimes(ca.SX(limit), moving, rates) for k, limit in limits.items()}
        d_regular = ca.jtimes(regular, moving, rates)
        slopes = {k: ca.if_else(slope == regular, d_regular, 0) for k, slope in found.slopes.items()}
    phi = {k: d_phi[i] for i, k in enumerate(rows)}
    return Solved(da, d_lam, phi, limits, unknowns=dy, test=lambda: slopes)
