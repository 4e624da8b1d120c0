"""A model as a machine in C: its functions with events in a mode, samples and resets, and its variables."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from cardan.channels.functions import channel_functions
from cardan.codegen.targets.c_stepper import UNCONSTRAINED, named, part, stepper_constants
from cardan.codegen.targets.source import WIDTH, Addition, Routine, Source, joined
from cardan.errors import Issue, ModelError
from cardan.formats.fmu.variables import FmuVariable, variables_of
from cardan.frozen import dataclass, replace
from cardan.integration import INVARIANT
from cardan.kinematics.scope import evaluate
from cardan.model.model import Model
from cardan.model.quantities.parameters import in_order_of_use
from cardan.model.signal import Table
from cardan.settings import Motors
from cardan.simulation.exports.c_stepper import exported_setup, tableau_of
from cardan.simulation.exports.motion_source import STATE, motion_source, moving_routines, routine, state_routine
from cardan.simulation.hybrid.contacts.impacts import STOP_EVENTS
from cardan.simulation.hybrid.contacts.rubbing import FRICTION_EVENTS
from cardan.simulation.hybrid.event_functions import EventFunctions
from cardan.simulation.inputs import read_inputs
from cardan.simulation.setup import Setup

_SOURCES = Path(__file__).parent / "sources"


@dataclass(frozen=True)
class Machine:
    """What an FMU is made of."""

    source: Source  # functions, and the machine that calls them
    variables: tuple[FmuVariable, ...]  # what importers see
    events: int  # number of crossing functions
    jumps: bool  # whether events may change states
    until: float  # end of the run that the model describes [s]


def machine_of(model: Model, name: str, token: str, motors: Motors | None, inputs: Mapping[str, Any] | None) -> Machine:
    """The machine of a model; what an FMU cannot do is refused."""
    unnoted = {key: event for key, event in model.events.items() if event.do != "record"}
    inside = model.replace(events=unnoted, inputs={**model.inputs, **_written_out(model.inputs)})
    setup = exported_setup(inside, motors, {**(inputs or {}), **_written_out(read_inputs(inputs or {}))})
    _refuse(setup)
    functions, events = setup.task.moving, EventFunctions(setup.task.moving, setup.task.plan)
    outputs = channel_functions(functions).families["outputs"]
    made = moving_routines(functions, ("rate", "project"))
    routine_of_outputs, fed = _outputs(setup) if outputs else (None, [])
    made += [routine_of_outputs] if routine_of_outputs else []
    made += _event_routines(setup, events)
    dependent = _dependent(setup)
    made += [dependent] if dependent else []
    source = motion_source(setup, name, made)
    variables = variables_of(setup, source, list(outputs.values()), fed)
    header, code = _sizes(setup, source, len(outputs), events, token), _constants(setup, source, variables)
    texts = [UNCONSTRAINED if not functions.drifts else part("projection"), part("explicit"), part("adaptive")]
    texts += [read("complementarity.c")] if events.unknowns[0] else []
    whole = named("".join([code, *texts, read("machine.c")]), name)
    return Machine(
        replace(source, addition=Addition(named(header + read("machine.h"), name), whole)),
        variables,
        _crossings(setup),
        functions.drifts or not setup.task.plan.is_empty,
        setup.conditions.end,
    )


def read(file: str) -> str:
    """One of the sources in C."""
    return (_SOURCES / file).read_text(encoding="utf-8")


def functions_of(version: str) -> str:
    """The functions of a version of FMI in C: its own, and with its own words those that both versions have."""
    common = read("fmi.c")
    for word, in_2 in _WORDS_2.items() if version == "2.0" else ():
        common = re.sub(word, in_2, common)
    return read(f"fmi{version[0]}.c").replace('\n#include "fmi.c"\n', common)


_WORDS_2 = {
    "fmi3Instance": "fmi2Component",
    "fmi3EnterInitializationMode": "fmi2SetupExperiment",
    "ContinuousStateDerivatives": "Derivatives",
    "Deserialize": "DeSerialize",
    "FMUState": "FMUstate",
    "Float64": "Real",
    r",[\s\\]+size_t count\w*": "",
    "fmi3": "fmi2",
    "FMI3": "FMI2",
}
"""Names of FMI 3.0 and those of 2.0, which takes no number of values."""


def _written_out(inputs: Mapping[str, Any]) -> dict[str, str]:
    """Expressions of t in place of the tables among some signals, by input."""
    found = dict[str, str]()
    for name, signal in inputs.items():
        if not isinstance(signal, Table):
            continue
        if signal.interpolation == "cubic":
            cure = f"choose interpolation: linear; or open the input, inputs={{{name!r}: 0}}, and feed it"
            raise ModelError(Issue("an FMU has no cubic tables of the time", cure, ("inputs", name)))
        rows = list(signal.samples())
        if signal.interpolation == "step":
            rows = rows[:1] + [row for (_, y), (t, new) in pairwise(rows) for row in ((t, y), (t, new))]
        found[name] = f"interpolate(t, {', '.join(repr(number) for row in rows for number in row)})"
    return found


def _refuse(setup: Setup) -> None:
    """Refuse what an FMU cannot do."""
    called = [sample for sample in setup.task.plan.sampled if sample.is_called]
    if called:
        raise ModelError(Issue("an FMU calls no Python", "write the law as an expression", called[0].path))


def _crossings(setup: Setup) -> int:
    events = setup.task.problem.events
    return 0 if events is None else events.k


def _outputs(setup: Setup) -> tuple[Routine, list[list[int]]]:
    """The outputs of the model as a function of the state, and the places of the inputs that each depends on."""
    functions = setup.task.moving
    channels = channel_functions(functions)
    values = ca.vertcat(*map(ca.SX, channels.expressions("outputs")))
    found = ca.densify(ca.vertcat(*map(ca.SX, functions.accelerations_and_multipliers)))
    solved = ca.substitute(values, ca.vertcat(*channels.unknowns), found)
    pattern = ca.jacobian_sparsity(solved, functions.symbols.inputs["u"])
    fed = [[j for j in range(pattern.size2()) if pattern.has_nz(k, j)] for k in range(pattern.size1())]
    return state_routine(functions, "outputs", "The outputs of the model.", y=(solved, "outputs")), fed


def _event_routines(setup: Setup, events: EventFunctions) -> list[Routine]:
    """Crossing functions, complementarity problems, reset and mode, those that there are."""
    functions, plan = setup.task.moving, setup.task.plan
    symbols = {key: functions.symbols.inputs[key] for key in STATE}
    found, nm, nx = [], len(plan.switches), functions.system.nx
    if plan.has_crossings:
        law, dx = events.crossing_law(), ca.SX.sym("dx", nx)
        g, rate, _ = law(*symbols.values(), ca.SX.zeros(law.size1_in(4)), dx)
        words = {"g": (g, "crossing functions"), "dg": (rate, "their rates")}
        found += [
            routine("crossings", "Functions that cross zero at events.", symbols | {"dx": dx}, words, dx="rates of x")
        ]
    if plan.is_empty:
        return found
    problems, size = events.unknowns
    more = {"fired": ca.SX.sym("fired", events.fired), "y": ca.SX.sym("y", problems * size)}
    meanings = {"fired": "1 for each event of this instant", "y": "solutions of the complementarity problems"}
    given = symbols | more
    if problems:
        data = events.problem_law().call(list(given.values()))
        words = {"data": (ca.vertcat(*data), "H by rows, c, lo, hi of each problem")}
        found += [routine("problems", "Complementarity problems of an event.", given, words, **meanings)]
    x, mode, ends, _ = events.reset_law()(*given.values())
    words = {
        "moved": (x, "the state after it"),
        "mode": (mode, "the mode after it"),
        "ends": (ends, "1 to end the run"),
    }
    found += [routine("reset", "State and mode after events.", given, words, **meanings)]
    if nm:
        start = EventFunctions(setup.task.functions, plan).start()
        whole = {**{key: setup.task.functions.symbols.inputs[key] for key in STATE}}
        found += [routine("mode", "The mode of a state.", whole, {"mode": (start, "sides of switchings")})]
    return found


def _dependent(setup: Setup) -> Routine | None:
    """The parameters as a function of those that have a value of their own; None if all have."""
    definitions, symbols = setup.conditions.model.parameters, setup.task.functions.symbols.inputs["p"]
    if not any(scalar.names for scalar in definitions.values()):
        return None
    known = dict(zip(definitions, ca.vertsplit(symbols), strict=True))
    for name in in_order_of_use(definitions):
        if definitions[name].names:
            known[name] = ca.SX(evaluate(definitions[name], lambda one: ca.pi if one == "pi" else known[one]))
    values = {"all": (ca.vertcat(*known.values()), "all parameters")}
    return routine("parameters", "The parameters that follow from others.", {"p": symbols}, values)


def _sizes(setup: Setup, source: Source, outputs: int, events: EventFunctions, token: str) -> str:
    """Numbers of the machine's parts."""
    conditions, (problems, size) = setup.conditions, events.unknowns
    sizes = {
        "NMODE": len(setup.task.plan.switches),
        "NG": _crossings(setup),
        "NTICKS": len(setup.task.plan.sampled),
        "NINSTANTS": len(_instants(setup)),
        "NY": outputs,
        "NSTOPS": len(_stops(setup)),
        "NPROBLEMS": problems,
        "NUNKNOWNS": size,
        "PROJECTS": int(setup.task.moving.drifts),
        "DEPENDENT": int(any(one.name == "parameters" for one in source.routines)),
        "INVARIANT": INVARIANT,
        "CONSTRAINTS_LOST": 1,
        "NOT_FINITE": 2,
        "TOO_MANY_STEPS": 3,
        "CHATTERING": 4,
    }
    count = 1 + len(conditions.p) + sum(len(one.names) for one in source.listings if one.symbol == "u")
    count += 2 * setup.task.moving.system.nx + outputs + sizes["NG"]
    lines = [f"#define MODEL_{name} {value}" for name, value in (sizes | {"REFERENCES": count}).items()]
    return "\n" + "\n".join([*lines, f'#define MODEL_TOKEN "{token}"']) + "\n"


