"""The distance of two points keeps the contract of constraints."""

from cardan.model.constraints.distance import Distance
from tests.contracts.constraint_contract import ConstraintContract


class TestDistance(ConstraintContract):
    sample = Distance(parent="one.tip", child="two.tip", length="a")
    rows, units = (1, 1), ("N/m",)
