"""Given parts of reactions that depend on the ideal part of the same reaction: friction of constraints, as −μ |N|.

Accelerations and multipliers are linear in the given forces g: λ = λ₀ + Λ g, and so are the ideal parts N = P λ. With
g = G(N) these are equations for a few N alone, N = P λ₀ + P Λ G(N), which Newton's method solves by continuation. Where
a determinant of these equations is not positive, with N as found or with its signs turned, they have several solutions
or none (Painlevé). A law that grows too steeply for the steps of the method counts as one without a solution.

Source: docs/non_ideal_constraints.md; Haug, Wu & Yang 1986, Mech. Mach. Theory 21 (friction from multipliers)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.kinematics.loads import load_wrench
from cardan.kinematics.motion import Motion, marker_motion, motion
from cardan.kinematics.relations.ideal_parts import following, ideal_parts, with_ideal_parts
from cardan.kinematics.relations.moving_axes import has_path
from cardan.kinematics.scope import value
from cardan.kinematics.tree import LoadPlacement, Number, Tree
from cardan.model.quantities.number_kind import OWN_NAMES
from cardan.model.records.walk import scalars
from cardan.numerics.determinant import determinant
from cardan.numerics.round_off import HALF_THE_DIGITS
from cardan.spatial.rotations import skew
from cardan.system.contacts.friction import JointFriction
from cardan.system.contacts.load_equations import SHARES
from cardan.system.contacts.stops import JointStops

Solve = Callable[[Number, Number], tuple[Number, Number]]
"""Right-hand sides (n, k) and (c, k) of the equations of motion → v̇ (n, k) and λ (c, k)."""


def check_given(tree: Tree, frictions: Sequence[JointFriction], stops: Sequence[JointStops]) -> None:
    """Refuse given parts that refer to a path or an ideal part that does not exist, or that are not supported yet."""
    for load in tree.loads:
        if load.given and not has_path(tree, load.name, value):
            _check_no_path(load)
    programs = [motion.name for motion in tree.motions if motion.program is not None]
    indirect = [motion.name for motion in tree.motions if not motion.is_direct]
    unknown = next(_unknown(frictions, stops), None)
    for load in following(tree):
        path, head = ("constraints", load.name, "given", "value"), "the given part follows the ideal part"
        cure = "write the force without normal and binormal"
        if load.name in programs:
            fault = "drives keep the relation, so that its reaction has no ideal part"
        elif indirect:
            fault = f"{head}, beside the drives of {indirect[0]!r}, which is not supported yet"
        elif unknown is not None:
            fault = f"{head}, beside {unknown[0]}, which is not supported yet"
            cure = f"give {load.name!r} the key friction with a coefficient, in place of given; or {unknown[1]}"
        else:
            continue
        raise ModelError(Issue(fault, cure, path))


def _unknown(frictions: Sequence[JointFriction], stops: Sequence[JointStops]) -> Iterator[tuple[str, str]]:
    """Efforts of friction and stops that are unknowns of the equations of motion, and laws that make them known."""
    for friction in frictions:
        if friction.law.follows_load:
            cure = f"write the friction of {friction.name!r} with effort and regularize, in place of its coefficient"
            yield f"friction of {friction.name!r} that follows its load", cure
        elif friction.law.prescribed:
            cure = f"write the friction of {friction.name!r} with regularize, in place of prescribed"
            yield f"friction of {friction.name!r} on a prescribed motion", cure
        elif friction.sticks:
            yield f"friction of {friction.name!r} that sticks", "add regularize: with a small speed to it"
    for stop in stops:
        if stop.is_rigid:
            yield f"stops by impact of {stop.name!r}", f"give the limits of {stop.name!r} a stiffness"


def _check_no_path(load: LoadPlacement) -> None:
    """Refuse a given part in the axes of a path, or with the constraint's own quantities, where there is no path."""
    used = {name for _, scalar in scalars(load.record) for name in scalar.names}
    of_path = [name for name in OWN_NAMES if f"{load.name}.{name}" in used]
    if load.on_path or of_path:
        fault = "the equation leaves its point no path" + (f", so there is no {of_path[0]} along it" if of_path else "")
        cure = "write the components in frame: world, of coordinates and points; a path is a line or a curve"
        raise ModelError(Issue(fault, cure, ("constraints", load.name, "given", "value" if of_path else "frame")))


