"""The point on a curve keeps the contract of constraints."""

from cardan.model.constraints.point_on_curve import PointOnCurve
from tests.contracts.constraint_contract import ConstraintContract


class TestPointOnCurve(ConstraintContract):
    sample = PointOnCurve(parent="one", child="two.tip", equations=["y - 0.5*x**2/a + a*sin(w*t)"])
    rows, units = (1, 1), ("N",)
