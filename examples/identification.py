"""Which masses and inertias of an arm can be measured, and measuring them: the linear form τ = Y(q, v, a) π.

Of the twenty inertial parameters of two links in the vertical plane only six combinations show in any motion: the base
parameters (Gautier 1991), such as the inertia of the first link with the mass of the second one at its end. The arm
follows a sum of sines; torques are read with noise of known size σ. Least squares over the base columns of Y give the
six numbers, and the covariance σ² (WᵀW)⁻¹ says how well.

What must come out, whatever the program:

* Every estimate lies within a few standard deviations of the true value. By chance one of six misses five of them
  once in three hundred thousand times.
* The torques of another motion, which took no part, are predicted to less than a tenth of the noise.
* The masses themselves cannot be had: the second link's mass changes no torque if the first link's inertia and first
  moment give way.

Run it: ``python examples/identification.py``.
"""

import numpy as np

import cardan
from cardan.analysis import BaseParameters
from cardan.functions.dynamics import Dynamics

NOISE = 0.05  # standard deviation of a measured torque [N m]
SAMPLES = 2000
SECONDS = 10.0
RATES = np.array([[1.1, 2.3, 3.7], [1.7, 2.9, 4.1]])  # of the sines [rad/s], per joint
AMPLITUDES = np.array([[0.8, 0.4, 0.2], [0.9, 0.5, 0.3]])  # [rad]


def main() -> None:
    """Measure, estimate, print, check."""
    arm = cardan.load("planar_manipulator")
    base = cardan.base_parameters(arm)
    dyn = cardan.compile(arm, motors="none")
    rng = np.random.default_rng(1)

    states = motion(np.linspace(0, SECONDS, SAMPLES), phase=0.0)
    measured = torques(dyn, *states) + NOISE * rng.standard_normal((SAMPLES, 2))
    W = dyn.regressor(*states)[..., list(base.columns)].reshape(-1, len(base))
    estimate = np.linalg.lstsq(W, measured.ravel(), rcond=None)[0]
    deviation = NOISE * np.sqrt(np.diag(np.linalg.inv(W.T @ W)))
    truth = np.array([entry.value for entry in base.parameters])

    print(f"{len(base)} of {len(dyn.inertial_names)} parameters show, {SAMPLES} samples with {NOISE} N m of noise")
    row = "  {:<32}{:>11}{:>11}{:>11}".format
    print(row("", "true", "estimate", "deviation"))
    for entry, *numbers in zip(base.parameters, truth, estimate, deviation, strict=True):
        print(row(str(entry), *(f"{x:.5f}" for x in numbers)))

    other = motion(np.linspace(0, SECONDS, 500), phase=1.0)
    predicted = dyn.regressor(*other)[..., list(base.columns)] @ estimate
    missed = np.sqrt(np.mean((predicted - torques(dyn, *other)) ** 2))
    print(f"  another motion is predicted to {missed:.2g} N m")

    assert np.all(np.abs(estimate - truth) < 5 * deviation), "an estimate is further off than chance allows"
    assert missed < NOISE / 10, "another motion is not predicted"
    check_the_mass_is_hidden(base, dyn, other)


def motion(t: np.ndarray, phase: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, velocities and accelerations (len(t), 2) of sums of sines."""
    angle = RATES * t[:, None, None] + phase
    q = np.sum(AMPLITUDES * np.sin(angle), axis=-1)
    v = np.sum(AMPLITUDES * RATES * np.cos(angle), axis=-1)
    return q, v, -np.sum(AMPLITUDES * RATES**2 * np.sin(angle), axis=-1)


def torques(dyn: Dynamics, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """What the links ask for, friction left out (len(q), 2) [N m]."""
    return dyn.inverse_dynamics(q, v, a, parameters={"d1": 0, "d2": 0})


def check_the_mass_is_hidden(base: BaseParameters, dyn: Dynamics, states: tuple[np.ndarray, ...]) -> None:
    """A kilogram more on the second link, taken back from the first one by the base parameters, changes no torque."""
    pi = dyn.inertial_parameters()
    change = np.zeros_like(pi)
    names = dyn.inertial_names
    change[names.index("link2.mass")] = 1.0
    for entry in base.parameters:
        first = next(iter(entry.terms))
        change[names.index(first)] -= entry.terms.get("link2.mass", 0.0)
    difference = dyn.regressor(*states) @ change
    assert np.max(np.abs(difference)) < 1e-7, "round-off of the factors, found by least squares"
    print("  a kilogram on link 2, taken off link 1 by its moments, changes no torque")


if __name__ == "__main__":
    main()
