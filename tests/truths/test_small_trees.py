"""Accelerations of small trees at rest under gravity.

Source: RBDL, tests/DynamicsTests.cc (commit d2ca0372); the body on three axes is from Featherstone's spatial_v1.
"""

from pathlib import Path

import numpy as np

import cardan
from tests.selection import each

MODELS = Path(__file__).parent / "models"
ACCELERATIONS = {
    "double_chain": [-5.886, 3.924],
    "triple_chain": [-6.03692307692308, 3.77307692307692, 1.50923076923077],
    "tree_3d": [-1.6031906614786, -0.534396887159533, 4.1034046692607, 0.267198443579767, 5.30579766536965],
}
TOLERANCE = 1e-12  # acceptance of the benchmark: its 14 digits, solved with a condition number below 100


@each("name", ACCELERATIONS)
def test_acceleration_from_rest(name):
    dyn = cardan.compile(cardan.load(MODELS / f"{name}.yaml"))
    zero = np.zeros(len(ACCELERATIONS[name]))
    np.testing.assert_allclose(dyn.forward_dynamics(zero, zero, zero), ACCELERATIONS[name], atol=TOLERANCE, rtol=0)


def test_one_body_on_three_axes():
    dyn = cardan.compile(cardan.load(MODELS / "zyx_body.yaml"))
    a = dyn.forward_dynamics([1, 0, 0], np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(a, [3.301932144386186, 0, 0], atol=TOLERANCE, rtol=0)
