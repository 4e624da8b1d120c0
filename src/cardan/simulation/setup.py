"""The situation of a run: a mechanism, its parameters, its inputs over time and how it is integrated; not its start."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from math import inf
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.independent_coordinates import Embedding, find_embedding
from cardan.assembly.start import system_of
from cardan.channels.measures import outputs
from cardan.errors import Issue, ModelError
from cardan.functions.embedded_kernels import embedded_kernels_of
from cardan.functions.kernels import Kernels, kernels_of
from cardan.integration.problem import Problem
from cardan.kinematics.build import MotorModel
from cardan.model.arguments import check_unit
from cardan.model.forces import Load
from cardan.model.model import Model, SimulateOptions
from cardan.model.parameters import resolve
from cardan.model.plain import plain
from cardan.model.record import Record
from cardan.model.scalar import Scalar
from cardan.model.section import PathSection, Section
from cardan.model.signal import Table, inline
from cardan.model.values import value_issues
from cardan.simulation.effort_limits import Limit, effort_limits
from cardan.simulation.inputs import check_part, check_signal, idle_inputs, input_names, read_inputs
from cardan.simulation.instants import read_instants
from cardan.simulation.settings import Settings, read_settings
from cardan.system.circuits import check_inductances
from cardan.system.constrained import Selection, has_constraints
from cardan.system.input_segments import Segments, Signal, check_names, segments, switch_times, varies
from cardan.system.system import WORKS, System, check_motors

__all__ = ["Situation", "Stabilization", "Task", "read_files", "situation", "written"]

GAIN = 20.0  # Baumgarte's α and β where none is given: an error decays in a twentieth of a second [1/s]
DECAY = 1.0  # of an error per fixed step at most, so that every method resolves it
FINEST = 20_000  # parts of the run: steps at least this far apart come back as well, so that short events are seen
TASKS = 16  # that are kept: each start may make its own
Stabilization = Literal["projection", "baumgarte", "none"]


@dataclass(frozen=True)
class Task:
    """Equations of motion as machine code, and what is to be integrated; the start of a run is not in it."""

    kernels: Kernels  # of the system
    problem: Problem  # without a start; in the independent coordinates of a straight branch
    embedding: Embedding | None = None  # the straight branch of the run


@dataclass(frozen=True, eq=False)
class Situation:
    """All that a run is told but its start."""

    model: Model
    motors: MotorModel  # how its motors are modelled
    system: System  # its constraints are not solved yet
    functions: AssemblyFunctions  # which put it together
    signals: Mapping[str, Signal]  # of all inputs by name, in order
    values: Mapping[str, float]  # of the parameters
    p: np.ndarray  # the same
    pieces: Segments  # the inputs over time
    times: np.ndarray | None  # instants that the call asks for [s]
    instants: np.ndarray  # that come back at least [s]
    end: float  # of the run [s]
    settings: Settings  # how it is integrated
    stabilization: Stabilization  # what keeps loops closed
    embed: bool  # whether straight branches are integrated in independent coordinates
    gains: Mapping[str, float]  # Baumgarte's `alpha` and `beta` [1/s]; none where he is not asked for
    limits: tuple[Limit, ...]  # of the efforts
    written: Mapping[str, Any]  # the arguments of the call in plain values
    source: str  # the model as text that loads without other files
    notices: tuple[str, ...]  # what the user should know, as warnings

    @cached_property
    def task(self) -> Callable[[Selection, Embedding | None], Task]:
        """What is integrated where the constraints are solved in one way, by the start of the run, and where that is on
        a straight branch to be integrated; asked for again, it is the same.
        """
        return lru_cache(maxsize=TASKS)(partial(_task, self))

    def embedding(self, x0: np.ndarray) -> Embedding | None:
        """The straight branch that a run from an assembled state x0 (nx,) is integrated on; None where there is none.

        Baumgarte's way, and none, are asked for to see what equations do: all of them take part then.
        """
        tree = self.system.tree
        if not (self.embed and self.stabilization == "projection" and has_constraints(tree)):
            return None
        q, v = x0[: tree.nq], x0[tree.nq : tree.nq + tree.nv]
        return find_embedding(Assembler(self.functions, self.p), q, v)


def situation(
    model: Model,
    *,
    until: float | str | None,
    motors: MotorModel,
    inputs: Mapping[str, Any] | None,
    parameters: Mapping[str, Any] | None,
    times: np.ndarray | None,
    stabilization: Stabilization,
    alpha: float | None,
    beta: float | None,
    embed: bool,
    **integration: Any,
) -> Situation:
    """The situation that arguments of `simulate` describe.

    Parameters
    ----------
    model, until, motors, inputs, parameters, times, stabilization, alpha, beta, embed : as of `simulate`.
    **integration : the other arguments of `read_settings` that a call of `simulate` gives.

    Raises
    ------
    ModelError
        As of `simulate`.
    """
    check_motors(motors)
    _check_stabilization(stabilization, alpha, beta)
    if not isinstance(embed, bool):
        raise ModelError(f"embed={f'{embed!r:.60}'} is not possible", "write True or False")
    values = _parameter_values(model, parameters)
    signals = _signals(model, motors, inputs or {}, values)
    instants, end = read_instants(model, until, times, values)
    settings = read_settings(**integration, end=end, parameters=model.parameters, values=values)
    gains = _gains(stabilization, alpha, beta, settings)
    system, functions = system_of(_mechanism(model), motors)
    check_inductances(model, motors, values)
    _check_units(system, signals)
    says = {"motors": motors, "until": end} | settings.plain() | {"stabilization": stabilization} | gains
    says |= {} if embed else {"embed": False}
    says |= {} if times is None else {"times": instants.tolist()}
    return Situation(
        model=model,
        motors=motors,
        system=system,
        functions=functions,
        signals=signals,
        values=values,
        p=np.array(list(values.values())),
        pieces=segments(signals, end, values, switch_times(_timed(model, signals, values), end, values)),
        times=times,
        instants=instants,
        end=end,
        settings=settings,
        stabilization=stabilization,
        embed=embed,
        gains=gains,
        limits=effort_limits(model, values),
        written=says | written("inputs", inputs) | written("parameters", parameters),
        source=_source(model),
        notices=idle_inputs(model, motors),
    )


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


def _signals(
    model: Model, motors: MotorModel, inputs: Mapping[str, Any], values: Mapping[str, float]
) -> dict[str, Signal]:
    """Signals of all inputs by name, in order: those of the call, else the model's, else zero."""
    names = input_names(model, motors)
    given = read_inputs(inputs)
    check_part(model, motors, given)
    check_names(given, names)
    own: Mapping[str, Signal] = model.inputs
    chosen: dict[str, Signal] = {name: given.get(name, own.get(name, Scalar.read(0))) for name in names}
    for name, signal in chosen.items():
        check_signal(model, motors, name, signal, values)
    return chosen


