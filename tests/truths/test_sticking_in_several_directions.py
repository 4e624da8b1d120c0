"""Balls, sleeves and plates that come to rest, stick and break away, against the equations of one body.

Tolerances: runs at rtol 1e-10 and atol 1e-12; a motion is at rest below 10 √n atol of n states, which
friction brakes away in 1e-10 s. SciPy at 1e-12 and 1e-14 up to a speed of 1e-6, and from there with a
constant brake: (1e-6)² s.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError
from tests.truths.test_friction_of_several_motions import BALL, COM, J_BALL, MASS, ROD, one_body
from tests.vectors import cross, skew

pytestmark = pytest.mark.exhaustive

RUN = {"rtol": 1e-10, "atol": 1e-12}
SCIPY = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
G = 9.81
SLOW = 1e-6  # speed from which on SciPy's motion is taken to the stop by its deceleration


def plate(friction, slope=0.0, **more):
    """A plate of 2 kg on an incline that falls along x."""
    joint = {"type": "planar", "parent": "ground", "child": "plate", "friction": friction}
    return cardan.Model(
        gravity=[G * np.sin(slope), 0, -G * np.cos(slope)],
        bodies={"plate": {"mass": 2, "inertia": [0.1, 0.1, 0.2]}},
        joints={"j": joint},
        **more,
    )


def time_to_rest(slope, mu, vx, vy):
    """Of a block that slides across an incline.

    v̇ = g sin α cos θ − μ g cos α and v θ̇ = −g sin α sin θ with the angle θ of the velocity to the line of fall, so that
    v = C u^k/sin θ with u = tan(θ/2) and k = μ/tan α, and T = ∫ v dθ/(g sin α sin θ).
    """
    k, theta = mu / np.tan(slope), np.arctan2(abs(vy), vx)
    u = np.tan(theta / 2)
    C = np.hypot(vx, vy) * np.sin(theta) / u**k
    return C / (2 * G * np.sin(slope)) * (u ** (k - 1) / (k - 1) + u ** (k + 1) / (k + 1))


def test_a_block_comes_to_rest_along_a_line_within_one_long_step():
    """Friction along −sign(w·d) w/|w| is constant beyond rest too, so that a fixed step that passes it is exact."""
    mu, v = 0.3, 2.0
    run = cardan.simulate(plate({"coefficient": mu}), until=1.5, initial={"j.x.v": v}, method="rk4", step=0.5)
    (stop,) = run.events
    assert stop.t == pytest.approx(v / (mu * G), abs=2e-9)  # it rests below 10 √10 atol = 3e-9 m/s
    assert run.array("j.x.q")[-1] == pytest.approx(v**2 / (2 * mu * G), rel=1e-12)


@pytest.mark.parametrize("by", ["coefficient", "effort"])
@pytest.mark.parametrize(("slope", "mu"), [(0.3, 0.6), (0.3, 3.0), (0.05, 0.6), (0.3, 0.36)])
def test_a_block_that_slides_across_an_incline_comes_to_rest_in_its_time(slope, mu, by):
    """Also where it turns by more than a right angle on its way; its spin goes on."""
    friction = {"coefficient": mu} if by == "coefficient" else {"effort": mu * 2 * G * np.cos(slope)}
    model = plate(friction, slope)
    for vx, vy in ((0.5, 1.0), (-2.0, 0.3), (0.0, -1.0)):
        given = {"j.x.v": vx, "j.y.v": vy, "j.rz.v": 0.7}
        expected = time_to_rest(slope, mu, vx, vy)
        run = cardan.simulate(model, until=2 * expected, initial=given, **RUN)
        assert run.ok, run.message
        assert [event.did for event in run.events] == ["stops"]
        assert run.events[0].t == pytest.approx(expected, rel=1e-7)  # it turns back where it is slow: errors grow
        after = run.t > run.events[0].t
        for name in ("j.x.v", "j.y.v"):
            assert set(run.array(name)[after]) == {0.0}
        assert run.array("j.rz.v")[-1] == pytest.approx(0.7, rel=1e-9)
        weight = 2 * G * np.sin(slope)
        np.testing.assert_allclose(run.array("j.friction_force")[-1], [-weight, 0, 0], rtol=0, atol=1e-12)
        assert run.array("j.friction")[-1] == pytest.approx(-weight, rel=1e-12)
        assert run.array("j.sticking")[-1] == 1
        # all energy is heat in the end, but for that of the spin
        moved = 0.5 * 2 * (vx**2 + vy**2) + weight * run.array("j.x.q")[-1]
        assert run.array("j.heat")[-1] == pytest.approx(moved, rel=1e-7)


@pytest.mark.parametrize("law", [{"coefficient": 0.31}, {"coefficient": 0.25, "static": 0.31}])
def test_a_block_rests_on_an_incline_for_ever_without_creep(law):
    """tan 0.3 = 0.3093."""
    run = cardan.simulate(plate(law, 0.3), until=1e6)
    assert run.ok
    assert run.events == ()
    assert all(set(run.array(f"j.{name}")) == {0.0} for name in ("x.q", "x.v", "y.q", "y.v"))


def test_a_block_on_a_steeper_incline_slides_at_once():
    run = cardan.simulate(plate({"coefficient": 0.2, "static": 0.309}, 0.3), until=2, **RUN)
    assert [(event.did, event.t) for event in run.events] == [("slides", 0.0)]
    a = G * (np.sin(0.3) - 0.2 * np.cos(0.3))
    assert run.array("j.x.v")[-1] == pytest.approx(2 * a, rel=1e-9)
    np.testing.assert_allclose(run.array("j.y.v"), 0, atol=1e-12)


@pytest.mark.parametrize("static", [0.5, 0.6])
def test_a_force_that_turns_and_grows_breaks_a_block_away(static):
    """m ẇ = F(t) − μ m g w/|w| from the instant at which |F| = μₛ m g, with F = 8 t N turning with 2 rad/s."""
    force = {"type": "force", "child": "plate", "value": ["8*t*cos(2*t)", "8*t*sin(2*t)", 0]}
    run = cardan.simulate(plate({"coefficient": 0.5, "static": static}, forces={"f": force}), until=3, **RUN)
    start = static * 2 * G / 8
    assert [event.did for event in run.events] == ["slides"]
    assert run.events[0].t == pytest.approx(start, rel=1e-12)

    def push(t):
        return 8 * t * np.array([np.cos(2 * t), np.sin(2 * t)])

    def rates(t, w):
        return (push(t) - 0.5 * 2 * G * w / np.linalg.norm(w)) / 2

    first = 1e-9 * push(start) / np.linalg.norm(push(start))
    found = solve_ivp(rates, (start, 3), first, method="Radau", rtol=1e-9, atol=1e-11)
    expected = found.y[:, -1]
    measured = [run.array("j.x.v")[-1], run.array("j.y.v")[-1]]
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-7)  # Radau at 1e-9, from 1e-9 m/s on


def motion_to_rest(rates, w_of, start, until):
    """Instant and state (n,) at which the sliding velocity of a motion of SciPy's comes to rest."""

    def slow(t, y):
        return np.linalg.norm(w_of(y)) - SLOW

    slow.terminal, slow.direction = True, -1
    found = solve_ivp(rates, (0, until), start, events=slow, **SCIPY)
    t, y = found.t[-1], found.y[:, -1]
    w, w_dot = w_of(y), w_of(np.array(rates(t, y)))
    return t - (w @ w) / (w @ w_dot), y


