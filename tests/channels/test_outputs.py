"""Outputs: their units, the results that they may name, and where else these are refused."""

import warnings

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.formats.gallery import gallery
from tests.selection import each

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
    "2*drive.voltage*drive.current": "W",
    "payload.x*2": "m",
    "-payload.x/3": "m",
    "0.5*mp*payload.vx**2": "N*m",
    "sin(swing)*drive.torque": "N*m",
    "(1 - cos(swing))*L": "m",
    "if(t < 1, 1, 0)*drive.current": "A",
    "travel.reaction_force.z": "N",
    "swing.reaction_moment.y/L": "N",
    "travel.effort": "N",
    "energy.kinetic": "J",
    "2*swing": "rad",
    "swing/2 - lean": "rad",
    "1000*payload.x": "",
    "180/pi*swing": "",
    "3.6*payload.vx": "",
    "9.81*mp": "",
    "payload.x/0.7": "",
    "1": "",
}


ONLY = (
    "accelerations, orientations, reactions, results of friction and end stops, and those of motors but current and "
    "speed may stand in outputs only"
)
MOTORS_OFF = r"outputs\.y: .*motors are off"


@pytest.fixture(scope="module")
def crane():
    """The crane, whose motor creates power."""
    crane = cardan.load("overhead_crane")
    return crane.replace(parameters={**crane.parameters, "lean": "5 deg"})


@pytest.fixture(scope="module")
def units(crane):
    """Units of all outputs of one run, by their expressions."""
    names = {f"y{k}": expression for k, expression in enumerate(CASES)}
    run = cardan.simulate(crane.replace(outputs=names), times=[0, 0.1])
    return {expression: run[name].attrs["units"] for name, expression in names.items()}


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
@each("expression, unit", CASES.items())
def test_an_output_has_the_unit_of_its_names(units, expression, unit):
    assert units[expression] == unit


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
@each("name", ["drive.power", "drive.speed", "drive.output_torque", "drive.current"])
def test_an_output_of_a_motor_needs_motors(crane, name):
    with pytest.raises(cardan.ModelError, match=MOTORS_OFF):
        cardan.simulate(crane.replace(outputs={"y": name}, inputs={}), until=0.1, motors="none")


@each("name", ["payload.acceleration.x", "payload.orientation.w", "drive.power", "swing.a"])
@each(
    "section",
    [
        lambda name: {"forces": {"f": {"type": "force", "child": "payload", "value": [name, 0, 0]}}},
        lambda name: {"constraints": {"c": {"type": "expression", "expression": name}}},
        lambda name: {"coordinates": {"one": name, "two": "swing"}},
    ],
)
def test_what_needs_a_solution_stands_in_outputs_only(crane, section, name):
    with pytest.raises(cardan.ModelError, match=f"'{name}' is not possible here") as error:
        crane.replace(**section(name))
    assert ONLY in str(error.value)


def test_inputs_cannot_follow_accelerations(crane):
    with pytest.raises(cardan.ModelError, match=r"'payload\.acceleration\.x' is not possible here"):
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


@each("marker", ["velocity", "orientation", "angular_acceleration"])
def test_markers_cannot_take_the_names_of_results(marker):
    with pytest.raises(cardan.ModelError, match=f"the marker name '{marker}' is reserved"):
        cardan.Model(
            bodies={"arm": {"mass": 1, "markers": {marker: {}}}},
            joints={"hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "y"}},
        )


RUBBING = {
    "gravity": [0, 0, -9.81],
    "bodies": {
        name: {"mass": 2, "com": [0, 0, -0.1], "inertia": [0.1, 0.1, 0.1]} for name in ("bead", "arm", "ball", "block")
    },
    "joints": {
        "free": {"type": "free", "parent": "ground", "child": "bead"},
        "hooke": {
            "type": "universal",
            "parent": "ground",
            "child": "arm",
            "axes": ["x", "y"],
            "friction": {"effort": 0.1},
        },
        "socket": {
            "type": "spherical",
            "parent": "ground",
            "child": "ball",
            "friction": {"effort": 0.2, "regularize": 0.1},
        },
        "slide": {
            "type": "prismatic",
            "parent": "ground",
            "child": "block",
            "axis": "z",
            "friction": {"type": "lugre", "effort": 5, "bristle": 1e4, "bristle_damping": 100},
            "limits": {"lower": -0.1, "stiffness": 1e4, "damping": 10},
        },
    },
    "constraints": {
        "guide": {"type": "point_on_line", "child": "bead", "axis": [1, 0, -1], "friction": {"coefficient": 0.1}}
    },
    "initial": {"hooke.r1": 0.3, "socket.wx": 2.0},
}


def test_outputs_name_friction_and_stops():
    """Of joints, of each pin of a universal joint, of constraints: each is the result of its name, with its unit."""
    named = {
        "guide.friction": "N",
        "guide.friction_limit": "N",
        "guide.sticking": "1",
        "guide.heat": "J",
        "hooke.r2.friction": "N*m",
        "hooke.r1.heat": "J",
        "socket.friction_moment.x": "N*m",
        "slide.bristle": "m",
        "slide.stop_force": "N",
    }
    outputs = {name.replace(".", "_"): name for name in named}
    model = cardan.Model(**RUBBING, outputs=outputs | {"all_heat": "guide.heat + hooke.r1.heat + hooke.r2.heat"})
    run = cardan.simulate(model, until=0.3)
    assert run.ok, run.message
    for output, name in outputs.items():
        whole = name if name in run.channels else name.rpartition(".")[0]
        expected = run.array(whole) if whole == name else run.array(whole)[:, 0]
        np.testing.assert_array_equal(run.array(output), expected, err_msg=name)
        assert np.abs(expected).max() > 0 or name in ("guide.sticking", "hooke.r2.friction")
        assert run.channels[output].unit == named[name]
    heat = sum(run.array(f"{name}.heat")[-1] for name in ("guide", "hooke.r1", "hooke.r2"))
    assert run.array("all_heat")[-1] == pytest.approx(heat, rel=1e-15)
    assert run.channels["all_heat"].unit == "J"


def test_analyses_without_friction_leave_out_outputs_that_name_it():
    parts = {key: {name: RUBBING[key][name]} for key, name in (("joints", "free"), ("bodies", "bead"))}
    model = cardan.Model(**parts, constraints=RUBBING["constraints"], outputs={"f": "abs(guide.friction)"})
    assert cardan.verify(model, states=1).ok


def test_what_does_not_rub_has_no_friction_to_name():
    with pytest.raises(ModelError, match=r"'free.friction' is nothing in this model"):
        cardan.Model(**RUBBING, outputs={"f": "free.friction"})


@each(
    "expression, fault",
    [
        ("payload.x - swing", "'-' joins a length and an angle or a number without unit"),
        ("abs(payload.x + drive.current)", "'+' joins a length and a current"),
        ("L + swing.friction", "'+' joins a length and a torque"),
    ],
)
def test_a_sum_of_unlike_units_is_doubted_where_it_stands(crane, expression, fault):
    joints = {**crane.joints, "swing": crane.joints["swing"].replace(friction={"effort": 0.1})}
    with pytest.warns(ModelWarning) as said:
        crane.replace(joints=joints, outputs={"fine": "exp(-t) + payload.x/L", "y": expression})
    doubts = [str(one.message) for one in said if "outputs" in str(one.message)]
    assert len(doubts) == 1
    assert doubts[0].startswith("outputs.y: ")
    assert fault in doubts[0]


def test_outputs_of_the_gallery_add_like_units():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=r".*outputs\.")
        for name in gallery():
            cardan.load(name)


