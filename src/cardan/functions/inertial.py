"""The inertial parameters of a model's bodies: their names, and their values over the parameters of the model.

Source: Khalil & Dombre 2002, §12.3; docs/notation.md §5
"""

from functools import partial

import casadi as ca

from cardan.formulations.regressor import PARAMETERS, inertial_parameters
from cardan.kinematics.places import body_inertia
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model


def inertial_names(model: Model) -> tuple[str, ...]:
    """Names of the inertial parameters, body by body in file order."""
    return tuple(f"{body}.{name}" for body in model.bodies for name in PARAMETERS)


def inertial_values(model: Model, tree: Tree) -> Number:
    """π (10·bodies,) over the parameters p of the tree."""
    number = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p))
    bodies = (body.resolved(number) for body in model.bodies.values())
    return ca.vertcat(*(inertial_parameters(body_inertia(body, ca.DM.eye(4))) for body in bodies))
