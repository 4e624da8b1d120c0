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


@pytest.mark.parametrize(
    ("name", "grubler", "freedoms", "redundant"),
    [
        ("slider_crank", 1, 1, 0),
        ("planar_3rrr", 3, 3, 0),
        ("four_bar", 1, 1, 0),
        ("four_bar_spatial", -2, 1, 3),
        ("door_two_hinges", -4, 1, 5),
    ],
)
def test_mobility_is_what_textbooks_count(name, grubler, freedoms, redundant):
    found = cardan.mobility(cardan.load(name))
    assert (found.grubler, found.degrees_of_freedom, len(found.redundant)) == (grubler, freedoms, redundant)


def test_the_door_knows_its_weight_but_not_how_the_hinges_share_it():
    model, run = run_of("door_two_hinges", "none")
    both = [run.array(f"hinge{i}.reaction_force") for i in (1, 2)]
    np.testing.assert_allclose((both[0] + both[1])[:, 2], 25 * 9.81, rtol=1e-12)
    unique = cardan.mobility(model).unique
    assert unique["hinge1.reaction_force"] == (False, False, False)
    assert unique["hinge1.reaction_moment"] == (False, False, True)  # about the axis: spring and damper
