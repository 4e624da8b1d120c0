"""A differential equation of the user's own, and the units of their states.

The section `states:` of a model holds what a controller or a sensor remembers: an integral, a filtered signal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from cardan.errors import ModelError
from cardan.model.quantities.dimensions import sure_dimension
from cardan.model.quantities.fields import ZERO, Anything, Rate
from cardan.model.quantities.parameters import dimensions
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record
from cardan.model.units import SECOND, Dimension, dimension_of, short_unit

__all__ = ["Equation", "StateEquation", "state_units"]


class StateEquation(Record):
    """A state and its rate of change, an expression of t, parameters, coordinates, points, currents and states."""

    rate: Rate  # per second, SI
    initial: Anything = ZERO  # value at t = 0; its unit, if it has one, is that of the state


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        return StateEquation(**{str(key): entry for key, entry in value.items()})
    return value if isinstance(value, StateEquation) else StateEquation(rate=value)


Equation = Annotated[StateEquation, BeforeValidator(_read)]
"""A `StateEquation`, its keys, or its rate alone."""


def state_units(
    equations: Mapping[str, StateEquation], known: Mapping[str, str], parameters: Mapping[str, Scalar]
) -> dict[str, str]:
    """Units of states by name: that of the initial value, else that of the rate times a second; empty where unknown.

    Parameters
    ----------
    equations : the states.
    known : units of everything else that a rate may name, parameters excepted.
    parameters : definitions of the parameters.
    """
    try:
        found: dict[str, Dimension | None] = dict(dimensions(parameters))
    except ModelError:  # which the check of the parameters reports
        found = {}
    own = {name: sure_dimension(equation.initial, found.get) for name, equation in equations.items()}
    found |= {name: dimension_of(unit) for name, unit in known.items()}
    for _ in equations:  # a rate may name other states, whose dimension is found in an earlier pass
        for name, equation in equations.items():
            rate = sure_dimension(equation.rate, {**found, **own}.get)
            own[name] = own[name] or (rate and rate.times(SECOND))
    return {name: "" if dimension is None else short_unit(dimension) for name, dimension in own.items()}
