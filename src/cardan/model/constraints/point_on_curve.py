"""A point on a curve of another body, given by equations in its coordinates there: cams and slots.

Source: Haug 1989, §9.4, in implicit form
"""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.constraints.constraint import PathConstraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.quantities.dimensions import likely_dimension
from cardan.model.quantities.fields import CurveEquation
from cardan.model.units import METRE, Dimension


class PointOnCurve(PathConstraint):
    """The child marker's origin, at (x, y, z) in the parent marker, satisfies `equations`: "x**2 + (2*y)**2 - r**2"."""

    type: Literal["point_on_curve"] = "point_on_curve"
    equations: tuple[CurveEquation, ...]  # each vanishes on the curve; in x, y, z [m], parameters and t

    analytic = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.equations:
            cure = 'write equations: ["y - x**2"], each vanishing on the curve'
            raise ModelError(Issue("the curve has no equation", cure, ("equations",)))
        return self

    def rows(self, around: Surroundings) -> list[Row]:
        a, b = around.marker(self.parent), around.marker(self.child)
        r = a.R.T @ (b.p - a.p)
        gradient = "the length of the equation's gradient"
        return [
            Row(f"force across the curve ({equation})", around.number(equation, x=r[0], y=r[1], z=r[2]), gradient)
            for equation in self.equations
        ]

    def equation_dimension(self, index: int, known: Mapping[str, Dimension | None]) -> Dimension | None:
        return likely_dimension(self.equations[index], {**known, **dict.fromkeys("xyz", METRE)}.get)
