"""Joints of a tree that stick: they are locked, and the equations of motion are those of the others.

With D the diagonal matrix that has 1 for velocities that slide and 0 for those that friction or a stop holds,
v̇ = (D M D + 1 − D)⁻¹ D f, and the efforts that hold are φ = (1 − D) (M v̇ − f). One factorisation, or one pass over the
links, takes the place of n solutions with M and of a matrix of efforts (`with_friction`), which loops and loads need.

Source: Featherstone 2008, §9.4 (dynamics with prescribed accelerations of some joints)
"""

from collections.abc import Sequence

import casadi as ca

from cardan.formulations import clusters, composite_body
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree
from cardan.numerics import sparse_ldl
from cardan.system.contacts import Solved, Stuck


def act_alone(tree: Tree, stuck: Sequence[Stuck]) -> bool:
    """Whether all that may stick holds one velocity of the tree each."""
    return all(each.velocity < tree.nv and each.rests == (each.velocity,) for each in stuck)


def locked(tree: Tree, state: Motion, f: Number, stuck: Sequence[Stuck], *, sized: bool = False) -> Solved:
    """v̇ (nv,) under the efforts f (nv,) without what holds, and the efforts φ that hold, zero for others.

    With `sized` also the sizes of v̇, which need a factorisation; so v̇ comes from its factors too. Else links hand on
    their inertias if that is the shorter program.
    """
    candidates, D = [], _sliding(tree, stuck)
    if not (sized or clusters.are_shared(tree)):
        parts = clusters.partition(tree, ())
        by_links = clusters.articulated(tree, state, parts, ca.SX(0, tree.nv), (), slides=D)
        candidates.append(ca.vertcat(*by_links.solve_locked(f)))
    sizes = dict[int, Number]()
    if not candidates or composite_body.least_length(tree) < _length(candidates[0]):
        M = composite_body.mass_matrix(tree, state)
        held = ca.diag(D) @ M @ ca.diag(D) + ca.diag(1 - D)
        factors = sparse_ldl.factor(held, sparse_ldl.minimum_degree(sparse_ldl.neighbours(M)))
        a = sparse_ldl.solve(factors, D * f)
        candidates.append(ca.vertcat(a, (1 - D) * (M @ a - f)))
        sizes = _sizes(factors, D, f, stuck) if sized else sizes
    a, phi = ca.vertsplit(min(candidates, key=_length), tree.nv)
    return Solved(a, ca.DM(0, 1), {each.velocity: phi[each.velocity] for each in stuck}, sizes=sizes)


def _length(expression: Number) -> int:
    """Number of operations of an expression."""
    return int(ca.Function("length", ca.symvar(expression), [expression]).n_instructions())


def _sizes(factors: sparse_ldl.Factor, D: Number, f: Number, stuck: Sequence[Stuck]) -> dict[int, Number]:
    """Bounds of the sums of the absolute terms of v̇ by velocity, as |A_kj| ≤ √(A_kk A_jj) in the inverse A of a
    definite matrix; friction given beforehand may have cancelled others in f.
    """
    terms = ca.fabs(ca.densify(f))
    for each in stuck:
        terms[each.velocity] += each.given
    scale = D * ca.sqrt(sparse_ldl.inverse_sizes(factors, ca.DM.eye(D.shape[0])))
    return {each.velocity: scale[each.velocity] * ca.dot(scale, terms) for each in stuck}


def _sliding(tree: Tree, stuck: Sequence[Stuck]) -> Number:
    """1 for each velocity (nv,) that slides, 0 for each that is held."""
    D = ca.SX.ones(tree.nv)
    for each in stuck:
        D[each.velocity] = each.slides
    return D