SPIN = (1.5, -2.0, 3.0)
BALL_LAWS = [{"effort": 0.8, "static": 4.0}, {"coefficient": 0.4, "radius": 0.05, "static": 9.0}]


@cache
def ball_to_rest(k):
    """Instant and state at which a ball pendulum with a law of `BALL_LAWS` comes to rest."""
    law = BALL_LAWS[k]

    def turn(R, w):
        weight, s = MASS * R.T @ [0, 0, -G], np.linalg.norm(w)

        def answer(load):
            size = law["effort"] if "effort" in law else law["coefficient"] * law["radius"] * load
            return np.linalg.solve(J_BALL, cross(COM, weight) - size * w / s - cross(w, J_BALL @ w)), size

        load, before = MASS * G, 0.0
        while "effort" not in law and abs(load - before) > 1e-15 * load:
            before, (a, _) = load, answer(load)
            load = np.linalg.norm(MASS * (cross(a, COM) + cross(w, cross(w, COM))) - weight)
        return answer(load)

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:12]
        a, size = turn(R, w)
        return np.concatenate([(R @ skew(w)).ravel(), a, [size * np.linalg.norm(w)]])

    start = np.concatenate([np.eye(3).ravel(), SPIN, [0]])
    return motion_to_rest(rates, lambda y: y[9:12], start, 20)


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("k", range(2))
def test_a_ball_pendulum_comes_to_rest_by_eulers_equation(k, cut):
    """Released with a spin about all axes; then its moment holds the weight."""
    law, (t, y) = BALL_LAWS[k], ball_to_rest(k)
    pre = "free." if cut else "joint."
    given = {f"{pre}w{x}.v": value for x, value in zip("xyz", SPIN, strict=True)}
    run = cardan.simulate(
        one_body({"type": "spherical", "friction": law}, BALL, cut=cut), until=t + 2, initial=given, **RUN
    )
    assert run.ok, run.message
    assert [event.did for event in run.events] == ["stops"]
    assert run.events[0].t == pytest.approx(t, abs=1e-8)
    assert run.array("joint.heat")[-1] == pytest.approx(y[-1], rel=1e-8)
    R = y[:9].reshape(3, 3)
    weight = cross(R @ COM, [0, 0, -MASS * G])
    np.testing.assert_allclose(run.array("joint.friction_moment")[-1], -weight, rtol=0, atol=1e-6)
    assert run.array("joint.friction")[-1] == pytest.approx(-np.linalg.norm(weight), rel=1e-6)
    limit = law["static"] if "effort" in law else law["static"] * law["radius"] * MASS * G
    assert run.array("joint.friction_limit")[-1] == pytest.approx(limit, rel=1e-9)
    assert run.report.relative_energy_error < 1e-8


