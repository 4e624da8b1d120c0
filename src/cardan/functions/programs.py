"""The functions a user calls, as CasADi Functions with named inputs and array shapes: one entry for each.

An input t or p stands only where the law depends on time or has parameters at all.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from cardan.codegen import Port
from cardan.errors import ModelError, nearest
from cardan.formulations import composite_body, newton_euler, regressor
from cardan.kinematics import energy
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.tree import Number
from cardan.system.constrained import has_constraints
from cardan.system.inertia_check import check_inertia
from cardan.system.system import (
    State,
    System,
    actuator_efforts,
    at,
    forward_dynamics,
    state_derivative,
    symbolic_state,
)

__all__ = ["PROGRAMS", "make", "shape_of"]

_RANKS = {
    "mass_matrix": 2,
    "coriolis_matrix": 2,
    "jacobian": 2,
    "regressor": 2,
    "forward_kinematics": 2,
    "constraint_jacobian": 2,
    "energy": 0,
}


def shape_of(name: str, port: Port) -> tuple[int, ...]:
    """Array shape of the input or output `port` of the function `name`: t is a scalar, other inputs are columns."""
    is_input = port.name in ("q", "v", "a", "tau", "x", "u", "p")
    rank = 0 if port.name == "t" else 1 if is_input else _RANKS.get(name, 1)
    return (port.rows, port.columns)[:rank]


def make(system: System, name: str, argument: str = "") -> ca.Function:
    """CasADi Function of the function `name`.

    Parameters
    ----------
    system : the mechanism with its motors.
    name : one of `PROGRAMS`.
    argument : what the function is asked for beyond its arrays: the marker of a Jacobian.

    Raises
    ------
    ModelError
        There is no such function or marker.
    """
    if name not in PROGRAMS:
        raise ModelError(f"there is no function {name!r}", nearest(name, PROGRAMS))
    return PROGRAMS[name](system, argument)


def _program(system: System, name: str, inputs: dict[str, Number], outputs: dict[str, Number]) -> ca.Function:
    """Function of `inputs` and, where the outputs need them, of t and p; common subexpressions are joined."""
    results = _shared(list(outputs.values()))
    used = {str(symbol): symbol for result in results for symbol in ca.symvar(result)}
    everything = dict(inputs)
    if "t" in used and "t" not in inputs:
        everything["t"] = used["t"]
    if system.tree.parameters:
        everything["p"] = system.tree.p
    return ca.Function(name, list(everything.values()), results, list(everything), list(outputs))


def _shared(results: list[Number]) -> list[Number]:
    """The same results with equal subexpressions computed once."""
    return ca.cse([ca.SX(result) for result in results])


def _mass_matrix(system: System, _: str) -> ca.Function:
    s = symbolic_state(system, system.reduced)
    M = composite_body.mass_matrix(system.reduced, s.motion)
    return _program(system, "mass_matrix", {"q": s.q}, {"M": M})


def _bias(system: System, _: str) -> ca.Function:
    s = symbolic_state(system, system.reduced)
    h = _efforts_for(system, s, ca.DM(system.tree.nv, 1))
    return _program(system, "bias", {"q": s.q, "v": s.v}, {"h": h})


def _coriolis_matrix(system: System, _: str) -> ca.Function:
    s = symbolic_state(system, system.reduced)
    C = composite_body.coriolis_matrix(system.reduced, s.motion)
    return _program(system, "coriolis_matrix", {"q": s.q, "v": s.v}, {"C": C})


def _inverse_dynamics(system: System, _: str) -> ca.Function:
    s, a = symbolic_state(system, system.reduced), ca.SX.sym("a", system.tree.nv)
    return _program(system, "inverse_dynamics", {"q": s.q, "v": s.v, "a": a}, {"effort": _efforts_for(system, s, a)})


def _regressor(system: System, _: str) -> ca.Function:
    s, a = symbolic_state(system), ca.SX.sym("a", system.tree.nv)
    blocks = regressor.regressors(system.tree, s.motion, a)
    Y = ca.horzcat(*(blocks[body] for body in system.model.bodies))
    return _program(system, "regressor", {"q": s.q, "v": s.v, "a": a}, {"Y": Y})


def _forward_dynamics(system: System, _: str) -> ca.Function:
    if not has_constraints(system.tree):
        check_inertia(system.model, system.reduced)
    s, tau = symbolic_state(system, system.reduced), ca.SX.sym("tau", system.tree.nv)
    a = forward_dynamics(system.reduced, _still(system, s).motion, tau + _drive(system, s), system.choice)
    return _program(system, "forward_dynamics", {"q": s.q, "v": s.v, "tau": tau}, {"acceleration": a})


def _forward_kinematics(system: System, _: str) -> ca.Function:
    s = symbolic_state(system)
    poses = {link.name: T_WL @ link.T_LB for link, T_WL in zip(system.tree.links, s.motion.T_WL, strict=True)}
    ordered = {f"T_{body}": ca.SX(poses[body]) for body in system.model.bodies}
    return _program(system, "forward_kinematics", {"q": s.q}, ordered)


def _jacobian(system: System, place: str) -> ca.Function:
    if place not in system.tree.places:
        raise ModelError(f"there is no body or marker {place!r}", nearest(place, system.tree.places))
    s = symbolic_state(system)
    J = jacobian(system.tree, s.motion, system.tree.places[place])
    return _program(system, "jacobian", {"q": s.q}, {"J": J})


def _energy(system: System, _: str) -> ca.Function:
    s = symbolic_state(system)
    outputs = {"kinetic": energy.kinetic(system.tree, s.motion), "potential": energy.potential(system.tree, s.motion)}
    return _program(system, "energy", {"q": s.q, "v": s.v}, outputs)


def _state_derivative(system: System, _: str) -> ca.Function:
    s = symbolic_state(system, system.reduced)
    x, u = ca.SX.sym("x", system.nx), s.u
    dx = _of_state(s, x, state_derivative(system, s))
    return _program(system, "state_derivative", {"x": x, "u": u}, {"dx": dx})


def _efforts_for(system: System, s: State, a: Number) -> Number:
    """Efforts (nv,) that give the accelerations a, on top of what the motors do at zero input."""
    return newton_euler.inverse_dynamics(system.reduced, _still(system, s).motion, a) - _drive(system, s)


def _of_state(s: State, x: Number, expression: Number) -> Number:
    """`expression` with the symbols of q, v, z replaced by the entries of x."""
    return ca.substitute(ca.SX(expression), s.x, x)


def _still(system: System, s: State) -> State:
    """The state with inputs, currents and the user's own states at zero: what motors do by themselves is `_drive`."""
    return at(system, system.reduced, s.t, s.q, s.v, ca.DM(s.z.shape[0], 1), ca.DM(s.u.shape[0], 1))


def _drive(system: System, s: State) -> Number:
    """Efforts (nv,) of the motors at zero input: back-EMF braking in the simplified model, else nothing."""
    return actuator_efforts(system, _still(system, s))


def _constraint(system: System, _: str) -> ca.Function:
    s = symbolic_state(system)
    return _program(system, "constraint", {"q": s.q}, {"Phi": constraint_terms(system.tree, s.motion).Phi})


def _constraint_jacobian(system: System, _: str) -> ca.Function:
    s = symbolic_state(system)
    Phi_q = constraint_terms(system.tree, s.motion).Phi_q
    return _program(system, "constraint_jacobian", {"q": s.q}, {"Phi_q": Phi_q})


PROGRAMS: dict[str, Callable[[System, str], ca.Function]] = {
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "coriolis_matrix": _coriolis_matrix,
    "inverse_dynamics": _inverse_dynamics,
    "regressor": _regressor,
    "forward_dynamics": _forward_dynamics,
    "forward_kinematics": _forward_kinematics,
    "jacobian": _jacobian,
    "energy": _energy,
    "constraint": _constraint,
    "constraint_jacobian": _constraint_jacobian,
    "state_derivative": _state_derivative,
}
