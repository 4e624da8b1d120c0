"""An equation of the user's own: φ(q, t) = 0, or one that is linear in the velocities, such as rolling without slip.

Source: Haug 1989, §9.1; nonholonomic: Shabana 2020, §3.2
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import ModelError
from cardan.model.constraints.constraint import Constraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.quantities import Measure

__all__ = ["ExpressionConstraint"]


class ExpressionConstraint(Constraint):
    """`expression` (of coordinates, points, t) or `velocity` (linear in velocities) vanishes."""

    type: Literal["expression"] = "expression"
    expression: Measure | None = None
    velocity: Measure | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.expression is None) == (self.velocity is None):
            raise ModelError("give either expression or velocity", "keep the one that vanishes")
        return self

    @property
    def on_velocity(self) -> bool:  # type: ignore[override]
        """Whether the equation holds for velocities only."""
        return self.velocity is not None

    def rows(self, around: Surroundings) -> list[Row]:
        equation = self.velocity if self.expression is None else self.expression
        assert equation is not None
        return [Row("effort of the equation", around.number(equation))]
