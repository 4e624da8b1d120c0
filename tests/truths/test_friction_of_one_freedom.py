"""Friction of joints that move only together: they hold one freedom together, as long as any sharing could.

The comparison is the one equation of the gallery's slider-crank in the crank angle, put together from event to event.
Tolerances: runs at rtol 1e-10 and atol 1e-12 over some ten events.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan

FINE = {"rtol": 1e-10, "atol": 1e-12}
G, L1, L2, M1, M2, M3, WHEEL = 9.81, 0.2, 0.5, 1.0, 1.0, 0.5, 2.0
EFFORTS = {"crank": 0.9, "pin": 0.6, "slide": 8.0}
STATIC = {"crank": 1.2, "pin": 0.6, "slide": 12.0}


def slider_crank(**more):
    """The slider-crank of the gallery with friction in three joints of its one freedom."""
    model = cardan.load("slider_crank")
    joints = {
        name: joint.replace(friction={"effort": EFFORTS[name], "static": STATIC[name]}) if name in EFFORTS else joint
        for name, joint in model.joints.items()
    }
    return model.replace(joints=joints, initial={}, **more)


def rates(theta):
    """Velocities of crank, pin and slide, and of the masses, per angular velocity of the crank."""
    c, s = np.cos(theta), np.sin(theta)
    sb = L1 * s / L2
    k = L1 * c / (L2 * np.sqrt(1 - sb**2))  # β′ of the rod, whose angle is −β
    slide = -L1 * s - L2 * sb * k
    middle = -L1 * s - L2 / 2 * sb * k, L1 * c - L2 / 2 * np.sqrt(1 - sb**2) * k
    return {"crank": 1.0, "pin": -k - 1.0, "slide": slide}, k, middle


def mass(theta):
    g, k, (x, y) = rates(theta)
    return M1 * L1**2 / 3 + WHEEL + M2 * (x**2 + y**2 + L2**2 / 12 * k**2) + M3 * g["slide"] ** 2


def slope(theta):
    """Derivative of the mass by the angle, by a complex step: exact but for round-off."""
    return mass(theta + 1e-30j).imag / 1e-30


def weight(theta):
    _, _, (_, y) = rates(theta)
    return M1 * G * L1 / 2 * np.cos(theta) + M2 * G * y


def held(theta, efforts):
    return sum(abs(rate) * efforts[name] for name, rate in rates(theta)[0].items())


def by_hand(theta, w, torque, end):
    """Angle and velocity at the end, and what happens to the crank on the way."""
    t, happened = 0.0, []
    way = float(np.sign(w))
    while t < end:
        if way == 0:

            def margin(time, at=theta):
                return held(at, STATIC) - abs(torque(time) - weight(at))

            grid = np.linspace(t, end, 4001)
            found = next((i for i in range(4000) if margin(grid[i + 1]) < 0), None)
            if found is None:
                return theta, 0.0, happened
            t = brentq(margin, grid[found], grid[found + 1], xtol=1e-15, rtol=1e-15) if margin(grid[found]) > 0 else t
            way = float(np.sign(torque(t) - weight(theta)))
            happened.append((t, "slides forwards" if way > 0 else "slides backwards"))
            w = way * 1e-300

        def law(time, y, way=way):
            moved = torque(time) - weight(y[0]) - way * held(y[0], EFFORTS) - slope(y[0]) * y[1] ** 2 / 2
            return [y[1], moved / mass(y[0])]

        def rest(time, y):
            return y[1]

        rest.terminal, rest.direction = True, -way
        run = solve_ivp(law, (t, end), [theta, w], events=rest, rtol=1e-12, atol=1e-13, method="DOP853")
        t, (theta, w) = run.t[-1], run.y[:, -1]
        if run.status == 1:
            load = torque(t) - weight(theta)
            way, w = (0.0 if abs(load) <= held(theta, STATIC) else float(np.sign(load))), 0.0
            happened.append((t, "reverses" if way else "stops"))
            w = way * 1e-300
    return theta, w, happened


@pytest.mark.parametrize(("start", "speed", "size"), [(1.0, 0.0, 14), (0.3, 2.5, 14), (0.3, 3.0, 6)])
def test_joints_of_a_slider_crank_stick_and_break_away_together(start, speed, size):
    run = cardan.simulate(
        slider_crank(), until=6, motors="none", initial={"crank": start, "crank.v": speed},
        inputs={"crank": f"{size}*sin(2.1*t)"}, **FINE,
    )  # fmt: skip
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    theta, w, happened = by_hand(start, speed, lambda t: size * np.sin(2.1 * t), 6.0)
    found = [(event.t, event.did) for event in run.events if event.name == "crank"]
    assert [did for _, did in found] == [did for _, did in happened]
    assert (size < 10) == ("stops" in [did for _, did in found])
    np.testing.assert_allclose([t for t, _ in found], [t for t, _ in happened], rtol=0, atol=1e-8)
    assert run["crank.q"].values[-1] == pytest.approx(theta, abs=1e-8)
    assert run["crank.v"].values[-1] == pytest.approx(w, abs=1e-8)


def test_what_they_hold_is_shared_in_proportion_to_their_limits():
    """Σ g_i φ_i = −Q, and φ_i/F_i has one size; the result says that it is not unique."""
    run = cardan.simulate(
        slider_crank(gravity=[0, 0, 0]), until=0.1, motors="none", initial={"crank": 1.0}, inputs={"crank": "10*t"},
        times=[0.1], **FINE,
    )  # fmt: skip
    g = rates(1.0)[0]
    parts = {name: run[f"{name}.friction"].values[-1] / STATIC[name] for name in g}
    assert [run[f"{name}.sticking"].values[-1] for name in g] == [1, 1, 1]
    whole = 1.0 / held(1.0, STATIC)
    for name, rate in g.items():
        assert parts[name] == pytest.approx(-np.sign(rate) * whole, rel=1e-12)
        assert run[f"{name}.friction"].unique == "no"


def test_joints_come_to_rest_together_where_coarse_steps_leave_them_apart():
    """At rtol 1e-3 the closing joint c passes zero while the crank has 1e-10 rad/s left: both stop."""
    first, second = (
        {"mass": 1.0, "com": [c, 0, 0], "inertia": [0, 0, 0.01], "markers": {"tip": {"position": [length, 0, 0]}}}
        for c, length in ((0.15, 0.3), (0.25, 0.5))
    )
    turning, rubs = {"type": "revolute", "axis": "z"}, {"a": 0.5064521867027066, "c": 0.4954962566644327}
    model = cardan.Model(
        planar="xy", gravity=[0, -9.81, 0], bodies={"first": first, "second": second, "block": {"mass": 1.0}},
        joints={
            "a": {**turning, "parent": "ground", "child": "first", "friction": {"effort": rubs["a"]}},
            "b": {**turning, "parent": "first.tip", "child": "second"},
            "s": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"},
            "c": {**turning, "parent": "second.tip", "child": "block", "friction": {"effort": rubs["c"]}},
        },
        initial={"a": 1.0, "b": {"guess": -1.5}, "s": {"guess": 0.6}, "a.v": -2.9139190146696676},
    )  # fmt: skip
    coarse, fine = (
        cardan.simulate(model, until=1.5, inputs={"a": "1.999*sin(6.03*t + 5.24)"}, **settings)
        for settings in ({"method": "auto", "rtol": 1e-3, "atol": 1e-5}, {"method": "dop853", **FINE})
    )
    assert coarse.ok, coarse.message
    assert [(event.name, event.did) for event in coarse.events] == [(event.name, event.did) for event in fine.events]
    assert ("c", "stops") in [(event.name, event.did) for event in fine.events]
