"""A model's functions as source to hand out: names, shapes, units and words for every array of every function."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

import cardan
from cardan.codegen import Argument, Listing, Port, Routine, Source, argument_names, identifier
from cardan.errors import ModelError, nearest
from cardan.functions import programs
from cardan.functions.inertial import inertial_names, inertial_values
from cardan.kinematics.constraints import constraint_rows
from cardan.model.model import Model
from cardan.model.names import carrying, efforts
from cardan.model.parameters import dimensions, resolve
from cardan.model.units import DIMENSIONLESS, Dimension
from cardan.system.constrained import has_constraints
from cardan.system.system import System, symbolic_state

__all__ = ["ROUTINES", "default_names", "routine", "source"]

ROUTINES = {
    "forward_dynamics": "Accelerations under the efforts tau, which are added to what the motors do at zero input.",
    "inverse_dynamics": "Efforts on all velocities that give the accelerations a.",
    "mass_matrix": "Mass matrix M, the rotors of the motors included.",
    "bias": "h = C v + D v + g - Q: the efforts that hold a = 0.",
    "coriolis_matrix": "Coriolis matrix C, with dM/dt - 2 C skew.",
    "regressor": "Regressor Y: Y times the inertial parameters are the efforts for inertia and weight of the bodies.",
    "state_derivative": "Rate of the state x under the inputs u.",
    "forward_kinematics": "Poses of all bodies: the 4x4 matrices that turn body coordinates into world coordinates.",
    "jacobian": "Angular velocity (3 rows) and velocity (3 rows) of a place per velocity, world axes.",
    "energy": "Kinetic (rotors included) and potential energy [J].",
    "constraint": "Phi: what the constraints leave open; zero where they hold.",
    "constraint_jacobian": "Phi_q: rates of the constraints per velocity.",
}
"""What each function gives; the default are those that need no further word."""
_ON_REQUEST = {"coriolis_matrix", "jacobian", "regressor"}
_ON_CONSTRAINTS = {"constraint", "constraint_jacobian"}
_TABLES = {"forward_kinematics", "energy"}  # several results, by name, however many there are

_INPUTS = {
    "q": "coordinates",
    "v": "velocities",
    "a": "accelerations, the rates of v",
    "tau": "efforts on the velocities",
    "x": "state (q, v, currents)",
    "u": "inputs",
    "t": "time [s]",
    "p": "parameters",
}
_OUTPUTS = {
    "acceleration": "rates of v",
    "effort": "efforts on the velocities",
    "h": "efforts on the velocities",
    "M": "rows and columns as v; efforts per acceleration",
    "C": "rows and columns as v; efforts per velocity",
    "Y": "rows as v, columns as the inertial parameters",
    "dx": "rates of x",
    "J": "columns as v; rows wx, wy, wz, vx, vy, vz",
    "kinetic": "[J]",
    "potential": "[J]",
    "Phi": "one for each equation",
    "Phi_q": "rows as Phi, columns as v",
}


def source(system: System, names: Sequence[str] = (), name: str = "") -> Source:
    """Source of functions of a system.

    Parameters
    ----------
    system : System
        The mechanism with its motors.
    names : sequence of str, optional
        Functions; "jacobian:PLACE" for the Jacobian of a body or marker. By default all that need no further word.
    name : str, optional
        Identifier of the source; by default it reads like the name of the model.

    Raises
    ------
    ModelError
        There is no such function or place, or it has nothing to compute in this model.
    """
    wanted = tuple(dict.fromkeys(names)) or default_names(system)
    routines = tuple(routine(system, one) for one in wanted)
    listings = _listings(system) + ((_inertial(system),) if "regressor" in wanted else ())
    return Source(name or identifier(system.model.name), _about(system), listings, routines)


def default_names(system: System) -> tuple[str, ...]:
    """Functions of a system that need no further word; those of constraints where there are any."""
    left_out = _ON_REQUEST if has_constraints(system.tree) else _ON_REQUEST | _ON_CONSTRAINTS
    return tuple(name for name in ROUTINES if name not in left_out)


def routine(system: System, name: str) -> Routine:
    """A function of a system with its words.

    Parameters
    ----------
    system : System
        The mechanism with its motors.
    name : str
        "mass_matrix" …, or "jacobian:PLACE".

    Raises
    ------
    ModelError
        There is no such function or place, or it has nothing to compute in this model.
    """
    kind, colon, place = name.partition(":")
    _check(system, kind, bool(colon), place)
    function = programs.make(system, kind, place)
    inputs = [(port, Port(port, *function.size_in(i))) for i, port in enumerate(function.name_in())]
    outputs = [(port, Port(port, *function.size_out(i))) for i, port in enumerate(function.name_out())]
    made = argument_names(port for port, _ in (*inputs, *outputs))
    arguments = [
        Argument(word, programs.shape_of(kind, port), _meaning(name), name.removeprefix("T_"))
        for word, (name, port) in zip(made, (*inputs, *outputs), strict=True)
    ]
    return Routine.of(
        identifier(f"{kind}_{place}" if place else kind),
        ROUTINES[kind].replace("a place", place),
        function,
        tuple(arguments[: len(inputs)]),
        tuple(arguments[len(inputs) :]),
        kind in _TABLES,
    )


def _check(system: System, kind: str, with_place: bool, place: str) -> None:
    """Refuse a function that does not exist or has nothing to compute; one of a place needs it, no other takes one."""
    if kind not in ROUTINES:
        raise ModelError(f"there is no function {kind!r} to export", nearest(kind, ROUTINES))
    if kind in _ON_CONSTRAINTS and not has_constraints(system.tree):
        raise ModelError(f"{kind!r} has nothing to compute: the model has no constraints", "leave it out")
    if kind == "jacobian" and not place:
        raise ModelError(
            "the Jacobian of which body or marker?", "write jacobian:PLACE, such as jacobian:" + _some(system)
        )
    if kind != "jacobian" and with_place:
        raise ModelError(f"{kind!r} takes no {place!r}", f"write {kind}")


def _some(system: System) -> str:
    """A place that a Jacobian may be asked for."""
    return next(iter(system.model.bodies))


def _meaning(port: str) -> str:
    if port in _INPUTS:
        return _INPUTS[port]
    return _OUTPUTS.get(port) or f"pose of {port.removeprefix('T_')}; positions [m] in the last column"


def _about(system: System) -> tuple[str, ...]:
    """Lines on where the functions come from, and what holds for all of them."""
    model = system.model
    turning = any(entry.unit == "1" for entry in system.tree.coordinates)
    quaternions = (
        "; quaternions (w, x, y, z) turn child axes into parent axes and must have length 1" if turning else ""
    )
    lines = [
        f"{model.name or 'model without a name'}: equations of motion",
        "",
        *([f"source: {model.source}"] if model.source else []),
        f"written by: cardan export, version {cardan.__version__}",
        f"motors: {_MOTORS[system.motors] if model.motors else 'the model has none'}",
        f"units: SI and radians throughout{quaternions}",
    ]
    if has_constraints(system.tree):
        lines.append(
            "constraints: accelerations keep the rates of the constraints as they are; a state that satisfies them "
            "drifts off slowly unless it is projected. Equations that are redundant in the initial position of the "
            "model are left out."
        )
    return tuple(lines)


_MOTORS = {
    "full": "full (voltages in, currents are states)",
    "simplified": "simplified (voltages in, inductances neglected)",
    "none": "none (efforts in, no rotors, no circuits)",
}


def _listings(system: System) -> tuple[Listing, ...]:
    tree = system.tree
    units = efforts(carrying(system.model))
    names = tuple(entry.name for entry in tree.velocities)
    found = [
        Listing("q", _INPUTS["q"], tuple(e.name for e in tree.coordinates), tuple(e.unit for e in tree.coordinates)),
        Listing("v", _INPUTS["v"], names, tuple(e.unit for e in tree.velocities)),
        Listing("tau", _INPUTS["tau"], names, tuple(units[name] for name in names)),
        Listing("x", _INPUTS["x"], system.state_names, system.state_units),
        Listing("u", _INPUTS["u"], system.input_names, system.input_units),
        _parameters(system.model),
    ]
    if has_constraints(tree):
        rows = constraint_rows(tree, symbolic_state(system).motion)
        found.append(Listing("Phi", "constraints", tuple(f"{row.owner}: {row.component}" for row in rows), ()))
    return tuple(found)


def _parameters(model: Model) -> Listing:
    """The parameters with their values; those that are computed from others say so."""
    values, units = resolve(model.parameters), dimensions(model.parameters)
    return Listing(
        "p",
        f"{_INPUTS['p']}; what is computed from others (= ...) does not follow them by itself",
        tuple(values),
        tuple(_unit(units[name]) for name in values),
        tuple(float(value) for value in values.values()),
        tuple(f"= {scalar}" if scalar.names else str(scalar) for scalar in model.parameters.values()),
    )


def _inertial(system: System) -> Listing:
    """The inertial parameters, columns of the regressor, with the values that follow from the parameters."""
    model, tree = system.model, system.tree
    function = ca.Function("inertial", [tree.p], [inertial_values(model, tree)])
    values = function(list(resolve(model.parameters).values())).full().ravel().tolist()
    units = ("kg", *["kg*m"] * 3, *["kg*m^2"] * 6) * len(model.bodies)
    meaning = "inertial parameters about the bodies' origins"
    return Listing("inertial", meaning, inertial_names(model), units, tuple(values))


def _unit(dimension: Dimension | None) -> str:
    """The SI unit of a dimension; of a bare number nobody said what it measures."""
    if dimension is None:
        return "SI"
    return "1" if dimension == DIMENSIONLESS else str(dimension)
