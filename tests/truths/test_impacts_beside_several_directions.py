"""Stops by impact beside balls and plates that stick in several directions, against solutions put together by hand.

Impacts are frictionless: a joint that sticks is hit and slides. Tolerances: runs at rtol 1e-10 and atol 1e-12, SciPy at
1e-12 and 1e-14, over some events at which their errors grow: 1e-8 of values of order 1.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import cardan
from cardan.errors import ModelError
from tests.truths.test_friction_of_several_motions import BALL, COM, J_BALL, MASS
from tests.vectors import cross

pytestmark = pytest.mark.exhaustive

FINE = {"rtol": 1e-10, "atol": 1e-12}
SCIPY = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
CLOSE = {"rtol": 0, "atol": 1e-8}
G = 9.81
SLOW = 1e-6  # speed from which on SciPy's motion is taken to rest by its deceleration: (1e-6)² s are left out
CART, LENGTH, BOUNCE, BRAKE = 3.0, 0.7, 0.6, 3.0  # kg; m of the way; restitution of both stops; N m in the ball


def carrier(axis, limits, payload, joint, **more):
    """A cart on a guide with stops, and what it carries by a joint with friction."""
    guide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": axis, "limits": limits}
    return cardan.Model(
        gravity=[0, 0, -G],
        bodies={"cart": {"mass": CART}, "load": payload},
        joints={"guide": guide, "j": {"parent": "cart", "child": "load"} | joint},
        **more,
    )


def with_cut_ball(model):
    """The same, but the load moves freely and the ball closes a loop."""
    joints = {"free": {"type": "free", "parent": "ground", "child": "load"}}
    return model.replace(joints={**model.joints, **joints, "j": model.joints["j"].replace(cut=True)})


PLATE = {"mass": 1.0, "inertia": [0.1, 0.1, 0.2]}


@cache
def pendulum_on_cart(v, until):
    """Events, and the last way and speed of the cart and rate of turn of a ball pendulum on it, which hangs at rest.

    M (s̈, ω̇) = (−m e·R (ω×(ω×c)), c × Rᵀ m g − ω × J ω − F ω/|ω|), and M (s⁺ − s⁻, ω⁺ − ω⁻) = (P, 0) at a stop.
    """
    e = np.array([1.0, 0, 0])

    def mass(R):
        cross = np.array([[0, -COM[2], COM[1]], [COM[2], 0, -COM[0]], [-COM[1], COM[0], 0]])
        row = -MASS * (R.T @ e) @ cross
        return np.block([[np.array([[CART + MASS]]), row[None, :]], [row[:, None], J_BALL]])

    def rates(t, y):
        R, w = Rotation.from_quat(y[:4], scalar_first=True).as_matrix(), y[6:]
        side = -MASS * e @ R @ cross(w, cross(w, COM))
        turn = cross(COM, MASS * R.T @ [0, 0, -G]) - cross(w, J_BALL @ w) - BRAKE * w / np.linalg.norm(w)
        a = np.linalg.solve(mass(R), [side, *turn])
        qw, qv = y[0], y[1:4]
        return np.concatenate([[-qv @ w / 2], (qw * w + cross(qv, w)) / 2, [y[5]], a])

    def slow(t, y):
        return np.linalg.norm(y[6:]) - SLOW

    def upper(t, y):
        return LENGTH - y[4]

    def lower(t, y):
        return y[4] + LENGTH

    for each in (slow, upper, lower):
        each.terminal, each.direction = True, -1
    t, y, did, rests = 0.0, np.array([1.0, 0, 0, 0, 0, v, 0, 0, 0]), [], True
    while True:
        if rests:
            way = (np.sign(y[5]) * LENGTH - y[4]) / y[5]
            if t + way > until:
                return did, (y[4] + y[5] * (until - t), y[5], y[6:])
            t, y[4], hit = t + way, np.sign(y[5]) * LENGTH, True
        else:
            found = solve_ivp(rates, (t, until), y, events=(slow, upper, lower), **SCIPY)
            t, y, hit = found.t[-1], found.y[:, -1], not len(found.t_events[0])
            if found.status == 0:
                return did, (y[4], y[5], y[6:])
        if hit:
            M = mass(Rotation.from_quat(y[:4], scalar_first=True).as_matrix())
            unit = np.linalg.solve(M, [1.0, 0, 0, 0])
            did.append((t, "guide"))
            y[5:] += unit * -(1 + BOUNCE) * y[5] / unit[0]
            rests = False
        else:
            rate, w = rates(t, y), y[6:]
            left = -(w @ w) / (w @ rate[6:])
            t, y, rests = t + left, y + left * rate, True
            did.append((t, "j"))
            y[6:] = 0.0


@pytest.mark.parametrize("cut", [False, True])
def test_a_ball_pendulum_that_sticks_is_hit_and_comes_to_rest_again(cut):
    model = carrier(
        "x",
        {"lower": -LENGTH, "upper": LENGTH, "restitution": BOUNCE},
        BALL,
        {"type": "spherical", "friction": {"effort": BRAKE, "static": 9.0}},
        initial={"guide.v": 3.0},
    )
    model = with_cut_ball(model) if cut else model
    expected, (s, v, w) = pendulum_on_cart(3.0, until=3.5)
    assert [name for _, name in expected].count("guide") > 1
    assert [name for _, name in expected].count("j") > 0
    run = cardan.simulate(model, until=3.5, **FINE)
    assert run.ok, run.message
    met = [event.t for event in run.events if event.name == "guide"]
    np.testing.assert_allclose(met, [t for t, name in expected if name == "guide"], **CLOSE)
    stopped = [event.t for event in run.events if event.did == "stops"]
    np.testing.assert_allclose(stopped, [t for t, name in expected if name == "j"], **CLOSE)
    np.testing.assert_allclose([run.array("guide.q")[-1], run.array("guide.v")[-1]], [s, v], **CLOSE)
    body = "free" if cut else "j"
    np.testing.assert_allclose([run.array(f"{body}.w{x}.v")[-1] for x in "xyz"], w, **CLOSE)
    assert run.report.relative_energy_error < 1e-9


def test_a_plate_slides_on_across_its_cart_when_the_cart_bounces():
    """It goes on with its own velocity, which the cart's jump by (1 + ε) v changes as seen from the cart."""
    mu, s_max = 0.3, 0.25
    plate = {"type": "planar", "friction": {"coefficient": mu}}
    start = {"guide.v": 1.5, "j.y.v": 0.8}
    model = carrier("x", {"upper": s_max, "restitution": BOUNCE}, PLATE, plate, initial=start)
    run = cardan.simulate(model, until=0.4, **FINE)

    def rates(t, y):
        pull = -mu * G * y[4:] / np.linalg.norm(y[4:])  # on the plate of 1 kg, along its velocity in the cart
        s = -pull[0] / CART
        return [y[1], s, *y[4:], pull[0] - s, pull[1]]

    def meets(t, y):
        return s_max - y[0]

    meets.terminal = True
    first = solve_ivp(rates, (0, 1), [0, 1.5, 0, 0, 0, 0.8], events=meets, **SCIPY)
    y = first.y[:, -1]
    y[4] += (1 + BOUNCE) * y[1]
    y[1] *= -BOUNCE
    then = solve_ivp(rates, (first.t[-1], 0.4), y, **SCIPY).y[:, -1]
    assert [(event.name, event.did) for event in run.events] == [("guide", "meets its upper stop")]
    assert run.events[0].t == pytest.approx(first.t[-1], abs=1e-10)
    names = ["guide.q", "guide.v", "j.x.q", "j.y.q", "j.x.v", "j.y.v"]
    np.testing.assert_allclose([run.array(name)[-1] for name in names], then, **CLOSE)


