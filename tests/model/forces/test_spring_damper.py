"""The spring and damper between two points keeps the contract of forces."""

from cardan.model.forces.spring_damper import SpringDamper
from tests.contracts.force_contract import ENDS, ForceContract


class TestSpringDamper(ForceContract):
    sample = SpringDamper(**ENDS, stiffness=20, damping=3, rest_length="0.4 m")
