"""The torsion spring keeps the contract of forces."""

from cardan.model.forces.torsion_spring import TorsionSpring
from tests.contracts.force_contract import ENDS, ForceContract


class TestTorsionSpring(ForceContract):
    sample = TorsionSpring(**ENDS, axis=[0, 0, 2], stiffness=2, damping=0.3, rest="20 deg")
