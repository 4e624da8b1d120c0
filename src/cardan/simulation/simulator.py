"""`simulate`: a model and a time span become a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cardan.kinematics.build import MotorModel
from cardan.model.model import Model, check_model
from cardan.results.trajectory import Trajectory
from cardan.simulation.arguments import Arguments, Stabilization
from cardan.simulation.kept import kept_setup

__all__ = ["simulate"]


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
    arguments = Arguments(
        model=model,
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
    return kept_setup(arguments).run(progress=progress)
