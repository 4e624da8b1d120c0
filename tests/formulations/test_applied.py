"""Efforts along single coordinates."""

import casadi as ca
import numpy as np

from cardan.formulations import applied
from cardan.kinematics.build import build
from cardan.model import Model
from tests.selection import each


@each("r", [8, -5, 0.5])
def test_a_rotor_damps_its_joint_by_the_square_of_the_ratio(r):
    """The power dm ω² that is lost at ω = r v is D v²: Hoang & Vuong, eq. 20."""
    motor = {"type": "dc", "joint": "hinge", "ratio": r, "rotor_damping": 0.02, "resistance": 1}
    model = Model(
        bodies={"arm": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "x", "damping": 0.3}},
        motors={"drive": {**motor, "torque_constant": 1, "back_emf_constant": 1}},
    )
    D = np.array(ca.DM(applied.damping(build(model, "simplified", ca.DM(0, 1)))))
    np.testing.assert_allclose(D, [[0.3 + r**2 * 0.02]], rtol=1e-14)
