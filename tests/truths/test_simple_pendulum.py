"""A pendulum released from the horizontal: the elliptic closed form, and the curve of the benchmark library.

Source: A01 of the IFToMM library of computational benchmark problems (six digits, every half second).
"""

from pathlib import Path

import numpy as np
from scipy.special import ellipj, ellipk

import cardan
from tests.selection import each

MODEL = Path(__file__).parent / "models" / "simple_pendulum.yaml"
ROUNDING = 1e-6  # of six digits
TOLERANCE = 1e-9  # after ten seconds at rtol 1e-12; phase errors grow with time

PUBLISHED_X = np.array(
    [
        -1.0,
        -0.391049,
        0.986292,
        0.884132,
        -0.793566,
        -0.996334,
        0.176652,
        0.999914,
        0.577564,
        -0.963293,
        -0.942305,
        0.665293,
        0.999498,
        0.0511945,
        -0.998619,
        -0.727459,
        0.919858,
        0.975626,
        -0.498374,
        -0.999992,
        -0.275087,
    ]
)
PUBLISHED_Y = np.array(
    [
        -2.220446e-16,
        -0.92037,
        -0.165011,
        -0.467237,
        -0.608484,
        -0.0855439,
        -0.984273,
        -0.013142,
        -0.816346,
        -0.268452,
        -0.334754,
        -0.746583,
        -0.0316965,
        -0.998689,
        -0.0525408,
        -0.686151,
        -0.392252,
        -0.21944,
        -0.866962,
        -0.00402112,
        -0.961419,
    ]
)
TIMES = np.linspace(0, 10, 21)


def exact(t):
    """(θ, θ̇) from the lower vertical: sin ½θ = k sn(K − ω t, k), k = sin 45°, ω = √(g/l)."""
    w, m = np.sqrt(9.81), 0.5
    sn, cn, _, _ = ellipj(ellipk(m) - w * t, m)
    return 2 * np.arcsin(np.sqrt(m) * sn), -2 * np.sqrt(m) * w * cn


@each("method", ["dop853", "tsit5", "rodas5p"])
def test_elliptic_closed_form(method):
    motion = cardan.simulate(cardan.load(MODEL), times=TIMES, method=method, rtol=1e-12, atol=1e-13)
    angle, rate = exact(TIMES)
    np.testing.assert_allclose(motion.array("hinge.q"), -angle, atol=TOLERANCE, rtol=0)
    np.testing.assert_allclose(motion.array("hinge.v"), -rate, atol=4 * TOLERANCE, rtol=0)  # speeds up to 4.4 rad/s


def test_published_curve():
    position = cardan.simulate(cardan.load(MODEL), times=TIMES).array("bob.com.position")
    np.testing.assert_allclose(position[:, 0], PUBLISHED_X, atol=ROUNDING, rtol=0)
    np.testing.assert_allclose(position[:, 1], PUBLISHED_Y, atol=ROUNDING, rtol=0)


def test_energy_of_the_default_run():
    """5e-5 J is what the library accepts, of the 9.8 J that are exchanged."""
    motion = cardan.simulate(cardan.load(MODEL), until=10.0)
    assert motion.report.energy_error < 5e-5


def test_rope_force():
    """F = m g cos θ + m l θ̇² along the rod, on the bob towards the hinge, which transmits no moment."""
    motion = cardan.simulate(cardan.load(MODEL), times=TIMES, rtol=1e-12, atol=1e-13)
    q, v = motion.array("hinge.q"), motion.array("hinge.v")
    size = 9.81 * np.cos(q) + v**2
    expected = size[:, None] * np.column_stack([-np.sin(q), np.cos(q), 0 * q])
    np.testing.assert_allclose(
        motion.array("hinge.reaction_force"), expected, atol=1e-12 * 30, rtol=0
    )  # forces up to 30 N
    assert np.abs(motion.array("hinge.reaction_moment")).max() < 1e-12 * 30
