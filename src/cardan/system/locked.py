"""Joints of a tree that stick: they are locked, and the equations of motion are those of the others.

With D the diagonal matrix that has 1 for velocities that slide and 0 for those that friction or a stop holds,
v̇ = (D M D + 1 − D)⁻¹ D f, and the efforts that hold are φ = (1 − D) (M v̇ − f). One factorisation of n³/6 operations
takes the place of n solutions with M and of a matrix of efforts (`with_friction`), which loops and loads need.

Source: Featherstone 2008, §9.4 (dynamics with prescribed accelerations of some joints)
"""

from collections.abc import Sequence

import casadi as ca

from cardan.formulations import composite_body
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree
from cardan.numerics import sparse_ldl
from cardan.system.contacts import Solved, Stuck


def act_alone(tree: Tree, stuck: Sequence[Stuck]) -> bool:
    """Whether all that may stick holds one velocity of the tree each."""
    return all(each.velocity < tree.nv and each.rests == (each.velocity,) for each in stuck)


def locked(tree: Tree, state: Motion, f: Number, stuck: Sequence[Stuck]) -> Solved:
    """v̇ (nv,) under the efforts f (nv,) without what holds, and the efforts φ that hold, zero for others.

    The sizes bound the sums of the absolute terms of v̇, as |A_kj| ≤ √(A_kk A_jj) in the inverse A of a definite matrix;
    friction given beforehand may have cancelled others in f.
    """
    a, phi, factors = _solved(tree, state, f, stuck)
    terms, D = ca.fabs(ca.densify(f)), _sliding(tree, stuck)
    for each in stuck:
        terms[each.velocity] += each.given
    scale = D * ca.sqrt(sparse_ldl.inverse_sizes(factors, ca.DM.eye(tree.nv)))
    sizes = scale * ca.dot(scale, terms)
    found = {each.velocity: sizes[each.velocity] for each in stuck}
    return Solved(a, ca.DM(0, 1), {each.velocity: phi[each.velocity] for each in stuck}, sizes=found)


def locked_rates(tree: Tree, state: Motion, df: Number, stuck: Sequence[Stuck]) -> Solved:
    """Rates of what `locked` finds, with df (nv,) the rate of f − M v̇ at fixed v̇."""
    a, phi, _ = _solved(tree, state, df, stuck)
    return Solved(a, ca.DM(0, 1), {each.velocity: phi[each.velocity] for each in stuck})


def _solved(tree: Tree, state: Motion, f: Number, stuck: Sequence[Stuck]) -> tuple[Number, Number, sparse_ldl.Factor]:
    """v̇ (nv,), φ (nv,), and the factors of the equations."""
    D, M = _sliding(tree, stuck), composite_body.mass_matrix(tree, state)
    held = ca.diag(D) @ M @ ca.diag(D) + ca.diag(1 - D)
    factors = sparse_ldl.factor(held, sparse_ldl.minimum_degree(sparse_ldl.neighbours(M)))
    a = sparse_ldl.solve(factors, D * f)
    return a, (1 - D) * (M @ a - f), factors


def _sliding(tree: Tree, stuck: Sequence[Stuck]) -> Number:
    """1 for each velocity (nv,) that slides, 0 for each that is held."""
    D = ca.SX.ones(tree.nv)
    for each in stuck:
        D[each.velocity] = each.slides
    return D
