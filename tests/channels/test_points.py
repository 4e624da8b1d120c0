"""Motion of bodies and markers: against differences of positions, rotation matrices and closed forms."""

import warnings

import numpy as np
import pytest

import cardan
from tests.channels.test_families import start
from tests.mechanisms import random_model
from tests.selection import each

STEP = 1e-4  # of the central differences [s]
AT = 0.2  # instant at which they are taken [s]
TIMES = AT + STEP * np.arange(-2, 3)
# Errors of the differences, relative to the values: (STEP ω)⁴/30 with ω up to 150 rad/s, 2e-9, and those of the run,
# 1e-13, over STEP, 1e-9
DIFFERENCE = 1e-8
ROUNDOFF = 1e-14  # of a product of some ten rotations
GALLERY = {
    "overhead_crane": {},
    "manipulator_6dof": {"initial": {f"q{k}.v": 0.3 * k for k in range(1, 7)}},
    "bricard": {},
    "heavy_top": {},
    "four_bar_spatial": {},
    "planar_3rrr": {},
    "flyball_governor": {},
}


def slope(values):
    """Derivative at the middle one of five instants (error of fourth order)."""
    return (values[0] - 8 * values[1] + 8 * values[3] - values[4]) / (12 * STEP)


def spin(R):
    """ω (3,) at the middle one of five rotation matrices: the vector of Ṙ Rᵀ."""
    W = slope(R) @ R[2].T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def rotations(q):
    """Rotation matrices (N, 3, 3) of unit quaternions (N, 4), by Rodrigues' formula."""
    w, r = q[:, :1, None], q[:, 1:]
    K = np.zeros((len(q), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = r.T
    K[:, 1, 2], K[:, 2, 0], K[:, 0, 1] = -r.T
    return np.eye(3) + 2 * w * K + 2 * K @ K


@pytest.fixture(scope="module", params=[*GALLERY, 0, 3, 7])
def run_and_model(request):
    """A run of a mechanism of the gallery, or of a random one with all joint types, and its model."""
    if isinstance(request.param, str):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cardan.ModelWarning)  # motors that create power
            model, given = cardan.load(request.param), GALLERY[request.param]
    else:
        model = random_model(request.param)
        given = {"initial": start(model, request.param)}
    return cardan.simulate(model, times=TIMES, rtol=1e-13, atol=1e-13, **given), model


def places(run):
    """Names of all bodies and markers of a run."""
    return [name.removesuffix(".orientation") for name in run.channels if name.endswith(".orientation")]


def test_velocities_and_accelerations_are_rates_of_positions_and_orientations(run_and_model):
    run, _ = run_and_model
    assert run.ok
    for name in places(run):
        p, v, a = (run.array(f"{name}.{what}") for what in ("position", "velocity", "acceleration"))
        q, w, alpha = (
            run.array(f"{name}.{what}") for what in ("orientation", "angular_velocity", "angular_acceleration")
        )
        for found, rate in ((v, slope(p)), (a, slope(v)), (w, spin(rotations(q))), (alpha, slope(w))):
            allowed = DIFFERENCE * (1 + np.max(np.abs(found)))
            np.testing.assert_allclose(found[2], rate, rtol=0, atol=allowed)


def test_orientations_are_those_of_forward_kinematics(run_and_model):
    run, model = run_and_model
    coordinates = [name for name in run.state_names if name.endswith(".q")]
    poses = cardan.compile(model).forward_kinematics(run.x[:, : len(coordinates)])
    for name, T in poses.items():
        for place in (name, f"{name}.com"):
            q = run.array(f"{place}.orientation")
            np.testing.assert_allclose(rotations(q), T[:, :3, :3], rtol=0, atol=ROUNDOFF)
            np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1, rtol=0, atol=ROUNDOFF)
            assert q[0, 0] >= 0


def pendulum(**more):
    """The compound pendulum about z, with a marker that is turned by 90° about x."""
    model = cardan.load("compound_pendulum").replace(planar=None, **more)
    rod = model.bodies["rod"]
    return model.replace(
        bodies={"rod": rod.replace(markers={"tip": {"position": [0, "-l", 0], "rpy": ["90 deg", 0, 0]}})}
    )


@each("start", [0.1, 4.0, -9.0])
def test_quaternions_run_on_over_several_turns(start):
    """(cos θ/2, 0, 0, sin θ/2), with the sign that makes w ≥ 0 at the first instant that is returned."""
    initial = {"pendulum": start, "pendulum.v": 20.0}
    run = cardan.simulate(pendulum(), times=np.linspace(0.3, 2.3, 401), initial=initial)
    half = run.array("pendulum.q") / 2
    assert np.ptp(half) > 6 * np.pi
    turned = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    expected = turned * np.where(turned[0, 0] < 0, -1, 1)
    np.testing.assert_allclose(run.array("rod.orientation"), expected, rtol=0, atol=ROUNDOFF)
    assert run["rod.orientation"].dims == ("time", "quaternion")
    tip = run.array("rod.tip.orientation")  # times the quarter turn about x, (√½, √½, 0, 0)
    product = np.sqrt(0.5) * np.stack([turned[:, 0], turned[:, 0], turned[:, 3], turned[:, 3]], axis=1)
    np.testing.assert_allclose(tip, product * np.sign(product[0, 0]), rtol=0, atol=ROUNDOFF)


def test_the_pendulum_in_closed_form():
    """The tip of a rod of length l: speed l θ̇, acceleration l θ̈ along the path and l θ̇² towards the pivot."""
    run = cardan.simulate(pendulum(), times=np.linspace(0, 2, 21))
    th, rate, more = (run.array(f"pendulum.{what}") for what in "qva")
    np.testing.assert_allclose(more, -1.5 * 9.81 / 0.8 * np.sin(th), rtol=0, atol=1e-12)
    along = np.stack([np.cos(th), np.sin(th), 0 * th], axis=1)
    inwards = np.stack([-np.sin(th), np.cos(th), 0 * th], axis=1)
    z = np.array([0, 0, 1])
    expected = {
        "velocity": 0.8 * rate[:, None] * along,
        "acceleration": 0.8 * (more[:, None] * along + rate[:, None] ** 2 * inwards),
        "angular_velocity": rate[:, None] * z,
        "angular_acceleration": more[:, None] * z,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(run.array(f"rod.tip.{name}"), values, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(run.array("rod.velocity"), 0)
    np.testing.assert_array_equal(run.array("rod.acceleration"), 0)


def test_they_are_found_by_name_and_not_listed(tmp_path):
    run = cardan.simulate(pendulum(), until=0.2)
    assert not any(name.endswith(("orientation", "velocity", "acceleration")) for name in run.names)
    assert run["rod.tip.angular_acceleration"].attrs["units"] == "rad/s^2"
    cardan.save_run(run, tmp_path / "run.nc", ["rod.orientation", "rod.tip.velocity"])
    back = cardan.load_run(tmp_path / "run.nc")
    np.testing.assert_array_equal(back.array("rod.orientation"), run.array("rod.orientation"))
    assert back["rod.tip.velocity"].attrs["units"] == "m/s"
    with pytest.raises(KeyError, match=r"rod\.velocity"):
        run["rod.velocty"]
    cardan.plot(run, ["rod.orientation", "rod.tip.velocity.x"], tmp_path / "run.svg")
