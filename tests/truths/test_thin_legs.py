"""Legs between two balls that have no inertia about their own axis: nothing says how fast they turn about it.

The reference has a universal joint in place of the ball on the ground: its leg cannot turn about its own axis, so that
an inertia about this axis has no effect on anything else as it goes to zero.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.model.model import Model

pytestmark = pytest.mark.exhaustive


TIMES = np.linspace(0, 0.5, 6)


def on_a_leg(foot: dict[str, object], spin: float = 0.0, axis: str = "z", **more: object) -> Model:
    """A free platform on one leg: ball or universal joint, cylinder, ball."""
    rod = {"mass": 0.5, "inertia": [0.01, 0.01, spin] if axis == "z" else [0.01, 0.01, 0.01]}
    if axis == "x":
        rod["inertia"] = [spin, 0.01, 0.01]
    return Model(
        bodies={"plat": {"mass": 10, "inertia": [1, 1, 2]}, "c": rod, "r": rod},
        joints={
            "f": {"type": "free", "parent": "ground", "child": "plat"},
            "s": {**foot, "parent": {"body": "ground", "position": [0.94, -0.342, 0]}, "child": "c"},
            "p": {"type": "prismatic", "parent": "c", "child": "r", "axis": axis},
            "top": {
                "type": "spherical",
                "parent": "r",
                "child": {"body": "plat", "position": [0.424, -0.424, 0]},
            },
        },
        initial={"f": {"position": [0.05, -0.02, 0.9], "rpy": [0.1, -0.05, 0.2]}, "p": {"guess": 0.961}},
        **more,
    )


BALL = {"type": "spherical"}
CROSS = {"type": "universal", "axes": ["x", "y"]}


def driven(law: str | None) -> dict[str, str]:
    """The motion of the cylinder that starts at the length of the leg; none for None."""
    return {} if law is None else {"p": f"{cardan.assemble(on_a_leg(CROSS)).q['p']!r}{law}"}


def quietly(model: Model, **options: object):
    """The run, without the warning about what has no inertia."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*no inertia and no force")
        return cardan.simulate(model, times=TIMES, rtol=1e-10, atol=1e-12, **options)


@pytest.mark.parametrize("law", [None, " + 0.1*(1 - cos(3*t))"], ids=["free", "driven"])
@pytest.mark.parametrize("axis", ["z", "x"])
def test_a_thin_leg_moves_as_one_that_cannot_turn_about_itself(axis, law):
    motions = driven(law)
    if axis == "x":  # the leg lies along x of a frame that stands upright
        thin = on_a_leg(BALL, axis="x", motions=motions)
        joints = {**thin.joints}
        joints["s"] = joints["s"].replace(
            parent={"body": "ground", "position": [0.94, -0.342, 0], "rpy": [0, -np.pi / 2, 0]}
        )
        thin = thin.replace(joints=joints)
    else:
        thin = on_a_leg(BALL, motions=motions)
    found, wanted = (
        quietly(thin),
        cardan.simulate(on_a_leg(CROSS, motions=motions), times=TIMES, rtol=1e-10, atol=1e-12),
    )
    for name in ("f.x.q", "f.z.q", "f.qx.q", "f.wy.v", "p.q", "top.reaction_force"):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-7, atol=1e-7)  # a hundred times the tolerance
    if motions:
        np.testing.assert_allclose(found["p.effort"], wanted["p.effort"], rtol=1e-7)
    assert np.max(np.abs(found[f"s.w{axis}.v"])) < 1e-15
    assert found.report.relative_energy_error < 1e-8


def test_a_thin_leg_keeps_its_spin_and_has_no_energy_of_it():
    run = quietly(on_a_leg(BALL), initial={"s.wz.v": 3.0})
    np.testing.assert_allclose(run["s.wz.v"], 3.0, rtol=1e-12)
    still = quietly(on_a_leg(BALL))
    np.testing.assert_allclose(run["f.z.q"], still["f.z.q"], rtol=1e-8)
    assert float(run["energy.kinetic"][0]) == pytest.approx(0, abs=1e-12)


def test_the_run_says_which_freedoms_have_no_inertia():
    with pytest.warns(ModelWarning, match=r"s\.wz: no inertia and no force, so that the velocity stays as it starts"):
        cardan.simulate(on_a_leg(BALL), until=0.01)


@pytest.mark.parametrize(
    "model",
    [
        on_a_leg({**BALL, "damping": 0.1}),
        on_a_leg(BALL).replace(forces={"turn": {"type": "torque", "child": "c", "value": [0, 0, 0.1]}}),
        on_a_leg(BALL).replace(bodies={**on_a_leg(BALL).bodies, "c": {"mass": 0.5, "inertia": [0.01, 0.005, 0]}}),
    ],
    ids=["damped", "torque", "not round"],
)
@pytest.mark.parametrize("law", [None, ""], ids=["free", "driven"])
def test_a_force_on_what_has_no_inertia_is_refused_by_name(model, law):
    with pytest.raises(ModelError, match=r"coordinate 's\.wz' has no inertia"):
        cardan.simulate(model.replace(motions=driven(law)), until=0.1)


def test_an_effort_on_what_has_no_inertia_is_refused_by_name():
    with pytest.raises(ModelError, match=r"coordinate 's\.wz' has no inertia"):
        cardan.simulate(on_a_leg(BALL), until=0.1, motors="none", inputs={"s.wz": 0.1})
