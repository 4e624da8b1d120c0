"""The gallery: every mechanism is there, has a title and a source, and is loaded without any heavy library."""

import subprocess
import sys
import warnings

import pytest

from cardan.errors import ModelError
from cardan.formats import gallery, load
from cardan.model import resolve
from cardan.model.records.record import ZERO
from tests.mechanisms import WITH_MOTORS

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


def test_the_crane_has_the_numbers_of_its_paper():
    crane = load("overhead_crane")
    values = resolve(crane.parameters)
    printed = {"mt": 2, "mp": 0.85, "g": 9.81, "d1": 2, "L": 0.7, "rw": 0.025, "Im": 1e-3, "Km": 1}
    printed |= {"Ke": 0.1, "Ra": 1, "La": 1e-3, "dm": 0.1, "r": 10}
    assert values == printed
    assert crane.inputs["drive"].value == 10


def test_the_two_manipulators_differ_by_the_carrier_of_motor_2():
    plain, mounted = load("planar_manipulator"), load("planar_manipulator_mounted")
    assert mounted.motors["motor2"].mounted_on == "link1"
    assert mounted.motors["motor2"].replace(mounted_on="ground") == plain.motors["motor2"]
    assert mounted.replace(motors=plain.motors, name=plain.name, source=plain.source) == plain


def test_controlled_mechanisms_are_the_plain_ones_with_a_controller():
    for plain, controlled in (
        ("planar_manipulator", "planar_manipulator_controlled"),
        ("overhead_crane", "overhead_crane_antisway"),
    ):
        one, other = load(plain), load(controlled)
        assert (one.bodies, one.joints, one.motors) == (other.bodies, other.joints, other.motors)
        assert one.parameters.items() <= other.parameters.items()
        assert other.states
        assert all(signal.names & other.states.keys() for signal in other.inputs.values())


@pytest.mark.exhaustive
def test_loading_imports_no_heavy_library():
    code = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "from cardan.formats import gallery, load\n"
        "[load(name) for name in gallery()]\n"
        "print([name for name in ('pint', 'numba', 'xarray', 'matplotlib', 'sympy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_slider_crank_is_the_paper_s():
    model = load("slider_crank")
    assert list(model.joints) == ["crank", "pin", "wrist", "slide"]
    assert list(model.motors) == ["drive"]
    assert list(model.coordinates) == ["q1", "q2", "q3"]
    values = resolve(model.parameters)
    printed = {"l1": 0.2, "l2": 0.5, "m1": 1, "m2": 1, "m3": 0.5, "Jw": 2, "g": 9.81, "r": 10}
    printed |= {"Im": 1e-3, "Km": 3, "Ke": 0.1, "Ra": 3, "La": 1e-3, "dm": 0.1}
    assert {name: values[name] for name in printed} == printed
    assert model.inputs["drive"].value == 20


def test_the_3rrr_is_the_paper_s():
    model = load("planar_3rrr")
    assert [name for name in model.joints if name != "base"] == ["crank1", "crank2", "crank3", "platform"]
    assert list(model.constraints) == ["rod1", "rod2", "rod3"]
    assert list(model.motors) == ["motor1", "motor2", "motor3"]


def test_the_two_four_bars_differ_by_the_plane():
    plane, space = load("four_bar"), load("four_bar_spatial")
    assert plane.planar == "xy"
    assert space.replace(planar="xy", name=plane.name, source=plane.source) == plane


def test_the_gallery_loads_without_warnings():
    """What a source prints and physics doubts is accepted in the file, `accept: [motor_power]`."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in gallery():
            load(name)


@pytest.mark.exhaustive
def test_models_with_motors_are_known_without_loading_them():
    assert [name for name in gallery() if load(name).motors] == WITH_MOTORS