def test_a_ball_that_swings_in_a_plane_stops_and_slides_back_like_a_pin():
    """The same body on a revolute joint: friction of one motion."""
    body = {"mass": 2, "com": [0, 0, -0.4], "inertia": [0.11, 0.11, 0.06]}
    friction = {"coefficient": 0.25, "radius": 0.05, "static": 0.3}
    ball = cardan.simulate(
        one_body({"type": "spherical", "friction": friction}, body), until=12, initial={"joint.wy.v": 3}, **RUN
    )
    pin = cardan.simulate(
        one_body({"type": "revolute", "axis": "y", "friction": friction}, body), until=12, initial={"joint.v": 3}, **RUN
    )
    assert ball.ok, ball.message
    rests = [event.t for event in ball.events if event.did == "stops"]
    assert len(rests) > 5
    assert len(ball.events) == 2 * len(rests) - 1  # it slides on from each stop but the last
    np.testing.assert_allclose(rests, [event.t for event in pin.events], rtol=0, atol=1e-8)
    assert ball.array("joint.heat")[-1] == pytest.approx(pin.array("joint.heat")[-1], rel=1e-8)


def test_a_rod_slides_and_turns_in_its_sleeve_until_both_stop_together():
    """Given force at the surface: m v̇ = −F v/s, J ẇ = −F r² w/s + weight of the mass beside the axis."""
    F, r, m, off = 6.0, 0.04, 3.0, 0.03

    def rates(t, y):
        _, turn, v, w = y
        s = np.hypot(v, r * w)
        moment = -F * r * r * w / s - m * G * off * np.sin(turn)
        return np.array([v, w, -F * v / s / m, moment / (0.02 + m * off**2)])

    law = {"effort": F, "radius": r, "static": 40}
    t, y = motion_to_rest(rates, lambda y: y[2:] * [1, r], np.array([0.0, 0, 2, 9]), 10)
    run = cardan.simulate(
        one_body({"type": "cylindrical", "axis": "x", "friction": law}, ROD),
        until=t + 1,
        initial={"joint.d.v": 2, "joint.r.v": 9},
        **RUN,
    )
    assert [event.did for event in run.events] == ["stops"]
    assert run.events[0].t == pytest.approx(t, abs=1e-8)
    np.testing.assert_allclose([run.array("joint.d.q")[-1], run.array("joint.r.q")[-1]], y[:2], rtol=0, atol=1e-7)
    assert run.array("joint.friction")[-1] == pytest.approx(-m * G * off * abs(np.sin(y[1])) / r, rel=1e-5)


