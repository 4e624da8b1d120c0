"""Constraint kinds beside the joints, one file each.

In: the motion of markers, values of names. Out: rows of Φ. They know no index and no solver.
"""

from __future__ import annotations

from cardan.model.constraints.constraint import Constraint, PlaceConstraint, Surroundings
from cardan.model.constraints.coupler import Coupler
from cardan.model.constraints.distance import Distance
from cardan.model.constraints.expression import ExpressionConstraint
from cardan.model.constraints.point_on_curve import PointOnCurve
from cardan.model.constraints.point_on_line import PointOnLine

__all__ = [
    "CONSTRAINTS",
    "Constraint",
    "Coupler",
    "Distance",
    "ExpressionConstraint",
    "PlaceConstraint",
    "PointOnCurve",
    "PointOnLine",
    "Surroundings",
]

CONSTRAINTS: dict[str, type[Constraint]] = {
    "distance": Distance,
    "coupler": Coupler,
    "point_on_line": PointOnLine,
    "point_on_curve": PointOnCurve,
    "expression": ExpressionConstraint,
}
