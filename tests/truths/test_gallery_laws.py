"""What holds for every mechanism of the gallery: the laws of Newton and Euler for each body, closed loops, energy."""

from functools import cache

import numpy as np
import pytest

import cardan
from cardan.formats import gallery
from cardan.model.constraints import PlaceConstraint
from cardan.model.constraints.coupler import Coupler
from tests.balance import imbalance, leak
from tests.mechanisms import IMPOSSIBLE, WITH_BODIES, WITH_MOTORS
from tests.selection import of_gallery


@cache
def run_of(name, motors, until=0.6):
    model = cardan.load(name)
    run = cardan.simulate(model, motors=motors, times=np.linspace(0, until, 7), rtol=1e-9, atol=1e-11)
    assert run.ok, run.message
    return model, run


@pytest.mark.parametrize(
    ("name", "motors"),
    of_gallery(
        [(name, "full") for name in WITH_MOTORS if name in WITH_BODIES]
        + [(name, "none") for name in WITH_BODIES if (name, "none") not in IMPOSSIBLE]
    ),
)
def test_reactions_balance_every_body(name, motors):
    if cardan.load(name).contacts:
        return  # many forces and moments in one: test_contact_gallery.py
    model, run = run_of(name, motors)
    assert imbalance(model, run, motors) < 1e-9
    if any(joint.friction is not None for joint in model.joints.values()):
        return  # its heat is no power of a body: the energy balance of the run counts it
    if motors == "none" and all(isinstance(record, PlaceConstraint | Coupler) for record in model.constraints.values()):
        assert leak(model, run) < 1e-9


@pytest.mark.parametrize("name", of_gallery(gallery()))
def test_loops_stay_closed_and_energy_balances(name):
    _, run = run_of(name, "full")
    assert run.report.constraint_violation < 1e-10
    assert run.report.relative_energy_error < 1e-6
