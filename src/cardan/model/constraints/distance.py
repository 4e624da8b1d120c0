"""Distance of two points: |b − a|² − ℓ² = 0, the massless rod with two ball joints.   Source: Haug 1989, eq. 9.4.8"""

from __future__ import annotations

from typing import Literal

import casadi as ca

from cardan.model.constraints.constraint import PlaceConstraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.quantities import Length

__all__ = ["Distance"]


class Distance(PlaceConstraint):
    """The origins of two markers stay `length` apart."""

    type: Literal["distance"] = "distance"
    length: Length  # [m], greater than 0

    def rows(self, around: Surroundings) -> list[Row]:
        d = around.marker(self.child).p - around.marker(self.parent).p
        return [Row("force along the rod", ca.dot(d, d) - around.number(self.length) ** 2)]
