"""Joints of one freedom inside a group of several freedoms, whose friction follows the load: three of the five pins of
a palletizer turn alike, and a rotor turns with the crank of a five-bar linkage.

The palletizer is compared with equations of Newton and Euler of its four bodies, solved by SciPy from event to event.
Tolerances: runs at rtol 1e-10 and atol 1e-12 over a few events.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve, minimize

import cardan
from tests.truths.test_friction_of_several_freedoms import (
    ARM,
    FINE,
    LONG,
    RADIUS,
    RUBS,
    SHORT,
    G,
    five_bar,
    instants,
    of_palletizer,
    palletizer,
    with_rotor,
)

pytestmark = pytest.mark.exhaustive

MU, START = 0.3, (1.4, 2.8)
JOINTS, SET = ("jA", "jB", "jBC", "jAD", "jCD"), ("jBC", "jAD", "jCD")
MASSES, INERTIAS = (3, 1, 1, 2), (3 * LONG**2 / 12, SHORT**2 / 12, LONG**2 / 12, 0.05)
UNITS = np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, -1, -1]])  # of joints per unit of A, B and A − B
SIZE = MU * RADIUS


def unbalanced(q, v, a, forces, moments, torque):
    """What is left of the equations of the four bodies, for forces and moments of the five pins on their children."""
    e = [np.array([np.cos(x), np.sin(x)]) for x in q]
    n = [np.array([-x[1], x[0]]) for x in e]
    acc = [n[i] * a[i] - e[i] * v[i] ** 2 for i in (0, 1)]  # of a point at unit distance along A, B
    F, m = dict(zip(JOINTS, forces.reshape(5, 2), strict=True)), dict(zip(JOINTS, moments, strict=True))
    bodies = {
        "A": (LONG / 2 * acc[0], a[0], LONG / 2 * e[0], 0 * e[0]),
        "B": (SHORT / 2 * acc[1], a[1], SHORT / 2 * e[1], 0 * e[0]),
        "C": (SHORT * acc[1] + LONG / 2 * acc[0], a[0], SHORT * e[1] + LONG / 2 * e[0], SHORT * e[1]),
        "D": (LONG * acc[0] - ARM * acc[1], a[1], LONG * e[0] - ARM * e[1], LONG * e[0]),
    }
    first = {"A": "jA", "B": "jB", "C": "jBC", "D": "jAD"}
    carried = {"A": [("jAD", LONG * e[0])], "B": [("jBC", SHORT * e[1])], "C": [("jCD", SHORT * e[1] + LONG * e[0])]}
    out = []
    for k, (body, (linear, angular, centre, start)) in enumerate(bodies.items()):
        acting = [(F[first[body]], m[first[body]], start)]
        acting += [(-F[name], -m[name], at) for name, at in carried.get(body, [])]
        if body == "D":
            acting.append((F["jCD"], m["jCD"], SHORT * e[1] + LONG * e[0]))
        force = sum(f for f, _, _ in acting) - MASSES[k] * (np.array([0, G]) + linear)
        moment = sum(own + (at - centre)[0] * f[1] - (at - centre)[1] * f[0] for f, own, at in acting)
        out += [*force, moment + (torque[k] if k < 2 else 0) - INERTIAS[k] * angular]
    return np.array(out)


def parts_at_rest(q, torque):
    """Parts of the limits that the pins of the cranks and the set use, forces and moments: the set rests."""

    def moments(y):
        parts = UNITS.T @ [y[10], y[10], y[11]]
        return parts * SIZE * np.hypot(*y[:10].reshape(5, 2).T)

    y = fsolve(lambda y: unbalanced(q, (0, 0), (0, 0), y[:10], moments(y), torque), np.ones(12), xtol=1e-13)
    return y[10], y[11], y[:10], moments(y)


def motion(q, v, torque, ways, guess):
    """Accelerations of the cranks, and the part of the limits that the resting set uses, for the ways of the units."""
    rests = ways[2] == 0

    def rest(y):
        signs = UNITS.T @ [-ways[0], -ways[1], y[12] if rests else -ways[2]]
        moments = signs * SIZE * np.hypot(*y[2:12].reshape(5, 2).T)
        return [*unbalanced(q, v, y[:2], y[2:12], moments, torque), y[0] - y[1] if rests else y[12]]

    return fsolve(rest, guess, xtol=1e-13, full_output=True)[0]


def by_hand(torque, end):
    """Angles and velocities of the cranks at the end, and instants of the events, from rest."""
    t = brentq(lambda t: abs(parts_at_rest(START, torque(t))[0]) - 1, 0, 0.1, xtol=1e-13)
    part, of_set, forces, _ = parts_at_rest(START, torque(t))
    assert abs(of_set) < 1
    q, v, ways, happened = np.array(START), np.zeros(2), np.array([-np.sign(part)] * 2 + [0]), [t]
    y = np.array([0, 0, *forces, of_set])
    while True:

        def rate(t, x, ways=ways):
            nonlocal y
            y = motion(x[:2], x[2:], torque(t), ways, y)
            return [*x[2:], *y[:2]]

        def set_stands(t, x, ways=ways, start=t):
            return (x[2] - x[3]) * ways[2] if ways[2] and t > start + 1e-9 else 1.0

        def set_holds(t, x, ways=ways):
            return 1 - abs(motion(x[:2], x[2:], torque(t), ways, y)[12]) if not ways[2] else 1.0

        def crank_stands(t, x, start=t, ways=ways):
            return min(x[2] * ways[0], x[3] * ways[1]) if t > start + 1e-9 else 1.0

        for event in (set_stands, set_holds, crank_stands):
            event.terminal, event.direction = True, -1
        events = (set_stands, set_holds, crank_stands)
        out = solve_ivp(rate, (t, end), [*q, *v], "DOP853", rtol=1e-11, atol=1e-13, events=events)
        t, q, v = out.t[-1], out.y[:2, -1], out.y[2:, -1]
        if out.status == 0:
            return q, v, happened
        assert not len(out.t_events[2]), "the cranks go on"
        happened.append(t)
        ways = ways.copy()
        rests = motion(q, v, torque(t), [*ways[:2], 0], y)[12]
        stays = len(out.t_events[0]) and abs(rests) <= 1
        ways[2] = 0 if stays else -np.sign(rests)


def torque(t):
    _, side, *_ = of_palletizer()(START, [0, 0], [0, 0])
    return -side + np.array([3 * np.sin(3 * t), 2 * np.sin(5 * t)])


def simulated(rtol):
    """A run of the palletizer on which torques of sines act."""
    found = cardan.simulate(
        palletizer({"coefficient": MU, "radius": RADIUS}),
        until=0.9,
        inputs={
            name: f"{float(start)!r} + {size}*sin({rate}*t)"
            for name, start, size, rate in zip(("jA", "jB"), torque(0), (3, 2), (3, 5), strict=True)
        },
        method="dop853",
        times=[0.01, 0.03, 0.9],
        **{**FINE, "rtol": rtol},
    )
    assert found.ok, found.message
    assert found.report.relative_energy_error < 1e-9  # of runs at rtol 1e-10
    return found


@pytest.fixture(scope="module")
def run():
    return simulated(FINE["rtol"])


@pytest.mark.parametrize("rtol", [1.03e-10, 1.06e-10, 1.3e-10])
def test_cranks_go_on_where_pins_of_the_parallelogram_stop_one_after_another(run, rtol):
    """Round-off decides whether they stop at one event; at 1.03e-10 the cranks stopped at the second one, too."""
    found = simulated(rtol)
    assert [(event.name, event.did) for event in found.events] == [(event.name, event.did) for event in run.events]
    np.testing.assert_allclose(instants(found), instants(run), rtol=0, atol=1e-8)


def test_the_pins_of_a_palletizer_move_and_stick_as_by_hand(run):
    """The cranks break away together while the three others rest; these slide, come to rest and slide again."""
    q, v, happened = by_hand(torque, 0.9)
    np.testing.assert_allclose(instants(run), happened, rtol=0, atol=1e-8)
    found = [run[name].values[-1] for name in ("jA.q", "jB.q", "jA.v", "jB.v")]
    np.testing.assert_allclose(found, [*q, *v], rtol=0, atol=1e-8)
    did = [(event.name, event.did) for event in run.events]
    assert {name for name, _ in did[:2]} == {"jA", "jB"}
    assert did.count(("jCD", "stops")) == 1
    by_instant = {event.t: {other.name for other in run.events if other.t == event.t} for event in run.events}
    assert all(names == set(SET) for names in list(by_instant.values())[1:])


def least_part(torques, *, alike=True):
    """Least part of the coefficients with which the pins hold the palletizer at its start, those of the set in equal
    parts or in any.
    """
    start = np.zeros(16)

    def balance(y):
        return unbalanced(START, (0, 0), (0, 0), y[:10], y[10:15], torques)

    jacobian = np.column_stack([balance(row) - balance(start) for row in np.eye(16)])

    def within(y):
        most = y[15] * SIZE * np.hypot(*y[:10].reshape(5, 2).T)
        return np.concatenate([most - y[10:15], most + y[10:15]])

    def unlike(y):
        first, *others = (4, 3, 2)  # the set rests on its pins in the ratios of their loads
        loads, signs = np.hypot(*y[:10].reshape(5, 2).T), UNITS[2]
        return [y[10 + i] * loads[first] * signs[first] - y[10 + first] * loads[i] * signs[i] for i in others]

    more = [{"type": "eq", "fun": unlike}] if alike else []
    scale = np.array([1.0] * 10 + [SIZE] * 5 + [0.0])  # moments no larger than friction of forces of that size
    start = scale * np.linalg.lstsq(jacobian * scale, -balance(start), rcond=None)[0] + 0.1
    found = minimize(
        lambda y: y[15], start, jac=lambda y: np.eye(16)[15], method="SLSQP",
        constraints=[{"type": "eq", "fun": balance, "jac": lambda y: jacobian}, {"type": "ineq", "fun": within}, *more],
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert found.success, found.message
    return found.fun


def test_what_they_hold_at_rest_uses_the_least_parts_of_their_limits(run):
    """No other forces and moments of the pins hold the mechanism with less where those of the set use equal parts; with
    any parts of these, which load the others otherwise, a little less would do.
    """
    for k, t in enumerate((0.01, 0.03)):
        part, of_set, _, moments = parts_at_rest(START, torque(t))
        held = [run[f"{name}.friction"].values[k] for name in JOINTS]
        np.testing.assert_allclose(held, moments, rtol=0, atol=1e-10)
        used = [run[f"{name}.friction_limit"].values[k] for name in JOINTS]
        np.testing.assert_allclose(np.divide(held, used), UNITS.T @ [part, part, of_set], rtol=0, atol=1e-10)
        assert abs(of_set) < abs(part)
        assert least_part(torque(t)) == pytest.approx(abs(part), rel=1e-8)  # of the minimum
        assert 0.95 * abs(part) < least_part(torque(t), alike=False) < abs(part)


def test_a_rotor_that_turns_with_a_crank_adds_its_friction_to_that_of_the_crank():
    """As a preload of the pin of the crank does, with a quarter of the inertia of the rotor.

    Three pins rub, one more than there are freedoms; all five do in `test_friction_of_several_freedoms`.
    """
    of_rotor, laws = 0.05, {name: RUBS[name] for name in "ace"}
    more = {"initial": {"a.v": 0.0, "e.v": 1.0}}
    geared = with_rotor(laws, {"effort": of_rotor}, **more)
    alone = {**laws, "a": {**laws["a"], "preload": of_rotor / 2 / (laws["a"]["coefficient"] * RADIUS)}}
    model = five_bar(alone, **more)
    crank = model.bodies["b1"]
    heavier = crank.replace(inertia=[0, 0, 0.01 + 0.04 / 4])
    model = model.replace(bodies={**model.bodies, "b1": heavier})
    end, inputs = 1.0, {"a": "sin(3*t)", "e": "0.7*sin(2*t)"}
    one, other = (
        cardan.simulate(each, until=end, inputs=inputs, method="dop853", times=[end], **FINE)
        for each in (geared, model)
    )
    for each in (one, other):
        assert each.ok, each.message
    names = ("a.q", "e.q", "a.v", "e.v")
    np.testing.assert_allclose(
        [one[name].values[-1] for name in names], [other[name].values[-1] for name in names], rtol=0, atol=1e-8
    )
    np.testing.assert_allclose(instants(one), instants(other), rtol=0, atol=1e-8)
    assert any(event.name == "spin" for event in one.events)
