"""What a run needs before it starts: parameters, inputs, an assembled start, machine code, the problem to integrate.

A call of `simulate` that says the same as one before finds everything ready.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.kinematics.build import MotorModel
from cardan.model.forces import Load
from cardan.model.model import Model, SimulateOptions
from cardan.model.parameters import resolve
from cardan.model.plain import plain
from cardan.model.record import Record
from cardan.model.scalar import Scalar
from cardan.model.section import PathSection, Section
from cardan.model.signal import Table, inline
from cardan.model.values import value_issues
from cardan.results.provenance import Provenance
from cardan.simulation.inputs import check_part, check_signal, idle_inputs, input_names, read_inputs
from cardan.simulation.instants import column, read_instants
from cardan.simulation.problem import Problem
from cardan.simulation.settings import Settings, read_settings
from cardan.simulation.signals import Segments, Signal, check_names, segments, switch_times
from cardan.system.arguments import check_named, check_unit
from cardan.system.assembly import AssemblyFunctions
from cardan.system.circuits import check_inductances
from cardan.system.constrained import Selection, has_constraints
from cardan.system.kernels import Kernels, kernels_of
from cardan.system.start import Start, start, system_of
from cardan.system.system import WORKS, System, check_motors

__all__ = ["Preparation", "Stabilization", "prepare"]

WRITTEN = 1e-5  # by which a given velocity may be off, relative: what is written with six digits is meant exactly
GAIN = 20.0  # Baumgarte's α and β where none is given: an error decays in a twentieth of a second [1/s]
FINEST = 20_000  # parts of the run: steps at least this far apart come back as well, so that short events are seen
KEPT = 64  # preparations that are kept
LARGEST = 4096  # instants, or samples of a table, that one of them may hold
Stabilization = Literal["projection", "baumgarte", "none"]


@dataclass(frozen=True)
class Preparation:
    """Everything that a run needs; nothing in it changes when it runs."""

    model: Model
    kernels: Kernels  # of its system
    values: Mapping[str, float]  # of the parameters
    pieces: Segments  # the inputs over time
    problem: Problem
    settings: Settings  # how it is integrated
    written: Mapping[str, Any]  # the arguments of the call in plain values
    source: str  # the model as text that loads without other files
    notices: tuple[str, ...]  # what the user should know, as warnings

    @property
    def projects(self) -> bool:
        """Whether states are brought back onto their constraints."""
        return self.problem.project is not None

    @property
    def provenance(self) -> Provenance:
        """Where the run comes from."""
        settings = {name: deepcopy(x) if isinstance(x, (dict, list)) else x for name, x in self.written.items()}
        return Provenance(self.model.name, self.source, settings)


Entries = tuple[tuple[str, type, Any], ...]
"""A mapping by name as part of a key, with types: True, 1 and 1.0 are equal, but not the same argument."""


def prepare(model: Model, **arguments: Any) -> Preparation:
    """What the arguments of `simulate` ask for, made ready; asked for again, it is the same one.

    Parameters
    ----------
    model : the mechanism.
    **arguments : those of `simulate` but for `progress`, all of them.

    Raises
    ------
    ModelError
        As of `simulate`.
    """
    for name in ("inputs", "initial", "parameters"):
        check_named(name, arguments[name])
    if arguments["times"] is not None:
        arguments["times"] = column(arguments["times"])
    key = _key(model, **arguments)
    return _prepared(model, **arguments) if key is None else _kept(model, **key)


def _key(
    model: Model,
    inputs: Mapping[str, Any] | None,
    initial: Mapping[str, Any] | None,
    parameters: Mapping[str, Any] | None,
    times: np.ndarray | None,
    **others: Any,
) -> dict[str, Any] | None:
    """The arguments in a form that tells them from others; None where they can change or are too large to keep."""
    tables = [signal for signal in (*model.inputs.values(), *(inputs or {}).values()) if isinstance(signal, Table)]
    sizes = [len(table.table or ()) for table in tables] + [0 if times is None else times.size]
    if _read_files(tables) or max(sizes) > LARGEST:
        return None
    others |= {"inputs": _entries(inputs), "initial": _entries(initial), "parameters": _entries(parameters)}
    key = others | {"times": None if times is None else times.tobytes()}
    try:
        hash(tuple(key.values()))
    except TypeError:  # a list or a dictionary, whose contents may be others at the next call
        return None
    return key


def _read_files(signals: Iterable[Signal]) -> bool:
    """Whether a signal stands in a file, which may change."""
    return any(isinstance(signal, Table) and signal.file is not None for signal in signals)


def _entries(given: Mapping[str, Any] | None) -> Entries | None:
    return None if given is None else tuple([(name, type(value), value) for name, value in given.items()])


def _mapping(entries: Entries | None) -> dict[str, Any] | None:
    return None if entries is None else {name: value for name, _, value in entries}


@lru_cache(maxsize=KEPT, typed=True)
def _kept(
    model: Model,
    *,
    inputs: Entries | None,
    initial: Entries | None,
    parameters: Entries | None,
    times: bytes | None,
    **others: Any,
) -> Preparation:
    return _prepared(
        model,
        inputs=_mapping(inputs),
        initial=_mapping(initial),
        parameters=_mapping(parameters),
        times=None if times is None else np.frombuffer(times),
        **others,
    )


def _prepared(
    model: Model,
    *,
    until: float | str | None,
    motors: MotorModel,
    inputs: Mapping[str, Any] | None,
    initial: Mapping[str, Any] | None,
    parameters: Mapping[str, Any] | None,
    times: np.ndarray | None,
    rtol: float,
    atol: float,
    method: str,
    step: float | str | None,
    max_step: float | str | None,
    stabilization: Stabilization,
    alpha: float | None,
    beta: float | None,
) -> Preparation:
    check_motors(motors)
    _check_stabilization(stabilization)
    setup = _setup(model, motors, inputs, parameters)
    instants, end = read_instants(model, until, times, setup.values)
    chosen = read_settings(
        method=method,
        rtol=rtol,
        atol=atol,
        step=step,
        max_step=max_step,
        end=end,
        parameters=model.parameters,
        values=setup.values,
    )
    bare, functions = _system(model, motors)
    begin = start(bare, functions, {**model.initial, **(initial or {})}, setup.values)
    kernels = _kernels(model, motors, setup.in_time, _choice(begin.choice, stabilization, alpha, beta))
    system = kernels.system
    if not has_constraints(system.tree):
        kernels.check_inertia(tuple(setup.values.values()))
    check_inductances(model, motors, setup.values)
    _ = kernels.outputs  # refused before anything runs
    _check_units(system, setup.signals)
    pieces = segments(setup.signals, end, setup.values, switch_times(_timed(model, setup), end, setup.values))
    project = _projects(system, stabilization) and kernels.projection is not None
    problem = Problem(
        rhs=kernels.derivative,
        velocity=kernels.velocity if chosen.method == "semi_implicit_euler" else None,
        jacobian=lambda: kernels.jacobian,
        project=kernels.projection if project else None,
        nq=system.tree.nq,
        nv=system.tree.nv,
        nz=system.circuits.nz,
        nw=len(WORKS),
        m=len(system.input_names),
        k=len(setup.p),
        x0=begin.x,
        p=setup.p,
        a=pieces.a,
        b=pieces.b,
        c0=pieces.c0,
        c1=pieces.c1,
        times=instants,
        gap=np.inf if times is not None else end / FINEST,
        log_gap=end / FINEST if has_constraints(system.tree) else np.inf,
        rtol=chosen.rtol,
        atol=chosen.atol,
        max_step=chosen.max_step,
    )
    written = {"motors": motors, "until": end} | chosen.plain() | {"stabilization": stabilization}
    written |= {} if times is None else {"times": instants.tolist()}
    given = {"inputs": inputs, "initial": initial, "parameters": parameters}
    written |= {name: _written(name, entries) for name, entries in given.items() if entries}
    notices = (*idle_inputs(model, motors), *_changes(begin))
    return Preparation(model, kernels, setup.values, pieces, problem, chosen, written, _source(model), notices)


@dataclass(frozen=True)
class _Setup:
    """Inputs and parameters of one call."""

    signals: Mapping[str, Signal]  # of all inputs by name, in order
    in_time: tuple[tuple[str, Scalar], ...]  # inputs that are expressions in t
    values: dict[str, float]  # of the parameters
    p: np.ndarray


def _setup(
    model: Model, motors: MotorModel, inputs: Mapping[str, Any] | None, parameters: Mapping[str, Any] | None
) -> _Setup:
    values = _parameter_values(model, parameters)
    names = input_names(model, motors)
    given = read_inputs(inputs or {})
    check_part(model, motors, given)
    check_names(given, names)
    own: Mapping[str, Signal] = model.inputs
    chosen: dict[str, Signal] = {name: given.get(name, own.get(name, Scalar.read(0))) for name in names}
    for name, signal in chosen.items():
        check_signal(name, signal, values)
    in_time = tuple((name, s) for name, s in chosen.items() if isinstance(s, Scalar) and "t" in s.names)
    return _Setup(chosen, in_time, values, np.array(list(values.values())))


def _parameter_values(model: Model, overrides: Mapping[str, Any] | None) -> dict[str, float]:
    """One number for each parameter; those of the call have to make a possible mechanism, as the model's did."""
    if not overrides:
        return dict(_own_values(model.parameters))
    values = resolve(model.parameters, overrides)
    for name, value in values.items():
        if np.ndim(value):
            fault = f"a run takes one value of {name!r}, not {np.size(value)}"
            raise ModelError(Issue(fault, "simulate once for each value", ("parameters", name)))
    if issues := value_issues(model, values):
        raise ModelError(issues)
    return {name: float(value) for name, value in values.items()}


