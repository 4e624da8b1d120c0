"""The point on a line keeps the contract of constraints."""

from cardan.model.constraints.point_on_line import PointOnLine
from tests.contracts.constraint_contract import ConstraintContract


class TestPointOnLine(ConstraintContract):
    sample = PointOnLine(parent="one.tip", child="two", axis=[1, 0.5, 0])
    rows, units = (2, 1), ("N", "N")
