"""Runs at the edges: parameters that make no mechanism, instants that are none, jumps of floors, energy that stays."""

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError

ROUND_OFF = 1e-12  # of a velocity of about 5 m/s after two thousand exact segments


def pendulum(**parameters):
    """A point mass on a rod whose length and mass are parameters."""
    return cardan.Model(
        parameters={"m": 1, "l": 0.5, "ax": 1, **parameters},
        bodies={"bob": {"mass": "m", "com": [0, 0, "-l"]}},
        joints={"pin": {"type": "revolute", "parent": "ground", "child": "bob", "axis": ["ax", 0, 0]}},
    )


@each(
    "options, message",
    [
        ({"parameters": {"m": 0}}, "coordinate 'pin' has no inertia"),
        ({"parameters": {"l": 0}}, "coordinate 'pin' has no inertia"),
        ({"parameters": {"m": -1}}, "a mass is zero or positive"),
        ({"parameters": {"ax": 0}}, "the direction has length 0"),
        ({"parameters": {"m": [1, 2]}}, "a run takes one value of 'm', not 2"),
        ({"times": "now"}, "not numbers"),
        ({"times": [[0, 1], [2, 3]]}, "one list"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ModelError, match=message):
        cardan.simulate(pendulum(), **{"until": 1, **options})


def test_a_mass_of_zero_may_be_given_later():
    later = cardan.simulate(pendulum(m=0), times=[0, 1], initial={"pin": 1}, parameters={"m": 1})
    now = cardan.simulate(pendulum(), times=[0, 1], initial={"pin": 1})
    np.testing.assert_array_equal(later.x, now.x)
    with pytest.raises(ModelError, match="coordinate 'pin' has no inertia"):
        cardan.simulate(pendulum(m=0), until=1)


@each(
    "force, end, momentum",
    [
        ("floor(t)", 100, 4950),  # Σ k for k < 100
        ("mod(t, 0.1)", 10, 0.5),  # mean 0.05 over 10 s
        ("if(mod(t, 0.01) < 0.005, 1, 0)", 10, 5),  # on for half the time
    ],
)
def test_floors_and_remainders_are_stepped_to(force, end, momentum):
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 1}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
        forces={"push": {"type": "force", "child": "block", "value": [force, 0, 0]}},
    )
    run = cardan.simulate(model, times=[0, end])
    assert run["rail.v"][-1] == pytest.approx(momentum, rel=ROUND_OFF)


def test_the_energy_error_of_a_body_that_only_tumbles_is_compared_with_its_kinetic_energy():
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"body": {"mass": 1, "inertia": [1, 2, 3]}},
        joints={"fly": {"type": "free", "parent": "ground", "child": "body"}},
    )
    run = cardan.simulate(model, until=1, initial={"fly.wy": 2})
    assert run.report.energy_scale == pytest.approx(4, rel=1e-6)  # I w²/2, kept to the tolerance of the run
