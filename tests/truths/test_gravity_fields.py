"""Gravity that depends on the place: Kepler's orbit, satellites, and a pendulum in a field with a gradient."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError
from tests.selection import each

MU, FAR, SPEED = 1.0, 0.6, 1.0
REFERENCE = {  # Modelica.Mechanics.MultiBody.Examples.Elementary.PointGravity, body1, of the MAP-LIB reference results
    1.0: (-0.244386453, -0.164094655),
    3.0: (-0.391054021, 0.212112949),
    5.0: (-0.269303579, 0.483561374),
}


def kepler(t):
    """x, y of a body that leaves (0, FAR) with SPEED along x, its greatest distance, by Kepler's equation."""
    a = 1 / (2 / FAR - SPEED**2 / MU)
    e, n = FAR / a - 1, np.sqrt(MU / a**3)
    M = np.pi + n * t
    E = brentq(lambda E: E - e * np.sin(E) - M, M - 1, M + 1, xtol=1e-14)
    return a * np.sqrt(1 - e**2) * -np.sin(E), -a * (np.cos(E) - e)


def orbit(gravity, **keys):
    """Two bodies in the same gravity: one that flies, and one that slides far away and feels it as well."""
    return cardan.Model(
        gravity=gravity,
        bodies={"moon": {"mass": 3, "com": [0.1, 0, 0], "inertia": [0.1, 0.1, 0.1]}},
        joints={"f": {"type": "free", "parent": {"body": "ground", "position": [1, 2, 3]}, "child": "moon.com"}},
        initial={"f": {"position": [0, FAR, 0]}, "f.vx": SPEED},
        **keys,
    )


@each(
    "gravity",
    [
        {"mu": "mu", "center": [1, 2, 3]},
        [f"-mu*({x})/((x - 1)**2 + (y - 2)**2 + (z - 3)**2)**1.5" for x in ("x - 1", "y - 2", "z - 3")],
    ],
)
def test_a_body_moves_on_keplers_ellipse(gravity):
    model = orbit(gravity, parameters={"mu": MU}, outputs={"pull": "moon.weight.force.y"})
    run = cardan.simulate(model, times=[0.0, *REFERENCE], rtol=1e-10)
    for row, t in enumerate(REFERENCE, 1):
        place = run["moon.com.position"].values[row] - [1, 2, 3]
        np.testing.assert_allclose(place[:2], kepler(t), rtol=0, atol=1e-8)
        np.testing.assert_allclose(place[:2], REFERENCE[t], rtol=0, atol=3e-4)  # it loses energy, at tolerance 1e-6
    assert run["pull"].values[0] == pytest.approx(-3 * MU / FAR**2, rel=1e-12)
    assert run["moon.weight.force"].values[0][1] == run["pull"].values[0]
    assert run.report.relative_energy_error < 1e-8
    cardan.verify(model)


def test_the_energy_of_a_point_is_that_of_newton():
    run = cardan.simulate(orbit({"mu": MU, "center": [1, 2, 3]}), times=[0.0, 1.0])
    assert run["energy.potential"].values[0] == pytest.approx(-3 * MU / FAR, rel=1e-12)


EARTH, RADIUS = 3.986004418e14, 7e6  # [m³/s²], [m]
MEAN_MOTION = np.sqrt(EARTH / RADIUS**3)


def satellite(com, **initial):
    """A body of 500 kg on a circle around the Earth."""
    return cardan.Model(
        gravity={"mu": "3.986004418e14 m^3/s^2"},
        bodies={"sat": {"mass": 500, "com": com, "inertia": [40, 60, 80]}},
        joints={"f": {"type": "free", "parent": "ground", "child": "sat"}},
        initial={"f": {"position": [RADIUS, 0, 0]}, "f.vy": RADIUS * MEAN_MOTION, **initial},
    )


def test_a_satellite_that_does_not_turn_costs_no_more_than_its_orbit():
    """At 7 km/s the round-off of m v × v would turn it, and make the steps short: one period, in 49 steps."""
    period = 2 * np.pi / MEAN_MOTION
    run = cardan.simulate(satellite([0, 0, 0]), times=[0.0, period / 4, period], rtol=1e-10, method="dop853")
    assert run.ok
    assert run.statistics["steps"] < 100
    # 1e-10 of each step
    np.testing.assert_allclose(run["sat.position"].values[1:] / RADIUS, [[0, 1, 0], [1, 0, 0]], atol=5e-9)
    assert not np.any(run["sat.angular_velocity"].values)


