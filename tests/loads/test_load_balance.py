"""Every load under its name: with rolling wheels, gears, rods, slots and springs, the results balance on every body."""

import numpy as np
import pytest

import cardan
from cardan.model import Model
from tests.balance import imbalance

TIMES = np.linspace(0, 0.4, 5)
BALANCE = 1e-9  # of the largest load: a million round-offs, which the differences of accelerations leave


def simulated(model, **options):
    """A short run without motors."""
    run = cardan.simulate(model, times=TIMES, motors="none", method="dop853", rtol=1e-11, atol=1e-12, **options)
    assert run.ok, run.message
    return run


WHEEL = {"mass": 2, "inertia": [0.05, 0.09, 0.05]}


def rolling(equation):
    """A cart on a spring, pulled along by its wheel's friction with the ground, a pendulum under it."""
    return Model(
        parameters={"r": "0.3 m"},
        bodies={
            "cart": {"mass": 3, "inertia": [0.2, 0.2, 0.2]},
            "wheel": WHEEL,
            "bob": {"mass": 1, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01]},
        },
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
            "axle": {"type": "revolute", "parent": "cart", "child": "wheel", "axis": "y"},
            "hip": {"type": "revolute", "parent": "cart", "child": "bob", "axis": "-y"},
        },
        forces={
            "spring": {"type": "spring_damper", "child": "cart", "stiffness": 80, "damping": 2},
            "twist": {"type": "torsion_spring", "parent": "cart", "child": "bob", "axis": "y", "stiffness": 4},
            "push": {"type": "force", "child": "bob.com", "value": [3, 1, 0], "frame": "child"},
            "brake": {"type": "torque", "parent": "cart", "child": "wheel", "value": [0, "-0.4*cos(5*t)", 0.1]},
        },
        constraints={"rolling": {"type": "expression", "velocity": equation}},
        initial={"x": 0.2, "hip": 0.4, "hip.v": 2.0, "x.v": 1.0},
    )


def test_a_wheel_rolling_by_the_velocities_of_points():
    """λ is the force of the ground at the point of contact: vx − r ωy is the velocity there."""
    model = rolling("wheel.vx - r*wheel.wy")
    run = simulated(model)
    assert run["rolling.force"].attrs["units"] == "N"
    friction = run.array("rolling.force")[:, None] * np.array([1.0, 0, 0])
    at = np.array([0, 0, -0.3])
    assert imbalance(model, run, "none", {"wheel": (friction, np.cross(at, friction))}) < BALANCE
    assert imbalance(model, run, "none") > 1e-3  # the test sees what is missing


def test_a_wheel_rolling_by_coordinates():
    """The equation's efforts λ along x and −r λ about the axle act in these joints, as those of actuators do."""
    model = rolling("x.v - r*axle.v")
    run = simulated(model)
    assert imbalance(model, run, "none") < BALANCE
    lam = run.array("rolling.force")
    np.testing.assert_allclose(run.array("axle.reaction_moment")[:, 1], -0.3 * lam, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.array("x.reaction_force")[:, 0], lam, rtol=0, atol=1e-10)


def test_gears_on_a_moving_arm():
    """An epicyclic gear: ring at rest, a planet on the arm, a sun; both couplings between coordinates."""
    hinge = {"type": "revolute", "axis": "z"}
    model = Model(
        bodies={
            "arm": {"mass": 1, "com": [0.1, 0, 0], "inertia": [0.01] * 3, "markers": {"p": {"position": [0.2, 0, 0]}}},
            "sun": {"mass": 1, "inertia": [0.01, 0.01, 0.02]},
            "planet": {"mass": 0.5, "com": [0.01, 0, 0.02], "inertia": [0.005, 0.005, 0.01]},
        },
        joints={
            "arm": hinge | {"parent": "ground", "child": "arm"},
            "sun": hinge | {"parent": "ground", "child": "sun"},
            "planet": hinge | {"parent": "arm.p", "child": "planet"},
        },
        constraints={
            "outside": {"type": "coupler", "terms": {"planet": 1, "arm": 3}},
            "inside": {"type": "coupler", "terms": {"sun": 1, "arm": -1, "planet": 1}},
        },
        forces={"drive": {"type": "torque", "child": "sun", "value": [0, 0, "2*cos(3*t)"]}},
        initial={"arm.v": 3.0},
    )
    run = simulated(model)
    assert imbalance(model, run, "none") < BALANCE
    assert run["inside.force"].attrs["units"] == "N*m"
    np.testing.assert_allclose(run.array("sun.reaction_moment")[:, 2], run.array("inside.force"), rtol=0, atol=1e-10)


