"""`simulate`: a model and a time span become a trajectory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal, get_args

import numpy as np

from cardan.errors import Issue, ModelError, warn
from cardan.kinematics.build import MotorModel
from cardan.model.forces import Load
from cardan.model.model import Model, SimulateOptions, check_model
from cardan.model.parameters import resolve
from cardan.model.plain import plain
from cardan.model.record import Record
from cardan.model.scalar import Scalar
from cardan.model.section import PathSection, Section
from cardan.model.signal import Table, inline
from cardan.model.values import value_issues
from cardan.results.provenance import Provenance
from cardan.results.report import Report
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.simulation.course import Course
from cardan.simulation.inputs import check_part, check_signal, input_names, read_inputs
from cardan.simulation.integrate import Log, Solution, integrate
from cardan.simulation.limits import check_limits
from cardan.simulation.lookup import Lookup
from cardan.simulation.passages import Passages
from cardan.simulation.problem import Problem
from cardan.simulation.settings import read_settings
from cardan.simulation.signals import Segments, Signal, check_names, segments, switch_times, values_at
from cardan.simulation.undefined import undefined_forces
from cardan.simulation.verdict import first_event, judged
from cardan.system.arguments import check_named, check_unit, number
from cardan.system.assembly import AssemblyFunctions
from cardan.system.circuits import check_inductances
from cardan.system.constrained import Selection, has_constraints
from cardan.system.kernels import Kernels, kernels_of
from cardan.system.start import Start, start, system_of
from cardan.system.system import WORKS, System, check_motors

__all__ = ["simulate"]

INSTANTS = 1001  # returned where no times are given: enough for a smooth line on a page
WRITTEN = 1e-5  # by which a given velocity may be off, relative: what is written with six digits is meant exactly
GAIN = 20.0  # Baumgarte's α and β where none is given: an error decays in a twentieth of a second [1/s]
FINEST = 20_000  # parts of the run: steps at least this far apart come back as well, so that short events are seen
Stabilization = Literal["projection", "baumgarte", "none"]


def simulate(
    model: Model,
    until: float | str | None = None,
    *,
    motors: MotorModel = "full",
    inputs: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    times: Any = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    method: str = "auto",
    step: float | str | None = None,
    max_step: float | str | None = None,
    stabilization: Stabilization = "projection",
    alpha: float | None = None,
    beta: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> Trajectory:
    """Motion of a model from t = 0.

    Parameters
    ----------
    model : Model
        The mechanism.
    until : float or str, optional
        End [s], or text with a unit; by default the last of `times`, or what the model says.
    motors : "full", "simplified" or "none"
        Voltages with currents as states, voltages with L di/dt = 0, or efforts on the velocities as inputs.
    inputs : mapping, optional
        Instead of the model's: a number, text with a unit, an expression in t, a `Table` or its keys, by motor.
    initial : mapping, optional
        Instead of the model's: `swing`, `swing.v`, `drive.current`. What is not given starts at zero.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    times : array_like (N,), optional
        Exactly these instants come back [s]; by default 1001 evenly spaced ones and, between
        them, the ends of steps, so that short events are not missed (at most 20 000 more).
    rtol, atol : float
        Relative and absolute tolerance of a step, both positive, the latter in SI units of each state.
    method : str
        "auto", "tsit5", "dop853", "rodas5p"; with a fixed `step`: "rk4", "semi_implicit_euler". In a stiff run an
        explicit method keeps to the tolerances at the ends of its steps; between them fast states, such as currents,
        can be 100 times less accurate (2e-6 A in the crane of the gallery). "rodas5p" mends that, or a `max_step` of 5
        time constants of the fastest state.
    step : float or str, optional
        Step of a fixed-step method [s], or text with a unit.
    max_step : float or str, optional
        Longest step of the others [s], or text with a unit; by default there is no bound.
    stabilization : "projection", "baumgarte" or "none"
        What keeps loops closed: positions and velocities are brought back after each step, or Φ̈ + 2α Φ̇ + β² Φ = 0 is
        solved instead of Φ̈ = 0, or nothing does. Quaternions stay at unit length but for "none".
    alpha, beta : float, optional
        Baumgarte's gains [1/s].
    progress : callable, optional
        Called with the fraction done, a few times per second.

    Returns
    -------
    Trajectory
        With its status; where a run ends early, the part computed until then.

    Raises
    ------
    ModelError
        An argument names something that does not exist, or cannot be; a step is missing or not wanted.

    Warns
    -----
    ModelWarning
        Inputs of the model are efforts on joints, and its motors take part instead; initial velocities are changed,
        because constraints do not allow them; an effort exceeds the `effort_limit` of its joint.

    Example
    -------
    >>> import cardan
    >>> run = cardan.simulate(cardan.load("compound_pendulum"), until=1.0, initial={"pendulum": 0.1})
    >>> run.status == "completed", run.status.ok, len(run) > 1000
    (True, True, True)
    """
    arguments = {"inputs": inputs, "initial": initial, "parameters": parameters}
    check_model(model)
    check_motors(motors)
    _check_stabilization(stabilization)
    for name, given in arguments.items():
        check_named(name, given)
    setup = _setup(model, motors, inputs, parameters)
    instants, end = _instants(model, until, times, setup.values)
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
    _warn_of_changes(begin)
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
    watch = None if project or not has_constraints(system.tree) else partial(_watched, kernels, setup.p)
    solution = integrate(problem, chosen.method, step=chosen.step, progress=progress, watch=watch)
    course = Course(kernels, solution.log.t, solution.log.x, setup.p)
    if has_constraints(system.tree):
        solution = judged(solution, course, projected=project, step=chosen.step)
        course = course.until(solution.t_end)
    settings = {"motors": motors, "until": end} | chosen.plain() | {"stabilization": stabilization}
    settings |= {} if times is None else {"times": instants.tolist()}
    settings |= {name: _written(name, given) for name, given in arguments.items() if given}
    return _trajectory(model, course, setup, pieces, solution, settings, begin.x)


def _watched(kernels: Kernels, p: np.ndarray, log: Log) -> Status | None:
    """The status that ends a run whose constraints nothing holds, where they are lost."""
    event = first_event(log, Course(kernels, log.t, log.x, p), projected=False)
    return None if event is None else event.status


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


def _warn_of_changes(begin: Start) -> None:
    """Say which initial velocities the constraints do not allow."""
    lost = [entry for entry in begin.changed if abs(entry[2] - entry[1]) > WRITTEN * (1 + abs(entry[1]))]
    if lost:
        listed = ", ".join(f"{name} = {used:.6g} instead of {given:.6g}" for name, given, used in lost)
        cure = "give one per degree of freedom, the others follow"
        warn(f"the constraints do not allow the initial velocities; the run starts with {listed}; {cure}")


def _check_stabilization(name: str) -> None:
    if name not in get_args(Stabilization):
        choices = ", ".join(f'"{choice}"' for choice in get_args(Stabilization))
        raise ModelError(f"stabilization={name!r} is not possible", f"write one of {choices}")


def _instants(
    model: Model, until: float | str | None, times: Any, values: Mapping[str, float]
) -> tuple[np.ndarray, float]:
    """Instants that come back and the end of the run [s]."""
    given = None if times is None else _column(times)
    end = None if given is None or not given.size else float(given[-1])
    said = until if until is not None else model.simulate.until if end is None else None
    if said is not None:
        scalar, path = Scalar.read(said), ("simulate", "until")
        check_unit(scalar, "s", model.parameters, path)
        end = number(scalar, values, path)
    if end is None or not (np.isfinite(end) and end > 0):
        shown = "no end is given" if end is None else f"the run would end at t = {end:g} s"
        raise ModelError(Issue(shown, "give until, a time greater than 0", ("simulate", "until")))
    if given is None:
        return np.linspace(0, end, INSTANTS), end
    in_order = given.size and np.isfinite(given).all() and (np.diff(given) >= 0).all()
    if not (in_order and given[0] >= 0 and given[-1] <= end):
        raise ModelError("times must be finite, in order and from 0 to until", "sort them, or give a later until")
    return given, end


def _column(times: Any) -> np.ndarray:
    """The instants asked for, (N,) [s]."""
    try:
        given = np.atleast_1d(np.asarray(times, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(f"times={f'{times!r:.60}'} are not numbers", "give a list of instants in seconds") from None
    if given.ndim > 1:
        raise ModelError(f"times have shape {given.shape}", "give one list of instants")
    return given


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


@lru_cache(maxsize=64)
def _source(model: Model) -> str:
    """The model as text that loads without other files: JSON is YAML."""
    inputs = {name: inline(signal) for name, signal in model.inputs.items()}
    return json.dumps(plain(model) | ({"inputs": inputs} if inputs else {}))


def _trajectory(
    model: Model,
    course: Course,
    setup: _Setup,
    pieces: Segments,
    solution: Solution,
    settings: Mapping[str, Any],
    x0: np.ndarray,
) -> Trajectory:
    kernels, system = course.kernels, course.kernels.system
    u = values_at(pieces, solution.t)
    rows = (solution.t, solution.x, u, setup.p)
    lookup = Lookup(kernels, x0, rows)
    check_limits(model, kernels, rows, setup.values)
    worst = None if solution.worst is None else [*system.state_names, *WORKS][solution.worst]
    return Trajectory(
        solution.t,
        solution.x,
        system.state_names,
        system.state_units,
        solution.w,
        tuple(f"work.{name}" for name in WORKS),
        lookup.channels(),
        lookup.on_request(),
        lookup.evaluate,
        solution.status,
        solution.status.describe(solution.t_end, worst, _cause(kernels, pieces, solution, setup.p)),
        {"method": solution.method, "reached": solution.t_end} | vars(solution.statistics),
        _report(course, rows, solution),
        Passages(course) if has_constraints(system.tree) else tuple,
        Provenance(model.name, _source(model), settings),
    )


def _cause(kernels: Kernels, pieces: Segments, solution: Solution, p: np.ndarray) -> str:
    """The forces that ended a run, if it was them."""
    if solution.status is not Status.NON_FINITE:
        return ""
    (u,) = values_at(pieces, np.array([solution.t_end]))
    return undefined_forces(kernels, solution.t_end, solution.x_end, u, p)


def _report(course: Course, rows: tuple[np.ndarray, ...], solution: Solution) -> Report:
    """Energy balance E(t) − E(0) = input + conversion + forces − dissipation over the returned instants."""
    if not len(solution.t):
        return Report()
    kernels = course.kernels
    stored, kinetic, potential = kernels.energy(*rows)
    signs = np.array([1.0, 1.0, 1.0, -1.0])
    error = (stored - stored[0]) - (solution.w - solution.w[0]) @ signs
    turned = [np.max(kinetic), np.ptp(potential), *np.ptp(solution.w, axis=0)]
    violation = _violation(course, rows) if has_constraints(kernels.system.tree) else (0.0, 0.0)
    return Report(float(np.max(np.abs(error))), float(max(turned)), *violation)


def _violation(course: Course, rows: tuple[np.ndarray, ...]) -> tuple[float, float]:
    """Largest |Φ| and |Φ̇| over the returned instants and the ends of steps; neither knows the inputs."""
    t, x = np.concatenate([rows[0], course.t]), np.concatenate([rows[1], course.x])
    Phi, rate = course.kernels.violation(t, x, np.zeros(rows[2].shape[1:]), rows[3])
    return float(np.max(Phi)), float(np.max(rate))