def test_a_plate_without_load_slides_freely_until_its_cart_has_bounced_out():
    """In flight the plate weighs nothing; from t = v/g (1 + ε)/(1 − ε) on it is braked with μ g."""
    mu, fall, speed = 0.4, 0.2, 1.0
    plate = {"type": "planar", "friction": {"coefficient": mu}}
    start = {"guide": fall, "j.y.v": speed}
    model = carrier("z", {"lower": 0, "restitution": BOUNCE}, PLATE, plate, initial=start)
    run = cardan.simulate(model, until=2.5, **FINE)
    assert run.ok, run.message
    rests = np.sqrt(2 * fall / G) * (1 + BOUNCE) / (1 - BOUNCE)
    ends = {event.name: event for event in run.events}
    assert (ends["guide"].did, ends["j"].did) == ("rests at its stop", "stops")
    assert ends["guide"].t == pytest.approx(rests, abs=1e-8)
    assert ends["j"].t == pytest.approx(rests + speed / (mu * G), abs=1e-8)
    assert run.array("j.y.q")[-1] == pytest.approx(speed * rests + speed**2 / (2 * mu * G), abs=1e-8)
    assert run.array("guide.stop_force")[-1] == pytest.approx((CART + 1) * G, rel=1e-12)


@pytest.mark.parametrize("by", ["coefficient", "effort"])
def test_a_plate_breaks_away_beside_a_cart_that_rests_at_its_stop(by):
    """A pull across the guide that grows with 5 N/s, at μ m g; 4 − 4 t N hold the cart for 1 s."""
    mu = 0.3
    friction = {"coefficient": mu} if by == "coefficient" else {"effort": mu * G}
    pushes = {
        "across": {"type": "force", "child": "load", "value": [0, "5*t", 0]},
        "along": {"type": "force", "child": "cart", "value": ["4 - 4*t", 0, 0]},
    }
    model = carrier("x", {"upper": "0 m"}, PLATE, {"type": "planar", "friction": friction}, forces=pushes)
    run = cardan.simulate(model, until=1.5, **FINE)
    assert run.ok, run.message
    expected = [("j", "slides", mu * G / 5), ("guide", "leaves its stop", 1.0)]
    found = sorted((event.t, event.name, event.did) for event in run.events if event.t > 0)
    np.testing.assert_allclose([t for t, _, _ in found], [t for *_, t in expected], **CLOSE)
    assert [(name, did) for _, name, did in found] == [(name, did) for name, did, _ in expected]
    # until 1 s the plate moves along y alone: 5 s²/2 with s the time since it slides
    s = 1.0 - mu * G / 5
    assert np.interp(1.0, run.t, run.array("j.y.v")) == pytest.approx(2.5 * s**2, abs=1e-6)


