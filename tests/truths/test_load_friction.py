"""Friction from the load of a joint, against closed forms and solutions put together from event to event.

The comparisons are written from Newton's laws of each body, with friction by Coulomb's law at the contact. Tolerances:
runs at rtol 1e-10 and atol 1e-12 over a few events; what the runs are compared with is exact or at 1e-12.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81


def incline(angle, friction, **more):
    """A block of 2 kg on an incline; the coordinate grows downhill."""
    axis = [np.cos(angle), 0, -np.sin(angle)]
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": axis, "friction": friction}
    return cardan.Model(bodies={"block": {"mass": 2}}, joints={"slide": slide}, **more)


METHODS = [("dop853", FINE), ("tsit5", FINE), ("rodas5p", FINE), ("rk4", {"step": 0.01})]


@pytest.mark.parametrize(("method", "settings"), METHODS)
def test_a_block_on_an_incline_slides_up_and_down_again(method, settings):
    """Up with −g (sin α + μ cos α), down with g (sin α − μ cos α)."""
    angle, mu, v0 = 0.5, 0.3, -4.0
    run = cardan.simulate(
        incline(angle, {"coefficient": mu}), until=3, initial={"slide.v": v0}, method=method, **settings
    )
    up, down = (G * (np.sin(angle) + sign * mu * np.cos(angle)) for sign in (1, -1))
    turn = -v0 / up
    assert [event.did for event in run.events] == ["reverses"]
    assert run.events[0].t == pytest.approx(turn, abs=1e-9)
    end = -(v0**2) / (2 * up) + down * (3 - turn) ** 2 / 2
    assert run["slide.q"].values[-1] == pytest.approx(end, abs=1e-8)
    friction = mu * 2 * G * np.cos(angle)
    np.testing.assert_allclose(run["slide.friction"].values[[0, -1]], [friction, -friction], rtol=1e-12)
    heat = friction * (v0**2 / (2 * up) + down * (3 - turn) ** 2 / 2)
    assert run["slide.heat"].values[-1] == pytest.approx(heat, abs=1e-7)
    assert run.report.relative_energy_error < 1e-9


def test_a_block_on_an_incline_sticks_below_the_angle_of_friction():
    """It holds m g sin α without creep, and could hold μ m g cos α."""
    run = cardan.simulate(incline(np.arctan(0.3) - 1e-6, {"coefficient": 0.3}), until=1000)
    assert run.ok
    assert run.events == ()
    assert set(run["slide.q"].values) == {0.0}
    weight = 2 * G * np.sin(np.arctan(0.3) - 1e-6)
    assert run["slide.friction"].values[-1] == pytest.approx(-weight, rel=1e-12)
    assert run["slide.friction_limit"].values[-1] == pytest.approx(
        0.3 * 2 * G * np.cos(np.arctan(0.3) - 1e-6), rel=1e-12
    )
    gone = cardan.simulate(incline(np.arctan(0.3) + 1e-6, {"coefficient": 0.3}), until=1)
    assert [event.did for event in gone.events] == ["slides forwards"]


@pytest.mark.parametrize("viscous", [0, 0.7])
def test_a_force_that_lifts_the_block_lets_it_go(viscous):
    """A force F = 10 t under 60° on a level block: it breaks away at F cos 60° = μs (m g − F sin 60°), then slides."""
    law = {"coefficient": 0.4, "static": 0.5, "viscous": f"{viscous} N*s/m"}
    pull = {"type": "force", "child": "block", "value": ["5*t", 0, "10*t*sin(pi/3)"]}
    model = incline(0.0, law, forces={"pull": pull})
    run = cardan.simulate(model, until=1.9, **FINE)
    start = 0.5 * 2 * G / (5 + 0.5 * 10 * np.sin(np.pi / 3))
    assert [event.did for event in run.events] == ["slides forwards"]
    assert run.events[0].t == pytest.approx(start, abs=1e-9)

    def rates(t, y):
        normal = 2 * G - 10 * t * np.sin(np.pi / 3)
        return [y[1], (5 * t - 0.4 * abs(normal) - viscous * y[1]) / 2]

    found = solve_ivp(rates, (start, 1.9), [0, 0], rtol=1e-12, atol=1e-13, method="DOP853")
    assert run["slide.q"].values[-1] == pytest.approx(found.y[0, -1], abs=1e-8)


@pytest.mark.parametrize("across", [(0.0, 1.0), (0.6, 0.8)])
@pytest.mark.parametrize("power", [1, 2])
def test_a_load_that_grows_from_nothing(across, power):
    """F along the guide and F across it with F = tⁿ: x = (1 − μ) tⁿ⁺²/((n + 1)(n + 2) m), from the first instant on."""
    push = "*".join(["t"] * power)
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"b": {"mass": 2, "inertia": [1, 1, 1]}},
        joints={
            "s": {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x", "friction": {"coefficient": 0.3}}
        },
        forces={"f": {"type": "force", "child": "b", "value": [push, *(f"{part}*{push}" for part in across)]}},
    )
    run = cardan.simulate(model, until=2.0, **FINE)
    assert run.ok, run.message
    assert [event.did for event in run.events] == ["slides forwards"]
    assert run["s.q"].values[-1] == pytest.approx(0.35 * 2 ** (power + 2) / ((power + 1) * (power + 2)), rel=1e-9)


def test_preload_and_stribecks_curve():
    """A block on a level guide with 5 N of preload: m v̇ = −μ(v) (m g + 5 N)."""
    law = {"type": "stribeck", "coefficient": 0.2, "static": 0.4, "speed": "0.5 m/s", "preload": "5 N"}
    run = cardan.simulate(incline(0.0, law), until=3, initial={"slide.v": 2}, **FINE)
    x, weights = np.polynomial.legendre.leggauss(200)
    v = x + 1
    force = (0.2 + 0.2 * np.exp(-((v / 0.5) ** 2))) * (2 * G + 5)
    assert run.events[0].t == pytest.approx(2 * np.sum(weights / force), abs=1e-9)
    assert run["slide.q"].values[-1] == pytest.approx(2 * np.sum(weights * v / force), abs=1e-9)


def pendulum(friction, **more):
    body = {"mass": 3, "com": [0, 0, -0.4], "inertia": [0.05, 0.05, 0.05]}
    pin = {"type": "revolute", "parent": "ground", "child": "arm", "axis": [0, -1, 0], "friction": friction}
    return cardan.Model(bodies={"arm": body}, joints={"pin": pin}, **more)


@pytest.mark.parametrize("turned", [False, True])
def test_a_pendulum_on_a_journal_pin_comes_to_rest_off_the_vertical(turned):
    """J θ̈ = −m g L sin θ − σ μ r R, R² = (m L θ̈ + m g sin θ)² + (m L θ̇² + m g cos θ)², from stop to stop."""
    m, L, J, mu, r = 3.0, 0.4, 0.05 + 3 * 0.4**2, 0.3, 0.05
    model = pendulum({"coefficient": mu, "radius": "50 mm"})
    if turned:  # the pendulum as parent of the ground: the same joint the other way round
        model = cardan.Model(
            bodies={"arm": model.bodies["arm"], "base": {"mass": 1, "inertia": [1, 1, 1]}},
            joints={
                "pin": model.joints["pin"].replace(parent="arm", child="base", axis=[0, 1, 0]),
                "stand": {"type": "fixed", "parent": "ground", "child": "base"},
            },
        )
    run = cardan.simulate(model, until=10, initial={"pin": 1.2}, **FINE)
    assert run.ok, run.message

    def angular(theta, rate, way):
        def gap(a):
            load = np.hypot(m * L * a + m * G * np.sin(theta), m * L * rate**2 + m * G * np.cos(theta))
            return J * a + m * G * L * np.sin(theta) + way * mu * r * load

        return brentq(gap, -100, 100, xtol=1e-15, rtol=1e-15)

    theta, t, stops, heat = 1.2, 0.0, [], 0.0
    while m * G * L * abs(np.sin(theta)) > mu * r * m * G:
        way = -np.sign(theta)

        def rest(t, y, way):
            return y[1]

        rest.terminal, rest.direction = True, -way

        def rates(t, y, way):
            a = angular(*y[:2], way)
            load = np.hypot(m * L * a + m * G * np.sin(y[0]), m * L * y[1] ** 2 + m * G * np.cos(y[0]))
            return [y[1], a, mu * r * load * abs(y[1])]

        found = solve_ivp(
            rates, (t, t + 3), [theta, 0, heat], args=(way,), events=rest, rtol=1e-12, atol=1e-13, method="DOP853"
        )
        t, (theta, _, heat) = found.t[-1], found.y[:, -1]
        stops.append(t)
    stopped = [event.t for event in run.events if event.did in ("stops", "reverses")]
    assert len(stops) > 2
    np.testing.assert_allclose(stopped, stops, atol=1e-8)
    assert run["pin.q"].values[-1] == pytest.approx(theta, abs=1e-8)
    assert run["pin.heat"].values[-1] == pytest.approx(heat, abs=1e-8)
    assert run["pin.friction_limit"].values[-1] == pytest.approx(mu * r * m * G, rel=1e-12)
    assert abs(run["pin.friction"].values[-1]) == pytest.approx(m * G * L * abs(np.sin(theta)), rel=1e-8)


@pytest.mark.parametrize(("arm", "holds"), [(0.2499, False), (0.2501, True)])
def test_a_shelf_on_a_column_holds_where_its_load_is_far_enough_out(arm, holds):
    """A clamp of length h, loaded at distance x: its ends press x W/h each, so it holds from x = h/(2 μ) on."""
    shelf = {"mass": 2, "inertia": [0.1, 0.1, 0.1], "markers": {"end": {"position": [arm, 0, 0]}}}
    slide = {"type": "prismatic", "parent": "ground", "child": "shelf", "axis": "z"}
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"shelf": shelf},
        joints={"slide": slide | {"friction": {"coefficient": 0.2, "length": "100 mm"}}},
        forces={"load": {"type": "force", "child": "shelf.end", "value": [0, 0, -20]}},
    )
    run = cardan.simulate(model, until=0.5, **FINE)
    assert run.ok
    if holds:
        assert run.events == ()
        assert run["slide.q"].values[-1] == 0.0
    else:  # m a = −W + μ 2 x W/h
        a = -10 * (1 - 0.2 * 2 * arm / 0.1)
        assert run["slide.q"].values[-1] == pytest.approx(a * 0.5**2 / 2, rel=1e-8)


def overhung(x, **more):
    """The clamp with the mass of its shelf out at x, pressed down by 20 N in the middle: the load is x (φ − 20 N)."""
    friction = {"coefficient": 0.2, "length": "100 mm"}
    slide = {"type": "prismatic", "parent": "ground", "child": "shelf", "axis": "z", "friction": friction}
    return cardan.Model(
        bodies={"shelf": {"mass": 2, "com": [x, 0, 0], "inertia": [0.1, 0.1, 0.1]}},
        joints={"slide": slide},
        forces={"load": {"type": "force", "child": "shelf", "value": [0, 0, -20]}},
        **more,
    )


@pytest.mark.parametrize("v", [-1.0, 1.0])
@pytest.mark.parametrize("x", [0.05, 0.2, 0.2499, 0.2501, 0.6])
def test_friction_that_changes_its_own_load_has_one_solution_up_to_painlevés_limit(x, v):
    """φ = −σ c |φ − F| with c = 2 μ x/h: one solution below c = 1; beyond it two downwards, none upwards."""
    run = cardan.simulate(overhung(x), until=0.01, initial={"slide.v": v}, **FINE)
    c, F = 2 * 0.2 * x / 0.1, 20.0
    if c > 1:
        assert run.status == "friction_indeterminate"
        assert "Painlevé" in run.message
        assert run.events[-1].name == "slide"
        assert run.t[-1] == 0.0
        return
    assert run.ok
    friction = c * F / (1 + c) if v < 0 else -c * F / (1 - c)
    if abs(friction) < 1000:
        np.testing.assert_allclose(run["slide.friction"].values, friction, rtol=1e-9)


def test_a_sliding_rod_ends_at_painlevés_limit():
    """Rod on a rough floor that guides its foot, μ = 1.4: it falls until 1 + 3 cos θ (cos θ − μ sin θ) = 0.

    m ẍ = −μ N, m ÿ = N − m g, J θ̈ = −l cos θ N − l sin θ μ N with the centre at (s + l cos θ, l sin θ), J = m l²/3;
    from there on a second solution has N < 0.
    """
    m, l, mu = 2.0, 0.5, 1.4
    floor = {"type": "prismatic", "parent": "ground", "child": "foot", "axis": "x", "friction": {"coefficient": mu}}
    hinge = {"type": "revolute", "parent": "foot", "child": "rod", "axis": [0, -1, 0]}
    model = cardan.Model(
        planar="xz",
        bodies={"foot": {"mass": 0}, "rod": {"mass": m, "com": [l, 0, 0], "inertia": [0, m * l**2 / 3, 0]}},
        joints={"slip": floor, "hinge": hinge},
    )
    start = np.arctan(2) + 0.12
    run = cardan.simulate(model, until=1, initial={"slip.v": 3, "hinge": start, "hinge.v": -0.4}, **FINE)

    def gap(theta):
        return 1 + 3 * np.cos(theta) * (np.cos(theta) - mu * np.sin(theta))

    def rates(t, y):
        _, theta, v, w = y
        c, s = np.cos(theta), np.sin(theta)
        # m (a − l s α − l c ω²) = −μ N, m (l c α − l s ω²) = N − m g, J α = −l c N − l s μ N
        A = [[m, -m * l * s, mu], [0, m * l * c, -1], [0, m * l**2 / 3, l * c + mu * l * s]]
        a, alpha, _ = np.linalg.solve(A, [m * l * c * w**2, m * l * s * w**2 - m * G, 0])
        return [v, w, a, alpha]

    def limit(t, y):
        return gap(y[1])

    limit.terminal = True
    found = solve_ivp(rates, (0, 1), [0, start, 3, -0.4], events=limit, rtol=1e-12, atol=1e-13, method="DOP853")
    assert run.status == "friction_indeterminate"
    assert run.t[-1] == pytest.approx(found.t[-1], abs=1e-8)
    assert run["hinge.q"].values[-1] == pytest.approx(found.y[1, -1], abs=1e-8)
    assert gap(run["hinge.q"].values[-1]) == pytest.approx(0, abs=1e-8)


def ladder(theta, mu):
    """A ladder of 4 m and 12 kg whose foot rubs on the floor; its top slides down a smooth wall at x = 0."""
    foot = {"type": "prismatic", "parent": "ground", "child": "foot", "axis": "x", "friction": {"coefficient": mu}}
    lean = {"type": "revolute", "parent": "foot", "child": "ladder", "axis": [0, -1, 0]}
    top = {"top": {"position": [4, 0, 0]}}
    return cardan.Model(
        planar="xz",
        bodies={
            "foot": {"mass": 0},
            "ladder": {"mass": 12, "com": [2, 0, 0], "inertia": [0, 16, 0], "markers": top},
        },
        joints={"slip": foot, "lean": lean},
        constraints={"wall": {"type": "point_on_line", "parent": "ground", "child": "ladder.top", "axis": "z"}},
        initial={"slip": 4 * np.cos(theta), "lean": {"guess": np.pi - theta}},
    )


def test_a_ladder_stands_where_its_slope_is_steep_enough():
    """Floor friction alone: it stands up to tan θ = 1/(2 μ), and holds m g/(2 tan θ)."""
    limit = np.arctan(1 / (2 * 0.3))
    stands = cardan.simulate(ladder(limit + 1e-6, 0.3), until=100)
    assert stands.ok, stands.message
    assert stands.events == ()
    held = stands["slip.friction"].values[-1]
    assert abs(held) == pytest.approx(12 * G / (2 * np.tan(limit + 1e-6)), rel=1e-9)
    assert stands["slip.friction_limit"].values[-1] == pytest.approx(0.3 * 12 * G, rel=1e-9)


def test_a_ladder_slides_as_its_forces_say():
    """Forces of floor and wall with the moment about the centre, J = m L²/12, while both press."""
    m, L, mu, start = 12.0, 4.0, 0.3, 0.9
    run = cardan.simulate(ladder(start, mu), until=0.9, **FINE)
    assert [event.did for event in run.events] == ["slides forwards"]

    def rates(t, y):
        w, c, s = y[1], np.cos(y[0]), np.sin(y[0])
        a = L / 2 * m  # unknowns: θ̈, forces of floor and wall
        A = [[-a * s, mu, -1], [a * c, -1, 0], [m * L**2 / 12, L / 2 * (c - mu * s), -L / 2 * s]]
        return [w, np.linalg.solve(A, [a * c * w**2, a * s * w**2 - m * G, 0])[0]]

    found = solve_ivp(rates, (0, 0.9), [start, 0], rtol=1e-12, atol=1e-13, method="DOP853")
    assert run["slip.q"].values[-1] == pytest.approx(L * np.cos(found.y[0, -1]), abs=1e-8)


@pytest.mark.parametrize(("mu", "locks"), [(0.2680, True), (0.2679, False)])
def test_a_wedge_locks_itself_where_its_angle_is_below_the_angle_of_friction(mu, locks):
    """A guided block of 8 kg on a wedge of 15° and 2 kg, tan 15° = 0.267949: it holds, or drives the wedge out."""
    alpha, m1, m2 = np.radians(15), 2.0, 8.0
    floor = {"type": "prismatic", "parent": "ground", "child": "wedge", "axis": "x"}
    slope = {"type": "prismatic", "parent": "wedge", "child": "block", "axis": [np.cos(alpha), 0, -np.sin(alpha)]}
    model = cardan.Model(
        planar="xz",
        bodies={"wedge": {"mass": m1}, "block": {"mass": m2}},
        joints={"out": floor, "slope": slope | {"friction": {"coefficient": mu}}},
        constraints={"guide": {"type": "point_on_line", "parent": "ground", "child": "block", "axis": "z"}},
    )
    run = cardan.simulate(model, until=500 if locks else 5, **FINE)
    assert run.ok, run.message
    if locks:
        assert run.events == ()
        assert np.ptp(run["out.q"].values) < 1e-10  # round-off of accelerations, 3e-16 m/s², over each step of 0.5 s
        assert np.abs(run["out.v"].values).max() < 1e-15  # and none over the run
        return
    # m1 A = N (sin α − μ cos α), m2 A tan α = m2 g − N (cos α + μ sin α)
    spread = (np.cos(alpha) + mu * np.sin(alpha)) / (np.sin(alpha) - mu * np.cos(alpha))
    a = m2 * G / (m2 * np.tan(alpha) + m1 * spread)
    assert run["out.q"].values[-1] == pytest.approx(-a * 25 / 2, rel=1e-7)


def press(coefficient, **more):
    """A nut that carries 200 kg on a vertical spindle of 8 mm lead and 12 mm mean radius, turned by a torque."""
    friction = {"coefficient": coefficient, "radius": "12 mm"}
    turn = {"type": "screw", "parent": "ground", "child": "nut", "axis": "z", "lead": "8 mm", "friction": friction}
    nut = {"mass": 200, "inertia": [1, 1, 0.02]}
    return cardan.Model(bodies={"nut": nut}, joints={"turn": turn}, **more)


@pytest.mark.parametrize("lift", [True, False])
def test_a_screw_lifts_and_lowers_with_the_torque_of_textbooks(lift):
    """T = W r tan(φ ± α) at a steady speed (Shigley, eqs. 8-1 and 8-2), with tan φ = μ."""
    alpha, mu, weight = np.arctan(8e-3 / (2 * np.pi * 12e-3)), 0.15, 200 * G
    torque = weight * 12e-3 * np.tan(alpha + np.arctan(mu)) if lift else -weight * 12e-3 * np.tan(np.arctan(mu) - alpha)
    given = {"motors": "none", "inputs": {"turn": torque}, "initial": {"turn.v": 2.0 if lift else -2.0}}
    run = cardan.simulate(press(mu), until=1, **given, **FINE)
    np.testing.assert_allclose(run["turn.v"].values, 2.0 if lift else -2.0, rtol=1e-9)


@pytest.mark.parametrize(("mu", "locks"), [(0.1062, True), (0.106, False)])
def test_a_screw_locks_itself_where_its_lead_angle_is_below_the_angle_of_friction(mu, locks):
    """tan α = lead/(2π r) = 0.10610: it holds for ever, or runs down with the acceleration of its equation."""
    run = cardan.simulate(press(mu), until=1000 if locks else 1, **FINE)
    assert run.ok
    if locks:
        assert run.events == ()
        assert set(run["turn.q"].values) == {0.0}
        assert run["turn.friction"].values[-1] == pytest.approx(200 * G * 8e-3 / (2 * np.pi), rel=1e-12)
        return
    # nut: m h a = F − W, J a = T (contact alone); F = N cos α + μ N sin α, T = −N r sin α + μ N r cos α
    h, r, alpha = 8e-3 / (2 * np.pi), 12e-3, np.arctan(8e-3 / (2 * np.pi * 12e-3))
    c, s = np.cos(alpha), np.sin(alpha)
    a, _ = np.linalg.solve([[200 * h, -(c + mu * s)], [0.02, r * s - mu * r * c]], [-200 * G, 0])
    assert run["turn.q"].values[-1] == pytest.approx(a / 2, rel=1e-9)


def test_a_fly_press_squeezes_and_stays():
    """Screw and thread: torque over axial force T/F = −r tan(α − φ) down under the weight, −r tan(α + φ) pressing.

    m h θ̈ = F − m g + k d, J θ̈ = T + hand; so θ̈ is constant down to the workpiece, then each part a piece of a harmonic
    motion of the depth d: up to k d = m g, where the thread changes its flank, and beyond.
    """
    run = cardan.simulate(cardan.load("screw_press"), until=1000, **FINE)
    m, J, h, r, k, gap, T = 60.0, 0.6, 0.01 / (2 * np.pi), 0.02, 5e6, 0.02, 25.0
    alpha, phi = np.arctan(h / r), np.arctan(0.12)
    down, press = r * np.tan(alpha - phi), r * np.tan(alpha + phi)

    def speed_up(torque):
        return (torque - m * G * down) / (J + m * h * down)

    first, coast = speed_up(-T), speed_up(0)
    theta, w = first * 0.7**2 / 2, first * 0.7
    left = -gap / h - theta
    w = -np.sqrt(w**2 + 2 * coast * left)
    d0 = m * G / k  # v²/2 of the depth falls by h C (k d²/2 − m g d)
    v2 = (h * w) ** 2 - 2 * h * down / (J + m * h * down) * (k * d0**2 / 2 - m * G * d0)
    d = d0 + np.sqrt(v2 * (J + m * h * press) / (h * press * k))
    assert [event.did for event in run.events] == ["slides backwards", "stops"]
    assert run["turn.q"].values[-1] == pytest.approx(-(gap + d) / h, rel=1e-9)
    assert len(set(run["turn.q"].values[run.t > 2])) == 1  # for ever, without creep
    assert run["turn.friction"].values[-1] == pytest.approx((m * G - k * d) * h, rel=1e-8)
    assert abs(run["turn.friction"].values[-1]) < run["turn.friction_limit"].values[-1]


def with_friction(name, laws):
    """A mechanism of the gallery with friction in some joints."""
    model = cardan.load(name)
    joints = {joint: record.replace(friction=laws.get(joint)) for joint, record in model.joints.items()}
    return model.replace(joints=joints)


PINS = {joint: {"coefficient": 0.1, "radius": "20 mm"} for joint in ("crank", "pin", "wrist")}
SLIDER = {"slide": {"coefficient": 0.2}}


def crank_forces(theta, w, laws, middle, alpha=None):
    """θ̈, or for a given one the torque on the crank, then the forces A, B, C, N in the gallery's slider-crank.

    By Newton's laws of crank, rod and slider; ways of sliding as at the angle `middle` with θ̇ > 0. A, B, C are the
    forces of the frame on the crank, of the crank on the rod and of the rod on the slider, N that of the guide; given
    their friction they are linear in θ̈, and friction follows by iteration.
    """
    l1, l2, m1, m2, m3, flywheel = 0.2, 0.5, 1.0, 1.0, 0.5, 2.0
    c, s = np.cos(theta), np.sin(theta)
    sb, cb, k, bend = rod(l1, l2, theta)
    mu = {joint: law["coefficient"] for joint, law in laws.items()}
    way = {"crank": 1, "pin": -1, "wrist": np.sign(np.cos(middle)), "slide": -np.sign(np.sin(middle))}
    A, b = np.zeros((8, 8)), np.zeros(8)  # unknowns: θ̈, A, B, C, N
    bw2, w2 = (k * w) ** 2, w**2
    for row, (turn, rate) in enumerate(((-s, -c), (c, -s))):  # crank and rod along x and y
        own = (-sb, -cb) if row == 0 else (-cb, sb)
        A[row, [0, 1 + row, 3 + row]], b[row] = [m1 * l1 / 2 * turn, -1, 1], -m1 * l1 / 2 * rate * w2
        A[2 + row, [0, 3 + row, 5 + row]] = m2 * (l1 * turn + l2 / 2 * own[0] * k), -1, 1
        b[2 + row] = -m2 * (l1 * rate * w2 + l2 / 2 * (own[0] * bend * w2 + own[1] * bw2))
    b[[1, 3]] -= m1 * G, m2 * G
    A[4, [0, 3, 4]], b[4] = [m1 * l1**2 / 3 + flywheel, -l1 * s, l1 * c], -m1 * G * l1 / 2 * c
    A[5, [0, 3, 4, 5, 6]] = -m2 * l2**2 / 12 * k, l2 / 2 * sb, l2 / 2 * cb, l2 / 2 * sb, l2 / 2 * cb
    b[5] = m2 * l2**2 / 12 * bend * w2
    A[6, [0, 5]] = m3 * (-l1 * s - l2 * sb * k), -1
    b[6] = -m3 * (-l1 * c * w2 - l2 * sb * bend * w2 - l2 * cb * bw2)
    A[7, [6, 7]], b[7] = [1, 1], m3 * G
    if alpha is not None:
        b -= A[:, 0] * alpha
        A[:, 0] = -np.eye(8)[4]
    x = np.zeros(8)
    for _ in range(100):
        loads = {"crank": x[1:3], "pin": x[3:5], "wrist": x[5:7], "slide": x[7:]}
        on = {joint: -way[joint] * mu.get(joint, 0) * np.linalg.norm(load) for joint, load in loads.items()}
        more = np.zeros(8)
        more[4], more[5], more[6] = 0.02 * (on["crank"] - on["pin"]), 0.02 * (on["pin"] - on["wrist"]), on["slide"]
        before, x = x, np.linalg.solve(A, b + more)
        if np.max(np.abs(x - before)) < 1e-13 * np.max(np.abs(x)):
            break
    return x


def rod(l1, l2, theta):
    """sin β, cos β, β′ and β″ by θ of the rod, whose angle is −β."""
    sb = l1 * np.sin(theta) / l2
    cb = np.sqrt(1 - sb**2)
    k = l1 * np.cos(theta) / (l2 * cb)
    return sb, cb, k, (-l1 * np.sin(theta) / l2 + sb * k**2) / cb


def test_the_torque_that_turns_a_slider_crank_with_friction_in_several_joints():
    """Kineto-statics: the ways follow from the motion, so that several may rub."""
    laws = {"crank": PINS["crank"], "pin": PINS["pin"], **SLIDER}
    times = np.array([0.05, 0.3, 0.55, 0.8, 0.95])
    model = with_friction("slider_crank", laws).replace(initial={})
    run = cardan.kinetostatics(model, times, motions={"crank": "0.2 + 6*t + t**2"}, motors="none")
    assert run.ok, run.message
    for k, t in enumerate(times):
        theta, w = 0.2 + 6 * t + t**2, 6 + 2 * t
        x = crank_forces(theta, w, laws, (theta // (np.pi / 2) + 0.5) * np.pi / 2, 2.0)
        assert run["crank.effort"].values[k] == pytest.approx(x[0], rel=1e-9)
        assert run["crank.friction"].values[k] == pytest.approx(-0.1 * 0.02 * np.hypot(x[1], x[2]), rel=1e-9)
        assert abs(run["pin.friction"].values[k]) == pytest.approx(0.1 * 0.02 * np.hypot(x[3], x[4]), rel=1e-9)
        assert abs(run["slide.friction"].values[k]) == pytest.approx(0.2 * abs(x[7]), rel=1e-9)
    assert run.report.relative_energy_error < 1e-8


@pytest.mark.parametrize("law", [{"coefficient": 0.3}, {"effort": 0.3 * 2 * G, "viscous": "2 N*s/m"}])
def test_friction_under_a_motion_has_its_sign_from_v_then_from_a_and_is_zero_at_rest(law):
    """A block that rests, moves off with a jump of a at 1 s, and turns back at 3 s."""
    motions = {"slide": "if(t < 1, 0, if(t < 5, 0.1*(1 - cos(pi/2*(t - 1))), 0))"}
    model = incline(0.0, law, motions=motions)
    times = [0.5, 2.0, 3.0, 4.0, 6.0]
    run = cardan.kinetostatics(model, times, motors="none")
    damping = 2.0 if "viscous" in law else 0.0
    v, a = 0.05 * np.pi * np.array([0, 1, 0, -1, 0]), 0.1 * (np.pi / 2) ** 2 * np.array([0, 0, -1, 0, 0])
    expected = -0.3 * 2 * G * np.array([0, 1, -1, -1, 0]) - damping * v
    np.testing.assert_allclose(run["slide.friction"].values, expected, atol=1e-12)
    np.testing.assert_allclose(run["slide.effort"].values, 2 * a - expected, atol=1e-12)
    np.testing.assert_allclose(run["slide.friction_limit"].values, 0.3 * 2 * G)
    assert run["slide.sticking"].values.tolist() == [1, 0, 0, 0, 1]
    assert run["slide.friction"].attrs["unique"] == "no"


def test_inverse_dynamics_at_rest_has_the_friction_of_the_acceleration():
    for law in ({"coefficient": 0.3}, {"effort": 0.3 * 2 * G}):
        functions = cardan.compile(incline(0.0, law))
        for v, a, way in ((0, 1.5, 1), (0, -1.5, -1), (0, 0, 0), (0.1, -1.5, 1)):
            assert functions.inverse_dynamics([0.0], [v], [a])[0] == pytest.approx(2 * a + way * 0.3 * 2 * G)


@pytest.mark.parametrize("more", [{}, {"regularize": "1 mm/s"}])
def test_sweeps_give_what_single_runs_give(more):
    model = incline(0.5, {"coefficient": "mu", **more}, parameters={"mu": 0.3})
    swept = cardan.sweep(model, parameters={"mu": [0.0, 0.3, 0.6]}, outputs=["slide.q"], until=1, times=[1.0])
    for k, mu in enumerate((0.0, 0.3, 0.6)):
        run = cardan.simulate(model, until=1, times=[1.0], parameters={"mu": mu})
        assert float(swept["slide.q"][k, -1]) == pytest.approx(run["slide.q"].values[-1], rel=1e-9)


def test_only_motions_prescribe_the_sign_of_friction():
    with pytest.raises(ModelError, match="no motion prescribes how the joint 'slide' moves"):
        cardan.simulate(incline(0.1, {"coefficient": 0.2, "prescribed": True}), until=0.1)
    with pytest.raises(ModelError, match="never sticks"):
        incline(0.1, {"coefficient": 0.2, "prescribed": True, "regularize": "1 mm/s"})
    run = cardan.simulate(incline(0.0, {"coefficient": 0.2, "prescribed": True}, motions={"slide": "0.1*t"}), until=1)
    assert run["slide.heat"].values[-1] == pytest.approx(0.2 * 2 * G * 0.1)


def test_friction_beside_motions_that_other_joints_drive():
    """A lift on a cart that rubs: its weight is known whatever drives it.

    Two drives with the least efforts leave the table to fall: D = (1, 1) M⁻¹ = (0, 1), so that the cart carries itself.
    """
    law = {"coefficient": 0.2, "regularize": "1 um/s"}
    cart = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x", "friction": law}
    up = {"type": "prismatic", "parent": "cart", "child": "table", "axis": "z"}
    top = {"type": "prismatic", "parent": "table", "child": "load", "axis": "z"}
    model = cardan.Model(
        bodies={"cart": {"mass": 2}, "table": {"mass": 1}, "load": {"mass": 1}},
        joints={"slip": cart, "up": up, "top": top},
        initial={"slip.v": 1},
    )
    motions = {"load.position.z": {"value": "0.1*t**2", "by": ["up"]}, "top": "0"}
    run = cardan.simulate(model.replace(motions=motions), until=0.2, **FINE)
    np.testing.assert_allclose(run["slip.friction"].values, -0.2 * (4 * G + 2 * 0.2), rtol=1e-8)
    motions = {"load.position.z": {"value": "0.1*t**2", "by": ["up", "top"]}}
    run = cardan.simulate(model.replace(motions=motions), until=0.2, **FINE)
    np.testing.assert_allclose(run["top.effort"].values, G + 0.2, rtol=1e-8)
    np.testing.assert_allclose(run["slip.friction"].values, -0.2 * 2 * G, rtol=1e-8)


@pytest.mark.parametrize(("name", "joint"), [("door_two_hinges", "hinge1"), ("four_bar_spatial", "A")])
def test_friction_of_a_load_that_is_not_unique_is_refused(name, joint):
    law = {"coefficient": 0.1, "radius": "10 mm", "length": "50 mm"}
    with pytest.raises(ModelError, match=f"friction of '{joint}' follows its load, and this load is not unique"):
        cardan.simulate(with_friction(name, {joint: law}), until=0.1)
    if name == "four_bar_spatial":  # forces across the axis are unique, moments are not
        assert cardan.simulate(with_friction(name, {joint: {"coefficient": 0.1, "radius": "10 mm"}}), until=0.1).ok


def test_inverse_dynamics_refuses_a_load_in_a_closed_loop():
    functions = cardan.compile(with_friction("slider_crank", SLIDER), motors="none")
    with pytest.raises(ModelError, match="friction of 'slide' follows its load, which accelerations do not determine"):
        functions.inverse_dynamics([0.3, -0.4, 0.69], [1.0, -1.3, 0.1], [0.0, 0.0, 0.0])


@pytest.mark.parametrize("v", [-1.0, 1.0])
def test_functions_of_coordinates_and_velocities_have_the_friction_that_slides(v):
    """Down an incline: a = (tau + m g sin α − σ μ m g cos α)/m; and back."""
    functions = cardan.compile(incline(0.5, {"coefficient": 0.3}))
    a = (3 + 2 * G * np.sin(0.5) - v * 0.3 * 2 * G * np.cos(0.5)) / 2
    assert functions.forward_dynamics([0.0], [v], [3.0])[0] == pytest.approx(a, rel=1e-12)
    assert functions.inverse_dynamics([0.0], [v], [a])[0] == pytest.approx(3, rel=1e-12)
    assert np.linalg.norm(functions.reactions([0.0], [v], [3.0])["slide"][3:]) == pytest.approx(
        np.hypot(2 * G * np.cos(0.5), 3 - v * 0.3 * 2 * G * np.cos(0.5)), rel=1e-12
    )
    pin = cardan.compile(pendulum({"coefficient": 0.3, "radius": "50 mm"}))
    tau = pin.inverse_dynamics([0.4], [v], [2.5])
    assert pin.forward_dynamics([0.4], [v], tau)[0] == pytest.approx(2.5, rel=1e-12)


@pytest.mark.parametrize(
    ("friction", "words"),
    [
        ({}, "an effort or a coefficient"),
        ({"effort": "1 N", "coefficient": 0.2}, "an effort or a coefficient"),
        ({"effort": "1 N", "preload": "1 N"}, "given effort has no preload"),
        ({"coefficient": -0.2}, "coefficient"),
        ({"coefficient": "2 N"}, "coefficient"),
        ({"coefficient": 0.2, "static": 0.1}, "static coefficient 0.1 is below the sliding one, 0.2"),
        ({"coefficient": 0.2, "static": "1 N"}, "coefficient"),
        ({"coefficient": 0.2, "length": "0 m"}, "length"),
        ({"coefficient": 0.2, "radius": "1 m"}, "joint of type prismatic has no radius"),
    ],
)
def test_friction_that_cannot_be_is_refused(friction, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(incline(0.1, friction), until=0.1)


def test_a_pin_needs_its_radius():
    with pytest.raises(ModelError, match="joint of type revolute needs a radius"):
        pendulum({"coefficient": 0.2})


def cart_with_two_pins(muA, muB, muS, rA, rB, SL, push):
    """A cart that rubs, with two links that hang on it one after another and rub in their pins."""
    bodies = {
        "cart": {"mass": 2},
        "l1": {
            "mass": 1,
            "com": [0.05, 0, -0.3],
            "inertia": [0, 0.03, 0],
            "markers": {"e": {"position": [0, 0, -0.6]}},
        },
        "l2": {"mass": 0.7, "com": [0, 0, -0.2], "inertia": [0, 0.02, 0]},
    }
    guide = {"coefficient": muS, "length": SL, "static": 1.3 * muS}
    pins = ({"coefficient": mu, "radius": radius} for mu, radius in ((muA, rA), (muB, rB)))
    joints = {
        "S": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x", "friction": guide},
        "A": {"type": "revolute", "parent": "cart", "child": "l1", "axis": "y", "friction": next(pins)},
        "B": {"type": "revolute", "parent": "l1.e", "child": "l2", "axis": "y", "friction": next(pins)},
    }
    return cardan.Model(planar="xz", bodies=bodies, joints=joints, inputs={"S": push})


def assert_friction_brakes(run):
    assert run.ok
    for joint in "SAB":
        v, friction = run.array(f"{joint}.v"), run.array(f"{joint}.friction")
        assert np.max(friction * v) < 1e-9
        assert np.min(np.diff(run.array(f"{joint}.heat"))) > -1e-12
        resting = (v == 0) & (run.array(f"{joint}.sticking") == 0)
        assert np.all((run.array(f"{joint}.a") * run.array(f"{joint}.slip"))[resting] > -1e-9)


def test_joints_that_break_away_at_one_instant_are_decided_together():
    """The cart breaks away and turns round what the lower pin needs: it slides backwards, not forwards."""
    model = cart_with_two_pins(0.2766, 0.1337, 0.1017, 0.03864, 0.01049, 0.405, 64.54)
    run = cardan.simulate(model, until=0.1, initial={"A.v": 8.485})
    assert_friction_brakes(run)
    assert (run.array("B.slip")[0], run.array("S.slip")[0]) == (-1, 1)
    assert run.array("B.a")[0] < -50
    assert [(event.name, event.did) for event in run.events if event.t == 0][-1] == ("B", "slides backwards")


@pytest.mark.parametrize(("offset", "factor"), [(0.0, 1.0), (0.04, 1.0), (0.15, 1.5), (-0.3, 3.0)])
def test_the_two_ends_of_a_guide_share_a_weight(offset, factor):
    """Guide of 0.2 m, weight at `offset` along it: N = |F/2 + F d/L| + |F/2 − F d/L|: F to d = L/2, then 2 F d/L."""
    model = cardan.Model(
        bodies={"block": {"mass": 2, "com": [offset, 0, 0], "inertia": [0.1, 0.1, 0.1]}},
        joints={
            "slide": {
                "type": "prismatic",
                "parent": "ground",
                "child": "block",
                "axis": "x",
                "friction": {"coefficient": 0.1, "length": 0.2},
            }
        },
        gravity=[0, 0, -9.81],
    )
    run = cardan.simulate(model, times=[0.0, 0.3], initial={"slide.v": 2})
    assert run.array("slide.friction")[-1] == pytest.approx(-0.1 * 2 * 9.81 * factor, rel=1e-12)
    assert run.array("slide.v")[-1] == pytest.approx(2 - 0.1 * 9.81 * factor * 0.3, rel=1e-9)  # rtol of the run is 1e-8
