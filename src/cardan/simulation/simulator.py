"""`simulate`: a model and a time span become a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cardan.kinematics.build import MotorModel
from cardan.model.graphs import BondGraph
from cardan.model.model import Model, check_model, with_graph
from cardan.results.trajectory import Trajectory
from cardan.simulation.arguments import Arguments, Stabilization
from cardan.simulation.hybrid.given import with_events
from cardan.simulation.motions.given import with_motions
from cardan.simulation.setup_cache import kept_setup
from cardan.system.system import motor_model

__all__ = ["simulate"]


def simulate(
    model: Model | BondGraph,
    until: float | str | None = None,
    *,
    motors: MotorModel | None = None,
    motions: Mapping[str, Any] | None = None,
    events: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    times: Any = None,
    rtol: float = 1e-8,
    atol: float | None = None,
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
        End of the run, a number in seconds or text with a unit; by default the last of `times`, else the model's.
    motors : "full", "simplified" or "none", optional
        Inputs are voltages and currents are states; inputs are voltages and L di/dt = 0; inputs are efforts on joints.
        By default "full" if the model has motors, else "none".
    motions : mapping, optional
        Prescribed motions by name, in place of the model's or beside them, as in a model file; None removes one.
    events : mapping, optional
        Events by name, in place of the model's or beside them: `{"landed": {"when": "load.z", "do": "stop"}}`; None
        removes one.
    inputs : mapping, optional
        Signals by motor in place of the model's: a number, text with a unit, an expression, a `Table` or its keys, or a
        Python function that is called at multiples of a period: `{"every": "10 ms", "of": ["swing"], "value": f}`.
    given : mapping, optional
        Given parts of the reactions of constraints, by name: Python functions as of `inputs`, which return the three
        components [N] in the axes of `frame` (docs/non_ideal_constraints.md).
    initial : mapping, optional
        Initial values in place of the model's, for `swing`, `swing.v`, `drive.current` or a state `e`; otherwise zero.
        A spherical or free joint `ball` takes an attitude, such as `{"rpy": [0, 0, "30 deg"]}`, as in a model file.
    parameters : mapping, optional
        Other values of parameters: numbers in SI units, or text with a unit.
    times : array_like (N,), optional
        Instants of the result [s], exactly these, `[0.0]` for the initial state alone; by default 1001 evenly spaced
        instants and up to 20 000 ends of steps between them, so that short events are not missed.
    rtol : float
        Relative tolerance of a step, positive.
    atol : float, optional
        Absolute tolerance of a step, positive, in SI units of each state. By default it follows `rtol`: `rtol`/100 and
        less in proportion while no position or velocity has reached 1, and likewise for all other states together. Give
        it where small and large motions stand in one model.
    method : str
        "tsit5", "dop853", "rodas5p"; with a fixed `step`: "rk4", "semi_implicit_euler"; "auto" takes the cheapest of
        the first three, and can change it along the run (docs/work_precision.md compares them).
    step : float or str, optional
        Step of a fixed-step method, a number in seconds or text with a unit.
    max_step : float or str, optional
        Longest step of a method with step control, a number in seconds or text with a unit; by default unbounded.
    stabilization : "projection", "baumgarte" or "none"
        How loops are kept closed: "projection" corrects positions and velocities after each step, "baumgarte" solves
        Φ̈ + 2α Φ̇ + β² Φ = 0 in place of Φ̈ = 0, "none" solves Φ̈ = 0 alone and does not normalise quaternions either;
        it keeps a start that does not meet the relation of a program, so that its drift shows.
    alpha, beta : float, optional
        Baumgarte's gains [1/s], for stabilization="baumgarte" only; by default 20/s, or 1/`step` if that is less.
    embed : bool
        Whether to integrate a few independent coordinates if all others are linear in them, as in gears and
        parallelograms; loops then stay closed exactly. Only with stabilization="projection".
    progress : callable, optional
        Called with the fraction done, a few times per second.

    Returns
    -------
    Trajectory
        The motion and its status; the part computed so far if the run ends early.

    Raises
    ------
    ModelError
        An argument names something that does not exist, or has an impossible value; `step` is missing for a fixed-step
        method, or given for another.

    Warns
    -----
    ModelWarning
        Inputs of the model are efforts on joints, which are ignored because it has motors; initial velocities are
        changed because the constraints do not allow them; an effort exceeds the `effort_limit` of its joint; the energy
        balance is off by more than the tolerances explain, or with fixed steps by more than 1 %; an expression
        of t switches more often than steps can end at.

    Example
    -------
    >>> import cardan
    >>> run = cardan.simulate(cardan.load("compound_pendulum"), until=1.0, initial={"pendulum": 0.1})
    >>> run.status == "completed", run.status.ok, len(run) > 1000
    (True, True, True)
    """
    whole = with_graph(model)
    check_model(whole)
    motor_model(whole, motors)
    arguments = Arguments(
        model=with_events(with_motions(whole, motions), events),
        until=until,
        motors=motors,
        inputs=inputs,
        given=given,
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
