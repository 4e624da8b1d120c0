"""Equations of prescribed motions."""

import numpy as np

import cardan
from tests.selection import each


@each("plane, normal", [("xy", [0, 0, 1]), ("xz", [0, 1, 0]), ("yz", [1, 0, 0])])
def test_the_angle_of_a_body_turns_positively_about_the_normal_of_its_plane(plane, normal):
    model = cardan.Model(
        planar=plane,
        gravity=[0, 0, 0],
        bodies={"arm": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": normal}},
        motions={"arm.angle": {"value": "0.3 + t", "by": ["hinge"]}},
        initial={"hinge": {"guess": 0.2}},
    )
    t = np.linspace(0, 1, 5)
    np.testing.assert_allclose(cardan.kinetostatics(model, times=t)["hinge.q"], 0.3 + t, rtol=0, atol=1e-12)
