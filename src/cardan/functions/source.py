"""A model's functions as records for the writers of source code: names, shapes, units and meanings of all arrays."""

from collections.abc import Callable, Mapping, Sequence

import casadi as ca

import cardan
from cardan.codegen import Port
from cardan.codegen.targets.identifiers import argument_names, identifier
from cardan.codegen.targets.source import Argument, Listing, Routine, Source
from cardan.errors import ModelError, nearest
from cardan.functions.controllers import CONTROLLERS, controllers
from cardan.functions.entry import INPUTS, Entry
from cardan.functions.inertial import inertial_names, inertial_values
from cardan.functions.system_functions import SystemFunctions, user_functions_of
from cardan.functions.user_functions import USER_FUNCTIONS, load_that_accelerations_leave_open
from cardan.kinematics.constraints import constraint_rows
from cardan.model.model import Model
from cardan.model.names import carrying, efforts
from cardan.model.quantities.parameters import dimensions, resolve
from cardan.model.quantities.parameters import units as parameter_units
from cardan.model.units import Dimension, short_unit
from cardan.safety.text import visible
from cardan.system.constrained import has_constraints
from cardan.system.system import System


def source(
    system: System, names: Sequence[str] = (), name: str = "", starts: Callable[[], Mapping[str, float]] = dict
) -> Source:
    """Source of functions of a system; `starts` returns values of states at t = 0, which controllers hold first."""
    wanted = tuple(dict.fromkeys(names)) or default_names(system)
    name = name or identifier(system.model.name)
    functions = user_functions_of(system)
    routines = tuple(_routine(functions, one) for one in wanted if one != CONTROLLERS)
    listings = _listings(functions) if routines else (parameter_listing(system.model),)
    listings += (_inertial(system),) if "regressor" in wanted else ()
    if CONTROLLERS not in wanted:
        return Source(name, _about(system, not names), listings, routines)
    step, arrays, stepping = controllers(system, starts)
    about = _about(system, False) if routines else title(system.model, "sampled controllers")
    about = (*about, f"controllers: sampled, one step every {stepping.period!r} s")
    return Source(name, about, (*listings, *arrays), (*routines, step), stepping)


def default_names(system: System) -> tuple[str, ...]:
    """Names of the functions that are exported by default: those that a `system` has.

    Those of constraints and motions belong to systems with constraints and motions, efforts of accelerations to systems
    whose friction the accelerations determine.
    """
    wanted = {"by default", *(kind for kind, has in _special(system).items() if has)}
    if load_that_accelerations_leave_open(system) is None:
        wanted.add("unless loads are open")
    return tuple(name for name, entry in USER_FUNCTIONS.items() if entry.exported in wanted)


def _special(system: System) -> dict[str, bool]:
    """Whether the model has what special functions compute, by the word for them."""
    return {"with constraints": has_constraints(system.tree), "with motions": bool(system.tree.motions)}


def _routine(functions: SystemFunctions, name: str) -> Routine:
    """A function with its description: "mass_matrix" and so on, or "jacobian:PLACE"."""
    kind, colon, argument = name.partition(":")
    entry = _entry(functions.system, kind, bool(colon), argument)
    function = functions.interpreted(kind, argument)
    inputs = [Port(port, *function.size_in(port)) for port in function.name_in()]
    outputs = [Port(port, *function.size_out(port)) for port in function.name_out()]
    words = argument_names(port.name for port in (*inputs, *outputs))
    arguments = [
        Argument(word, entry.shape(port), entry.operand(port.name).meaning, port.name.removeprefix("T_"))
        for word, port in zip(words, (*inputs, *outputs), strict=True)
    ]
    return Routine.of(
        identifier(f"{kind}_{argument}" if argument else kind),
        entry.words.replace(f"a {entry.argument}", argument) if argument else entry.words,
        function,
        tuple(arguments[: len(inputs)]),
        tuple(arguments[len(inputs) :]),
        entry.is_table,
    )


