"""Programs that compute held values beside the equations: functional mock-up units."""

from cardan.model.quantities.fields import Anything, Rate, Time
from cardan.model.records.record import Record
from cardan.model.records.section import PathSection


class UnitProgram(Record):
    """A functional mock-up unit and what it exchanges with the mechanism at multiples of a period."""

    file: str  # NAME.fmu
    every: Time  # period [s]
    inputs: PathSection[Rate] = PathSection()  # names of `let` by its variables
    outputs: PathSection[str]  # its variables by the states that hold their values
    parameters: PathSection[Anything] = PathSection()  # by its variables