def _constants(setup: Setup, source: Source, variables: Sequence[FmuVariable]) -> str:
    """Values at the start, directions, periods and instants, and the numbers of the method."""
    values = {one.symbol: list(one.values) for one in source.listings}
    values["p"] += [1.0] * len(setup.task.plan.switches)
    plan, conditions = setup.task.plan, setup.conditions
    periods = [one.period(conditions.values, conditions.model.parameters) for one in plan.sampled]
    arrays = {f"{key}_start[MODEL_SOME({size})]": values[key] for key, size in _STARTS.items()}
    arrays |= {"periods[MODEL_SOME(MODEL_NTICKS)]": periods, "instants[MODEL_SOME(MODEL_NINSTANTS)]": _instants(setup)}
    lines = [f"static const double model_{name} = {_list(each)};" for name, each in arrays.items()]
    events = setup.task.problem.events
    directions = [] if events is None else [int(each) for each in np.atleast_1d(events.directions)]
    lines += [f"static const int model_directions[MODEL_SOME(MODEL_NG)] = {_list(directions)};"]
    opened = {one.reference for one in variables if one.is_open}
    known = range(1 + len(values["u"]) + len(conditions.p) + len(values["x"]))
    lines += [f"static const int model_open[] = {_list([int(k in opened) for k in known])};"]
    stops = [joined("{", map(str, row), "}", WIDTH) for row in _stops(setup)] or ["{0, 0}"]
    lines += [f"static const int model_stops[][2] = {joined('{', stops, '}', WIDTH)};"]
    return "\n#include <string.h>\n" + stepper_constants(tableau_of("tsit5")) + "\n".join(lines) + "\n"


def _stops(setup: Setup) -> list[tuple[int, int]]:
    """Of each end stop by impact, its first crossing function and the place of its velocity among the states."""
    system, plan = setup.task.moving.system, setup.task.plan
    first = len(plan.events) + FRICTION_EVENTS * len(system.sticking)
    rigid = [(k, block.velocity) for k, block in enumerate(system.stops) if block.is_rigid]
    return [(first + STOP_EVENTS * k, system.tree.nq + v) for k, v in rigid if v < system.tree.nv]


_STARTS = {"x": "MODEL_NX", "u": "MODEL_NU", "p": "MODEL_NP + MODEL_NMODE"}


def _list(values: list[float] | list[int]) -> str:
    return joined("{", map(repr, values or [0]), "}", WIDTH)


def _instants(setup: Setup) -> list[float]:
    """Instants at which expressions of the time jump or kink, up to the end of the model's run [s]."""
    starts, ticks = setup.conditions.segments.a, setup.conditions.ticks
    free = np.ones(starts.size, bool) if ticks is None else ~ticks.any(axis=1)
    return [float(t) for t in starts[free] if t > 0]
