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

__all__ = ["check_inertia"]

SINGULAR = 1e-13  # of the scaled mass matrix, whose largest eigenvalue is at least 1: some hundred round-offs


def check_inertia(model: Model, tree: Tree) -> None:
    """Check the mass matrix in a position of no special kind.

    Raises
    ------
    ModelError
        It is singular there, and so nearly everywhere; the message names the coordinate without inertia.
    """
    M = _mass_matrix(model, tree)
    scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    if values.size and values[0] < SINGULAR:
        name = tree.velocities[int(np.argmax(np.abs(vectors[:, 0])))].name
        joint = name.partition(".")[0]
        fault = f"the mass matrix is singular: coordinate {name!r} has no inertia"
        cure = "give the bodies that it moves a mass or an inertia, or its motor a rotor_inertia"
        raise ModelError(Issue(fault, cure, ("joints", joint)))


def _mass_matrix(model: Model, tree: Tree) -> np.ndarray:
    """M (n, n) of the model's parameters at coordinates drawn at random, the same ones each time."""
    q = ca.SX.sym("q", tree.nq)
    M = ca.Function("M", [q, tree.p], [composite_body.mass_matrix(tree, motion(tree, q, ca.DM(tree.nv, 1)))])
    drawn = np.random.default_rng(0).uniform(0.2, 1.0, tree.nq)
    return np.array(M(normalised(tree, ca.DM(drawn)), list(resolve(model.parameters).values())))
