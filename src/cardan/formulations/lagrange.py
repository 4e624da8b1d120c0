"""Lagrange's equations of the second kind, by differentiating the energies T(q, v) and Π(q).

M = ∂²T/∂v², g = Aᵀ ∂Π/∂q with q̇ = A(q) v, and C the connection of M: Christoffel's symbols where q̇ = v, else with the
commutators of the velocities (Boltzmann–Hamel), so that Ṁ − 2C is skew. No recursion over the links takes part.

Source: Hoang & Vuong, §2.1; commutators: do Carmo 1992, ch. 2, Theorem 3.6 (Koszul's formula)
"""

from dataclasses import replace

import casadi as ca

from cardan.formulations import applied
from cardan.formulations.generalised_forces import applied_forces, potential_forces
from cardan.formulations.terms import Terms
from cardan.kinematics import energy
from cardan.kinematics.motion import Motion, commutator, coordinate_rate, motion
from cardan.kinematics.tree import Number, Tree


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms from kinetic energy, potential energy and virtual power alone."""
    symbols = motion(tree, ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), t=state.t, z=state.z)
    symbols = replace(symbols, reactions=state.reactions)
    M = _mass_matrix(tree, symbols)
    found = (M, _coriolis_matrix(tree, symbols, M), potential_forces(tree, symbols), applied_forces(tree, symbols))
    M, C, g, Q = _evaluated(found, symbols, state)
    return Terms(M=M, C=C, D=applied.damping(tree), g=g, Q=Q, B=applied.input_matrix(tree))


def _mass_matrix(tree: Tree, s: Motion) -> Number:
    """∂²T/∂v² (nv×nv)."""
    M = ca.jacobian(ca.gradient(ca.SX(energy.kinetic(tree, s)), s.v), s.v)
    return ca.tril2symm(ca.tril(M))


def _coriolis_matrix(tree: Tree, s: Motion, M: Number) -> Number:
    """C (nv×nv): the product of its row z with w is that of e_z with M ∇_v e_w for the fields e of constant velocities.

    2 zᵀC w = v(zᵀM w) + w(zᵀM v) − z(vᵀM w) + zᵀM [v, w] − wᵀM [v, z] − vᵀM [w, z], each first letter a derivative.
    """
    p = M @ s.v
    rate = coordinate_rate(tree, s.q, s.v)
    M_dot = ca.reshape(ca.jtimes(ca.densify(ca.vec(M)), s.q, rate), tree.nv, tree.nv)
    P = ca.jacobian(p, s.q) @ ca.jacobian(rate, s.v)
    w, z = ca.SX.sym("w", tree.nv), ca.SX.sym("z", tree.nv)
    own = M @ ca.jacobian(commutator(tree, s.v, w), w)
    pair = ca.jacobian(ca.gradient(ca.dot(p, commutator(tree, w, z)), z), w)
    return 0.5 * (M_dot + P - P.T + own - own.T - pair)


def _evaluated(found: tuple[Number, ...], symbols: Motion, state: Motion) -> list[Number]:
    """The expressions `found` in the state; numbers where the state and the parameters are numbers."""
    x, value = ca.vertcat(symbols.q, symbols.v), ca.vertcat(state.q, state.v)
    out = [ca.substitute(ca.SX(one), x, value) for one in found]
    return out if ca.symvar(ca.veccat(*out)) else [ca.evalf(one) for one in out]
