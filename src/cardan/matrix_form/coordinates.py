"""A change of coordinates y = A q + b for the matrix form, such as a textbook's angles in place of joint coordinates.

q̇ = T ẏ with T = A⁻¹, so M becomes Tᵀ M T and forces Tᵀ f.   Source: docs/notation.md §5
"""

from functools import partial

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.motion import motion
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.model.quantities.lets import reached
from cardan.numerics.entries import column


@dataclass(frozen=True)
class CoordinateChange:
    """New coordinates y = A q + b."""

    names: tuple[str, ...]  # (nq,)
    T: Number  # A⁻¹ (nq, nq)
    b: Number  # (nq,)


def coordinate_change(model: Model, tree: Tree) -> CoordinateChange | None:
    """Change of coordinates that the model defines; None if it defines none."""
    if not model.coordinates:
        return None
    names = tuple(model.coordinates)
    if tree.nq != tree.nv or len(names) != tree.nq:
        known = ", ".join(entry.name for entry in tree.coordinates)
        fault = f"{len(names)} coordinates are given for {tree.nq}: {known}"
        raise _refused(fault, "give as many as the joints have; joints with quaternions cannot be changed")
    q = ca.SX.sym("q", tree.nq)
    lookup = partial(value, tree, motion(tree, q, ca.SX(tree.nv, 1)))
    y = ca.SX(column([evaluate(scalar, lookup) for scalar in model.coordinates.values()]))
    A = ca.jacobian(y, q)
    if not A.is_constant() or any("t" in reached(scalar.names, model.let) for scalar in model.coordinates.values()):
        raise _refused("the new coordinates are not affine in the joints' ones", "write sums with constant factors")
    numbers = np.array(ca.DM(A))
    if abs(np.linalg.det(numbers)) < 1e-9 * np.prod(np.maximum(np.linalg.norm(numbers, axis=1), 1e-300)):
        raise _refused("the new coordinates are not independent", "define none that follows from the others")
    T = np.linalg.inv(numbers)
    whole = np.where(np.abs(T - np.round(T)) < 1e-12, np.round(T), T)
    return CoordinateChange(names, ca.sparsify(ca.DM(whole)), ca.substitute(y, q, ca.DM.zeros(tree.nq)))


def _refused(fault: str, cure: str) -> ModelError:
    return ModelError(Issue(fault, cure, ("coordinates",)))
