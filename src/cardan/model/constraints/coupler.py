"""A linear relation of coordinates: gears, belts, a rack.   Source: Haug 1989, eq. 9.5 (gear couplings)"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError, Path
from cardan.model.constraints.constraint import Constraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.quantities.dimensions import likely_dimension, sure_dimension
from cardan.model.quantities.fields import Anything
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import ZERO
from cardan.model.records.section import PathSection
from cardan.model.units import DIMENSIONLESS, Dimension, describe, dimension_of


class Coupler(Constraint):
    """Σ factor · coordinate = offset: `terms: {pinion: 1, wheel: "z2/z1"}`."""

    type: Literal["coupler"] = "coupler"
    terms: PathSection[Anything]  # factor by coordinate
    offset: Anything = ZERO  # in the unit of the terms

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.terms:
            cure = "write terms: {pinion: 1, wheel: 2}, a factor by coordinate"
            raise ModelError(Issue("the coupler couples nothing", cure, ("terms",)))
        return self

    @property
    def words(self) -> str:
        """The sum that vanishes."""
        terms = [_worded(factor, name) for name, factor in self.terms.items()]
        if self.offset.value != 0:
            sign, amount = _worded(self.offset, "")
            terms.append(("−" if sign == "+" else "+", amount))
        text = " ".join(f"{sign} {amount}" for sign, amount in terms).removeprefix("+ ")
        return f"−{text[2:]}" if text.startswith("−") else text

    def rows(self, around: Surroundings) -> list[Row]:
        total = sum(around.number(factor) * around.value(name) for name, factor in self.terms.items())
        return [Row("effort of the coupling", total - around.number(self.offset))]

    def equation_dimension(self, index: int, known: Mapping[str, Dimension | None]) -> Dimension | None:
        # terms whose factor has a unit decide; without any, those whose factor is ±1; else all of them, if they agree
        measured, bare, single = set(), set(), set()
        for name, factor in self.terms.items():
            coordinate, own = known.get(name), likely_dimension(factor, known.get)
            if coordinate is None:
                continue
            if own is not None:
                measured.add(own.times(coordinate))
            elif factor.value in (1, -1):
                single.add(coordinate)
            else:
                bare.add(coordinate)
        found = measured or single or bare
        return found.pop() if len(found) == 1 else None

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        for wrong in self.terms.keys() - names.coordinates.keys():
            yield Issue(f"there is no coordinate {wrong!r}", names.advice(wrong, names.coordinates), ("terms", wrong))

    def dimension_issues(self, names: KnownNames, known: Mapping[str, Dimension | None]) -> Iterator[Issue]:
        parts: list[tuple[Path, Scalar, str]] = [
            (("terms", name), factor, names.motion.get(name, "1")) for name, factor in self.terms.items()
        ]
        sure = [
            (key, own.times(dimension_of(unit) or DIMENSIONLESS))
            for key, scalar, unit in [*parts, (("offset",), self.offset, "1")]
            if (own := sure_dimension(scalar, known.get)) is not None
        ]
        for key, dimension in sure[1:]:
            first, other = sure[0]
            if dimension != other:
                part = str(key[0]).removesuffix("s")
                fault = f"the {part} is {describe(dimension)}, that of {first[-1]!r} {describe(other)}"
                yield Issue(fault, "give factors that make all terms of one kind", key)

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        if not any(map(value_of, self.terms.values())):
            yield Issue("all factors are 0", "give at least one coordinate a factor that is not 0", ("terms",))


def _worded(factor: Scalar, name: str) -> tuple[str, str]:
    """Sign and amount of a term."""
    text = str(factor).strip()
    sign, text = ("−", text[1:].strip()) if text.startswith("-") and not factor.names else ("+", text)
    if name and factor.value in (1, -1):
        return sign, name
    amount = f"({text})" if name and re.search(r"[^\w.]", text) else text
    return sign, f"{amount}·{name}" if name else amount