def test_a_satellite_turns_as_in_empty_space():
    """Its weight acts at the centre of mass; 7000 km away from the origin, levers of half a metre keep their digits."""
    spin = {"f.wx": 0.1, "f.wz": 0.3}
    model = satellite([0.3, 0.1, -0.2], **spin)
    still = model.replace(gravity=[0, 0, 0], initial=spin)
    names = [f"f.{one}" for one in ("qw.q", "qx.q", "qy.q", "qz.q", "wx.v", "wy.v", "wz.v")]
    found, wanted = (
        cardan.simulate(one, times=np.linspace(0, 300, 4), rtol=1e-10, method="dop853") for one in (model, still)
    )
    assert found.statistics["steps"] < 1.1 * wanted.statistics["steps"]
    for name in names:  # two runs at 1e-10 over 15 turns
        np.testing.assert_allclose(found[name].values, wanted[name].values, rtol=0, atol=1e-9)


def test_the_gradient_of_gravity_swings_a_dumbbell():
    """Two masses on a rod along the radius: φ'' = −3/2 n² sin 2φ about it, to the square of L/2R."""
    length, angle = 100.0, 0.2
    mass = {"mass": 10, "inertia": [1e-3, 1e-3, 1e-3]}
    model = cardan.Model(
        gravity={"mu": EARTH},
        bodies={"a": {**mass, "com": [length / 2, 0, 0]}, "b": {**mass, "com": [-length / 2, 0, 0]}},
        joints={
            "f": {"type": "free", "parent": "ground", "child": "a"},
            "rod": {"type": "fixed", "parent": "a", "child": "b"},
        },
        initial={
            "f": {"position": [RADIUS, 0, 0], "rpy": [0, 0, angle]},
            "f.vy": RADIUS * MEAN_MOTION,
            "f.wz": MEAN_MOTION,
        },
    )
    times = np.linspace(0, 4, 21) / MEAN_MOTION
    run = cardan.simulate(model, times=times, rtol=1e-10)
    rod = run["a.com.position"].values - run["b.com.position"].values
    along = run["a.position"].values
    phi = np.arctan2(np.cross(along, rod)[:, 2], np.sum(along * rod, 1))
    wanted = solve_ivp(
        lambda t, y: [y[1], -1.5 * np.sin(2 * y[0])],
        (0, 4),
        [angle, 0],
        t_eval=np.linspace(0, 4, 21),
        rtol=1e-11,
        atol=1e-13,
    )
    np.testing.assert_allclose(phi, wanted.y[0], rtol=0, atol=1e-6)


@each("field", ["-g0 - c*z", "interpolate(z, -1, -5.81, 1, -13.81)"])
def test_a_pendulum_keeps_its_energy_in_a_field_with_a_gradient(field):
    """With g(z) = g0 + c z the height's potential is g0 z + c z²/2, for a point mass on a massless rod."""
    model = cardan.Model(
        gravity=[0, 0, field],
        parameters={"g0": 9.81, "c": 4},
        bodies={"bob": {"mass": 2, "com": [0, 0, -0.8]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "bob", "axis": "y"}},
        initial={"hinge": 2},
    )
    run = cardan.simulate(model, times=np.linspace(0, 2, 9), rtol=1e-10)
    z, w = run["bob.com.position"].values[:, 2], run["hinge.v"].values
    energy = 0.5 * (0.8 * w) ** 2 + 9.81 * z + 2 * z**2
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-7)
    assert np.ptp(w) > 5
    bearing = run["hinge.reaction_force"].values[:, 2] + run["bob.weight.force"].values[:, 2]
    np.testing.assert_allclose(bearing, 2 * run["bob.com.acceleration"].values[:, 2], rtol=0, atol=1e-7)
    cardan.verify(model)


def test_parameters_called_x_are_parameters():
    model = orbit([0, 0, "-9.81*x"], parameters={"x": 2})
    assert cardan.compile(model).state_derivative([0.0] * 3 + [1, 0, 0, 0] + [0] * 6, [0.0] * 6)[9] == -2 * 9.81


def test_what_needs_one_weight_refuses_a_field():
    arm = cardan.load("planar_manipulator").replace(gravity={"mu": 1, "center": [0, -5, 0]})
    with pytest.raises(ModelError, match="gravity depends on the place, and a payload needs one weight"):
        cardan.workspace(arm, "link2.tip", {"link2.tip.x": [0.5], "link2.tip.y": [0.1]}, payload="2 kg")
    run = cardan.simulate(arm, until=0.1)
    with pytest.raises(ModelError, match="section forces need the same everywhere"):
        cardan.section_forces(run, "link1.elbow")


@each(
    "gravity, fault",
    [
        ([0, 0, "-9.81*t"], r"gravity\[2\]: '-9.81\*t' names 't', which is not possible here\n.*x, y, z, the place"),
        ([0, 0], "gravity: entry 3 is missing"),
        ({"mu": "2 m"}, "gravity.mu: '2 m' is a length, but a gravitational parameter is needed"),
    ],
)
def test_wrong_gravity_is_refused(gravity, fault):
    with pytest.raises(ModelError, match=fault):
        orbit(gravity)
