"""The conditions of a run: mechanism, parameters, inputs over time and settings, without the initial state."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.rounding import rounding_doubts
from cardan.assembly.start import system_of
from cardan.assembly.still_freedoms import still_doubts
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.model.checks.arguments import check_unit
from cardan.model.checks.values import doubts, value_issues
from cardan.model.expressions.evaluation import ParsedExpression
from cardan.model.expressions.grammar import Constant
from cardan.model.expressions.timed import Definitions, known_names
from cardan.model.model import Model
from cardan.model.names import carrying
from cardan.model.quantities.lets import needed
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import Element
from cardan.model.records.plain import plain
from cardan.model.records.section import PathSection, Section
from cardan.model.records.walk import scalars
from cardan.model.sections import SimulateOptions
from cardan.model.signal import Sampled, Table, inline
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.arguments import Arguments
from cardan.simulation.checks.effort_limits import EffortLimit, effort_limits
from cardan.simulation.hybrid.event_functions import Plan
from cardan.simulation.hybrid.indeterminacy import rubbing_names
from cardan.simulation.hybrid.timed_events import impossible_events, timed_events
from cardan.simulation.hybrid.turning import OPEN
from cardan.simulation.inputs import check_part, check_signal, idle_inputs, input_names, read_inputs
from cardan.simulation.instants import INSTANT, read_instants, whole_motion
from cardan.simulation.motions.rough_relations import rough_relations
from cardan.simulation.motions.smooth import check_smooth
from cardan.simulation.sampled.delays import Delays
from cardan.simulation.sampled.functions import SampledFunction, read_given
from cardan.simulation.sampled.held import hold
from cardan.simulation.sampled.instants import sample_instants, ticks_of
from cardan.simulation.settings import IntegrationSettings, read_settings
from cardan.system.blocks.circuits import check_inductances
from cardan.system.inertia_check import no_inertia
from cardan.system.input_segments import Segments, Signal, check_names, segments, varies
from cardan.system.system import System
from cardan.system.timing import LIMIT, Timing, find_instants

__all__ = ["Conditions", "expression_names", "motion_breaks", "read_conditions", "reads_files", "timed_expressions"]


@dataclass(frozen=True, eq=False)
class Conditions:
    """Everything that determines a run except its initial state."""

    model: Model  # the mechanism
    motors: MotorModel  # how motors are modelled
    system: System  # the mechanism with its motors, before independent constraints are selected
    assembly: AssemblyFunctions  # functions that assemble the mechanism
    signals: Mapping[str, Signal]  # signal of each input by name, in the order of the inputs
    values: Mapping[str, float]  # value of each parameter by name
    p: np.ndarray  # values of the parameters (k,)
    segments: Segments  # the inputs over time
    times: np.ndarray | None  # instants listed by the call; None if it lists none [s]
    instants: np.ndarray  # instants that the result contains in any case [s]
    whole: np.ndarray  # those of a call that lists none: they show the whole motion, with both sides of jumps [s]
    end: float  # end of the run [s]
    settings: IntegrationSettings  # settings of the integration
    limits: tuple[EffortLimit, ...]  # effort limits of the joints
    plain: Mapping[str, Any]  # the call's arguments except initial values, in plain values for files of runs
    source: str  # the model as text that loads without other files
    notices: tuple[str, ...]  # texts of the warnings that every run gives
    plan: Plan  # what happens at events
    ticks: np.ndarray | None  # (S, r) samples at the starts of the segments
    delaying: frozenset[str]  # names of the parameters that lengths of delays follow

    @property
    def expressions(self) -> tuple[tuple[str, Scalar], ...]:
        """Names and expressions of the inputs that depend on t or on the state; the functions contain them."""
        return _expressions(self.signals, self.values)


def read_conditions(arguments: Arguments) -> Conditions:
    """The conditions that the arguments of a call describe."""
    mechanism, motors, given = arguments.model, arguments.motors, arguments.settings
    times = given["times"]
    values = _parameter_values(mechanism, given["parameters"])
    unheld = _signals(mechanism, motors, given["inputs"] or {}, values)
    functions = read_given(mechanism, given["given"])
    delays = Delays(values)
    held = hold(*delays.of(mechanism, unheld), functions)
    model, signals = held.model, held.signals
    listed, end = read_instants(model, arguments.until, times, values)
    _check_motions(model, end)
    settings = read_settings(given, end=end, parameters=model.parameters, values=values)
    system, assembly = system_of(_mechanism(model), motors)
    _check_hidden(system, signals)
    check_inductances(model, motors, values)
    _check_units(system, unheld)
    timed = timed_expressions(model, signals, values)
    span = end or INSTANT  # the inputs of a run that is one instant
    names = expression_names(model, values)
    timed += timed_events(model.events, names)
    rests = any(block.sticks for block in system.frictions) or bool(system.stops)
    timing = find_instants(timed, span, values, names, turning=settings.step is None, resting=rests)
    breaks = motion_breaks(model, values, span)
    if system.tree.motions:
        check_smooth(system.tree, np.array(list(values.values())), np.concatenate([breaks, timing.instants]))
    samples = sample_instants(held.sampled, span, values, model.parameters)
    pieces = segments(signals, span, values, np.concatenate([breaks, timing.instants, *samples]))
    ticks = ticks_of(samples, pieces.a)
    held_jumps = ticks[1:].any(axis=1)  # a run returns both states at a sample
    at_end = [end] if system.tree.motions or end in timing.instants else []
    whole = whole_motion(end, np.concatenate([pieces.a[1:][~held_jumps], at_end]))
    turning = tuple(block.name for block in system.frictions if block.sticks_in_several_directions)
    plain_arguments = {"motors": motors, "until": end, **settings.plain()}
    if functions:
        plain_arguments["given"] = {one.constraint: one.law.plain() | dict(one.places) for one in functions}
    if times is not None:
        plain_arguments["times"] = array("d", listed.tobytes())
    return Conditions(
        model=model,
        motors=motors,
        system=system,
        assembly=assembly,
        signals=signals,
        values=values,
        p=np.array(list(values.values())),
        segments=pieces,
        times=times,
        instants=whole if times is None else listed,
        whole=whole,
        end=end,
        settings=settings,
        limits=effort_limits(model, values),
        plain=plain_arguments | arguments.plain("inputs") | arguments.plain("parameters"),
        source=_source(mechanism),
        notices=(
            *rounding_doubts(system.tree),
            *still_doubts(system.tree),
            *idle_inputs(model, motors),
            *_too_many_switchings(timing, end),
            *rough_relations(_mechanism(model), motors),
            *impossible_events(model.events, names, values, span),
            *_new_warnings(model, values, given["parameters"]),
        ),
        plan=Plan(
            events=tuple(model.events.items()),
            sampled=held.sampled,
            sticking=tuple(block.name for block in system.sticking),
            stopping=tuple(block.name for block in system.stops),
            rubbing=rubbing_names(system),
            turning=turning,
            rest=OPEN * system.nx**0.5 * settings.atol if turning else 0.0,
        ),
        ticks=ticks if samples else None,
        delaying=frozenset(delays.followed),
    )


def _too_many_switchings(timing: Timing, end: float) -> tuple[str, ...]:
    """The warning about expressions that switch too often for every switching to end a step; empty without any."""
    if not timing.too_many:
        return ()
    text = f"may switch or turn at more than {LIMIT:,} instants within {end:g} s; steps do not end at these"
    cure = "shorten the run, write its mean value, or set max_step to a fraction of the time between two of them"
    return (f"{', '.join(timing.too_many)} {text}; {cure}",)


def _parameter_values(model: Model, overrides: Mapping[str, Any] | None) -> dict[str, float]:
    """The value of each parameter; values given in the call are checked like those of the model."""
    if not overrides:
        return dict(_model_values(model.parameters))
    values = resolve(model.parameters, overrides)
    for name, value in values.items():
        if np.ndim(value):
            fault = f"a run takes one value of {name!r}, not {np.size(value)}"
            raise ModelError(Issue(fault, "run cardan.sweep over many values", ("parameters", name)))
    if issues := value_issues(model, values, others=True):
        raise ModelError(issues)
    return {name: float(value) for name, value in values.items()}


def _new_warnings(model: Model, values: Mapping[str, float], overrides: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Warnings about parameter values that loading the model has not given already."""
    if not overrides:
        return ()
    known = set(_warnings_at_loading(model))
    return tuple(text for doubt in doubts(model, values, others=True) if (text := doubt.one_line()) not in known)


