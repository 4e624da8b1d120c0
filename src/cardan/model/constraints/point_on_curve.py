"""A point on a curve of another body, given by equations in its coordinates there: cams and slots.

Source: Haug 1989, §9.4, in implicit form
"""

from __future__ import annotations

from typing import Literal

from cardan.model.constraints.constraint import PlaceConstraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.quantities import CurveEquation

__all__ = ["PointOnCurve"]


class PointOnCurve(PlaceConstraint):
    """The child marker's origin, at (x, y, z) in the parent marker, satisfies `equations`: "x**2 + (2*y)**2 - r**2"."""

    type: Literal["point_on_curve"] = "point_on_curve"
    equations: tuple[CurveEquation, ...]  # each vanishes on the curve; in x, y, z [m], parameters and t

    def rows(self, around: Surroundings) -> list[Row]:
        a, b = around.marker(self.parent), around.marker(self.child)
        r = a.R.T @ (b.p - a.p)
        return [
            Row(f"force across the curve ({equation})", around.number(equation, x=r[0], y=r[1], z=r[2]))
            for equation in self.equations
        ]
