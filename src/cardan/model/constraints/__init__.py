"""Constraint kinds beside the joints, one file each, which is named as the `type` of the constraint.

In: the motion of markers, values of names. Out: rows of Φ. They know no index and no solver.
"""

from cardan.model.constraints.constraint import Constraint, ForceMeasure, PlaceConstraint, Surroundings
from cardan.model.records.kinds import Kinds

__all__ = ["CONSTRAINTS", "Constraint", "ForceMeasure", "PlaceConstraint", "Surroundings"]

CONSTRAINTS = Kinds(__name__, "distance", "coupler", "gear", "point_on_line", "point_on_curve", "expression", "program")
"""All constraint kinds by their `type`."""