@lru_cache(maxsize=64)
def _warnings_at_loading(model: Model) -> tuple[str, ...]:
    """The warnings that loading the model gives."""
    return tuple(doubt.one_line() for doubt in doubts(model, dict(_model_values(model.parameters))))


@lru_cache(maxsize=64)
def _model_values(parameters: Section[Scalar]) -> tuple[tuple[str, float], ...]:
    """Names and values of the parameters as the model defines them."""
    return tuple((name, float(value)) for name, value in resolve(parameters).items())


def _signals(
    model: Model, motors: MotorModel, inputs: Mapping[str, Any], values: Mapping[str, float]
) -> dict[str, Signal | Sampled | SampledFunction]:
    """Signal of each input by name, in order: from the call, else from the model, else zero."""
    names = input_names(model, motors)
    given = read_inputs(inputs)
    check_part(model, motors, given)
    check_names(given, names)
    in_model: Mapping[str, Signal | Sampled] = model.inputs
    chosen: dict[str, Signal | Sampled | SampledFunction] = {
        name: given.get(name, in_model.get(name, Scalar.read(0))) for name in names
    }
    for name, signal in chosen.items():
        check_signal(model, motors, name, signal, values)
    return chosen


def _check_units(system: System, signals: Mapping[str, Signal | Sampled | SampledFunction]) -> None:
    """Refuse a signal whose unit is not the unit of its input."""
    for name, unit, signal in zip(system.input_names, system.input_units, signals.values(), strict=True):
        if isinstance(signal, SampledFunction):
            continue
        if isinstance(signal, Sampled):
            check_unit(signal.value, unit, system.model.parameters, ("inputs", name, "value"))
            continue
        entries = [y for _, y in signal.table or ()] if isinstance(signal, Table) else [signal]
        for entry in entries:
            check_unit(entry, unit, system.model.parameters, ("inputs", name))


