"""Generalised forces from potential energy and virtual power, by differentiation.   Source: docs/notation.md §5"""

import casadi as ca

from cardan.kinematics import energy, loads
from cardan.kinematics.motion import Motion, coordinate_rate, motion
from cardan.kinematics.tree import Number, Tree


def potential_forces(tree: Tree, s: Motion) -> Number:
    """Aᵀ ∂Π/∂q (nv,), the gradient of the potential energy along the velocities, q̇ = A(q) v."""
    along = ca.jacobian(coordinate_rate(tree, s.q, s.v), s.v)
    return along.T @ ca.gradient(ca.SX(energy.potential(tree, s)), s.q)


def applied_forces(tree: Tree, s: Motion) -> Number:
    """Q (nv,): virtual power of all forces without a potential, per virtual velocity."""
    virtual = motion(tree, s.q, ca.SX.sym("w", tree.nv), t=s.t, z=s.z)
    return ca.gradient(ca.SX(loads.load_power(tree, s, virtual)), virtual.v)
