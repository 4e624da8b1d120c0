"""Compiled functions and kineto-statics where friction has several answers or none.

A steep screw: N = |F/cos α + σ μ tan α N| with the axial force F and the way σ it turns (docs/friction.md). Up to
μ tan α = 1 there is one N; beyond it two, or none.
"""

import numpy as np
import pytest

import cardan

G, MASS, RADIUS, SLOPE = 9.81, 2.0, 0.01, 2.5
BELOW, BEYOND = 0.36, 0.5  # coefficients: μ tan α is 0.9 and 1.25


def screw(mu):
    """A nut that moves along a vertical steep screw as it turns."""
    joint = {"type": "screw", "parent": "ground", "child": "nut", "axis": "z", "lead": 2 * np.pi * RADIUS * SLOPE}
    bodies = {"nut": {"mass": MASS, "inertia": [1e-3, 1e-3, 1e-3]}}
    return cardan.Model(bodies=bodies, joints={"turn": joint | {"friction": {"coefficient": mu, "radius": RADIUS}}})


@pytest.mark.parametrize("v", [-1.0, 1.0])
def test_inverse_dynamics_is_nan_where_friction_has_no_single_answer(v):
    """At rest against gravity in the axis: tau = m g h + σ μ N r/cos α."""
    cosine, h = 1 / np.hypot(1, SLOPE), RADIUS * SLOPE
    below = cardan.compile(screw(BELOW)).inverse_dynamics([0.0], [v], [0.0])[0]
    N = MASS * G / cosine / (1 - v * BELOW * SLOPE)
    assert below == pytest.approx(MASS * G * h + v * BELOW * N * RADIUS / cosine, rel=1e-12)
    assert np.isnan(cardan.compile(screw(BEYOND)).inverse_dynamics([0.0], [v], [0.0])).all()


@pytest.mark.parametrize("v", [-1.0, 1.0])
def test_kinetostatics_ends_where_friction_has_no_single_answer(v):
    motions = {"turn": f"{v}*t"}
    assert cardan.kinetostatics(screw(BELOW), [0.0, 0.1], motions=motions).ok
    run = cardan.kinetostatics(screw(BEYOND), [0.0, 0.1], motions=motions)
    assert run.status == "friction_indeterminate"
    assert "'turn'" in run.message


@pytest.mark.parametrize("v", [-1.0, 1.0])
def test_accelerations_and_reactions_are_nan_there_too(v):
    """A clamp whose own mass lies so far out that friction changes its load by more than this load."""
    joint = {"type": "prismatic", "parent": "ground", "child": "shelf", "axis": "z"}
    joint["friction"] = {"coefficient": 0.2, "length": "100 mm"}
    for x, is_known in ((0.2, True), (0.3, False)):
        body = {"mass": 2, "com": [x, 0, 0], "inertia": [0.1, 0.1, 0.1]}
        functions = cardan.compile(cardan.Model(bodies={"shelf": body}, joints={"slide": joint}))
        a = functions.forward_dynamics([0.0], [v], [20.0])
        assert np.isfinite(a).all() == is_known
        assert np.isfinite(functions.reactions([0.0], [v], [20.0])["slide"]).all() == is_known
