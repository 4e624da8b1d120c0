"""The coupling of coordinates keeps the contract of constraints."""

from cardan.model.constraints.coupler import Coupler
from tests.contracts.constraint_contract import ConstraintContract


class TestCoupler(ConstraintContract):
    sample = Coupler(terms={"spin": "a", "slide": -1}, offset="0.1 m")
    rows, units = (1, 1), ("N",)
