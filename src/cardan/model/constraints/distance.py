"""Distance of two points: |b − a|² − ℓ² = 0, the massless rod with two ball joints.   Source: Haug 1989, eq. 9.4.8"""

from collections.abc import Iterator, Mapping
from typing import Literal

import casadi as ca

from cardan.errors import Issue
from cardan.model.constraints.constraint import ForceMeasure, Number, PlaceConstraint, Surroundings
from cardan.model.forces import MarkerMotion
from cardan.model.joints.closure import Row
from cardan.model.quantities.fields import Length
from cardan.model.records.element import ValueOf
from cardan.model.units import METRE, Dimension


def _tension(force: Number, a: MarkerMotion, b: MarkerMotion) -> Number:
    """Pull [N] along the rod from a to b, from the force on b."""
    d = b.p - a.p
    return -ca.dot(force, d) / ca.norm_2(d)


class Distance(PlaceConstraint):
    """The origins of two markers stay `length` apart."""

    type: Literal["distance"] = "distance"
    length: Length  # [m], greater than 0

    measures = (ForceMeasure("tension", "N", "pull in the rod; negative where it pushes", _tension),)

    def rows(self, around: Surroundings) -> list[Row]:
        d = around.marker(self.child).p - around.marker(self.parent).p
        square = ca.dot(d, d) - around.number(self.length) ** 2
        return [Row("force along the rod", square, divisor="twice its length")]

    def equation_dimension(self, index: int, known: Mapping[str, Dimension | None]) -> Dimension:
        return METRE.to(2)

    def gap(self, size: float) -> str:
        return f"does not close: the nearest position misses the square of its length by {size:.3g} m²"

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        if value_of(self.length) <= 0:
            fault = f"the length of the rod is {value_of(self.length):g}"
            cure = "give a length greater than 0, or close the loop with a joint of type spherical"
            yield Issue(fault, cure, ("length",))
