"""Parameters and inputs of a run: values and signals from the call, else from the model, checked; and what a user is
told about them before it.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from cardan.assembly.rounding import rounding_doubts
from cardan.assembly.still_freedoms import still_doubts
from cardan.errors import Issue, ModelError
from cardan.kinematics.build import MotorModel
from cardan.model.checks.arguments import check_unit
from cardan.model.checks.values import doubts, value_issues
from cardan.model.model import Model
from cardan.model.names import Names
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import Section
from cardan.model.sampled.functions import SampledFunction
from cardan.model.signal import Sampled, Table
from cardan.simulation.inputs import check_part, check_signal, idle_inputs, input_names, read_inputs
from cardan.simulation.model_source import bare_mechanism
from cardan.simulation.motions.rough_relations import rough_relations
from cardan.system.inertia_check import no_inertia
from cardan.system.input_segments import Signal, check_names
from cardan.system.system import System


def parameter_values(model: Model, overrides: Mapping[str, Any] | None) -> dict[str, float]:
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


def _model_values(parameters: Section[Scalar]) -> tuple[tuple[str, float], ...]:
    """Names and values of the parameters as the model defines them."""
    return tuple((name, float(value)) for name, value in resolve(parameters).items())


def notices(
    model: Model, system: System, values: Mapping[str, float], parameters: Mapping[str, Any] | None
) -> tuple[str, ...]:
    """Rounded numbers, freedoms without motion, idle inputs, rough relations, and values that are probably wrong.

    `parameters` are those that the call changes, `values` those of the run.
    """
    return (
        *rounding_doubts(system.tree),
        *still_doubts(system.tree),
        *idle_inputs(model, system.motors),
        *rough_relations(bare_mechanism(model), system.motors),
        *_new_warnings(model, values, parameters),
    )


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


def signals_of(
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
    known = Names(model)  # found once for all
    for name, signal in chosen.items():
        check_signal(known, motors, name, signal, values)
    return chosen


def check_units(system: System, signals: Mapping[str, Signal | Sampled | SampledFunction]) -> None:
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


def check_hidden(system: System, signals: Mapping[str, Signal | Sampled]) -> None:
    """Refuse inputs of freedoms without inertia, and those that change what a motion implies."""
    for name in (system.tree.velocities[k].name for k in system.tree.still):
        signal = signals.get(name)
        if not (signal is None or (isinstance(signal, Scalar) and signal.value == 0)):
            raise no_inertia([name])
    for relation in system.tree.hidden:
        for name in (system.input_names[k] for k in relation.inputs):
            signal = signals.get(name)
            if not (signal is None or (isinstance(signal, Scalar) and signal.value == 0)):
                fault = f"the drives act only on higher derivatives of {relation.motion!r}, which this input changes"
                raise ModelError(Issue(fault, f"leave {name!r} out, or prescribe coordinates", ("inputs", name)))
