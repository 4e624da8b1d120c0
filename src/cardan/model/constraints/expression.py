"""An equation of the user's own: φ(q, t) = 0, or one that is linear in the velocities, such as rolling without slip.

Source: Haug 1989, §9.1; nonholonomic: Shabana 2020, §3.2
"""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import ModelError
from cardan.model.constraints.constraint import Constraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.quantities.dimensions import likely_dimension
from cardan.model.quantities.fields import Measure
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import Dimension


class ExpressionConstraint(Constraint):
    """`expression` (of coordinates, points, t) or `velocity` (linear in velocities) vanishes."""

    type: Literal["expression"] = "expression"
    expression: Measure | None = None
    velocity: Measure | None = None

    analytic = False

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
        return [Row("effort of the equation", around.number(self._equation))]

    def equation_dimension(self, index: int, known: Mapping[str, Dimension | None]) -> Dimension | None:
        return likely_dimension(self._equation, known.get)

    @property
    def equation_key(self) -> str:  # type: ignore[override]
        """The key that is used."""
        return "expression" if self.velocity is None else "velocity"

    @property
    def words(self) -> str:
        """The expression that vanishes, as the user wrote it."""
        return str(self._equation)

    @property
    def _equation(self) -> Scalar:
        equation = self.velocity if self.expression is None else self.expression
        assert equation is not None
        return equation
