"""The efforts of a mechanism as a linear form of its bodies' inertial parameters, in symbols: τ = Y(q, v, a) π.

Source: Khalil & Dombre 2002, §12.3; docs/notation.md §5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from cardan.formulations.regressor import regressors
from cardan.frozen import dataclass
from cardan.functions.inertial import inertial_names, inertial_values
from cardan.model.model import Model, check_model
from cardan.rendering import readable, sympy_matrix
from cardan.system.state import symbolic_state
from cardan.system.system import build_system

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Regressor:
    """τ = Y π, the efforts for inertia and weight of the bodies, as SymPy matrices.

    The symbols are those of the equations: coordinates (`swing`), velocities (`swing.v`), parameters; accelerations are
    called `swing.a`.
    """

    Y: sympy.Matrix  # (n, 10·bodies)
    pi: sympy.Matrix  # values of the inertial parameters (10·bodies, 1), as the model gives them
    names: tuple[str, ...]  # names of the inertial parameters: `link1.mass`, `link1.mx`, … `link1.Iyz`


def regressor(model: Model) -> Regressor:
    """Regressor of a mechanism; with loops, the regressor of its open tree, as for `inverse_dynamics`.

    Parameters
    ----------
    model : Model
        The mechanism.

    Example
    -------
    >>> import cardan
    >>> found = cardan.regressor(cardan.load("compound_pendulum"))
    >>> found.names[:4]
    ('rod.mass', 'rod.mx', 'rod.my', 'rod.mz')
    """
    check_model(model)
    system = build_system(model, "none")
    s, a = symbolic_state(system), ca.SX.sym("a", system.tree.nv)
    blocks = regressors(system.tree, s.motion, a)
    Y = ca.horzcat(*(blocks[body] for body in model.bodies))
    outputs = [ca.SX(Y), ca.SX(inertial_values(model, system.tree))]
    inputs = {"q": s.q, "v": s.v, "a": a, "p": system.tree.p}
    velocities = system.state_names[system.tree.nq :]
    names = {
        "q": tuple(entry.name for entry in system.tree.coordinates),
        "v": velocities,
        "a": tuple(f"{name.removesuffix('.v')}.a" for name in velocities),
        "p": system.tree.parameters,
    }
    function = ca.Function("regressor", list(inputs.values()), outputs, list(inputs), ["Y", "pi"])
    matrices = {name: sympy_matrix(matrix) for name, matrix in readable(function, names).items()}
    return Regressor(matrices["Y"], matrices["pi"], inertial_names(model))
