"""The torsion spring keeps the contract of forces."""

import numpy as np
import pytest

import cardan
from cardan.model.forces.torsion_spring import TorsionSpring
from tests.contracts.force_contract import ENDS, ForceContract
from tests.selection import each


class TestTorsionSpring(ForceContract):
    sample = TorsionSpring(**ENDS, axis=[0, 0, 2], stiffness=2, damping=0.3, rest="20 deg")


@each("angle, deflection", [(-3.0, 2 * np.pi - 6), (2.0, -1.0), (3.5, 0.5)])
def test_the_deflection_is_the_shorter_way_to_the_angle_at_rest(angle, deflection):
    """The spring rests at 3 rad, and −3 rad is 2π − 6 beyond it, not 6 rad short of it."""
    model = cardan.Model(
        bodies={"wheel": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "wheel", "axis": "z"}},
        forces={"spring": {"type": "torsion_spring", "child": "wheel", "axis": "z", "stiffness": 2, "rest": 3}},
        initial={"hinge": angle},
    )
    run = cardan.simulate(model, times=[0.0])
    np.testing.assert_allclose(run["spring.moment"], [[0, 0, -2 * deflection]], rtol=0, atol=1e-14)
    assert float(run["energy.potential"][0]) == pytest.approx(deflection**2, abs=1e-14)
