"""Outputs: what the model's `outputs` define, as expressions of states, points and other results."""

from collections.abc import Mapping

from cardan.channels.family import Family
from cardan.errors import ModelError
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number
from cardan.model.names import motion_units, own_outputs, result_units
from cardan.model.quantities.dimensions import expression_unit
from cardan.model.quantities.lets import needed
from cardan.model.quantities.parameters import dimensions
from cardan.model.quantities.parameters import units as parameter_units
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import dimension_of
from cardan.numerics.entries import column
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """The outputs of the `system`'s model; each has the unit that follows from the names in it, if all are known."""
    model = system.model
    if not model.outputs:
        return []
    units = {**motion_units(model), **result_units(model), **parameter_units(model.parameters)}
    dimension = {name: dimension_of(unit) for name, unit in units.items()} | dimensions(model.parameters)
    own = own_outputs(model)
    for name in needed(own, own):
        expression = own[name].expression
        units[name] = "" if expression is None else expression_unit(expression, units, dimension.get)
        dimension[name] = dimension_of(units[name])

    def unit(scalar: Scalar) -> str:
        return "" if scalar.expression is None else expression_unit(scalar.expression, units, dimension.get)

    return [Channel(name, unit(scalar), (), "output", str(scalar)) for name, scalar in model.outputs.items()]


def values(results: Mapping[str, Family], system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values, in a `state` of the `system` with accelerations `a` (nv,) and multipliers `lam` (c,)."""
    outputs, own = system.model.outputs, own_outputs(system.model)
    further = {*result_units(system.model)} if outputs else set()
    further |= {f"{motor.name}.current" for motor in system.driven_motors}
    stored = {name: k for k, name in enumerate(system.state_names[system.nx - system.nz :])}  # such as slide.heat
    known: dict[str, Number] = {}

    def number(name: str) -> Number:
        if name in own:
            known[name] = known[name] if name in known else evaluate(own[name], number)
            return known[name]
        if name not in further:
            return value(system.tree, state.motion, name)
        if name in stored:
            return state.z[stored[name]]
        if name not in known:
            known.update(_family_of(name, results, system, state, a, lam))
        return known[name]

    found = []
    for output, scalar in outputs.items():
        try:
            found.append(column([evaluate(scalar, number)]))
        except ModelError as error:
            raise error.under("outputs", output) from None
    return found


def _family_of(
    name: str, results: Mapping[str, Family], system: System, state: State, a: Number, lam: Number
) -> dict[str, Number]:
    """Every component of the family of results that one of them, `name`, belongs to, by its name."""
    for family in results.values():
        listed = family.channels(system)
        if any(name in channel.columns for channel in listed):
            found = zip(listed, family.values(system, state, a, lam), strict=True)
            return {label: vector[i] for channel, vector in found for i, label in enumerate(channel.columns)}
    cure = 'choose motors="full" or "simplified", or leave the output out'
    raise ModelError(f"{name!r} is a result of a motor, and motors are off", cure)