def pendulum(**outputs):
    """A point mass m on a rod of length L, held by a spring as well, that starts from rest at one radian."""
    return cardan.Model(
        parameters={"m": "2 kg", "L": "0.5 m"},
        planar="xz",
        bodies={"bob": {"mass": "m", "com": [0, 0, "-L"]}},
        joints={"pin": {"type": "revolute", "parent": "ground", "child": "bob", "axis": "y"}},
        forces={
            "s": {"type": "spring_damper", "parent": {"body": "ground", "position": [1, 0, 0]}, "child": "bob.com",
                  "stiffness": 5, "rest_length": 0.2},
        },
        initial={"pin": 1},
        outputs=outputs,
    )  # fmt: skip


def test_outputs_name_reactions_loads_and_each_other():
    """Along the rod, m (L ω² + g cos θ) and the spring's part pull at the pin."""
    model = pendulum(
        double="2*pull", pull="-(pin.reaction_force.x*bob.com.x + pin.reaction_force.z*bob.com.z)/L", spring="s.force.z"
    )
    run = cardan.simulate(model, times=np.linspace(0, 1, 11), rtol=1e-10)
    q, v = run["pin.q"].values, run["pin.v"].values
    along = -np.column_stack([np.sin(q), np.cos(q)])  # from the pin to the bob
    spring = run["s.force"].values[:, [0, 2]]
    pull = 2 * (0.5 * v**2 + 9.81 * np.cos(q)) + np.sum(spring * along, axis=1)
    np.testing.assert_allclose(run["pull"].values, pull, rtol=0, atol=1e-10 * np.abs(pull).max())
    np.testing.assert_array_equal(run["double"].values, 2 * run["pull"].values)
    np.testing.assert_array_equal(run["spring"].values, run["s.force"].values[:, 2])
    assert (run["double"].attrs["units"], run["spring"].attrs["units"]) == ("N", "N")
    swept = cardan.sweep(model, 1.0, parameters={"L": [0.5]}, outputs=["max(pull)"], rtol=1e-10)
    assert float(swept["max(pull)"][0]) >= pull.max() * (1 - 1e-9)


def test_an_output_has_the_uniqueness_of_the_reactions_in_it():
    """What a planar model cannot know is NaN, also through another output; what a loop leaves open is named."""
    outputs = {"moment": "pin.reaction_moment.x", "more": "force + moment", "force": "pin.reaction_force.x"}
    run = cardan.simulate(cardan.load("slider_crank").replace(outputs=outputs), times=[0, 0.1])
    assert np.isnan(run["moment"].values).all()
    assert np.isnan(run["more"].values).all()
    assert np.isfinite(run["force"].values).all()
    door = cardan.load("door_two_hinges").replace(outputs={"z": "2*hinge1.reaction_force.z"})
    run = cardan.simulate(door, times=[0, 0.1])
    assert run["z"].attrs["unique"] == "no"
    np.testing.assert_allclose(run["z"].values, 2 * run["hinge1.reaction_force"].values[:, 2], rtol=1e-12)


def test_outputs_in_a_ring_are_refused_by_name():
    with pytest.raises(ModelError, match=r"outputs\.a: the definition is circular: a → b → a"):
        pendulum(a="b + 1", b="2*a")
    assert cardan.simulate(pendulum(L="L"), times=[0, 0.1])["L"].values[0] == 0.5
