"""Outputs: their units, the results that they may name, and where else these are refused."""

import numpy as np
import pytest

import cardan

CASES = {
    "payload.com.x": "m",
    "payload.hook.vz": "m/s",
    "payload.wy": "rad/s",
    "swing": "rad",
    "swing.v": "rad/s",
    "drive.current": "A",
    "t": "s",
    "payload.velocity.x": "m/s",
    "payload.hook.angular_velocity.y": "rad/s",
    "payload.acceleration.z": "m/s^2",
    "payload.com.angular_acceleration.y": "rad/s^2",
    "payload.orientation.w": "",
    "swing.a": "rad/s^2",
    "travel.a": "m/s^2",
    "drive.speed": "rad/s",
    "drive.power": "W",
    "drive.voltage": "V",
    "drive.torque": "N*m",
    "drive.input_torque": "N*m",
    "-drive.output_torque": "N",
    "-trolley.position.x + 0.1": "m",
    "hypot(payload.vx, payload.vz)": "m/s",
    "payload.x - swing": "",
    "payload.x - L": "m",
    "drive.voltage*drive.current": "W",
    "drive.torque*drive.speed": "W",
    "drive.voltage/drive.current": "ohm",
    "payload.vx*L": "m^2/s",
    "sqrt(payload.x**2)": "m",
    "payload.x/L": "1",
    "2*drive.voltage*drive.current": "",
    "payload.x*2": "",
    "1": "",
}


ONLY = "accelerations, orientations, and results of motors but current and speed may stand in outputs only"
MOTORS_OFF = r"outputs\.y: .*motors are off"


@pytest.fixture(scope="module")
def crane():
    """The crane, whose motor creates power."""
    return cardan.load("overhead_crane")


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
@pytest.mark.parametrize(("expression", "unit"), CASES.items())
def test_an_output_has_the_unit_of_its_names(crane, expression, unit):
    run = cardan.simulate(crane.replace(outputs={"y": expression}), times=[0, 0.1])
    assert run["y"].attrs["units"] == unit


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
def test_an_output_is_the_result_that_it_names(crane):
    """Components of vectors and results of motors, alone and in an expression."""
    names = {
        "payload.velocity.x": ("payload.velocity", 0),
        "payload.hook.velocity.z": ("payload.hook.velocity", 2),
        "payload.angular_velocity.y": ("payload.angular_velocity", 1),
        "payload.com.acceleration.z": ("payload.com.acceleration", 2),
        "payload.angular_acceleration.y": ("payload.angular_acceleration", 1),
        "payload.orientation.w": ("payload.orientation", 0),
        "swing.a": ("swing.a", None),
        **{f"drive.{name}": (f"drive.{name}", None) for name in ("speed", "power", "voltage", "torque")},
        **{f"drive.{name}": (f"drive.{name}", None) for name in ("input_torque", "output_torque")},
    }
    outputs = {f"y{k}": f"2*{name}" for k, name in enumerate(names)}
    run = cardan.simulate(crane.replace(outputs=outputs), times=np.linspace(0, 1, 11))
    for k, (whole, component) in enumerate(names.values()):
        values = run.array(whole)
        np.testing.assert_array_equal(run.array(f"y{k}"), 2 * (values if component is None else values[:, component]))


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
@pytest.mark.parametrize("name", ["drive.power", "drive.speed", "drive.output_torque", "drive.current"])
def test_an_output_of_a_motor_needs_motors(crane, name):
    with pytest.raises(cardan.ModelError, match=MOTORS_OFF):
        cardan.simulate(crane.replace(outputs={"y": name}, inputs={}), until=0.1, motors="none")


@pytest.mark.parametrize("name", ["payload.acceleration.x", "payload.orientation.w", "drive.power", "swing.a"])
@pytest.mark.parametrize(
    "section",
    [
        lambda name: {"forces": {"f": {"type": "force", "child": "payload", "value": [name, 0, 0]}}},
        lambda name: {"constraints": {"c": {"type": "expression", "expression": name}}},
        lambda name: {"coordinates": {"one": name, "two": "swing"}},
    ],
)
def test_what_needs_a_solution_stands_in_outputs_only(crane, section, name):
    with pytest.raises(cardan.ModelError, match=f"names '{name}'") as error:
        crane.replace(**section(name))
    assert ONLY in str(error.value)


def test_inputs_cannot_follow_accelerations(crane):
    with pytest.raises(cardan.ModelError, match=r"names 'payload\.acceleration\.x'"):
        crane.replace(inputs={"drive": "payload.acceleration.x"})


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
def test_forces_may_follow_velocities_by_either_name(crane):
    """A wind on the payload, and a brake that follows the speed of the rotor."""
    short, long = (
        {
            "wind": {"type": "force", "child": "payload.com", "value": [f"-0.5*payload.com.{velocity}", 0, 0]},
            "brake": {"type": "force", "child": "trolley", "value": [f"-0.01*{speed}", 0, 0]},
        }
        for velocity, speed in (("vx", "400*travel.v"), ("velocity.x", "drive.speed"))
    )
    runs = [cardan.simulate(crane.replace(forces=forces), times=[0, 0.5, 1.0]) for forces in (short, long)]
    np.testing.assert_allclose(runs[0].x, runs[1].x, rtol=1e-10)


@pytest.mark.parametrize("marker", ["velocity", "orientation", "angular_acceleration"])
def test_markers_cannot_take_the_names_of_results(marker):
    with pytest.raises(cardan.ModelError, match=f"the marker name '{marker}' is reserved"):
        cardan.Model(
            bodies={"arm": {"mass": 1, "markers": {marker: {}}}},
            joints={"hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "y"}},
        )
