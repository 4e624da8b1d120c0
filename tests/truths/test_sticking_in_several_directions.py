"""Balls, sleeves and plates that come to rest, stick and break away, against the equations of one body.

Tolerances: runs at rtol 1e-10 and atol 1e-12; a motion is at rest below 10 √n atol of n states, which
friction brakes away in 1e-10 s. SciPy at 1e-12 and 1e-14 up to a speed of 1e-6, and from there with a
constant brake: (1e-6)² s.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError
from tests.truths.test_friction_of_several_motions import one_body

RUN = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81


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
    assert run.events[0].t == pytest.approx(start, rel=2e-12)  # of which 1e-12 is the round-off that friction holds

    def push(t):
        return 8 * t * np.array([np.cos(2 * t), np.sin(2 * t)])

    def rates(t, w):
        return (push(t) - 0.5 * 2 * G * w / np.linalg.norm(w)) / 2

    first = 1e-9 * push(start) / np.linalg.norm(push(start))
    found = solve_ivp(rates, (start, 3), first, method="Radau", rtol=1e-9, atol=1e-11)
    expected = found.y[:, -1]
    measured = [run.array("j.x.v")[-1], run.array("j.y.v")[-1]]
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-7)  # Radau at 1e-9, from 1e-9 m/s on


@pytest.mark.exhaustive
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


def test_what_nothing_decides_is_refused():
    with pytest.raises(ModelError, match="drives a motion"):
        cardan.simulate(plate({"coefficient": 0.3}, motions={"j.x": "t"}), until=1)
