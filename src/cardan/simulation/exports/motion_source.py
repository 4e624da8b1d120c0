"""The functions that move a model as records for the writers of source code: (t, x, u, p) → rates, projection, …"""

from collections.abc import Sequence
from functools import partial

import casadi as ca

from cardan.codegen.targets.source import Argument, Listing, Routine, Source
from cardan.functions.source import MOTOR_WORDS, parameter_listing, title
from cardan.functions.system_functions import SystemFunctions
from cardan.safety.text import visible
from cardan.simulation.setup import Setup

STATE = ("t", "x", "u", "p")
_MEANINGS = {"t": "time [s]", "x": "state", "u": "inputs", "p": "parameters"}


def state_routine(functions: SystemFunctions, name: str, summary: str, **results: tuple[ca.SX, str]) -> Routine:
    """A function of (t, x, u, p); its results are expressions with their meaning, a single number for a scalar law."""
    given = [functions.symbols.inputs[key] for key in STATE]
    return routine(name, summary, dict(zip(STATE, given, strict=True)), results)


def routine(
    name: str, summary: str, given: dict[str, ca.SX], results: dict[str, tuple[ca.SX, str]], **meanings: str
) -> Routine:
    """A function of arrays with these names."""
    made = ca.cse([ca.densify(ca.SX(x)) for x, _ in results.values()])
    function = ca.Function(name, [*given.values()], made, [*given], [*results])
    words = _MEANINGS | meanings
    inputs = tuple(Argument(key, () if key == "t" else (one.numel(),), words[key]) for key, one in given.items())
    outputs = tuple(
        Argument(key, (x.numel(),), meaning) for (key, (_, meaning)), x in zip(results.items(), made, strict=True)
    )
    return Routine.of(name, summary, function, inputs, outputs, calls=True)


def moving_routines(functions: SystemFunctions, names: Sequence[str]) -> list[Routine]:
    """Those of `rate`, `velocity` and `project` that are named."""
    system = functions.system
    make = partial(state_routine, functions)
    law = partial(_law, functions)
    made = {
        "rate": lambda: make("rate", "Rates of the state.", dx=(law("derivative")[0][: system.nx], "rates of x")),
        "velocity": lambda: make("velocity", "Rates of the coordinates.", dq=(law("velocity")[0], "rates of q in x")),
        "project": lambda: make(
            "project",
            "A state brought nearer to its constraints by a step of Newton's method.",
            moved=(law("projection")[0], "the state after it"),
            residual=(law("projection")[1], "largest residual of the constraints before it"),
            distance=(law("projection")[2], "distance from a singular position [-]"),
        ),
    }
    return [made[name]() for name in names]


def _law(functions: SystemFunctions, name: str) -> list[ca.SX]:
    """Results of a function of the catalogue as expressions of the symbols of all functions."""
    function = functions.interpreted(name)
    found = function.call([functions.symbols.inputs[key] for key in function.name_in()])
    return list(found)


def motion_source(setup: Setup, name: str, routines: Sequence[Routine]) -> Source:
    """Source of functions of the state of a run, with the values at its start as defaults."""
    conditions, system = setup.conditions, setup.task.functions.system
    inside = dict(conditions.expressions)
    model = conditions.model
    about = (
        *title(model, "motion"),
        visible(f"motors: {MOTOR_WORDS[system.motors] if model.motors else 'the model has none'}"),
        "units: SI and radians throughout",
    )
    remarks = tuple(
        visible(f"not read, computed: {inside[one]}") if one in inside else "" for one in system.input_names
    )
    states, inputs = (system.state_names, _units(system.state_units)), (system.input_names, _units(system.input_units))
    x, u = setup.start.x.tolist(), conditions.segments.c0[0].tolist()
    listings = (
        Listing("q", "coordinates, the first states", tuple(e.name for e in system.tree.coordinates), ()),
        Listing("x", "states, and their values at the start", *states, tuple(x)),
        Listing("u", "inputs, and their values at the start", *inputs, tuple(u), remarks),
        parameter_listing(model),
    )  # fmt: skip
    return Source(name, about, listings, tuple(routines))


def _units(units: Sequence[str]) -> tuple[str, ...]:
    return tuple(unit or "SI" for unit in units)
