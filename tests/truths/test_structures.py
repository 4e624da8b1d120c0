"""Structures with loops and without a freedom: their loads are those of statics, cut out body by body.

A frame of two posts, a beam and a diagonal rod (h = 1 m, b = 0.8 m) stands in its weight and in the wind F on its upper
left corner. The rod alone resists the wind: S = −F √(h² + b²)/b, so that it carries F h/b down to its foot, and the
right post stands under its own weight, half of that of the beam and F h/b.
"""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from cardan.errors import ModelWarning
from cardan.model.model import Model
from tests.selection import each

G, F, B = 9.81, 10.0, 0.8
DIAGONAL = np.hypot(1, B)


def frame(**more: object) -> Model:
    """The frame in the plane xz; hinges in space make it overconstrained."""
    post = {"mass": 2, "com": [0, 0, 0.5], "inertia": [0.1, 0.1, 0.01]}
    hinge = {"type": "revolute", "axis": "y"}
    corner = {"body": "top", "position": [B, 0, 0]}
    return Model(
        bodies={"left": post, "top": {"mass": 3, "com": [B / 2, 0, 0], "inertia": [0.01, 0.1, 0.1]}, "right": post},
        joints={
            "A": {**hinge, "parent": "ground", "child": "left"},
            "B": {**hinge, "parent": {"body": "left", "position": [0, 0, 1]}, "child": "top"},
            "D": {**hinge, "parent": {"body": "ground", "position": [B, 0, 0]}, "child": "right"},
            "C": {**hinge, "parent": corner, "child": {"body": "right", "position": [0, 0, 1]}},
        },
        constraints={"rod": {"type": "distance", "child": corner, "length": DIAGONAL}},
        forces={"wind": {"type": "force", "child": {"body": "left", "position": [0, 0, 1]}, "value": [F, 0, 0]}},
        **more,
    )


@each("more", [{"planar": "xz"}, {}])
def test_a_frame_with_a_diagonal_carries_wind_and_weight(more):
    model = frame(**more)
    with pytest.warns(ModelWarning, match="cannot move: its 3 velocities are fixed by C, rod.*its loads at rest"):
        run = cardan.simulate(model, times=[0.0, 1.0])
    assert run.ok
    wanted = {
        "A": [0, 2 * G + 1.5 * G],
        "D": [0, 2 * G + 1.5 * G + F / B],
        "rod": [-F, -F / B],
    }
    for name, force in wanted.items():
        found = run[f"{name}.reaction_force"] if name != "rod" else run["rod.force"]
        np.testing.assert_allclose(found.values[:, [0, 2]], [force, force], atol=1e-10)  # round-off of 50 N
        if name != "rod":
            said = "yes, unknown, yes" if more else "yes, no, yes"
            assert run[f"{name}.reaction_force"].attrs["unique"] == said
    assert np.max(np.abs(run["A.v"].values)) < 1e-20


def test_loads_follow_wind_that_changes():
    forces = {"wind": {"type": "force", "child": {"body": "left", "position": [0, 0, 1]}, "value": ["10*t", 0, 0]}}
    run = cardan.simulate(frame().replace(forces=forces), times=[0.0, 2.0])
    np.testing.assert_allclose(run["rod.force"].values[:, 0], [0, -20], atol=1e-10)