def _check_units(system: System, signals: Mapping[str, Signal]) -> None:
    """Refuse inputs of another dimension than the motors or joints take."""
    for name, unit, signal in zip(system.input_names, system.input_units, signals.values(), strict=True):
        entries = [y for _, y in signal.table or ()] if isinstance(signal, Table) else [signal]
        for entry in entries:
            check_unit(entry, unit, system.model.parameters, ("inputs", name))


def _check_stabilization(name: str, alpha: Any, beta: Any) -> None:
    if name not in get_args(Stabilization):
        choices = ", ".join(f'"{choice}"' for choice in get_args(Stabilization))
        raise ModelError(f"stabilization={name!r} is not possible", f"write one of {choices}")
    for gain, x in (("alpha", alpha), ("beta", beta)):
        if x is None:
            continue
        if name != "baumgarte":
            fault = f"{gain} is a gain of Baumgarte's, which has no part in stabilization={name!r}"
            raise ModelError(fault, f'leave {gain} out, or choose stabilization="baumgarte"')
        if not isinstance(x, Real) or isinstance(x, bool) or not 0 <= float(x) < inf:
            raise ModelError(f"{gain}={f'{x!r:.60}'} is not possible", "give a number from 0 on [1/s], such as 20")


def _gains(name: Stabilization, alpha: float | None, beta: float | None, settings: Settings) -> dict[str, float]:
    """Baumgarte's gains, if he is asked for: those given, else 20/s, or what a fixed step still resolves."""
    if name != "baumgarte":
        return {}
    gain = GAIN if settings.step is None else min(GAIN, DECAY / settings.step)
    return {name: gain if x is None else float(x) for name, x in (("alpha", alpha), ("beta", beta))}


