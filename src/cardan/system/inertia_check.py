"""Refuses, before it is solved, a mechanism with a singular mass matrix or with a force along a line of no length."""

from collections.abc import Sequence

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError, few
from cardan.formulations import composite_body
from cardan.kinematics.loads import load_ends
from cardan.kinematics.motion import motion, normalised
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.numerics.entries import column
from cardan.numerics.rank import most_independent_rows, null_space
from cardan.numerics.round_off import ROUND_OFF, SINGULAR


def check_inertia(model: Model, tree: Tree) -> None:
    """Check the mass matrix in a random position, for the parameters of the model.

    A parameter that is defined as 0 may get another value later; a mass matrix that is singular only because of such
    parameters is left to `check_inertia_for`.
    """
    M = generic_mass_matrix(tree)
    given_later = {name: 1.0 for name, definition in model.parameters.items() if definition.value == 0}
    try:
        check_inertia_for(tree, M, [*resolve(model.parameters).values()])
    except ModelError:
        if not given_later:
            raise
        check_inertia_for(tree, M, [*resolve(model.parameters, given_later).values()])


def check_inertia_for(tree: Tree, mass_matrix: ca.Function, values: Sequence[float]) -> None:
    """Check the mass matrix for these values of the parameters."""
    if massless := without_inertia(tree, np.array(mass_matrix(list(values)))):
        raise no_inertia(massless)


def without_inertia(tree: Tree, M: np.ndarray, J: np.ndarray | None = None) -> tuple[str, ...]:
    """Names of velocities, one for each direction in which M (n, n) has no inertia and J (c, n) allows motion."""
    scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
    allowed = np.eye(len(M)) if J is None else null_space(J / scale)
    sizes, directions = np.linalg.eigh(allowed.T @ np.nan_to_num(M / np.outer(scale, scale)) @ allowed)
    empty = allowed @ directions[:, sizes < SINGULAR] / scale[:, None]
    rows = most_independent_rows([empty], empty.shape[1], share=1) if empty.size else ()
    return tuple(tree.velocities[k].name for k in sorted(rows))


def no_inertia(names: Sequence[str]) -> ModelError:
    """The error for velocities that have no inertia."""
    have = "coordinates {} have" if len(names) > 1 else "coordinate {} has"
    fault = f"the mass matrix is singular: {have.format(few(map(repr, names)))} no inertia"
    cure = "give the bodies that it moves a mass, off its axis if it turns, or an inertia, or its motor a rotor_inertia"
    cure += "; a point in which springs meet: a small mass and dampers; "
    cure += 'of a URDF file: load it with inertia="minimal"'
    return ModelError(Issue(fault, cure, ("joints", names[0].partition(".")[0])))


def generic_mass_matrix(tree: Tree) -> ca.Function:
    """p → M (n, n) at coordinates drawn at random, the same ones each time; bodies of modes are straight."""
    drawn = np.random.default_rng(0).uniform(0.2, 1.0, tree.nq)
    drawn[[k for link in tree.links if link.law.declared.is_bending for k in link.q]] = (
        0.0  # bent ones have inertia all round
    )
    M = composite_body.mass_matrix(tree, motion(tree, normalised(tree, ca.DM(drawn)), ca.DM(tree.nv, 1)))
    return ca.Function("M", [tree.p], [M])


def check_lines(model: Model, tree: Tree) -> None:
    """Check the markers of all forces that need a line, at coordinates drawn at random.

    Parameters that are defined as 0 may get another value later; they are 1 here. Where markers meet in some positions
    only, a run that comes to such a position ends there.
    """
    if not tree.loads:
        return
    drawn = ca.DM(np.random.default_rng(0).uniform(0.2, 1.0, tree.nq))
    state = motion(tree, normalised(tree, drawn), ca.DM(tree.nv, 1), t=ca.DM(1.0))  # where 1/t has a value
    apart: dict[str, Number] = {}
    for load in tree.loads:
        if load.given:
            continue
        record, a, b = load_ends(tree, state, load)
        if record.needs_line:
            apart[load.name] = ca.norm_2(b.p - a.p) - ROUND_OFF * (1 + ca.norm_2(a.p))
    given_later = {name: 1.0 for name, definition in model.parameters.items() if definition.value == 0}
    distances = ca.Function("apart", [tree.p], [ca.densify(ca.SX(column([*apart.values()])))])
    found = np.array(distances([*resolve(model.parameters, given_later).values()])).ravel()
    for name, distance in zip(apart, found, strict=True):
        if distance <= 0:
            fault = "its markers coincide in every position, which leaves its line without direction"
            cure = "give one of them another position or the force an axis, or leave out its damping and rest_length"
            raise ModelError(Issue(fault, cure, ("forces", name)))
