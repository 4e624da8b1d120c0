"""Baumgarte's stabilization: a violation of the constraints obeys Φ̈ + 2α Φ̇ + β² Φ = 0, whatever the mechanism does."""

import numpy as np
from tests.selection import each

import cardan
from cardan.integration import integrate

UNTIL, TIMES = 1.0, np.linspace(0, 1, 41)
VIOLATION = 1e-2  # of Φ at the start [m²]


def swing():
    """A point of 1 kg at a constant distance of 1 m from the origin, in the plane, falling."""
    return cardan.Model(
        gravity=[0, -9.81, 0],
        planar="xy",
        bodies={"guide": {"mass": 0.2}, "bob": {"mass": 1}},
        joints={
            "px": {"type": "prismatic", "parent": "ground", "child": "guide", "axis": "x"},
            "py": {"type": "prismatic", "parent": "guide", "child": "bob", "axis": "y"},
        },
        constraints={"rod": {"type": "expression", "expression": "px**2 + py**2 - 1"}},
        initial={"px": 0.6, "py": {"guess": -0.8}},
    )


def violation(**options):
    """Φ at `TIMES` of a run that starts at Φ = VIOLATION, Φ̇ = 0, at rest."""
    setup = cardan.prepare(swing(), UNTIL, times=TIMES, rtol=1e-11, atol=1e-13, method="dop853", **options)
    x0 = np.array(setup.start.x)
    x0[:2] *= np.sqrt(1 + VIOLATION)
    x = integrate(setup.task.problem, "dop853", x0=x0).x
    assert np.ptp(x[:, 0]) > 0.5  # it does swing
    return x[:, 0] ** 2 + x[:, 1] ** 2 - 1


@each("alpha", [2.0, 20.0])
def test_a_violation_decays_critically_damped(alpha):
    """α = β: Φ = Φ0 (1 + α t) e^(−α t)."""
    expected = VIOLATION * (1 + alpha * TIMES) * np.exp(-alpha * TIMES)
    found = violation(stabilization="baumgarte", alpha=alpha, beta=alpha)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)  # of the run: rtol 1e-11, some hundred steps


def test_both_gains_count():
    """α < β: Φ = Φ0 e^(−α t) (cos ωt + α/ω sin ωt) with ω² = β² − α²."""
    for alpha, beta in ((3.0, 12.0), (0.5, 7.0)):
        w = np.sqrt(beta**2 - alpha**2)
        expected = VIOLATION * np.exp(-alpha * TIMES) * (np.cos(w * TIMES) + alpha / w * np.sin(w * TIMES))
        found = violation(stabilization="baumgarte", alpha=alpha, beta=beta)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_without_it_a_violation_stays():
    np.testing.assert_allclose(violation(stabilization="none"), VIOLATION, rtol=0, atol=1e-9)


def test_the_default_gains():
    """α = β = 20/s, or 1/step if that is less."""
    expected = VIOLATION * (1 + 20 * TIMES) * np.exp(-20 * TIMES)
    np.testing.assert_allclose(violation(stabilization="baumgarte"), expected, rtol=0, atol=1e-9)
    slow = cardan.prepare(swing(), UNTIL, stabilization="baumgarte", method="rk4", step=0.1).conditions.settings
    assert (slow.alpha, slow.beta) == (10.0, 10.0)