@lru_cache(maxsize=64)
def _mechanism(model: Model) -> Model:
    """The model without inputs, initial values and defaults of runs: its functions do not depend on these.

    A model with loops, or with motions by other joints, keeps its initial values: rounding is judged, and such motions
    are differentiated, near that position.
    """
    emptied = {"inputs": PathSection(), "events": Section(), "simulate": SimulateOptions()}
    by_other_joints = any(motion.by for motion in model.motions.values())
    if not by_other_joints and not model.constraints and len(carrying(model)) == len(model.joints):
        emptied["initial"] = PathSection()
    return model.unchecked(**emptied)


def _check_hidden(system: System, signals: Mapping[str, Signal | Sampled]) -> None:
    """Refuse inputs of freedoms without inertia, and those that change what a motion implies."""
    for name in (system.tree.velocities[k].name for k in system.tree.still):
        signal = signals.get(name)
        if not (signal is None or (isinstance(signal, Scalar) and signal.value == 0)):
            raise no_inertia(name)
    for relation in system.tree.hidden:
        for name in (system.input_names[k] for k in relation.inputs):
            signal = signals.get(name)
            if not (signal is None or (isinstance(signal, Scalar) and signal.value == 0)):
                fault = f"the drives act only on higher derivatives of {relation.motion!r}, which this input changes"
                raise ModelError(Issue(fault, f"leave {name!r} out, or prescribe coordinates", ("inputs", name)))


def _check_motions(model: Model, end: float) -> None:
    """Refuse a run that goes on after the table of a motion has ended."""
    for name, motion in model.motions.items():
        last = motion.last()
        if last is not None and end > last * (1 + ROUND_OFF):
            cure = f"end the run at {last:g} s, or give a longer table"
            raise ModelError(Issue(f"the table ends at {last:g} s, the run at {end:g} s", cure, ("motions", name)))


def motion_breaks(model: Model, values: Mapping[str, float], until: float) -> list[float]:
    """Instants up to `until` [s] at which a derivative of a prescribed motion jumps."""
    return [t for motion in model.motions.values() for t in motion.breaks(lambda scalar: scalar.number(values), until)]


def timed_expressions(
    model: Model, signals: Mapping[str, Signal], values: Mapping[str, float]
) -> list[tuple[str, ParsedExpression]]:
    """Expressions in which t may switch something, each with a name for messages."""
    found = [(f"input {name!r}", scalar) for name, scalar in _expressions(signals, values)]
    for kind, section in (("force", model.forces), ("constraint", model.constraints)):
        found += [(f"{kind} {name!r}", scalar) for name, record in section.items() for scalar in _scalars(record)]
    found += [(f"motion {name!r}", s) for name, motion in model.motions.items() for _, s in scalars(motion)]
    found += [(f"state {name!r}", equation.rate) for name, equation in model.states.items()]
    found += [(f"graph {name!r}", scalar) for name, graph in model.graphs.items() for _, scalar in scalars(graph)]
    found += [(f"let {name!r}", scalar) for name, scalar in model.let.items()]
    return [(name, scalar.expression) for name, scalar in found if scalar.expression is not None]


def expression_names(model: Model, values: Mapping[str, float]) -> Definitions:
    """Definitions of the names in expressions of a `model`, with the `values` of its parameters."""
    lets = [(name, model.let[name]) for name in needed(model.let, model.let)]
    return known_names(values, [(name, x.expression or Constant(float(x.value or 0.0))) for name, x in lets])


def _expressions(signals: Mapping[str, Signal], values: Mapping[str, float]) -> tuple[tuple[str, Scalar], ...]:
    """Names and expressions of the inputs that depend on t or on the state."""
    return tuple((name, s) for name, s in signals.items() if isinstance(s, Scalar) and varies(s, values))


def _scalars(record: Element) -> list[Scalar]:
    """All scalars of a force law or a constraint."""
    found: list[Scalar] = []

    def keep(scalar: Scalar) -> Scalar:
        found.append(scalar)
        return scalar

    record.resolved(keep)
    return found


def reads_files(signals: Iterable[Signal | Sampled]) -> bool:
    """Whether one of the signals is a table in a file, which may change between calls."""
    return any(isinstance(signal, Table) and signal.file is not None for signal in signals)


def _source(model: Model) -> str:
    """The model as text that loads without other files; tables are read from their files now."""
    return _text(model) if reads_files(model.inputs.values()) else _kept_text(model)


def _text(model: Model) -> str:
    """The model as JSON, which is YAML as well, with the samples of its tables."""
    inputs = {name: inline(signal) for name, signal in model.inputs.items()}
    return json.dumps(plain(model) | ({"inputs": inputs} if inputs else {}))


_kept_text = lru_cache(maxsize=64)(_text)
