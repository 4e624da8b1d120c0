"""The equation of the user's own keeps the contract of constraints, on positions and on velocities."""

from cardan.model.constraints.expression import ExpressionConstraint
from tests.contracts.constraint_contract import ConstraintContract


class TestExpressionConstraint(ConstraintContract):
    sample = ExpressionConstraint(expression="one.tip.x - two.y - slide - a*sin(w*t)")
    rows, units = (1, 1), ("N",)


class TestOnVelocities(ConstraintContract):
    sample = ExpressionConstraint(velocity="slide.v - a*spin.v - one.tip.vx*k")
    rows, units = (1, 1), ("N",)
