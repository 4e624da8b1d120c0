"""The runs of a sweep as arrays: parameters, inputs and assembled starts of all of them at once."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.assembly.many import starts
from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.model.checks.values import value_issues
from cardan.model.expressions.evaluation import switching
from cardan.model.expressions.timed import essence, is_steady, timed_parts
from cardan.model.initial import updated
from cardan.model.names import carrying
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.walk import scalars
from cardan.simulation.arguments import Arguments
from cardan.simulation.conditions import Conditions
from cardan.simulation.hybrid.timed_events import timed_events
from cardan.simulation.instants import INSTANT
from cardan.simulation.setup import Setup
from cardan.simulation.sweeps.axes import SweepGrid
from cardan.simulation.timed_expressions import expression_names, motion_breaks, timed_expressions
from cardan.system.input_segments import Signal


@dataclass(frozen=True, eq=False)
class Members:
    """All runs of a sweep, B of them."""

    parameters: Mapping[str, np.ndarray]  # values (B,) of all parameters, by name
    p: np.ndarray  # the same (B, k)
    c0: np.ndarray  # inputs at the start of every segment (B, S, m)
    x0: np.ndarray  # assembled states (B, nx); NaN where `alike` is False
    alike: np.ndarray  # (B,) whether a run solves the same equations over the same segments as the setup's own


def read_members(setup: Setup, arguments: Arguments, grid: SweepGrid) -> Members:
    """The runs that a grid makes of a setup."""
    conditions, B = setup.conditions, grid.size
    model = conditions.model
    found = check_values(arguments, grid)
    parameters = {name: np.broadcast_to(np.asarray(x, dtype=float), (B,)) for name, x in found.items()}
    moving = {name for name, x in found.items() if np.ndim(x)}
    p = np.stack([*parameters.values()], axis=-1) if parameters else np.zeros((B, 0))
    c0 = np.broadcast_to(conditions.segments.c0, (B, *conditions.segments.c0.shape)).copy()
    varied_inputs = grid.values("inputs")
    for k, (name, signal) in enumerate(conditions.signals.items()):
        if name in varied_inputs:
            c0[:, :, k] = varied_inputs[name][:, None]
        elif isinstance(signal, Scalar) and not _follows_motion(signal, model.parameters):
            c0[:, :, k] = np.reshape(np.broadcast_to(signal.evaluate(parameters.__getitem__), (B,)), (B, 1))
    varying = grid.values("initial")
    initial = updated(model.initial, {**grid.fixed["initial"], **dict.fromkeys(varying, 0.0)}, carrying(model))
    x0, alike = starts(conditions.system, conditions.assembly, initial, varying, parameters, setup.start, B)
    follows_motion = any(_follows_motion(conditions.signals[name], model.parameters) for name in varied_inputs)
    if follows_motion or _switches_with(setup, moving):
        alike = np.zeros(B, dtype=bool)
    return Members(parameters, p, c0, x0, alike & _same_breaks(conditions, moving, parameters, B))


def check_values(arguments: Arguments, grid: SweepGrid) -> Mapping[str, Any]:
    """Values of all parameters by name, (B,) of those that differ; refuses values that a model cannot have."""
    model, varied = arguments.model, grid.values("parameters")
    found = resolve(model.parameters, {**grid.fixed["parameters"], **varied})
    if varied and (issues := value_issues(model, found, others=True)):
        raise ModelError(issues)
    _check_end(arguments, {name for name, x in found.items() if np.ndim(x)})
    return found


def _same_breaks(
    conditions: Conditions, moving: set[str], parameters: Mapping[str, np.ndarray], count: int
) -> np.ndarray:
    """Whether the derivatives of the motions jump at the same instants (B,) as in the setup's own run."""
    model, until = conditions.model, conditions.end or INSTANT
    if not any(scalar.names & moving for motion in model.motions.values() for _, scalar in scalars(motion)):
        return np.ones(count, dtype=bool)
    breaks = motion_breaks(model, conditions.values, until)
    values = ({name: float(x[k]) for name, x in parameters.items()} for k in range(count))
    return np.array([motion_breaks(model, of_run, until) == breaks for of_run in values])


def _follows_motion(signal: Signal, parameters: Mapping[str, Scalar]) -> bool:
    """Whether an input depends on more than parameters; such inputs are part of the compiled functions.

    Inputs that events set are among them: they depend on the state that holds the value that the event has set.
    """
    return isinstance(signal, Scalar) and bool(signal.names - parameters.keys() - {"pi"})


def _check_end(arguments: Arguments, moving: set[str]) -> None:
    """Refuse an end of the run, or a step, that follows a parameter which varies."""
    until, settings = arguments.until, arguments.settings
    if until is None and settings["times"] is None:
        until = arguments.model.simulate.until
    for name, given in (("until", until), ("step", settings["step"]), ("max_step", settings["max_step"])):
        if given is not None and (varying := Scalar.read(given).names & moving):
            fault = f"{name} follows the parameter {min(varying)!r}, which varies"
            raise ModelError(fault, "all runs of a sweep share their instants and steps: give a number")


def _switches_with(setup: Setup, moving: set[str]) -> bool:
    """Whether the instants at which an expression switches or turns follow a parameter that varies."""
    conditions = setup.conditions
    if conditions.delaying & moving:
        return True
    names = expression_names(conditions.model, conditions.values)
    resting = any(block.sticks for block in conditions.system.frictions) or bool(conditions.system.stops)
    timed = timed_expressions(conditions.model, conditions.signals, conditions.values)
    for _, expression in (*timed, *timed_events(conditions.model.events, names)):
        parts = (part for part in timed_parts(expression, names) if resting or not is_steady(part, names))
        turning = [essence(part, names) for part in parts]
        if any("t" in names.of(part) and names.of(part) & moving for part in (*switching(expression), *turning)):
            return True
    return any(sample.every.names & moving for sample in conditions.plan.sampled)
