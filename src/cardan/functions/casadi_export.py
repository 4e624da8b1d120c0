"""The functions of a model as CasADi Functions, for optimal control and other tools that are built on CasADi."""

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from cardan.assembly.start import ready_system
from cardan.errors import ModelError, nearest
from cardan.functions.catalogue import user_function
from cardan.functions.system_functions import user_functions_of
from cardan.kinematics.build import MotorModel
from cardan.model.model import Model, check_model
from cardan.model.quantities.parameters import resolve
from cardan.system.system import motor_model


def casadi_function(
    model: Model,
    name: str,
    motors: MotorModel | None = None,
    *,
    marker: str = "",
    parameters: Mapping[str, Any] | None = None,
    free: Sequence[str] = (),
) -> ca.Function:
    """CasADi Function of a method of `Dynamics`, with its inputs in the same order.

    Two further inputs may follow: `t` [s] if the law depends on time, and `p` if parameters are left free.

    Parameters
    ----------
    model : Model
        The mechanism.
    name : str
        "forward_dynamics" (q, v, tau), "state_derivative" (x, u), "mass_matrix" (q), …
    motors : "full", "simplified" or "none", optional
        How motors are modelled: with currents as states, with L di/dt = 0, or left out; by default full if the model
        has motors, else none.
    marker : str
        Body or marker, for "jacobian".
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    free : sequence of str
        Parameters that become the entries of the last input `p`, in this order.

    Raises
    ------
    ModelError
        There is no such function, marker or parameter.

    Example
    -------
    >>> import cardan
    >>> f = casadi_function(cardan.load("spring_pendulum"), "forward_dynamics")
    >>> print(f([0.1], [0.0], [0.0]))
    7.88692
    """
    check_model(model)
    user_function(name)
    function = user_functions_of(ready_system(model, motor_model(model, motors))).interpreted(name, marker)
    values = resolve(model.parameters, parameters)
    for wrong in set(free) - set(values):
        raise ModelError(f"there is no parameter {wrong!r}", nearest(wrong, values))
    inputs = {port: function.sx_in(i) for i, port in enumerate(function.name_in())}
    if "p" not in inputs:
        return function
    symbols = ca.SX.sym("p", len(free))
    inputs["p"] = ca.vertcat(*(symbols[free.index(key)] if key in free else value for key, value in values.items()))
    results = function.call(list(inputs.values()))
    kept = {port: symbol for port, symbol in inputs.items() if port != "p"} | ({"p": symbols} if free else {})
    return ca.Function(name, list(kept.values()), results, list(kept), function.name_out())
