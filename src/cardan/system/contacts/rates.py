"""Rates of accelerations, multipliers and efforts of friction: their equations are differentiated, not their solution.

The efforts φ solve F(x, v̇, λ, φ) = 0 with v̇ = a₀ + A φ and λ = λ₀ + Λ φ. So φ̇ = −G⁻¹ Ḟ, where Ḟ is the rate of F
while φ is held, and G the matrix of Newton's method. None of the steps of the method is differentiated, and of the
columns A and Λ only what the determinants need. Ratios of the speeds of joints that move only together count as
constant: so they are where these rest.
"""

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca

from cardan.kinematics.tree import Number
from cardan.system.contacts.load_equations import Rubbing
from cardan.system.contacts.sticking import Solved, Stuck, held_by, load_equations


def friction_rates(
    columns: tuple[Number, Number],
    stuck: Sequence[Stuck],
    rubbing: Rubbing | None,
    found: Solved,
    along: tuple[Number, Number],
    still: tuple[Number, Number],
) -> Solved:
    """Rates of what `with_friction` finds, along a motion of the state; sizes and tests of it have none."""
    rows, s, phi = [each.velocity for each in stuck], len(stuck), ca.vertcat(*found.phi.values())
    own = ca.vertcat(*(each.slip.accelerations(columns[0]) for each in stuck))
    H, a0 = ca.densify(own[:, 1:]), ca.densify(own[:, 0])
    whole = ca.densify(ca.vertcat(*(each.slip.accelerations(found.a) for each in stuck)))
    moving, rates = ca.vertcat(along[0], found.a, found.lam), ca.vertcat(along[1], *still)
    limits, slopes = dict[int, Number](), dict[int, Number]()
    held = held_by(H, columns[0][:, 1:], stuck, found.groups)
    if rubbing is None:
        d_phi = held.efforts(ca.jtimes(whole + held.least @ phi, moving, rates))
        slides = ca.vertcat(*(each.slides for each in stuck))
    else:
        equations = load_equations(*columns, held, a0, stuck, rubbing)
        fixed = ca.SX.sym("H", s, s)  # what the efforts do to v̇ is part of v̇: their matrix counts as constant
        a, lam = (ca.horzcat(each, ca.SX(each.shape[0], s)) for each in (found.a, found.lam))
        constant = replace(held, H=fixed, P=ca.SX.sym("P", s, s), least=ca.SX.sym("least", s, s))
        residual = load_equations(a, lam, constant, whole - fixed @ phi, stuck, rubbing)
        A, b = residual.linearised(phi)
        dF = ca.jtimes(A @ phi - b, moving, rates)
        (dF,) = ca.substitute([dF], [fixed, constant.P, constant.least], list(map(ca.densify, (H, held.P, held.least))))
        d_phi = -ca.solve(equations.linearised(phi)[0], dF)
        limits = residual.limits(ca.vertcat(*(own + found.shifts.get(k, 0) for k, own in found.phi.items())))
        regular, slides = equations.regularity(phi), equations.slides
    da, d_lam = (each + column[:, 1:] @ d_phi for each, column in zip(still, columns, strict=True))
    da = ca.SX(da)
    for i, each in enumerate(stuck):
        for k in each.rests:
            da[k] *= slides[i]
    if rubbing is not None:
        moving, rates = ca.vertcat(moving, phi), ca.vertcat(along[1], da, d_lam, d_phi)
        limits = {k: ca.jtimes(ca.SX(limit), moving, rates) for k, limit in limits.items()}
        d_regular = ca.jtimes(regular, moving, rates)
        slopes = {k: ca.if_else(slope == regular, d_regular, 0) for k, slope in found.slopes.items()}
    return Solved(da, d_lam, {k: d_phi[i] for i, k in enumerate(rows)}, limits, test=lambda: slopes)
