"""Joints that move only together, and carry a plate that sticks in several directions.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over some ten events; a plate rests below 10 √n times the latter.
"""

import numpy as np
import pytest

import cardan
from tests.truths.test_load_friction_of_one_freedom import CASES as LOADED
from tests.truths.test_load_friction_of_one_freedom import FINE, slider_crank

pytestmark = pytest.mark.exhaustive

BLOCK = {"mass": 1.0, "inertia": [0, 0, 1]}
NEAR = 1e-7  # what is left of a speed of 4e-11 at which a plate counts as at rest, over a second or two, is far below


def happened(run, names):
    return [(event.name, event.did) for event in run.events if event.name in names]


def times(run, names):
    return np.array([event.t for event in run.events if event.name in names])


def simulate(model, until, energy=1e-9, **more):
    run = cardan.simulate(model, until=until, method="dop853", **more, **FINE)
    assert run.ok, run.message
    assert run.report.relative_energy_error < energy
    return run


def carrying(kind, friction, laws=LOADED["mixed"][0], v=4.0):
    """A slider-crank in a horizontal plane that rubs, whose slider carries a block."""
    model = slider_crank(laws, {"crank": np.radians(40), "crank.v": v}).replace(gravity=[0, 0, 0])
    load = {"type": kind, "parent": "slider", "child": "load", "friction": friction}
    load |= {"axis": "x"} if kind == "prismatic" else {}
    bodies = {**model.bodies, "load": {"mass": 0.4, "inertia": [0, 0, 0.01]}}
    return model.replace(bodies=bodies, joints={**model.joints, "load": load})


def test_a_plate_that_sticks_to_a_slider_is_part_of_it():
    """As one body, the mechanism comes to rest, with the same parts of the limits of its joints."""
    model = slider_crank(LOADED["mixed"][0], {"crank": np.radians(40), "crank.v": 4.0}).replace(gravity=[0, 0, 0])
    one = simulate(model.replace(bodies={**model.bodies, "slider": {"mass": 0.9}}), 3.0)
    two = simulate(carrying("planar", {"effort": 50.0}), 3.0)
    joints = ("crank", "pin", "wrist", "slide")
    assert happened(one, joints) == happened(two, joints)
    assert happened(two, joints)[-1][1] == "stops"
    np.testing.assert_allclose(times(one, joints), times(two, joints), rtol=0, atol=NEAR)
    for name in ("crank.q", "crank.v", "slide.q", *(f"{name}.heat" for name in joints)):
        assert one[name].values[-1] == pytest.approx(two[name].values[-1], abs=NEAR)
    assert happened(two, ["load"]) == []


def test_a_plate_slips_on_a_slider_as_along_a_line():
    """Crank and guide rub under their loads."""
    law, laws = {"effort": 3.0, "static": 4.0}, {name: LOADED["loads"][0][name] for name in ("crank", "slide")}
    # friction turns round within the last step before the plate rests: between the ends of this step 1e-5 of the speed
    cases = {"prismatic": 1e-9, "planar": 1e-5}
    line, plate = (simulate(carrying(kind, law, laws, 8.0), 1.0, energy) for kind, energy in cases.items())
    assert [did.split()[0] for _, did in happened(line, ["load"])] == [did for _, did in happened(plate, ["load"])]
    assert len(happened(plate, ["load"])) == 4
    np.testing.assert_allclose(times(line, ["load"]), times(plate, ["load"]), rtol=0, atol=NEAR)
    for name in ("crank.q", "crank.v", "slide.q", "load.heat"):
        assert line[name].values[-1] == pytest.approx(plate[name].values[-1], abs=NEAR)
