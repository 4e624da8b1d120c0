"""A model with all coordinates at zero, where readers need its inertia."""

import warnings
from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.model.model import Model


def resting(model: Model) -> tuple[Any, Any, np.ndarray]:
    """Tree, state of motion and mass matrix (nv×nv) of a model with all coordinates and velocities at zero."""
    from cardan.formulations.composite_body import mass_matrix
    from cardan.kinematics.build import build
    from cardan.kinematics.motion import motion

    tree = build(model, "none")
    state = motion(tree, ca.DM(tree.neutral), ca.DM.zeros(tree.nv))
    return tree, state, np.array(ca.DM(mass_matrix(tree, state)))


def mobilities(data: Mapping[str, Any]) -> tuple[list[str], np.ndarray]:
    """Names of the velocities, and M⁻¹ (nv×nv), of the bodies and joints among the data of a model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they come where the whole model is made
        tree, _, M = resting(Model(bodies=data["bodies"], joints=data["joints"]))
    return [entry.name for entry in tree.velocities], np.linalg.pinv(M)