def test_loads_in_the_axes_of_markers():
    model = rolling("x.v - r*axle.v")
    run = simulated(model)
    np.testing.assert_allclose(
        run.reaction("push", "child").force, np.tile([3.0, 1.0, 0], (len(TIMES), 1)), rtol=0, atol=1e-12
    )
    size = np.linalg.norm(run.array("twist.moment"), axis=1)
    np.testing.assert_allclose(np.linalg.norm(run.array("twist.moment.child"), axis=1), size, rtol=1e-12)
    assert run["spring.force"].attrs["units"] == "N"
    assert "spring.moment" not in run.names
    with pytest.raises(KeyError, match="use frame"):
        run.reaction("rolling", "child")


def test_a_hanging_weight_pulls_and_a_standing_one_pushes():
    model = Model(
        planar="xz",
        bodies={"cart": {}, "bob": {"mass": 2}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
            "z": {"type": "prismatic", "parent": "cart", "child": "bob", "axis": "z"},
        },
        constraints={"rod": {"type": "distance", "child": "bob", "length": 0.5}},
    )
    for height, tension in ((-0.5, 2 * 9.81), (0.5, -2 * 9.81)):
        run = cardan.simulate(model, times=[0], until=1, motors="none", initial={"x": 0, "z": {"guess": height}})
        assert run.array("rod.tension") == pytest.approx(tension, rel=1e-9)
        said = {"units": "N", "long_name": "pull in the rod; negative where it pushes", "unique": "yes"}
        assert run["rod.tension"].attrs == said


def test_the_unit_of_a_multiplier_is_energy_per_unit_of_its_equation():
    slide = {"parent": "ground", "axis": "x"}
    model = Model(
        gravity=[0, 0, 0],
        parameters={"L": "2 m", "k": 3},
        bodies={name: {"mass": 1, "inertia": [1, 1, 1]} for name in "abcdef"},
        joints={name: slide | {"child": name, "type": "revolute" if name == "f" else "prismatic"} for name in "abcdef"},
        constraints={
            "length": {"type": "expression", "expression": "a - 0.1*t"},
            "speed": {"type": "expression", "velocity": "b.v - 0.1"},
            "ratio": {"type": "expression", "expression": "c/L - 1"},
            "square": {"type": "expression", "expression": "d*d - L**2"},
            "mixed": {"type": "coupler", "terms": {"e": 1, "f": "k"}},
        },
        initial={name: {"guess": 2} for name in "cd"},
    )
    run = simulated(model)
    units = {name: run[f"{name}.force"].attrs["units"] for name in model.constraints}
    assert units == {"length": "N", "speed": "N", "ratio": "N*m", "square": "N/m", "mixed": "N"}
    assert "energy per unit" in run["length.force"].attrs["long_name"]
    assert "and time" in run["speed.force"].attrs["long_name"]
    assert run["length.force"].dims == ("time",)


def test_the_moment_of_a_slide_is_about_its_child_also_where_the_parent_hangs_on_it():
    """A load of weight F at x = −0.7 m on a bracket: the load is the parent, so it pushes the bracket down."""
    slide = {"type": "prismatic", "parent": "load", "child": "bracket", "axis": "x"}
    model = Model(
        bodies={name: {"mass": 2, "inertia": [1, 1, 1]} for name in ("bracket", "load")},
        joints={"wall": {"type": "fixed", "parent": "ground", "child": "bracket"}, "slide": slide},
        initial={"slide": 0.7},
    )
    run = cardan.simulate(model, times=[0.0])
    F = 2 * 9.81
    np.testing.assert_allclose(run["slide.reaction_force"], [[0, 0, -F]], rtol=0, atol=1e-13)
    np.testing.assert_allclose(run["slide.reaction_moment"], [[0, -0.7 * F, 0]], rtol=0, atol=1e-13)
