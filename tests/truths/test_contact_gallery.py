"""Mechanisms of the gallery with contacts, against closed forms and theorems of momentum."""

import numpy as np
import pytest

import cardan

G = 9.81


def mean(run, name, start, end):
    """Mean of a result over an interval of time."""
    inside = (run.t >= start) & (run.t <= end)
    t, values = run.t[inside], run[name].values[inside]
    return np.trapezoid(values, t, axis=0) / (t[-1] - t[0])


def test_the_robot_spins_its_wheels_rolls_and_drives_a_circle():
    model = cardan.load("wheeled_robot")
    run = cardan.simulate(model)
    weight, mu, b, r = 3.6 * G, 0.5, 0.13, 0.06
    loads = ["left_load", "right_load", "caster_load"]
    assert sum(run[name].values[-1] for name in loads) == pytest.approx(weight, rel=1e-6)
    assert sum(mean(run, name, 5, 8) for name in loads) == pytest.approx(weight, rel=1e-4)
    # while both wheels spin: m a = μ N − μc Nc, and moments about the point below the axle
    height, behind, reach, m, mc = 0.08, 0.06, 0.14, 3.6, 0.05
    speeds = [np.interp(at, run.t, run["speed"].values) for at in (0.3, 0.6)]
    a = (speeds[1] - speeds[0]) / 0.3
    wheels = mean(run, "left_load", 0.3, 0.6) + mean(run, "right_load", 0.3, 0.6)
    assert m * a == pytest.approx(mu * wheels - mc * (weight - wheels), rel=2e-3)
    spin = (np.interp(0.6, run.t, run["left.v"].values) - np.interp(0.3, run.t, run["left.v"].values)) / 0.3
    torque = 3 * a * height + 0.6 * a * r + 2 * (5.5e-4 + 20 * 2e-6) * spin  # rotors turn at 20 times the speed
    rolling = 1e-3 * wheels  # the overlap of tyre and road changes lengths by 0.5 mm of 60
    assert (weight - wheels) * reach == pytest.approx(3 * G * behind + torque + rolling, rel=5e-3)
    # the axle holds what acts on the wheel: the road's force, its weight, and its acceleration
    axle = [mean(run, "left.reaction_force", 0.3, 0.6), mean(run, "left_road.force", 0.3, 0.6)]
    assert axle[0] + axle[1] == pytest.approx([0.3 * a, 0, 0.3 * G], abs=0.02)
    # on the circle: its radius is that of wheels that roll
    left, right = mean(run, "left.v", 6, 8), mean(run, "right.v", 6, 8)
    v, turn = mean(run, "speed", 6, 8), mean(run, "drive.wz.v", 6, 8)
    assert v / turn == pytest.approx(b * (right + left) / (right - left), rel=5e-3)


def test_the_ball_gets_the_impulse_of_friction_while_it_slides():
    """Δv = μ (1 + e) v at the first bounce, as long as the ball does not grip; then it grips, and ends rolling."""
    model = cardan.load("bouncing_ball")
    slippery = cardan.simulate(model, until=0.6, parameters={"mu": 0.1}, rtol=1e-8)
    fall = np.sqrt(2 * G * (1 - 0.033))
    # gravity acts for the 5 ms of the blow as well: m g t on the normal impulse, 1 % of it
    assert slippery["fly.vx.v"].values[-1] - 1.5 == pytest.approx(-0.1 * 1.75 * fall, rel=0.01)
    run = cardan.simulate(model)
    assert run["fly.vx.v"].values[np.searchsorted(run.t, 0.6)] < 0  # it comes back
    assert run.report.relative_energy_error < 1e-6
    assert run["floor.slip"].values[-1] < 1e-6


