"""Refuses a mechanism in which some motion meets no inertia, before anything divides by it."""

from __future__ import annotations

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.formulations import composite_body
from cardan.kinematics.motion import motion, normalised
from cardan.kinematics.tree import Tree
from cardan.model.model import Model
from cardan.model.parameters import resolve

__all__ = ["SINGULAR", "check_inertia", "no_inertia", "smallest_inertia"]

SINGULAR = 1e-13  # of the scaled mass matrix, whose largest eigenvalue is at least 1: some hundred round-offs


def check_inertia(model: Model, tree: Tree) -> None:
    """Check the mass matrix in a position of no special kind.

    Raises
    ------
    ModelError
        It is singular there, and so nearly everywhere; the message names the coordinate without inertia.
    """
    size, direction = smallest_inertia(_mass_matrix(model, tree))
    if size < SINGULAR:
        raise no_inertia(tree.velocities[int(np.argmax(np.abs(direction)))].name)


def smallest_inertia(M: np.ndarray) -> tuple[float, np.ndarray]:
    """Smallest eigenvalue of M (n, n) scaled to a unit diagonal, and its direction (n,); infinite for n = 0."""
    if not M.size:
        return np.inf, np.zeros(0)
    scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
    sizes, directions = np.linalg.eigh(M / np.outer(scale, scale))
    return float(sizes[0]), directions[:, 0] / scale


def no_inertia(name: str) -> ModelError:
    """The error for a velocity without inertia."""
    fault = f"the mass matrix is singular: coordinate {name!r} has no inertia"
    cure = "give the bodies that it moves a mass or an inertia, or its motor a rotor_inertia"
    return ModelError(Issue(fault, cure, ("joints", name.partition(".")[0])))


def _mass_matrix(model: Model, tree: Tree) -> np.ndarray:
    """M (n, n) of the model's parameters at coordinates drawn at random, the same ones each time."""
    q = ca.SX.sym("q", tree.nq)
    M = ca.Function("M", [q, tree.p], [composite_body.mass_matrix(tree, motion(tree, q, ca.DM(tree.nv, 1)))])
    drawn = np.random.default_rng(0).uniform(0.2, 1.0, tree.nq)
    return np.array(M(normalised(tree, ca.DM(drawn)), list(resolve(model.parameters).values())))