def _entry(system: System, name: str, colon: bool, argument: str) -> Entry:
    """The entry of a function, refused if this system or this argument does not fit it."""
    if name not in USER_FUNCTIONS:
        raise ModelError(f"there is no function {name!r} to export", nearest(name, (*USER_FUNCTIONS, CONTROLLERS)))
    entry = USER_FUNCTIONS[name]
    if not _special(system).get(entry.exported, True):
        what = "constraints" if entry.exported == "with constraints" else "motions"
        raise ModelError(f"{name!r} has nothing to compute: the model has no {what}", "leave it out")
    if entry.argument and not argument:
        cure = f"write {name}:{entry.argument.upper()}, such as {name}:{_some(system)}"
        raise ModelError(f"{name!r} of which {entry.argument}?", cure)
    if colon and not entry.argument:
        raise ModelError(f"{name!r} takes no {argument!r}", f"write {name}")
    return entry


def _some(system: System) -> str:
    """A place in the mechanism, as an example."""
    return next(iter(system.model.bodies))


def _about(system: System, is_default: bool) -> tuple[str, ...]:
    """Lines of a header: model, source, version, motors, units, and notes; `is_default`: for `default_names`."""
    model = system.model
    turning = any(entry.unit == "1" for entry in system.tree.coordinates)
    quaternions = (
        "; quaternions (w, x, y, z) turn child axes into parent axes and must have length 1" if turning else ""
    )
    lines = [
        *title(model, "equations of motion"),
        f"motors: {MOTOR_WORDS[system.motors] if model.motors else 'the model has none'}",
        f"units: SI and radians throughout{quaternions}",
    ]
    if has_constraints(system.tree):
        lines.append(
            "constraints: accelerations keep the rates of the constraints as they are; a state that satisfies them "
            "drifts off slowly unless it is projected. Equations that are redundant in the initial position of the "
            "model are left out."
        )
    undetermined = load_that_accelerations_leave_open(system)
    if is_default and undetermined is not None:
        lines.append(
            f"left out: inverse_dynamics and bias, since the friction of {undetermined.name!r} follows its load, which "
            "accelerations do not determine in closed loops."
        )
    return tuple(visible(line) for line in lines)


def title(model: Model, what: str) -> tuple[str, ...]:
    """The first lines of a header."""
    lines = [
        f"{model.name or 'model without a name'}: {what}",
        "",
        *([f"source: {model.source}"] if model.source else []),
        f"written by: cardan export, version {cardan.__version__}",
    ]
    return tuple(visible(line) for line in lines)


MOTOR_WORDS = {
    "full": "full (voltages in, currents are states)",
    "simplified": "simplified (voltages in, inductances neglected)",
    "none": "none (efforts in, no rotors, no circuits)",
}


def _listings(functions: SystemFunctions) -> tuple[Listing, ...]:
    system, tree = functions.system, functions.system.tree
    units = efforts(carrying(system.model))
    names = tuple(entry.name for entry in tree.velocities)
    entries = {
        "q": (tuple(e.name for e in tree.coordinates), tuple(e.unit for e in tree.coordinates)),
        "v": (names, tuple(e.unit for e in tree.velocities)),
        "tau": (names, tuple(units[name] for name in names)),
        "x": (system.state_names, system.state_units),
        "u": (system.input_names, system.input_units),
    }
    found = [Listing(symbol, INPUTS[symbol].meaning, *words) for symbol, words in entries.items()]
    found.append(parameter_listing(system.model))
    if has_constraints(tree):
        rows = constraint_rows(tree, functions.state.motion)
        found.append(Listing("Phi", "constraints", tuple(f"{row.owner}: {row.component}" for row in rows), ()))
    return tuple(found)


def parameter_listing(model: Model) -> Listing:
    """The parameters with their values, and the definition of those that are computed from others."""
    values, known, units = resolve(model.parameters), dimensions(model.parameters), parameter_units(model.parameters)
    return Listing(
        "p",
        f"{INPUTS['p'].meaning}; what is computed from others (= ...) does not follow them by itself",
        tuple(values),
        tuple(units[name] if units[name].startswith("rad") else _unit(known[name]) for name in values),
        tuple(float(value) for value in values.values()),
        tuple(visible(f"= {scalar}" if scalar.names else str(scalar)) for scalar in model.parameters.values()),
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
    """The SI unit of a dimension; "SI" for a bare number, whose dimension is unknown."""
    return "SI" if dimension is None else short_unit(dimension)
