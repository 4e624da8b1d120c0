"""A model as a machine in C: its functions with events in a mode, samples and resets, and its variables."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from cardan.channels.functions import channel_functions
from cardan.codegen.targets.c_stepper import part, stepper_constants
from cardan.codegen.targets.source import WIDTH, Routine, Source, joined
from cardan.errors import Issue, ModelError
from cardan.formats.fmu.variables import FmuVariable, some, variables_of
from cardan.frozen import dataclass
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

    source: Source  # its functions
    code: str  # in C: the machine that calls them, with `model` in place of its name
    variables: tuple[FmuVariable, ...]  # what importers see
    jumps: bool  # whether events may change states
    until: float  # end of the run that the model describes [s]


def machine_of(model: Model, name: str, motors: Motors | None, inputs: Mapping[str, Any] | None) -> Machine:
    """The machine of a model; what an FMU cannot do is refused."""
    unnoted = {key: event for key, event in model.events.items() if event.do != "record"}
    inside = model.replace(events=unnoted, inputs={**model.inputs, **_written_out(model.inputs)})
    setup = exported_setup(inside, motors, {**(inputs or {}), **_written_out(read_inputs(inputs or {}))})
    for sample in setup.task.plan.sampled:
        if sample.is_called:
            raise ModelError(Issue("an FMU calls no Python", "write the law as an expression", sample.path))
    functions, events = setup.task.moving, EventFunctions(setup.task.moving, setup.task.plan)
    outputs = channel_functions(functions).families["outputs"]
    routine_of_outputs, fed = _outputs(setup)
    made = [*moving_routines(functions, ("rate", "project")), routine_of_outputs, *_event_routines(setup, events)]
    source = motion_source(setup, name, [*made, _parameters(setup)])
    slots = variables_of(setup, source, list(outputs.values()), fed)
    code = _constants(setup, source, slots, events) + part("projection") + part("explicit") + part("adaptive")
    code += read("complementarity.c") + read("machine.c")
    jumps = functions.drifts or not setup.task.plan.is_empty
    return Machine(source, code, tuple(one for one in slots if one.kind != "inside"), jumps, setup.conditions.end)


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
    "fmi3EnterInitializationMode": "fmi2SetupExperiment",
    "ContinuousStateDerivatives": "Derivatives",
    "Deserialize": "DeSerialize",
    "FMUState": "FMUstate",
    "Float64": "Real",
    r"\bbool\b": "int",
    "uint32_t": "unsigned",
    "uint8_t": "char",
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


def _outputs(setup: Setup) -> tuple[Routine, list[list[int]]]:
    """The outputs of the model as a function of the state, and the places of the inputs that each depends on."""
    functions = setup.task.moving
    channels = channel_functions(functions)
    values = ca.vertcat(ca.SX(0, 1), *map(ca.SX, channels.expressions("outputs")))
    found = ca.densify(ca.vertcat(*map(ca.SX, functions.accelerations_and_multipliers)))
    solved = ca.substitute(values, ca.vertcat(*channels.unknowns), found)
    pattern = ca.jacobian_sparsity(solved, functions.symbols.inputs["u"])
    fed = [[j for j in range(pattern.size2()) if pattern.has_nz(k, j)] for k in range(pattern.size1())]
    return state_routine(functions, "outputs", "The outputs of the model.", y=(solved, "outputs")), fed


def _event_routines(setup: Setup, events: EventFunctions) -> list[Routine]:
    """Crossing functions, complementarity problems, reset and mode."""
    symbols = {key: setup.task.moving.symbols.inputs[key] for key in STATE}
    law, dx = events.crossing_law(), ca.SX.sym("dx", setup.task.moving.system.nx)
    g, rate, _ = law(*symbols.values(), ca.SX.zeros(law.size1_in(4)), dx)
    problems, size = events.unknowns
    given = symbols | {"fired": ca.SX.sym("fired", events.fired), "y": ca.SX.sym("y", problems * size)}
    meanings = {"fired": "1 for each event of this instant", "y": "solutions of the complementarity problems"}
    data = events.problem_law().call([*given.values()]) if problems else [ca.SX(0, 1)]
    x, mode, ends, _ = events.reset_law()(*given.values())
    after = {
        "moved": (x, "the state after it"),
        "mode": (mode, "the mode after it"),
        "ends": (ends, "1 to end the run"),
    }
    start = EventFunctions(setup.task.functions, setup.task.plan).start()
    whole = {key: setup.task.functions.symbols.inputs[key] for key in STATE}
    words = {"g": (g, "crossing functions"), "dg": (rate, "their rates")}
    return [
        routine("crossings", "Functions that cross zero at events.", symbols | {"dx": dx}, words, dx="rates of x"),
        routine(
            "problems", "Complementarity problems of an event.", given,
            {"data": (ca.vertcat(*data), "H by rows, c, lo, hi of each problem")}, **meanings,
        ),
        routine("reset", "State and mode after events.", given, after, **meanings),
        routine("mode", "The mode of a state.", whole, {"mode": (start, "sides of switchings")}),
    ]  # fmt: skip


def _parameters(setup: Setup) -> Routine:
    """The parameters as a function of those that have a value of their own."""
    definitions, symbols = setup.conditions.model.parameters, setup.task.functions.symbols.inputs["p"]
    known = dict(zip(definitions, ca.vertsplit(symbols), strict=True)) if definitions else {}
    for name in in_order_of_use(definitions):
        if definitions[name].names:
            known[name] = ca.SX(evaluate(definitions[name], lambda one: ca.pi if one == "pi" else known[one]))
    values = {"all": (ca.vertcat(ca.SX(0, 1), *known.values()), "all parameters")}
    return routine("parameters", "The parameters that follow from others.", {"p": symbols}, values)


def _constants(setup: Setup, source: Source, slots: Sequence[FmuVariable], events: EventFunctions) -> str:
    """Numbers of the machine's parts, values at the start, periods and instants, and the numbers of the method."""
    conditions, plan, kinds = setup.conditions, setup.task.plan, Counter(one.kind for one in slots)
    listed = {one.symbol: one.values for one in source.listings}
    periods = [one.period(conditions.values, conditions.model.parameters) for one in plan.sampled]
    start = [0.0, *some(listed["u"], 0.0), *some((*listed["p"], *(1.0 for _ in plan.switches)), 0.0), *listed["x"]]
    made = setup.task.problem.events
    directions = [] if made is None else [int(each) for each in np.atleast_1d(made.directions)]
    stops, instants, (problems, unknowns) = _stops(setup), _instants(setup), events.unknowns
    sizes = {
        "NMODE": len(plan.switches),
        "NG": kinds["event"],
        "NY": kinds["output"],
        "NTICKS": len(periods),
        "NINSTANTS": len(instants),
        "NSTOPS": len(stops) // 2,
        "NPROBLEMS": problems,
        "NUNKNOWNS": unknowns,
        "INVARIANT": INVARIANT,
        "OPEN": len(start),
        "REFERENCES": len(slots),
    }
    arrays: dict[str, Sequence[float]] = {
        "double model_start": start,
        "double model_periods": periods,
        "double model_instants": instants,
        "int model_directions": directions,
        "int model_open": [int(one.is_open) for one in slots[: len(start)]],
        "int model_stops": stops,
    }
    lines = [f"#define MODEL_{name} {value}" for name, value in sizes.items()]
    lines += ["#define MODEL_SOME(n) ((n) > 0 ? (n) : 1)"]
    lines += ["enum { MODEL_CONSTRAINTS_LOST = 1, MODEL_NOT_FINITE, MODEL_TOO_MANY_STEPS, MODEL_CHATTERING };"]
    lines += [
        f"static const {name}[] = {joined('{', map(repr, some(values, 0)), '}', WIDTH)};"
        for name, values in arrays.items()
    ]
    return "\n" + "\n".join(lines) + "\n" + stepper_constants(tableau_of("tsit5"))


def _stops(setup: Setup) -> list[int]:
    """Of each end stop by impact, its first crossing function and the place of its velocity among the states."""
    system, plan = setup.task.moving.system, setup.task.plan
    first = len(plan.events) + FRICTION_EVENTS * len(system.sticking)
    rigid = [(k, block.velocity) for k, block in enumerate(system.stops) if block.is_rigid]
    pairs = [(first + STOP_EVENTS * k, system.tree.nq + v) for k, v in rigid if v < system.tree.nv]
    return [number for pair in pairs for number in pair]


def _instants(setup: Setup) -> list[float]:
    """Instants at which expressions of the time jump or kink, up to the end of the model's run [s]."""
    starts, ticks = setup.conditions.segments.a, setup.conditions.ticks
    free = np.ones(starts.size, bool) if ticks is None else ~ticks.any(axis=1)
    return [float(t) for t in starts[free] if t > 0]