def test_the_gripper_holds_what_friction_can_carry():
    """2 μ N ≥ m (g + a), N = K i n at the stalled motors, a = 10/√3 h/T² the largest acceleration of the quintic."""
    model = cardan.load("gripper")
    run = cardan.simulate(model)
    N, m = 6 / 4 * 0.012 * 800, 1200 * 0.06 * 0.05 * 0.08
    held = (run.t > 1.3) & (run.t < 1.5)
    assert run["height"].values[held] == pytest.approx(0.19, abs=2e-4)
    carried = run["left_grip.force"].values + run["right_grip.force"].values  # on the fingers
    assert carried[held][:, 2] == pytest.approx(-m * G, rel=1e-3)
    assert run["height"].values[-1] == pytest.approx(0.04, abs=1e-4)
    least = m * (G + 10 / np.sqrt(3) * 0.15 / 0.6**2) / (2 * N)
    tops = [cardan.simulate(model, parameters={"mu": f * least}, until=1.3)["height"].values[-1] for f in (0.9, 1.1)]
    assert tops[0] < 0.185
    assert tops[1] == pytest.approx(0.19, abs=1e-3)


def test_the_follower_lifts_off_where_the_cam_would_have_to_pull():
    """N = m (ÿ + g) + k (l0 − (H − y)) + c ẏ, over the cosine of the
    angle of pressure, along y = e sin θ + √(R² − e² cos² θ).
    """
    R, e, k, c, m, l0, H = 0.06, 0.02, 4000.0, 20.0, 0.4, 0.15, 0.19

    def needed(t, w):
        y, h = e * np.sin(w * t) + np.sqrt(R**2 - (e * np.cos(w * t)) ** 2), 1e-6

        def lift(t):
            return e * np.sin(w * t) + np.sqrt(R**2 - (e * np.cos(w * t)) ** 2)

        v, a = (lift(t + h) - lift(t - h)) / (2 * h), (lift(t + h) - 2 * y + lift(t - h)) / h**2
        return m * (a + G) + k * (l0 - H + y) + c * v

    model = cardan.load("cam_follower")
    for rpm in (500, 900):
        w, t = rpm * np.pi / 30, np.linspace(0, 0.15, 15001)
        pulls = t[needed(t, w) < 0]
        run = cardan.simulate(model, until=0.15, parameters={"speed": w})
        left = [event.t for event in run.events if event.did == "leaves"]
        assert bool(left) == bool(pulls.size)
        if left:  # a contact that yields by 3 µm at 300 N rings a little
            assert left[0] == pytest.approx(pulls[0], abs=1e-4)


def test_the_leg_keeps_hopping_at_the_speed_that_it_is_given():
    run = cardan.simulate(cardan.load("hopping_leg"))
    late = run.t > 2.5
    assert np.max(abs(run["pitch"].values[late])) < 0.1
    assert mean(run, "speed", 2.5, 5) == pytest.approx(0.6, abs=0.05)
    assert sum(event.did == "touches" for event in run.events) >= 10
    # the impulse of the floor is that of the weight, up to what the momentum of 4.3 kg at 2 m/s is of it
    assert mean(run, "load", 0, 5) == pytest.approx(4.3 * G, rel=2 * 4.3 * 2 / (4.3 * G * 5))


def test_the_woodpecker_pecks_once_each_step_down():
    run = cardan.simulate(cardan.load("woodpecker"))
    pecks = np.array([event.t for event in run.events if event.did == "touches" and event.name == "beak"])
    steps = np.interp(pecks, run.t, run["height"].values)
    assert len(pecks) >= 5
    assert np.diff(pecks)[-2:] == pytest.approx(np.diff(pecks)[-1], rel=0.03)  # it has become a cycle
    assert np.diff(steps)[-2:] == pytest.approx(np.diff(steps)[-1], rel=0.03)
    assert run.report.relative_energy_error < 1e-6
    jammed = run["height"].values[(run.t > pecks[-1] - 0.04) & (run.t < pecks[-1] - 0.02)]
    assert np.ptp(jammed) < 1e-4  # friction holds the sleeve while the bird swings down and up