@pytest.mark.parametrize(("push", "slides"), [(2.0, []), (5.0, ["j"]), (40.0, ["j", "cart"])])
def test_a_plate_on_a_cart_breaks_away_alone_where_it_can(push, slides):
    """Plate of 1 kg, μ = 0.3, on a cart of 2 kg, whose guide holds 3.2 N: the plate takes 2.94 N at most."""
    model = cardan.Model(
        bodies={"cart": {"mass": 2}, "plate": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={
            "guide": {
                "type": "prismatic",
                "parent": "ground",
                "child": "cart",
                "axis": "x",
                "friction": {"effort": 3.2},
            },
            "j": {"type": "planar", "parent": "cart", "child": "plate", "friction": {"coefficient": 0.3}},
        },
        forces={
            "f": {"type": "force", "child": "plate", "value": [push, 0.1, 0]},
            "g": {"type": "force", "child": "cart", "value": [2.0 if push == 40 else 0, 0, 0]},
        },
    )
    run = cardan.simulate(model, until=1, **RUN)
    assert run.ok
    # a plate that begins to slide turns at once into the direction of its force: round-off of the stiff method
    assert run.array("j.sticking")[-1] == pytest.approx(0 if "j" in slides else 1, abs=1e-12)
    assert run.array("guide.sticking")[-1] == pytest.approx(0 if "cart" in slides else 1, abs=1e-12)
    e = np.array([push, 0.1]) / np.hypot(push, 0.1)
    friction = 0.3 * G if "j" in slides else 0
    if slides == ["j"]:
        expected = (np.hypot(push, 0.1) - friction) * e
        np.testing.assert_allclose([run.array("j.x.v")[-1], run.array("j.y.v")[-1]], expected, rtol=1e-8)


def test_drives_of_a_plate_overcome_its_friction():
    circle = {"j.x": "0.2*cos(t)", "j.y": "0.2*sin(t)", "j.rz": "3*t"}
    times = np.linspace(0, 3, 7)
    run = cardan.kinetostatics(plate({"coefficient": 0.3}, motions=circle), times=times)
    out, along = np.array([np.cos(times), np.sin(times)]), np.array([-np.sin(times), np.cos(times)])
    expected = -2 * 0.2 * out + 0.3 * 2 * G * along
    np.testing.assert_allclose([run.array(f"j.{x}.effort") for x in "xy"], expected, rtol=0, atol=1e-12)


def test_functions_of_a_state_know_friction_that_slides():
    dyn = cardan.compile(plate({"coefficient": 0.3}))
    a = dyn.forward_dynamics([0, 0, 0], [3, 4, 1], np.zeros(3))
    np.testing.assert_allclose(a, [-0.6 * 0.3 * G, -0.8 * 0.3 * G, 0], atol=1e-12)
    np.testing.assert_allclose(dyn.inverse_dynamics([0, 0, 0], [3, 4, 1], a), 0, atol=1e-12)


@pytest.mark.parametrize("law", [{"effort": 0.8}, {"coefficient": 0.25, "radius": 0.05}])
def test_formulations_agree_on_it(law):
    assert cardan.verify(one_body({"type": "spherical", "friction": law}, BALL)).ok


def test_what_nothing_decides_is_refused():
    with pytest.raises(ModelError, match="drives a motion"):
        cardan.simulate(plate({"coefficient": 0.3}, motions={"j.x": "t"}), until=1)


def test_a_guide_breaks_away_once_where_its_limit_is_reached():
    """At g = r t the acceleration is zero but for round-off of forces that have cancelled, whatever their sizes."""
    guide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x", "friction": {"effort": "g"}}
    joint = {"type": "planar", "parent": "cart", "child": "load", "friction": {"coefficient": 0.4}}
    model = cardan.Model(
        parameters={"M": "1 kg", "g": "1 N", "r": "1 N/s"},
        bodies={"cart": {"mass": "M"}, "load": {"mass": 2, "com": [0.02, 0, 0], "inertia": [0.11, 0.17, 0.06]}},
        joints={"guide": guide, "j": joint},
        forces={"f": {"type": "force", "child": "cart", "value": ["-r*t", 0, 0]}},
    )
    setup, rng = cardan.prepare(model, until=1.1), np.random.default_rng(1)
    for _ in range(40):
        g, M = rng.uniform(1, 9), rng.uniform(0.5, 5)
        run = setup.run(parameters={"g": g, "r": g, "M": M})
        assert run.ok, run.message
        assert [(event.name, event.did) for event in run.events] == [("guide", "slides backwards")]
        assert run.events[0].t == pytest.approx(1.0, abs=1e-10)
        assert run.array("guide.v")[-1] == pytest.approx(-g * 0.1**2 / 2 / (M + 2), rel=1e-6)  # rtol 1e-8
