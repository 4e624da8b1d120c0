"""The inputs of a run: their names for each motor model, and checks of the signals that drive them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.kinematics.build import MotorModel
from cardan.model.checks.references import driven_issues
from cardan.model.checks.scopes import name_issues
from cardan.model.model import Model
from cardan.model.names import Names, carrying, currents, driven_joints, efforts, graph_inputs
from cardan.model.quantities.fields import INPUT
from cardan.model.quantities.lets import reached
from cardan.model.quantities.scalar import Scalar, naming
from cardan.model.sampled.functions import SampledFunction, read_function
from cardan.model.signal import Sampled, Signal, Table, read_signal
from cardan.system.input_segments import varies


def input_names(model: Model, motors: MotorModel) -> tuple[str, ...]:
    """Names of the inputs: voltages of the motors, or with motors="none" efforts on the velocities; those of graphs."""
    driven, graphs = driven_joints(model), tuple(graph_inputs(model))
    if motors == "none":
        return (*(name for name in efforts(carrying(model)) if name not in driven), *graphs)
    return (*(name for name, motor in model.motors.items() if motor.joint not in driven), *graphs)


def read_inputs(given: Mapping[str, Any]) -> dict[str, Signal | SampledFunction]:
    """Signals and sampled functions by name of the input, read from the argument `inputs` as `given` in the call.

    A function that returns the values of several inputs stands under their names with commas between them.
    """
    out: dict[str, Signal | SampledFunction] = {}
    for key, value in given.items():
        names = tuple(name.strip() for name in key.split(","))
        try:
            law = read_function(value, ()) or read_signal(value)
            if len(names) > 1 and not isinstance(law, SampledFunction):
                raise ModelError(Issue("this law gives one value", "write one entry for each input"))
            if twice := [name for name in names if name in out or names.count(name) > 1]:
                raise ModelError(Issue(f"{twice[0]!r} has two laws", "name each input once"))
        except ModelError as error:
            raise error.under("inputs", key) from None
        if isinstance(law, SampledFunction) and len(names) > 1:
            law = replace(law, inputs=names)
        out |= dict.fromkeys(names, law)
    return out


def check_part(model: Model, motors: MotorModel, given: Iterable[str]) -> None:
    """Refuse inputs of the call that belong to another motor model.

    Voltages in the model file are ignored without a message under motors="none", which is the caller's own choice.
    """
    if issues := [*driven_issues(model, inputs=given)]:
        raise ModelError(issues)
    joints = efforts(model.joints)
    for name in given:
        if motors == "none" and name in model.motors:
            fault = f"{name!r} is the voltage of a motor, and motors are off"
            raise ModelError(Issue(fault, 'leave motors="none" out, or give efforts on joints', ("inputs", name)))
        if motors != "none" and name in joints:
            fault = f"{name!r} is the effort on a joint, which is not an input with motors={motors!r}"
            raise ModelError(Issue(fault, 'choose motors="none" to give efforts', ("inputs", name)))


def idle_inputs(model: Model, motors: MotorModel) -> tuple[str, ...]:
    """The warning about efforts among the model's inputs, which motors replace; empty if there are none."""
    joints = efforts(model.joints)
    idle = ", ".join(name for name in model.inputs if motors != "none" and name in joints)
    if not idle:
        return ()
    text = f"inputs of the model are efforts on joints, which are ignored with motors={motors!r}: {idle}"
    return (f'{text}; choose motors="none" to apply them',)


def check_signal(
    names: Names,
    motors: MotorModel,
    name: str,
    signal: Scalar | Table | Sampled | SampledFunction,
    values: Mapping[str, float],
) -> None:
    """Refuse a signal with unknown names, an algebraic loop, or a constant that is not finite."""
    if isinstance(signal, Table):
        return
    path: tuple[str, ...] = ("inputs", name)
    if isinstance(signal, SampledFunction):
        path = ("inputs", ", ".join(signal.inputs or (name,)))
        for scalar in signal.of:
            _check_law(names, motors, scalar, values, (*path, "of"))
    elif isinstance(signal, Sampled):
        _check_law(names, motors, signal.value, values, (*path, "value"))
    else:
        _check_law(names, motors, signal, values, path)


def _check_law(
    names: Names, motors: MotorModel, law: Scalar, values: Mapping[str, float], path: tuple[str, ...]
) -> None:
    """Refuse unknown names, an algebraic loop, or a constant that is not finite, in an expression at a `path`."""
    model = names.model
    if issues := name_issues(names, law.of(INPUT), path):
        raise ModelError(issues)
    of_motors = [name for name in sorted(reached(law.names, model.let)) if name.rpartition(".")[0] in model.motors]
    loops = [name for name in of_motors if name in currents(model)]
    if motors == "none" and of_motors:
        fault = f"{naming(law, of_motors[0])} belongs to a motor, and motors are off"
        raise ModelError(Issue(fault, 'choose motors="full", or name coordinates', path))
    if motors in ("simplified", "steady") and loops:
        fault = f"{naming(law, loops[0])} follows the voltages without delay: an algebraic loop"
        cure = 'choose motors="full", where currents are states, or let a state follow the current (states:)'
        raise ModelError(Issue(fault, cure, path))
    if not varies(law, values) and not np.isfinite(value := law.evaluate(values.__getitem__)):
        raise ModelError(Issue(f"{str(law)!r} is {value:g}", "give it a finite value", path))