def test_stops_that_move_only_together_with_such_joints_are_refused():
    """A plate on two guides at right angles: each direction of the plate is a guide's."""
    joints = {
        "x": {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x", "limits": {"upper": 1}},
        "y": {"type": "prismatic", "parent": "a", "child": "load", "axis": "y"},
        "j": {"type": "planar", "parent": "ground", "child": "load", "friction": {"effort": 1}},
    }
    bodies = {"a": {"mass": 1}, "load": PLATE}
    with pytest.raises(ModelError, match="'x' stops by impact and moves only together with 'j'"):
        cardan.simulate(cardan.Model(bodies=bodies, joints=joints), until=1)


def test_a_cart_that_plate_and_guide_brake_bounces_out():
    """Near the end the plate comes to rest between bounces, and its cart is hit a little before the bound.

    No closed form: it has to rest at its stop, and all energy lost is heat of friction and of impacts.
    """
    plate = {"type": "planar", "friction": {"coefficient": 0.35010322100300156, "static": 0.4156055386419072}}
    pull = {"f": {"type": "force", "child": "cart", "value": ["20*sin(1.0840577198372765*t)", 0, 0]}}
    body = {"mass": 2, "com": [0.02, 0, 0], "inertia": [0.11, 0.17, 0.06]}
    stops = {"lower": -0.4, "upper": 0.4, "restitution": 0.8}
    model = carrier("x", stops, body, plate, forces=pull, initial={"guide.v": 1.1454729475309335})
    guide = model.joints["guide"].replace(friction={"effort": 5.0})
    bodies = {**model.bodies, "cart": {"mass": 1.7613018110470675}}
    run = cardan.simulate(model.replace(bodies=bodies, joints={**model.joints, "guide": guide}), until=2)
    assert run.ok, run.message
    assert "rests at its stop" in [event.did for event in run.events]
    assert len(run.events) < 200
    assert run.report.relative_energy_error < 1e-6  # rtol 1e-8 over a hundred bounces


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
