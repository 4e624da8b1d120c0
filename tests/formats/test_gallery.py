"""The gallery: every mechanism is there, has a title and a source, and is loaded without any heavy library."""

import warnings

import pytest

from cardan.errors import ModelError
from cardan.formats import gallery, load
from cardan.model.records.record import ZERO

NAMES = [
    "andrews_squeezer",
    "bricard",
    "car_axis",
    "compound_pendulum",
    "dc_motor_start",
    "door_two_hinges",
    "flyball_governor",
    "four_bar",
    "four_bar_spatial",
    "heavy_top",
    "manipulator_3dof",
    "manipulator_6dof",
    "overhead_crane",
    "overhead_crane_antisway",
    "planar_manipulator",
    "planar_manipulator_controlled",
    "planar_3rrr",
    "planar_manipulator_mounted",
    "scara",
    "slider_crank",
    "spring_pendulum",
    "spring_pendulum_element",
    "trolley_pendulum",
]


def test_the_mechanisms_of_the_papers_and_the_open_problems_are_there():
    assert set(NAMES) <= set(gallery())


@pytest.mark.parametrize("name", gallery())
def test_a_model_says_what_it_is_and_can_be_drawn(name):
    model = load(name)
    assert model.name == gallery()[name]
    assert model.source
    assert model.outputs
    assert model.simulate.until is not None
    assert all(body.shapes for body in model.bodies.values() if body.mass != ZERO or body.markers)


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(ModelError, match="there is no model 'overhead_crne' in the gallery") as error:
        load("overhead_crne")
    assert error.value.issues[0].cure.startswith("did you mean 'overhead_crane'?")


def test_the_gallery_loads_without_warnings():
    """What a source prints and physics doubts is accepted in the file, `accept: [motor_power]`."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in gallery():
            load(name)
