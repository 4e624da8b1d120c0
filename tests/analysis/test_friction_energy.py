"""`verify` checks the energy that friction takes, with every law and in every kind of joint that rubs."""

from dataclasses import replace

import numpy as np
import pytest

import cardan
from cardan.analysis import verification
from cardan.kinematics.relative import RelativeMotion
from cardan.system.blocks.block import BlockPower
from cardan.system.contacts import JointFriction

BALANCE, TAKES = "energy changes by the powers and the heat of friction", "friction takes energy"
BODY = {"mass": 2.0, "com": [0.05, -0.1, -0.4], "inertia": [0.21, 0.17, 0.06]}
JOINTS = {
    "pin": {"type": "revolute", "axis": "y", "friction": {"coefficient": 0.2, "radius": 0.02, "length": 0.1}},
    "guide": {"type": "prismatic", "axis": "x", "friction": {"type": "stribeck", "effort": 3, "static": 4, "speed": 1}},
    "bristles": {"type": "prismatic", "axis": "x", "friction": {"type": "lugre", "effort": 3, "bristle": 1e4}},
    "hooke": {"type": "universal", "axes": ["x", "y"], "friction": {"coefficient": 0.2, "radius": 0.02, "length": 0.1}},
    "ball": {"type": "spherical", "friction": {"coefficient": 0.2, "radius": 0.02, "regularize": 0.1}},
    "screw": {"type": "screw", "axis": "z", "lead": 0.02, "friction": {"coefficient": 0.2, "radius": 0.02}},
}


def hung(joint, **more):
    return cardan.Model(
        gravity=[0, 0, -9.81],
        bodies={"body": BODY},
        joints={"joint": {"parent": "ground", "child": "body", **joint, **more}},
    )


def checks(model):
    return {check.name: check for check in cardan.verify(model, states=2).checks}


@pytest.mark.parametrize("name", JOINTS)
def test_friction_takes_what_the_powers_miss(name):
    found = checks(hung(JOINTS[name]))
    assert found[BALANCE].ok
    assert found[TAKES].ok
    assert BALANCE not in checks(hung({key: x for key, x in JOINTS[name].items() if key != "friction"}))


def test_heat_that_is_not_the_work_of_friction_fails(monkeypatch):
    model = hung(JOINTS["guide"], stiffness=12.5)  # systems of equal models are kept
    original = JointFriction.power
    monkeypatch.setattr(
        JointFriction, "power", lambda self, *at: BlockPower(lost=1.01 * original(self, *at).lost), raising=True
    )
    assert not checks(model)[BALANCE].ok


def test_a_wrench_of_friction_that_does_other_work_fails(monkeypatch):
    """Of a joint with several motions, whose friction acts as a force between markers."""
    original = RelativeMotion.jacobian
    monkeypatch.setattr(RelativeMotion, "jacobian", lambda self, state: 1.01 * original(self, state))
    assert not checks(hung({"type": "spherical", "friction": {"effort": 0.4, "regularize": 0.1}}))[BALANCE].ok


def test_friction_that_drives_fails(monkeypatch):
    original = JointFriction.known
    monkeypatch.setattr(JointFriction, "known", lambda self, motion: -original(self, motion))
    found = checks(hung(JOINTS["guide"], stiffness=12.6))
    assert found[BALANCE].ok
    assert not found[TAKES].ok


def test_what_cannot_be_checked_is_said(monkeypatch):
    """Friction that is refused, and friction without a solution in the states that were drawn."""
    model = cardan.load("door_two_hinges")
    friction = {"coefficient": 0.1, "radius": 0.01}
    hinges = {name: model.joints[name].replace(friction=friction) for name in ("hinge1", "hinge2")}
    report = cardan.verify(model.replace(joints={**model.joints, **hinges}), states=1)
    assert report.ok
    (words,) = (each for each in report.left_out if each.startswith("energy that friction takes: "))
    assert "this load is not unique" in words or "moves only together" in words
    monkeypatch.setattr(verification, "random_sample", _lost(verification.random_sample))
    again = cardan.verify(hung(JOINTS["pin"], stiffness=12.7), states=1)
    assert "energy that friction takes: friction has no solution in the random states" in again.left_out


def _lost(draw):
    """Samples with velocities that are no numbers."""

    def lost(around, rng):
        sample = draw(around, rng)
        return replace(sample, v=np.full_like(sample.v, np.nan))

    return lost
