"""NumberKind: what a number of a record has to be, a length, a mass, a torque, …, and what its expression may name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.model.units import Dimension, describe, dimension_of

Scope = Literal[
    "parameters", "time", "motion", "rates", "outputs", "curve", "field", "store law", "resistor law", "reaction"
]
"""What an expression may name: parameters; also t, prescribed coordinates, states; also all coordinates, points and
motors; also accelerations, efforts and reactions; also all other results of a run; or parameters, t and x, y, z,
without t in a field. The law of a store in a bond graph names p or x and parameters, that of a resistor f or e and what
else may be named where motion matters; a part of a reaction names `OWN_NAMES` and what may be named where motion
matters.
"""

IDEAL_PARTS = ("normal", "binormal")
"""Names of the ideal part of a reaction, along normal and binormal of the path, in its given part."""
OWN_NAMES: Mapping[str, str] = {"speed": "m/s", **dict.fromkeys(IDEAL_PARTS, "N")}
"""Names in a given part of a reaction, with their units: of the constraint that it belongs to."""

_ANGLES = ("rad", "deg", "turn", "rev")


@dataclass(frozen=True, slots=True)
class NumberKind:
    """What a scalar field has to be; attached to the field's type with `Annotated`.

    Parameters
    ----------
    word : str
        Its name in messages, with its article.
    example : str
        A quantity that would be right.
    dimension : Dimension or None
        The dimension it must have; None if any will do.
    scope : Scope
        What an expression may name.
    minimum : float
        The smallest value in SI.
    excluded : bool
        True if the smallest value itself is refused.
    largest : float
        The largest absolute value in SI.
    per_turn : bool
        True if the field is meant per turn already, so that a unit with an angle in it is a mistake.
    """

    word: str
    example: str
    dimension: Dimension | None
    scope: Scope = "parameters"
    minimum: float = -math.inf
    excluded: bool = False
    largest: float = math.inf
    per_turn: bool = False

    @staticmethod
    def value_in(unit: str) -> NumberKind:
        """A value in an SI `unit`: "1" is a number without unit, an empty text allows any unit."""
        if unit in ("", "1"):
            return NumberKind("a number without unit" if unit else "a value", "1", dimension_of(unit))
        return NumberKind(f"a value in {unit}", f"1 {unit}", dimension_of(unit))

    def check_dimension(self, text: str, dimension: Dimension, title: str = "") -> None:
        """Refuse a scalar written `text` whose dimension, given or inferred, is wrong.

        The `title` is the header of its column in a file, empty if it stands in none.
        """
        if title and self.dimension not in (None, dimension):
            name, own = title.partition("[")[0].strip(), self.example.partition(" ")[2]
            fault = f"the column {title!r} is {describe(dimension)}, but {self.word} is needed here"
            raise ModelError(fault, f'give it the unit of {self.word} in the header, such as "{name} [{own or "-"}]"')
        if self.dimension is not None and dimension != self.dimension:
            fault = f"{text!r} is {describe(dimension)}, but {self.word} is needed here"
            number = text.removesuffix("t").rstrip()
            is_tonnes = number != text and number[-1:].isdigit()
            product = f'; "t" is the tonne here, and {number} times the time is "{number}*t"' if is_tonnes else ""
            raise ModelError(fault, f'write {self.word}, such as "{self.example}"{product}')

    def check_unit(self, text: str, unit: str) -> None:
        """Refuse a scalar written `text` with an angle in its `unit`, in a field that is per turn already."""
        if self.per_turn and any(angle in unit for angle in _ANGLES):
            raise ModelError(f"{text!r} has an angle in its unit", f'write {self.word}, such as "{self.example}"')

    def check_value(self, text: str, value: float) -> None:
        """Refuse a scalar written `text` whose value in SI is out of range."""
        if value < self.minimum or (self.excluded and value == self.minimum) or abs(value) > self.largest:
            wanted = "positive" if self.excluded else "zero or positive"
            wanted = wanted if abs(value) <= self.largest else f"at most {self.largest:.2g} in SI units"
            shown = text if text == f"{value:g}" else f"{text} = {value:g}"
            raise ModelError(
                f"{shown} is out of range: {self.word} is {wanted}", f'write {self.word}, such as "{self.example}"'
            )

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How pydantic reads a field of this kind: as its scalar, which then takes the kind."""
        return core_schema.no_info_after_validator_function(lambda scalar: scalar.of(self), handler(source))
