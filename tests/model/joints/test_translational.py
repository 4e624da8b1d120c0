"""The translational joint keeps the contract of joints; a point mass in it flies and swings."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.model.joints.translational import Translational
from cardan.model.model import Model
from tests.contracts.joint_contract import JointContract


class TestTranslational(JointContract):
    sample = Translational(parent="ground", child="body")
    size = (3, 3)


def ball(**more) -> Model:
    """A point mass without inertia that can move along x, y and z."""
    joints = {"fly": {"type": "translational", "parent": "ground", "child": "ball", "damping": more.pop("damping", 0)}}
    return Model(bodies={"ball": {"mass": 2}}, joints=joints, **more)


def test_a_point_mass_is_thrown():
    t = np.linspace(0, 1, 5)
    run = cardan.simulate(ball(initial={"fly.x.v": 3, "fly.z.v": 4, "fly.y": 1}), times=t)
    np.testing.assert_allclose(run["fly.x.q"], 3 * t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["fly.y.q"], 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["fly.z.q"], 4 * t - 9.81 * t**2 / 2, rtol=0, atol=1e-12)


def test_a_point_mass_on_a_rod_is_a_pendulum():
    """Period of small swings 2π √(l/g): after a quarter it passes the lowest point with the speed of its fall."""
    rod = {"rod": {"type": "distance", "child": "ball", "length": 1}}
    run = cardan.simulate(ball(constraints=rod, initial={"fly.x": 0.6, "fly.z": -0.8}), times=[0, 0.5], rtol=1e-10)
    z, speed = run["fly.z.q"].values, np.hypot(run["fly.x.v"], run["fly.z.v"]).values
    np.testing.assert_allclose(speed[1] ** 2, 2 * 9.81 * (z[0] - z[1]), rtol=1e-8)


def test_a_table_on_three_slides_may_close_a_loop():
    """A body on three slides in a row, closed by a translational joint: the three rows of it are redundant."""
    slide = {"type": "prismatic"}
    bodies = {name: {"mass": 1, "inertia": [1, 1, 1]} for name in ("a", "b", "c")}
    joints = {
        "x": {**slide, "parent": "ground", "child": "a", "axis": "x"},
        "y": {**slide, "parent": "a", "child": "b", "axis": "y"},
        "z": {**slide, "parent": "b", "child": "c", "axis": "z"},
        "whole": {"type": "translational", "parent": "ground", "child": "c", "cut": True},
    }
    report = cardan.mobility(Model(bodies=bodies, joints=joints))
    assert (report.degrees_of_freedom, len(report.redundant)) == (3, 3)
    run = cardan.simulate(Model(bodies=bodies, joints=joints), times=[0.0, 1.0])
    assert run["z.q"].values[-1] == pytest.approx(-9.81 / 2)


def test_springs_that_meet_in_a_point_without_mass_are_refused_with_what_to_do():
    springs = {
        name: {
            "type": "spring_damper",
            "parent": {"body": "ground", "position": [x, 0, 1]},
            "child": "ball",
            "stiffness": 100,
        }
        for name, x in {"left": -1, "right": 1}.items()
    }
    model = ball(forces=springs).replace(bodies={"ball": {}})
    with pytest.raises(
        ModelError, match=r"coordinates 'fly\.x', 'fly\.y', 'fly\.z' have no inertia(.|\n)*a small mass and dampers"
    ):
        cardan.simulate(model, until=1)


def test_a_planar_model_has_none():
    with pytest.raises(ModelError, match="a joint of type translational leaves the plane xz"):
        ball(planar="xz")