def without_following(tree: Tree) -> Tree:
    """The tree without the given parts that follow ideal parts; the tree itself if there are none."""
    left_out = following(tree)
    return replace(tree, loads=tuple(load for load in tree.loads if load not in left_out)) if left_out else tree


def with_given_parts(
    tree: Tree, state: Motion, solve: Solve, f: Number, gamma: Number
) -> tuple[Number, Number, dict[str, Number]]:
    """(v̇, λ) with given parts that follow ideal parts, and by constraint the least determinant of their equations."""
    E = _unit_forces(tree, state)
    a, lam = solve(ca.horzcat(f, E), ca.horzcat(gamma, ca.DM(gamma.shape[0], E.shape[1])))
    parts = ideal_parts(tree, state, lam)
    names, columns = list(parts), ca.vertcat(*parts.values())
    N0, slope = ca.densify(columns[:, 0]), ca.densify(columns[:, 1:])
    N = ca.SX.sym("N", len(names))
    at = with_ideal_parts(tree, state, {name: N[i] for i, name in enumerate(names)})
    g = ca.vertcat(*(ca.SX(load_wrench(tree, at, load).f) for load in following(tree)))
    grows, share = slope @ ca.jacobian(g, N), ca.SX.sym("share")
    matrix, rest = ca.SX.eye(len(names)) - grows, N - N0 - slope @ g
    step = N - ca.solve(ca.SX.eye(len(names)) - share * grows, N - N0 - share * (slope @ g))
    known = N0
    for each in SHARES:
        known = ca.substitute(step, ca.vertcat(N, share), ca.vertcat(known, each))
    size = ca.fabs(N) + ca.fabs(N0) + ca.fabs(slope) @ ca.fabs(g)
    is_solved = ca.substitute(ca.sum1(ca.fabs(rest) > HALF_THE_DIGITS * size) < 0.5, N, known)
    force = ca.substitute(g, N, known)
    least = {
        load.name: ca.if_else(is_solved, _least_determinant(matrix, N, known, names, load.name), -1)
        for load in following(tree)
    }
    return a[:, 0] + a[:, 1:] @ force, lam[:, 0] + lam[:, 1:] @ force, least


def _least_determinant(matrix: Number, N: Number, known: Number, names: list[str], constraint: str) -> Number:
    """Least determinant of `matrix` (k, k) at the ideal parts `known`, with those of one constraint of either sign.

    Without given parts it is 1; where it is not positive the equations have several solutions or none. The constraints
    are tested one by one, not in all combinations.
    """
    of_constraint, least = [name.rpartition(".")[0] == constraint for name in names], ca.SX(ca.inf)
    for signs in product((1, -1), repeat=sum(of_constraint)):
        following_signs = iter(signs)
        factors = ca.DM([next(following_signs) if belongs else 1 for belongs in of_constraint])
        least = ca.fmin(least, determinant(ca.substitute(matrix, N, factors * known)))
    return least


def _unit_forces(tree: Tree, state: Motion) -> Number:
    """Efforts on the velocities (n, 3 k) per unit of the k given parts that follow ideal parts, by virtual power."""
    w = ca.SX.sym("w", tree.nv)
    virtual, columns = motion(tree, state.q, w, t=state.t), []
    for load in following(tree):
        a, b = marker_motion(virtual, load.parent), marker_motion(virtual, load.child)
        columns.append(ca.jacobian(b.v - a.v - skew(a.w) @ (b.p - a.p), w).T)
    return ca.horzcat(*columns)
