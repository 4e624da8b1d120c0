"""A differential or difference equation of the user's own, and the units of their states.

The section `states:` of a model holds what a controller or a sensor remembers: an integral, a filtered signal, the last
error.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import ModelError
from cardan.model.quantities.dimensions import sure_dimension
from cardan.model.quantities.fields import Anything, InputSignal, Rate, Time
from cardan.model.quantities.parameters import dimensions
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.records.record import Record
from cardan.model.units import SECOND, Dimension, dimension_of, short_unit, si_unit


class StateEquation(Record):
    """A state with its rate of change, or with its next value at multiples of a period.

    Both are expressions of t, parameters, coordinates, points, currents and states.
    """

    rate: Rate = ZERO  # per second, SI; zero between samples
    next: InputSignal | None = None  # value from the next sample on, of the state before it
    every: Time | None = None  # period of the samples [s]
    initial: Anything = ZERO  # value at t = 0; its unit, if it has one, is that of the state

    @model_validator(mode="after")
    def _check(self) -> Self:
        both = self.next is not None and self.rate != ZERO
        if both or (self.next is None and "rate" not in self.model_fields_set):
            fault = "a state has a rate, or a next value" if both else "the key 'rate' is missing"
            raise ModelError(fault, "write rate: per second, or next: at multiples of every:")
        if (self.next is None) != (self.every is None):
            raise ModelError("'next' and 'every' stand together", 'write {next: expression, every: "1 ms"}')
        return self

    def written(self, data: dict[str, Any]) -> dict[str, Any]:
        """The `data` of the record with its rate, also where this is zero."""
        return data if self.next is not None else {"rate": self.rate.source, **data}


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        return StateEquation(**{str(key): entry for key, entry in value.items()})
    return value if isinstance(value, StateEquation) else StateEquation(rate=value)


Equation = Annotated[StateEquation, BeforeValidator(_read)]
"""A `StateEquation`, its keys, or its rate alone."""


def state_units(
    equations: Mapping[str, StateEquation], known: Mapping[str, str], parameters: Mapping[str, Scalar]
) -> dict[str, str]:
    """Units of states by name: that of the initial value, else that of the rate times a second; empty where unknown."""
    try:
        found: dict[str, Dimension | None] = dict(dimensions(parameters))
    except ModelError:  # which the check of the parameters reports
        found = {}
    own = {name: sure_dimension(equation.initial, found.get) for name, equation in equations.items()}
    found |= {name: dimension_of(unit) for name, unit in known.items()}
    for _ in equations:  # a rate may name other states, whose dimension is found in an earlier pass
        for name, equation in equations.items():
            law = sure_dimension(equation.next or equation.rate, {**found, **own}.get)
            own[name] = own[name] or (law and law.times(SECOND, int(equation.next is None)))
    given = {name: si_unit(text) for name, equation in equations.items() if (text := equation.initial.unit)}
    return {name: "" if x is None else given.get(name, short_unit(x)) for name, x in own.items()}
