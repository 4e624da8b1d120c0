"""A chain of all joints of SDF against Drake, which reads such files by Gazebo's own library."""

from pathlib import Path

import numpy as np

import cardan

CHAIN = Path(__file__).parent / "robots" / "chain.sdf"
ROUND_OFF = 1e-13  # some hundred operations on numbers up to 1e2 in two programs
Q = [0.4, -0.1, 0.3, -0.5, 0.7, 0.8, 0.4, -0.2, 0.4]  # of turn, slide, cross, thread and the ball's quaternion
V, A = [0.5, -0.2, 0.3, 0.4, -0.6, 0.2, 0.7, -0.3], [1, 0.5, -0.3, 0.2, 0.8, -0.4, 0.6, 0.1]
# pydrake 1.51.1: EvalBodyPoseInWorld, diagonal and determinant of CalcMassMatrix, and CalcInverseDynamics with the
# forces of CalcForceElementsContribution; the ball's velocities turned into the axes of its child
POSITION = [-0.236789727835798, 0.890267370082962, 1.611725873206715]
ROTATION = [
    [-0.654451431124042, 0.754202823653296, 0.053585679925606],
    [0.419386386840462, 0.30312061970086, 0.855706111024731],
    [0.629133040646091, 0.582491193672113, -0.514680120523264],
]
EFFORTS = [
    *(-11.800185251702684, -37.32963844747174, -2.962149824222516, -2.603443105548465),
    *(0.213588737419074, -0.318301433928435, 0.309738064695786, -0.152804522791752),
]
INERTIAS = [
    *(1.780243411865734, 3.700000000000003, 0.1442220073032472, 0.1678968516925959),
    *(8.198390887731756e-3, 8.25e-3, 8e-3, 2.25e-3),
]
DETERMINANT = -26.869993043393134  # its logarithm


def test_a_chain_of_all_joints_is_that_of_drake():
    """Frames relative to others, axes in other axes, degrees, quaternions, a spring, dampers and a placed model."""
    dyn = cardan.compile(cardan.load(CHAIN))
    pose = dyn.forward_kinematics(Q)["e"]
    np.testing.assert_allclose(pose[:3], np.column_stack([ROTATION, POSITION]), rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(dyn.inverse_dynamics(Q, V, A), EFFORTS, rtol=0, atol=1e2 * ROUND_OFF)
    M = dyn.mass_matrix(Q)
    np.testing.assert_allclose(np.diag(M), INERTIAS, rtol=0, atol=ROUND_OFF)
    assert abs(np.linalg.slogdet(M)[1] - DETERMINANT) < 1e-10  # the condition of M is 1e3