@lru_cache(maxsize=64)
def _own_values(parameters: Section[Scalar]) -> tuple[tuple[str, float], ...]:
    """The values that the model itself gives to its parameters."""
    return tuple((name, float(value)) for name, value in resolve(parameters).items())


def _check_units(system: System, signals: Mapping[str, Signal]) -> None:
    """Refuse inputs of another dimension than the motors or joints take."""
    for name, unit, signal in zip(system.input_names, system.input_units, signals.values(), strict=True):
        entries = [y for _, y in signal.table or ()] if isinstance(signal, Table) else [signal]
        for entry in entries:
            check_unit(entry, unit, system.model.parameters, ("inputs", name))


def _changes(begin: Start) -> tuple[str, ...]:
    """Which initial velocities the constraints do not allow, in words."""
    lost = [entry for entry in begin.changed if abs(entry[2] - entry[1]) > WRITTEN * (1 + abs(entry[1]))]
    if not lost:
        return ()
    listed = ", ".join(f"{name} = {used:.6g} instead of {given:.6g}" for name, given, used in lost)
    cure = "give one per degree of freedom, the others follow"
    return (f"the constraints do not allow the initial velocities; the run starts with {listed}; {cure}",)


def _check_stabilization(name: str) -> None:
    if name not in get_args(Stabilization):
        choices = ", ".join(f'"{choice}"' for choice in get_args(Stabilization))
        raise ModelError(f"stabilization={name!r} is not possible", f"write one of {choices}")