@lru_cache(maxsize=64)
def _mechanism(model: Model) -> Model:
    """The model without what a run is told besides; asked for again, it is the same one."""
    nothing = {"inputs": PathSection(), "initial": PathSection(), "simulate": SimulateOptions()}
    return model.model_copy(update=nothing)


def _timed(model: Model, signals: Mapping[str, Signal], values: Mapping[str, float]) -> list[Any]:
    """Expressions in which t may switch something: inputs, force laws, rates of states."""
    in_forces = [scalar for load in model.forces.values() for scalar in _scalars(load)]
    in_inputs = [scalar for _, scalar in _expressions(signals, values)]
    in_rates = [equation.rate for equation in model.states.values()]
    return [scalar.expression for scalar in (*in_inputs, *in_forces, *in_rates) if scalar.expression is not None]


def _expressions(signals: Mapping[str, Signal], values: Mapping[str, float]) -> tuple[tuple[str, Scalar], ...]:
    """Inputs that are expressions of t or of the state."""
    return tuple((name, s) for name, s in signals.items() if isinstance(s, Scalar) and varies(s, values))


def _scalars(load: Load) -> list[Scalar]:
    """All scalars of a force law."""
    found: list[Scalar] = []

    def keep(scalar: Scalar) -> Scalar:
        found.append(scalar)
        return scalar

    load.resolved(keep)
    return found


def written(argument: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """An argument by name as the model file writes it, the samples of tables included; nothing where none is given.

    Parameters
    ----------
    argument : "inputs", "initial" or "parameters".
    given : what the call gives for it.
    """
    if not given:
        return {}
    if argument == "inputs":
        return {argument: {name: inline(signal) for name, signal in read_inputs(given).items()}}
    values = {name: plain(x) if isinstance(x, Record) else getattr(x, "source", x) for name, x in given.items()}
    return {argument: values}


def read_files(signals: Iterable[Signal]) -> bool:
    """Whether one of the signals stands in a file, which may change."""
    return any(isinstance(signal, Table) and signal.file is not None for signal in signals)


def _source(model: Model) -> str:
    """The model as text that loads without other files, as they are now."""
    return _text(model) if read_files(model.inputs.values()) else _kept_text(model)


def _text(model: Model) -> str:
    """The model with the samples of its tables: JSON is YAML."""
    inputs = {name: inline(signal) for name, signal in model.inputs.items()}
    return json.dumps(plain(model) | ({"inputs": inputs} if inputs else {}))


_kept_text = lru_cache(maxsize=64)(_text)


def _task(given: Situation, choice: Selection, embedding: Embedding | None) -> Task:
    meant = given.system.model, given.motors, _expressions(given.signals, given.values)
    kernels = kernels_of(*meant, _stabilized(given, choice))
    system, settings = kernels.system, given.settings
    closed = has_constraints(system.tree)
    if not closed:
        kernels.check_inertia(tuple(given.values.values()))
    outputs(system, kernels.symbols)  # refused before anything runs
    # "projection" brings all states back, "baumgarte" only quaternions of a tree
    projects = given.stabilization == "projection" or (given.stabilization == "baumgarte" and not closed)
    moving = kernels if embedding is None else embedded_kernels_of(*meant, embedding.pattern)
    p = given.p if embedding is None else np.append(given.p, embedding.sizes)
    problem = Problem(
        rhs=moving.derivative,
        velocity=moving.velocity if settings.method == "semi_implicit_euler" else None,
        jacobian=lambda: moving.jacobian,
        project=moving.projection if projects else None,
        nq=system.tree.nq if embedding is None else len(embedding.q),
        nv=system.tree.nv if embedding is None else len(embedding.v),
        nz=system.nz,
        nw=len(WORKS),
        m=len(system.input_names),
        k=len(p),
        p=p,
        a=given.pieces.a,
        b=given.pieces.b,
        c0=given.pieces.c0,
        c1=given.pieces.c1,
        times=given.instants,
        gap=np.inf if given.times is not None else given.end / FINEST,
        log_gap=given.end / FINEST if closed else np.inf,
        rtol=settings.rtol,
        atol=settings.atol,
        max_step=settings.max_step,
    )
    return Task(kernels, problem, embedding)


def _stabilized(given: Situation, choice: Selection) -> Selection:
    """How the constraints are solved, with Baumgarte's gains if he is asked for."""
    gains = given.gains
    return replace(choice, damping=gains["alpha"], stiffness=gains["beta"]) if gains else choice
