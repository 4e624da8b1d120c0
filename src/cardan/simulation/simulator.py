"""`simulate`: a model and a time span become a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cardan.channels.functions import channel_functions
from cardan.channels.lookup import Lookup
from cardan.errors import warn
from cardan.functions.energy_balance import balance
from cardan.integration.integrate import Log, Solution
from cardan.integration.outcome import Outcome
from cardan.kinematics.build import MotorModel
from cardan.model.model import Model, check_model
from cardan.results.report import Report
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.simulation.effort_limits import check_limits
from cardan.simulation.phases import integrated
from cardan.simulation.preparation import Preparation, prepare
from cardan.simulation.setup import Stabilization
from cardan.simulation.undefined_forces import undefined_forces
from cardan.singular.branch import first_event, judged
from cardan.singular.passages import Passages
from cardan.singular.step_log import Course
from cardan.system.constrained import has_constraints
from cardan.system.input_segments import values_at
from cardan.system.system import WORKS

__all__ = ["simulate"]

WORK_NAMES = tuple(f"work.{name}" for name in WORKS)


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
    embed: bool = True,
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
        Instead of the model's: a number, text with a unit, an expression, a `Table` or its keys, by motor.
    initial : mapping, optional
        Instead of the model's: `swing`, `swing.v`, `drive.current`, or a state `e`. What is not given starts at zero.
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
        Baumgarte's gains [1/s]; by default 20, or 1/`step` where that is less. Only for stabilization="baumgarte".
    embed : bool
        With stabilization="projection": whether a mechanism whose coordinates all move linearly in a few of them, such
        as gears and parallelograms do, is integrated in those few; its loops hold exactly then.
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
    check_model(model)
    prepared = prepare(
        model,
        until=until,
        motors=motors,
        inputs=inputs,
        initial=initial,
        parameters=parameters,
        times=times,
        rtol=rtol,
        atol=atol,
        method=method,
        step=step,
        max_step=max_step,
        stabilization=stabilization,
        alpha=alpha,
        beta=beta,
        embed=embed,
    )
    for notice in prepared.notices:
        warn(notice)
    kernels, chosen = prepared.task.kernels, prepared.situation.settings
    watch = partial(_watched, prepared) if prepared.judges and not prepared.projects else None
    solution = integrated(prepared, progress=progress, watch=watch)
    course = Course.of(kernels, solution.log, prepared.situation.p, known=prepared.projects)
    status = Status[solution.outcome.name]
    if prepared.judges:
        solution, status = judged(solution, course, projected=prepared.projects, rtol=chosen.promised, step=chosen.step)
        course = course.until(solution.t_end)
    return _trajectory(prepared, course, solution, status)


def _watched(prepared: Preparation, log: Log) -> Outcome | None:
    """The outcome that ends a run whose constraints nothing holds, where they are lost."""
    course = Course.of(prepared.task.kernels, log, prepared.situation.p, known=False)
    event = first_event(log, course, projected=False, rtol=prepared.situation.settings.promised)
    return None if event is None else event.outcome


def _trajectory(prepared: Preparation, course: Course, solution: Solution, status: Status) -> Trajectory:
    kernels, system, here = course.kernels, course.kernels.system, prepared.situation
    embedding = prepared.task.embedding
    projected = prepared.projects or embedding is not None
    lookup = Lookup(kernels, prepared.x0, solution.t, solution.x, here.pieces, here.p, embedding, projected)
    if here.limits:
        check_limits(here.limits, kernels, lookup.rows)
    worst = None if solution.worst is None else [*system.state_names, *WORKS][solution.worst]
    return Trajectory(
        solution.t,
        solution.x,
        system.state_names,
        system.state_units,
        solution.w,
        WORK_NAMES,
        lookup.channels(),
        channel_functions(kernels).on_request,
        lookup.evaluate,
        status,
        status.describe(solution.t_end, worst, _cause(prepared, solution)),
        {"method": solution.method, "reached": solution.t_end} | solution.statistics._asdict() | prepared.independent,
        _Balance(course, lookup, solution.w),
        Passages(course) if has_constraints(system.tree) else tuple,
        prepared.provenance,
    )


def _cause(prepared: Preparation, solution: Solution) -> str:
    """The forces that ended a run, if it was them."""
    if solution.outcome is not Outcome.NON_FINITE:
        return ""
    here = prepared.situation
    (u,) = values_at(here.pieces, np.array([solution.t_end]))
    return undefined_forces(prepared.task.kernels, solution.t_end, solution.x_end, u, here.p)


@dataclass(frozen=True)
class _Balance:
    """The report of a run, made when it is asked for."""

    course: Course
    lookup: Lookup  # of the returned instants
    w: np.ndarray  # works there

    def __call__(self) -> Report:
        """Energy balance E(t) − E(0) = input + conversion + forces − dissipation over the returned instants."""
        if not len(self.w):
            return Report()
        kernels = self.course.kernels
        lacking, parts = balance(kernels, self.lookup.rows, self.w)
        turned = [np.max(parts[:, 0]), *np.ptp(parts[:, 1:], axis=0)]
        violation = self._violation() if has_constraints(kernels.system.tree) else (0.0, 0.0)
        return Report(float(np.max(np.abs(lacking))), float(max(turned)), *violation)

    def _violation(self) -> tuple[float, float]:
        """Largest |Φ| and |Φ̇| over the returned instants and the ends of steps; neither knows the inputs."""
        course, (t, x, u, p) = self.course, self.lookup.rows
        parts = np.concatenate([t, course.t]), np.concatenate([x, course.x]), np.zeros(u.shape[1:]), p
        Phi, rate = course.kernels.violation(*parts)
        return float(np.max(Phi)), float(np.max(rate))
