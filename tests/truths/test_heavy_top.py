"""A fast top on a ball joint: published angular velocities, a reference solution, and the reaction at the pivot.

Source: Bruls & Cardona's Lie-group benchmark as printed in EXUDYN's HeavyTopSolution (5 digits); the finer numbers come
from Euler's equations by a method of order 8 at 1e-13, whose energy drifts by 9e-11 J in 5e3 J.
"""

import numpy as np
import pytest

import cardan

MODEL = "heavy_top"
TOLERANCE = 1e-8  # acceptance of the benchmark, on numbers of size 1; the run is a thousand times finer

PUBLISHED_TIMES = [0, 0.01, 0.02, 0.03, 0.04, 0.05]
PUBLISHED = np.array(
    [
        [0.0, 150.0, -4.6154],
        [4.5748, 150.0, -0.6347],
        [1.2594, 150.0, 4.4536],
        [-4.2537, 150.0, 1.8644],
        [-2.4401, 150.0, -3.9779],
        [3.6303, 150.0, -2.9772],
    ]
)
PUBLISHED_QUATERNION = [-0.70828, 0.43878, 0.54573, 0.0894]  # at 0.2 s
ROUNDING = 6e-5  # of five digits

QUATERNIONS = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [-0.7082791529743288, 0.4387810881265637, 0.5457283961454226, 0.08939975282392937],
        [0.39611200037267413, -0.31059022342908327, -0.5651331296471799, 0.6536463432516185],
        [-0.33999836447178244, -0.4405658244716805, 0.7180179063582486, -0.4180348700922162],
        [-0.18118124874486072, 0.21475733382042472, -0.9595714351086901, -0.01659227522194242],
        [0.7329439806798196, -0.2782857193379389, 0.5318246113338134, -0.32017614273618145],
        [-0.5500284687010396, 0.8174924797116506, -0.12709248299813217, -0.11411498586360108],
        [0.6113426014603544, -0.3056054787253152, 0.17712345637427732, 0.7081615608141822],
        [-0.8244532648444287, -0.08019204608976863, 0.3637552327189693, -0.42606124031746767],
        [0.19481426419542283, -0.06829047301761945, -0.8050988797325546, 0.5560571981499762],
        [0.12294713504158569, -0.491079892551157, 0.35043003034346354, -0.7879868875498366],
    ]
)
SPEEDS = np.array(
    [
        [0.0, 150.0, -4.61538],
        [-2.691590912141944, 150.0, 4.917260989894823],
        [6.054845968622605, 150.0, -1.9147021727031301],
        [-4.779227292523938, 150.0, -2.0664612559539046],
        [3.1189576879220797, 150.0, 3.53015967750163],
        [-0.8220781016915729, 150.0, -5.923291348116028],
        [-3.7277595187264696, 150.0, 4.921156602211262],
        [4.674630441672315, 150.0, -1.3497186046139007],
        [-4.92406597160875, 150.0, -0.6991534185909706],
        [4.310981337874949, 150.0, 4.530775892949948],
        [0.122233219479708, 150.0, -5.855624589204134],
    ]
)
FORCES = np.array(
    [
        [0.0, -319.525988166, -317.26246153846233],
        [-640.2364079920762, -148.62771134696303, 136.9293130385637],
        [31.09272033643478, 465.0015453872279, 733.6987289067417],
        [555.9244495581376, 125.92166062748679, -85.77054266978159],
        [43.37423926726449, -368.9017157474015, -286.96188284130085],
        [-517.6007394768377, -396.8431014892596, 404.57492516329097],
        [-26.35425217317773, 590.540768915954, 568.0997728701893],
        [362.18503970232575, 257.5907550776256, -232.23576278522887],
        [200.7060743442404, -445.82374070980813, -189.94984200453752],
        [-318.3829090784189, -443.15845705296607, 641.3969953407852],
        [-260.7352113104695, 613.612698982659, 309.7166313904851],
    ]
)
TIMES = np.linspace(0, 2, 11)


def run(times, **options):
    """The top at tolerances far below the comparison's."""
    return cardan.simulate(cardan.load(MODEL), times=times, rtol=1e-12, atol=1e-12, **options)


@pytest.fixture(scope="module")
def motion():
    """Two seconds."""
    return run(TIMES)


def speeds(motion):
    """Angular velocity in body axes (N, 3)."""
    return np.column_stack([motion.array(f"pivot.w{axis}.v") for axis in "xyz"])


def quaternions(motion):
    """Orientation (N, 4)."""
    return np.column_stack([motion.array(f"pivot.q{entry}.q") for entry in "wxyz"])


def test_published_figures():
    motion = run([*PUBLISHED_TIMES, 0.2])
    np.testing.assert_allclose(speeds(motion)[:-1], PUBLISHED, atol=ROUNDING, rtol=0)
    np.testing.assert_allclose(quaternions(motion)[-1], PUBLISHED_QUATERNION, atol=ROUNDING, rtol=0)


def test_reference_solution(motion):
    assert motion.ok
    np.testing.assert_allclose(quaternions(motion), QUATERNIONS, atol=TOLERANCE, rtol=0)
    np.testing.assert_allclose(speeds(motion), SPEEDS, atol=TOLERANCE, rtol=0)


def test_reaction_at_the_pivot(motion):
    """Force of the ground on the top; the joint transmits no moment."""
    force = motion.array("pivot.reaction_force")
    np.testing.assert_allclose(force, FORCES, atol=TOLERANCE, rtol=0)  # up to 734 N, nine decimals given
    assert np.abs(motion.array("pivot.reaction_moment")).max() < 1e-9 * 1e4  # round-off of moments of 1e4 N m


def test_what_is_conserved(motion):
    """Energy, spin about the axis of symmetry, and angular momentum about the vertical."""
    assert motion.report.energy_error < 5e-6  # J, of 5e3
    w, R = speeds(motion), rotations(quaternions(motion))
    np.testing.assert_allclose(w[:, 1], 150, rtol=1e-11)
    inertia = np.diag([0.234375 + 15, 0.46875, 0.234375 + 15])
    vertical = (R @ (w @ inertia)[:, :, None])[:, 2, 0]
    np.testing.assert_allclose(vertical, vertical[0], rtol=0, atol=70 * TOLERANCE)


def rotations(e):
    """Rotation matrices (N, 3, 3)."""
    w, x, y, z = e.T
    rows = [
        [1 - 2 * (y**2 + z**2), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x**2 + z**2), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def test_quaternions_stay_at_unit_length_unless_told_otherwise(motion):
    assert np.abs(np.linalg.norm(quaternions(motion), axis=1) - 1).max() < 1e-10  # what every accepted state satisfies
    loose = [run(TIMES, stabilization=s, method="rk4", step=1e-3) for s in ("projection", "none")]
    drift = [np.abs(np.linalg.norm(quaternions(motion), axis=1) - 1).max() for motion in loose]
    assert drift[0] < 1e-10 < drift[1]