def _system(model: Model, motors: MotorModel) -> tuple[System, AssemblyFunctions]:
    """System of a model and what assembles it; two runs of the same mechanism share them."""
    return system_of(_mechanism(model), motors)


def _kernels(model: Model, motors: MotorModel, in_time: tuple[tuple[str, Scalar], ...], choice: Selection) -> Kernels:
    """Kernels of a model; two runs of the same mechanism share machine code."""
    return kernels_of(_mechanism(model), motors, in_time, choice)


@lru_cache(maxsize=64)
def _mechanism(model: Model) -> Model:
    """The model without what a run is told besides; asked for again, it is the same one."""
    nothing = {"inputs": PathSection(), "initial": PathSection(), "simulate": SimulateOptions()}
    return model.model_copy(update=nothing)


def _projects(system: System, stabilization: Stabilization) -> bool:
    """Whether states are projected: always for "projection", for "baumgarte" only quaternions of a tree."""
    return stabilization == "projection" or (stabilization == "baumgarte" and not has_constraints(system.tree))


def _choice(choice: Selection, stabilization: Stabilization, alpha: float | None, beta: float | None) -> Selection:
    """How the constraints are solved, with Baumgarte's gains if he is asked for."""
    if stabilization != "baumgarte":
        return choice
    return replace(choice, damping=GAIN if alpha is None else alpha, stiffness=GAIN if beta is None else beta)


def _timed(model: Model, setup: _Setup) -> list[Any]:
    """Expressions in which t may switch something: inputs and force laws."""
    in_forces = [scalar for load in model.forces.values() for scalar in _scalars(load)]
    in_inputs = [scalar for _, scalar in setup.in_time]
    return [scalar.expression for scalar in (*in_inputs, *in_forces) if scalar.expression is not None]


def _scalars(load: Load) -> list[Scalar]:
    """All scalars of a force law."""
    found: list[Scalar] = []

    def keep(scalar: Scalar) -> Scalar:
        found.append(scalar)
        return scalar

    load.resolved(keep)
    return found


def _written(argument: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """An argument as the model file writes it, the samples of tables included."""
    if argument == "inputs":
        return {name: inline(signal) for name, signal in read_inputs(given).items()}
    return {
        name: plain(value) if isinstance(value, Record) else getattr(value, "source", value)
        for name, value in given.items()
    }


def _source(model: Model) -> str:
    """The model as text that loads without other files, as they are now."""
    return _text(model) if _read_files(model.inputs.values()) else _kept_text(model)


def _text(model: Model) -> str:
    """The model with the samples of its tables: JSON is YAML."""
    inputs = {name: inline(signal) for name, signal in model.inputs.items()}
    return json.dumps(plain(model) | ({"inputs": inputs} if inputs else {}))


_kept_text = lru_cache(maxsize=64)(_text)
