"""End stops of joints, by impact and elastic, against closed forms.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over some events; what they are compared with is exact.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81


def ball(limits, **more):
    """A ball over a floor, along z."""
    drop = {"type": "prismatic", "parent": "ground", "child": "ball", "axis": "z", "limits": limits}
    return cardan.Model(bodies={"ball": {"mass": 0.5}}, joints={"drop": drop}, **more)


@pytest.mark.parametrize(("method", "close"), [("dop853", 1e-9), ("tsit5", 1e-9), ("rodas5p", 1e-9)])
def test_a_ball_bounces_at_the_instants_of_its_closed_form(method, close):
    """t_k = t_1 (1 + 2 (ε + … + ε^(k−1))), up to the instant at which bounces accumulate, t_1 (1 + ε)/(1 − ε)."""
    e, h = 0.7, 1.0
    first = np.sqrt(2 * h / G)
    run = cardan.simulate(ball({"lower": 0, "restitution": e}), until=4, initial={"drop": h}, method=method, **FINE)
    t = np.array([event.t for event in run.events])
    expected = first * (1 + 2 * np.cumsum(np.concatenate([[0], e ** np.arange(1, 30)])))
    np.testing.assert_allclose(t[:30], expected, atol=close)
    assert run.ok
    rests = run.events[-1]
    assert rests.did == "rests at its stop"
    assert rests.t == pytest.approx(first * (1 + e) / (1 - e), abs=close)
    assert set(run["drop.q"].values[run.t > rests.t]) == {0.0}
    assert run["drop.stop_force"].values[-1] == pytest.approx(0.5 * G)
    heat = run["drop.impact_heat"].values[-1]
    assert heat == pytest.approx(0.5 * G * h, rel=1e-6)  # all that it had
    assert run["energy.total"].values[0] == pytest.approx(0.5 * G * h)
    assert run["energy.total"].values[-1] == 0  # heat is no energy of the mechanism
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize("bound", [-1e-3, 0.37, 1e6])
def test_bounces_end_wherever_the_floor_is(bound):
    """Heights below the round-off of the bound are none, and take some √(2 · round-off/g) off the last bounces."""
    e, first = 0.5, np.sqrt(2 / G)
    run = cardan.simulate(ball({"lower": bound, "restitution": e}), until=3, initial={"drop": bound + 1}, **FINE)
    assert run.ok, run.message
    assert run.events[-1].did == "rests at its stop"
    assert run.events[-1].t == pytest.approx(
        first * (1 + e) / (1 - e), abs=1e-9 + 8 * np.sqrt(2.0**-50 * abs(bound) / G)
    )
    assert run["drop.stop_force"].values[-1] == pytest.approx(0.5 * G)


@pytest.mark.parametrize("method", ["dop853", "rodas5p"])
def test_bounces_that_round_off_feeds_end(method):
    """Restitution 0.95 and friction: round-off of the place is lost again in ten bounces, so that it adds up.

    An arm on a spring, with two more; at rest the middle joint keeps its place until the arm pulls it away.
    """
    hinge = {"type": "revolute", "axis": "-y"}
    model = cardan.Model(
        bodies={"b0": {"mass": 2.8}, "b1": {"mass": 0.6}, "b2": {"mass": 2.0, "inertia": [0.03] * 3}},
        joints={
            "j0": {**hinge, "parent": "ground", "child": "b0", "stiffness": 47},
            "j1": {
                **hinge,
                "parent": {"body": "b0", "position": [0.31, 0, 0]},
                "child": "b1",
                "limits": {"lower": -0.59, "restitution": 0.95},
                "friction": {"coefficient": 0.12, "radius": "28 mm"},
            },
            "j2": {**hinge, "parent": {"body": "b1", "position": [0.57, 0, 0]}, "child": "b2"},
        },
    )
    run = cardan.simulate(model, until=1.0, method=method)
    assert run.ok, run.message
    rests = next(event.t for event in run.events if event.did == "rests at its stop")
    leaves = next((event.t for event in run.events if event.did == "leaves its stop"), 1.0)
    assert len(run.events) < 500
    assert set(run["j1.q"].values[(run.t > rests) & (run.t < leaves)]) == {-0.59}
    assert leaves > rests + 0.1
    assert run.report.relative_energy_error < 1e-6


def test_a_joint_may_start_in_contact_with_an_elastic_stop():
    """q = −d cos(ω t) up to a quarter of the period, then it leaves with d ω."""
    model = ball({"lower": 0, "stiffness": 200}, gravity=[0, 0, 0])
    run = cardan.simulate(model, until=0.5, initial={"drop": -0.01}, **FINE)
    omega = np.sqrt(200 / 0.5)
    assert [event.did for event in run.events] == ["meets its lower stop", "leaves its stop"]
    assert run.events[-1].t == pytest.approx(np.pi / 2 / omega, abs=1e-9)
    assert run["drop.q"].values[-1] == pytest.approx(0.01 * omega * (0.5 - np.pi / 2 / omega), abs=1e-9)


def test_a_joint_that_starts_at_its_stop_rests_there():
    run = cardan.simulate(ball({"lower": 0.2, "restitution": 0.5}), until=1, initial={"drop": 0.2})
    assert [(event.t, event.did) for event in run.events] == [(0.0, "rests at its stop")]
    assert set(run["drop.q"].values) == {0.2}


def test_a_plastic_stop_holds_and_lets_go():
    """ε = 0: the floor carries m g; a force that grows lifts the ball off where it is the weight."""
    model = ball({"lower": "0 m"}, initial={"drop": 0.2})
    run = cardan.simulate(model, until=2, motors="none", inputs={"drop": "4*t"}, **FINE)
    weight = 0.5 * G
    met, left = run.events
    assert (met.did, left.did) == ("meets its lower stop", "leaves its stop")
    assert left.t == pytest.approx(weight / 4, abs=1e-9)
    rests = (run.t > met.t) & (run.t < left.t)
    np.testing.assert_allclose(run["drop.stop_force"].values[rests], weight - 4 * run.t[rests], atol=1e-9)
    assert set(run["drop.v"].values[(run.t > met.t + 1e-9) & (run.t < left.t)]) == {0.0}
    s = 2 - left.t  # z̈ = 4 s/m
    assert run["drop.q"].values[-1] == pytest.approx(4 / 0.5 * s**3 / 6, rel=1e-6)


def test_an_elastic_stop_is_half_a_period_of_its_spring():
    """From the bound at speed v: π/ω later it leaves with −v (without weight)."""
    m, k, v = 0.5, 2e4, 1.5
    model = ball({"upper": "0.1 m", "stiffness": k}, gravity=[0, 0, 0], initial={"drop.v": v})
    run = cardan.simulate(model, until=0.2, **FINE)
    omega = np.sqrt(k / m)
    assert [event.t for event in run.events] == pytest.approx([0.1 / v, 0.1 / v + np.pi / omega], abs=1e-9)
    assert run["drop.v"].values[-1] == pytest.approx(-v, rel=1e-9)
    assert run["drop.stop_force"].values.min() == pytest.approx(-m * v * omega, rel=1e-3)  # read between rows


def test_a_joint_between_two_elastic_stops_meets_one_after_the_other():
    """From q = 0 at speed v without weight: π/ω at each stop, and the way between both at speed v."""
    m, k, v, lower, upper = 0.5, 2e4, 1.5, -0.2, 0.1
    model = ball({"lower": lower, "upper": upper, "stiffness": k}, gravity=[0, 0, 0], initial={"drop.v": v})
    run = cardan.simulate(model, until=0.5, **FINE)
    told = ["meets its upper stop", "leaves its stop", "meets its lower stop", "leaves its stop"]
    assert [event.did for event in run.events] == [*told, told[0]]
    closed, way = np.pi / np.sqrt(k / m), (upper - lower) / v
    assert [event.t for event in run.events] == pytest.approx(
        upper / v + np.cumsum([0, closed, way, closed, way]), abs=1e-9
    )


def test_a_damped_stop_lets_go_before_it_would_pull():
    """m q̈ = −k q − d q̇ from q = 0 at speed v, until k q + d q̇ = 0."""
    m, k, d, v = 0.5, 2e4, 40.0, 1.5
    model = ball({"upper": 0, "stiffness": k, "damping": d}, gravity=[0, 0, 0], initial={"drop": -0.1, "drop.v": v})
    run = cardan.simulate(model, until=0.2, **FINE)
    c = d / (2 * m)
    omega = np.sqrt(k / m - c**2)
    # q = v/ω e^(−ct) sin ωt; k q + d q̇ = 0: (k − d c) sin ωt + d ω cos ωt = 0
    t = (np.pi - np.arctan2(d * omega, k - d * c)) / omega
    assert np.diff([event.t for event in run.events]) == pytest.approx([t], abs=1e-9)
    after = v * np.exp(-c * t) * (np.cos(omega * t) - c / omega * np.sin(omega * t))
    assert run["drop.v"].values[-1] == pytest.approx(after, rel=1e-8)


def test_an_elastic_stop_touches_again_where_the_joint_turns_round_beyond_its_bound():
    """Pushed in, pulled back until the damped stop lets go, pushed in again before the bound: against SciPy.

    m q̈ = u − max(0, k q + d q̇) for q > 0. The joint starts at its bound.
    """
    m, k, d = 0.5, 1000.0, 200.0
    push = "if(t < 1, 50, if(t < 1.005, -1500, if(t < 1.0054, 20000, 50)))"
    model = ball({"upper": 0, "stiffness": k, "damping": d}, gravity=[0, 0, 0], inputs={"drop": push})
    times = np.r_[np.linspace(0, 1, 51), 1.002, 1.005, 1.0054, np.linspace(1.01, 1.5, 50)]
    run = cardan.simulate(model, times=times, **FINE)
    state, found = np.zeros(2), [np.zeros((2, 1))]
    for begin, end, u in ((0, 1, 50), (1, 1.005, -1500), (1.005, 1.0054, 20000), (1.0054, 1.5, 50)):

        def rate(_, y, u=u):
            return [y[1], (u - (max(0.0, k * y[0] + d * y[1]) if y[0] > 0 else 0.0)) / m]

        solution = solve_ivp(rate, (begin, end), state, rtol=1e-11, atol=1e-13, max_step=1e-4, dense_output=True)
        state = solution.y[:, -1]
        found.append(solution.sol(times[(times > begin) & (times <= end)]))
    words = ["meets its upper stop", "leaves its stop", "meets its upper stop"]
    assert [event.did for event in run.events] == words
    again = run.events[2].t
    assert np.interp(again, times, run.array("drop.q")) > 0.005  # beyond its bound
    # SciPy steps over the kinks of the force: an error of its order, 1e-4 s × the steps at which they lie
    assert run.array("drop.q") == pytest.approx(np.hstack(found)[0], abs=1e-8)


def test_a_ball_on_a_shaken_table_takes_off_and_comes_back():
    """It leaves where the table falls faster than it, A ω² sin ωt = g; impacts take energy from its drive."""
    A, omega, limits = 0.03, 25.0, {"lower": 0, "restitution": 0.5}
    joints = {
        "table": {"type": "prismatic", "parent": "ground", "child": "plate", "axis": "z"},
        "gap": {"type": "prismatic", "parent": "plate", "child": "ball", "axis": "z", "limits": limits},
    }
    bodies = {"plate": {"mass": 1}, "ball": {"mass": 0.5}}
    model = cardan.Model(bodies=bodies, joints=joints, motions={"table": f"{A}*sin({omega}*t)"})
    run = cardan.simulate(model, until=2, **FINE)
    left = next(event for event in run.events if event.did == "leaves its stop")
    off = np.arcsin(G / (A * omega**2)) / omega
    assert left.t == pytest.approx(off, abs=1e-9)
    back = next(event for event in run.events if event.t > left.t)

    def gap(t):
        rise = A * omega * np.cos(omega * off) * (t - off) - G / 2 * (t - off) ** 2
        return A * np.sin(omega * off) + rise - A * np.sin(omega * t)

    assert back.did == "meets its lower stop"
    assert back.t == pytest.approx(brentq(gap, off + 0.02, off + 0.25, xtol=1e-14), abs=1e-9)
    assert run.report.relative_energy_error < 1e-7  # some hundred steps that events cut
    assert run["gap.impact_work"].values[-1] != 0


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_two_sliders_collide_by_newtons_law(restitution):
    """The second is jointed to the first: momentum stays, the relative speed turns by −ε."""
    rail = {"type": "prismatic", "axis": "x"}
    joints = {
        "first": rail | {"parent": "ground", "child": "one"},
        "gap": rail | {"parent": "one", "child": "two", "limits": {"lower": 0, "restitution": restitution}},
    }
    model = cardan.Model(bodies={"one": {"mass": 2}, "two": {"mass": 3}}, joints=joints)
    run = cardan.simulate(model, until=1, initial={"first.v": 2.0, "gap": 0.5, "gap.v": -1.5}, **FINE)
    common = (2 * 2.0 + 3 * 0.5) / 5
    assert run.events[0].t == pytest.approx(0.5 / 1.5, abs=1e-12)
    assert run["gap.v"].values[-1] == pytest.approx(1.5 * restitution, abs=1e-12)
    assert run["first.v"].values[-1] == pytest.approx(common - 3 / 5 * 1.5 * restitution, abs=1e-12)
    assert run["gap.impulse"].values[-1] == pytest.approx((1 + restitution) * 1.5 * 6 / 5, rel=1e-12)
    assert run["gap.impact_heat"].values[-1] == pytest.approx(0.5 * 6 / 5 * 1.5**2 * (1 - restitution**2), abs=1e-12)


def test_a_stop_in_a_closed_loop():
    """A slider-crank whose slider meets a stop: the impulse changes all speeds so that the loop stays closed."""
    model = cardan.load("slider_crank")
    joints = dict(model.joints)
    joints["slide"] = joints["slide"].replace(limits={"lower": 0.6, "restitution": 0.5})
    model = model.replace(joints=joints)
    run = cardan.simulate(model, until=0.3, motors="none", initial={"crank": 0.3, "crank.v": 4.0}, **FINE)
    assert run.ok, run.message
    assert run.events[0].did == "meets its lower stop"
    k = int(np.searchsorted(run.t, run.events[0].t, side="right"))
    before, after = run["slide.v"].values[k - 2], run["slide.v"].values[k - 1]
    assert after == pytest.approx(-0.5 * before, rel=1e-6)
    assert run["slide.q"].values.min() > 0.6 - 1e-9
    assert run.report.constraint_violation < 1e-9
    assert run.report.relative_energy_error < 1e-8


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({}, "have no bound"),
        ({"one_way": True, "lower": 0}, "moves one way only has no lower"),
        ({"lower": 1, "upper": 0}, "lower is 1 and upper 0"),
        ({"lower": 0, "restitution": 1.2}, "every impact would add energy"),
        ({"lower": 0, "restitution": 0.5, "stiffness": 100}, "elastic or by impact, not both"),
        ({"lower": 0, "stiffness": 0}, "0 is out of range: a stiffness is positive"),
        ({"lower": 0, "damping": 50}, "without stiffness the stops work by impact, which has no damping"),
        ({"lower": "2 N"}, "limits.lower"),
        ({"lower": 0.5}, "starts at 0 m, beyond its stop at 0.5 m"),
    ],
)
def test_stops_that_cannot_be_are_refused(limits, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(ball(limits), until=0.1)


def test_a_joint_that_moves_one_way_only_carries_an_impact_to_the_ground():
    """A load that may not sink is hit from above, √(2g) m/s: both rest, and all kinetic energy is heat."""
    joints = {
        "up": {"type": "prismatic", "parent": "ground", "child": "load", "axis": "z", "limits": {"one_way": True}},
        "drop": {"type": "prismatic", "parent": "load", "child": "ball", "axis": "z", "limits": {"lower": 0}},
    }
    model = cardan.Model(bodies={"load": {"mass": 2}, "ball": {"mass": 1}}, joints=joints)
    run = cardan.simulate(model, until=1.2, initial={"drop": 1}, inputs={"up": "if(t < 1, 0, 50)"}, **FINE)
    assert [(event.name, event.did) for event in run.events] == [
        ("up", "locks"),
        ("drop", "meets its lower stop"),
        ("up", "runs free"),
    ]
    assert [run["up.stop_force"].values[k] for k in (0, len(run.t) // 2)] == pytest.approx([2 * G, 3 * G])
    assert run["up.q"].values[run.t <= 1].max() == 0
    assert run["up.v"].values[-1] == pytest.approx(0.2 * (50 / 3 - G), rel=1e-9)
    assert run["up.impact_heat"].values[-1] + run["drop.impact_heat"].values[-1] == pytest.approx(G, rel=1e-9)


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_joint_that_moves_one_way_only_locks_beside_friction_that_follows_its_load(is_loaded):
    """A force of 2 t draws b (1 kg) back to a (2 kg), which rubs, 0.3 g; both are one from where their speeds meet."""
    slide = {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x"}
    slide["friction"] = {"coefficient": 0.1} if is_loaded else {"effort": 0.3 * G}
    ahead = {"type": "prismatic", "parent": "a", "child": "b", "axis": "x", "limits": {"one_way": True}}
    model = cardan.Model(bodies={"a": {"mass": 2}, "b": {"mass": 1}}, joints={"a": slide, "b": ahead})
    run = cardan.simulate(model, until=3, initial={"a.v": 9, "b.v": 0.5}, inputs={"b": "-2*t"}, **FINE)
    (event,) = (event for event in run.events if event.name == "b")
    # a: (−0.3 G + 2 t)/2 on 2 kg, b: −2 t on 1 kg; their difference 0.5 + 0.15 G t − 1.5 t² vanishes
    locks = np.roots([-1.5, 0.15 * G, 0.5]).max()
    assert (event.did, event.t) == ("locks", pytest.approx(locks, abs=1e-9))
    assert run["a.v"].values[-1] == pytest.approx((2 * 9 + 9.5 - 0.3 * G * 3) / 3, abs=1e-8)  # momentum


def test_rigid_stops_beside_motions_ask_for_a_stiffness():
    with pytest.raises(ModelError, match=r"drives a motion, and stops by impact\n.*leave limits out"):
        cardan.simulate(ball({"lower": 0}, motions={"drop": "t"}), until=0.1)


def test_an_elastic_stop_that_stays_closed_at_zero_depth_does_not_pull():
    """It meets its bound without speed, held there by a rigid stop of a joint that moves with it; then the force turns.

    From 0.5 s both masses (2 kg) move back with −10 N: x = 0.05 − 5 (t − 0.5)²/2.
    """
    model = cardan.Model(
        bodies={"a": {"mass": 1}, "b": {"mass": 1}},
        joints={
            "a": {
                "type": "prismatic",
                "parent": "ground",
                "child": "a",
                "axis": "x",
                "limits": {"upper": 0.05, "stiffness": 2e5, "damping": 50},
            },
            "b": {
                "type": "prismatic",
                "parent": "ground",
                "child": "b",
                "axis": "x",
                "limits": {"upper": 0.05, "restitution": 0.3},
            },
        },
        constraints={"same": {"type": "coupler", "terms": {"a": 1, "b": -1}}},
        gravity=[0, 0, 0],
        forces={"f": {"type": "force", "child": "a", "value": ["if(t < 0.5, 10, -10)", 0, 0]}},
    )
    for start in (0.0, 0.05):
        run = cardan.simulate(model, until=1, initial={"a": start})
        assert run.array("a.q")[-1] == pytest.approx(0.05 - 5 * 0.5**2 / 2, abs=1e-8)  # rtol of the run
        assert run.array("a.stop_force").max() <= 0


@pytest.mark.parametrize(
    ("method", "e", "low"),
    [("rodas5p", 0.5, -0.35), ("rodas5p", 0.75, -0.77), ("tsit5", 0.725, -0.77), ("dop853", 0.6, -0.11)],
)
def test_bounces_of_a_pendulum_end(method, e, low):
    """A motor turns it against a stop; the instants of SciPy, the last of them under constant acceleration.

    Long steps follow the short flights; what their extension errs in an instant is many round-offs of the place.
    """
    inertia, weight, damping, pull = 0.25 + 0.03, 9.81 * 0.5, 0.4, -5.0
    model = cardan.Model(
        bodies={"bob": {"mass": 1, "com": [0, 0, -0.5], "inertia": [0, 0.03, 0]}},
        joints={
            "hinge": {
                "type": "revolute",
                "parent": "ground",
                "child": "bob",
                "axis": [0, -1, 0],
                "damping": damping,
                "limits": {"lower": low, "restitution": e},
            }
        },
        inputs={"hinge": pull},
        initial={"hinge": 0.3},
    )
    run = cardan.simulate(model, 3.0, method=method)

    def fall(t, y):
        return [y[1], (pull - damping * y[1] - weight * np.sin(y[0])) / inertia]

    def at_stop(t, y):
        return y[0] - low if t > start else 1.0

    at_stop.terminal, at_stop.direction = True, -1
    instants, start, y = [], 0.0, [0.3, 0.0]
    while not instants or y[1] > 1e-3:
        found = solve_ivp(fall, (start, 3.0), y, events=at_stop, rtol=1e-12, atol=1e-14, max_step=0.1)
        start, y = found.t[-1], [low, -e * found.y[1, -1]]
        instants.append(start)
    flight = 2 * y[1] / -fall(0, [low, 0])[1]
    impacts = [event.t for event in run.events if event.did == "meets its lower stop"]
    # 1e-8 a step of the run, over a speed of 1e-3 rad/s at the last of these instants; flights err less, as they add up
    np.testing.assert_allclose(impacts[: len(instants)], instants, atol=1e-6)
    assert run.ok
    assert run.events[-1].did == "rests at its stop"
    assert run.events[-1].t == pytest.approx(start + flight / (1 - e), abs=1e-6)
    assert run.array("hinge.q")[-1] == low


@pytest.mark.parametrize(("e", "low"), [(0.725, -0.11), (0.75, -0.35), (0.72, -0.11)])
def test_bounces_of_a_double_pendulum_end(e, low):
    """The lower arm rests when its flights are no higher than round-off, though they begin on values that are zero."""
    hinge = {"type": "revolute", "axis": [0, -1, 0], "damping": 0.4}
    model = cardan.Model(
        bodies={
            "arm": {"mass": 1, "com": [0, 0, -0.4], "inertia": [0, 0.03, 0]},
            "bob": {"mass": 1, "com": [0, 0, -0.5], "inertia": [0, 0.03, 0]},
        },
        joints={
            "A": {**hinge, "parent": "ground", "child": "arm", "stiffness": 5},
            "B": {
                **hinge,
                "parent": {"body": "arm", "position": [0.1, 0, -0.4]},
                "child": "bob",
                "limits": {"lower": low, "restitution": e},
            },
        },
        inputs={"B": -1.5},
        initial={"A": 0.3, "A.v": 1.0},
    )
    run = cardan.simulate(model, 3.0, method="rodas5p")
    fine = cardan.simulate(model, 3.0, method="dop853", rtol=1e-11, atol=1e-12)
    rests, fine_rests = ([event.t for event in each.events if event.did == "rests at its stop"] for each in (run, fine))
    assert run.ok
    np.testing.assert_allclose(rests, fine_rests, atol=1e-6)  # 1e-8 a step, over slow impacts


def test_functions_of_position_and_speed_contain_elastic_stops_and_none_by_impact():
    """k δ + c δ̇ from the bound on, and never a pull."""
    elastic = cardan.compile(ball({"lower": -0.1, "upper": 0.1, "stiffness": 1e3, "damping": 20.0}, gravity=[0, 0, 0]))
    q, v = np.array([[-0.15], [-0.05], [0.15], [0.15], [0.15]]), np.array([[0], [0], [0], [1.0], [-5.0]])
    force = np.array([50.0, 0, -50, -70, 0])
    np.testing.assert_allclose(elastic.forward_dynamics(q, v, 0 * v)[:, 0], force / 0.5, rtol=1e-13)
    np.testing.assert_allclose(elastic.inverse_dynamics(q, v, 0 * v)[:, 0], -force, rtol=1e-13)
    rigid = cardan.compile(ball({"lower": -0.1, "upper": 0.1}, gravity=[0, 0, 0]))
    assert not rigid.forward_dynamics(q, v, 0 * v).any()


@pytest.mark.parametrize(("height", "e"), [(1e-3, 0.8), (1e-4, 0.9), (1e-6, 0.8), (1e-6, 0.9)])
@pytest.mark.parametrize("bound", [0.0, 0.1])
def test_a_series_of_bounces_ends_at_any_bound(height, e, bound):
    """At the bound 0 the place of the joint has no round-off of its own: that of the instant says when it has touched.

    The bounces accumulate at √(2h/g) (1 + e)/(1 − e); 1e-9 of this are 1000 times the round-off of some 100 instants.
    At 0.1 m they end at heights of some 1e-14 m, up to 1 µs earlier.
    """
    limits = {"lower": bound, "restitution": e}
    slide = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "z", "limits": limits}
    model = cardan.Model(bodies={"b": {"mass": 1}}, joints={"z": slide}, initial={"z": bound + height})
    end = np.sqrt(2 * height / 9.81) * (1 + e) / (1 - e)
    run = cardan.simulate(model, until=1.5 * end)
    assert run.ok
    assert run["z.q"].values[-1] == bound
    assert run.events[-1].t == pytest.approx(end, rel=1e-9, abs=1e-6 * (bound > 0))
