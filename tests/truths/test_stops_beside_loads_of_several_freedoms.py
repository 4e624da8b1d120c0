"""Friction from their loads in joints of a five-bar linkage, one of which stops by impact.

The comparison is written by hand: Newton's and Euler's laws of the four links with the forces of all pins as unknowns,
solved from event to event. At each event all combinations of joints that rest and of ways to slide are tried. What the
closed stop and the friction of its joint hold is one unknown moment, at least that which friction alone could hold: so
nothing is shared there, and the stop opens where friction of its joint takes over in the run.
Tolerances: runs at rtol 1e-10 and atol 1e-12 over some ten events.
"""

from dataclasses import dataclass
from itertools import product

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from tests.truths.test_friction_of_several_freedoms import BASE, FINE, INERTIA, JOINTS, START, G, L, M, five_bar, terms

pytestmark = pytest.mark.exhaustive

RADIUS = 0.05
STILL = 1e-9  # velocities below this are round-off of the integration
LINKS = ((("a", 1), ("b", -1)), (("b", 1), ("c", -1)), (("e", 1), ("d", -1)), (("d", 1), ("c", 1)))
"""Pins of each link, and the sign with which their forces act on it."""
TURNS = np.array([[1, -1, 0, 0, 0], [0, 1, -1, 0, 0], [0, 0, 0, -1, 1], [0, 0, 1, 1, 0]])
"""Signs of the moments of the joints on each link."""


def _kinematics():
    """(q, v) of the cranks → places of the links (12,), their Jacobian, J̇ v, places of the pins (2, 5)."""
    q, v = ca.SX.sym("q", 2), ca.SX.sym("v", 2)

    def along(angle):
        return L * ca.vertcat(ca.cos(angle), ca.sin(angle))

    ends = [along(q[0]), ca.vertcat(BASE, 0) + along(q[1])]
    u = ends[1] - ends[0]
    across, direction = ca.acos(ca.norm_2(u) / (2 * L)), ca.atan2(u[1], u[0])
    angles = [q[0], direction + across, q[1], direction + np.pi - across]
    starts = [ca.DM.zeros(2), ends[0], ca.DM([BASE, 0]), ends[1]]
    places = ca.vertcat(*(ca.vertcat(s + along(x) / 2, x) for s, x in zip(starts, angles, strict=True)))
    J = ca.jacobian(places, q)
    pins = ca.horzcat(starts[0], ends[0], ends[0] + along(angles[1]), ends[1], starts[2])
    found = ca.Function("kinematics", [q, v], [places, J, ca.jtimes(J @ v, q, v), pins])
    return lambda *args: [np.array(each).squeeze() for each in found(*args)]


KINEMATICS = _kinematics()
MASS = np.diag([M, M, INERTIA] * 4)


@dataclass(frozen=True)
class Mode:
    """Ways of the joints, 0 where they rest or have no friction; those that rest; whether the stop is closed."""

    ways: tuple[int, ...]
    rests: tuple[int, ...]
    closed: bool


@dataclass(frozen=True)
class Linkage:
    """A five-bar linkage with a lower stop of its crank a, whose pins rub with μ r N."""

    sizes: np.ndarray  # (5,) μ r of the joints
    g: float
    lower: float
    restitution: float

    @property
    def rubs(self):
        return [k for k in range(5) if self.sizes[k]]

    def solved(self, q, v, torque, mode):
        """Accelerations of the cranks, moments of the joints that rest, the limits of all, the moment at the stop."""
        places, J, bias, pins = KINEMATICS(q, v)
        unknown = [*mode.rests, *([0] if mode.closed else [])]  # joints with unknown moments
        A, b = np.zeros((12 + len(unknown),) * 2), np.zeros(12 + len(unknown))
        A[:12, :2], b[:12] = MASS @ J, -MASS @ bias
        b[[1, 4, 7, 10]] -= M * self.g
        b[[2, 8]] += torque
        for i, link in enumerate(LINKS):
            for name, sign in link:
                k = JOINTS.index(name)
                x, y = pins[:, k] - places[3 * i : 3 * i + 2]
                A[3 * i : 3 * i + 3, 2 + 2 * k : 4 + 2 * k] -= sign * np.array([[1, 0], [0, 1], [-y, x]])
        for n, k in enumerate(unknown):
            A[2:12:3, 12 + n] = -TURNS[:, k]
            A[12 + n, :2], b[12 + n] = TURNS[:, k] @ J[2::3], -TURNS[:, k] @ bias[2::3]
        out = np.linalg.solve(A, b)
        for _ in range(50):
            now, side = A.copy(), b.copy()
            for k in np.flatnonzero(mode.ways):
                force = out[2 + 2 * k : 4 + 2 * k]
                now[2:12:3, 2 + 2 * k : 4 + 2 * k] += np.outer(
                    TURNS[:, k], mode.ways[k] * self.sizes[k] * force / np.hypot(*force)
                )
            before, out = out, np.linalg.solve(now, side)
            if np.max(abs(out - before)) <= 1e-13 * np.max(abs(out)):
                break
        limits = self.sizes * np.hypot(*out[2:12].reshape(5, 2).T)
        return out[:2], dict(zip(mode.rests, out[12:], strict=False)), limits, out[-1]

    def fits(self, q, v, torque, mode, still, *, touches):
        """Whether the joints of `still` go the ways of a mode, and those at rest can hold."""
        a, held, limits, stop = self.solved(q, v, torque, mode)
        _, J, bias, _ = KINEMATICS(q, v)
        turning = TURNS.T @ (J[2::3] @ a + bias[2::3])
        begins = all(mode.ways[k] * turning[k] > 0 for k in still if mode.ways[k])
        holds = all(abs(held[k]) <= limits[k] for k in mode.rests)
        at_stop = stop >= -limits[0] if mode.closed else not touches or (0 not in mode.rests and a[0] > 0)
        return begins and holds and at_stop

    def mode(self, q, v, torque, *, touches):
        """The mode after an event: the only one that fits."""
        _, J, _, _ = KINEMATICS(q, v)
        w = TURNS.T @ J[2::3] @ v
        still = [k for k in self.rubs if abs(w[k]) < STILL]
        found = []
        for own in product((-1, 0, 1), repeat=len(still)):
            ways = np.where(abs(w) < STILL, 0, np.sign(w)).astype(int) * (self.sizes > 0)
            ways[still] = own
            rests = tuple(k for k in still if not ways[k])
            stays = touches and (0 in rests or not self.sizes[0])
            choices = [Mode(tuple(ways), tuple(k for k in rests if k), True)] if stays else []
            choices.append(Mode(tuple(ways), rests, False))
            found += [
                each
                for each in choices
                if len(each.rests) + each.closed < 2 and self.fits(q, v, torque, each, still, touches=touches)
            ]
        assert len(found) == 1, found
        return found[0]

    def breaks_away(self, q, torque, t, end, *, touches):
        """The instant from which on joints at rest go some way, or the end: one of them, or the stop, stays at rest."""
        rows, modes = TURNS.T @ KINEMATICS(q, np.zeros(2))[1][2::3], []
        for k in {*self.rubs, *([0] if touches else [])}:
            closed = touches and k == 0
            for way in (1, -1):
                ways = np.sign(way * rows @ [-rows[k, 1], rows[k, 0]]).astype(int) * (self.sizes > 0)
                ways[k] = 0
                modes.append((Mode(tuple(ways), () if closed else (k,), closed), [i for i in self.rubs if i != k]))

        def goes(time):
            return any(self.fits(q, np.zeros(2), torque(time), mode, still, touches=touches) for mode, still in modes)

        grid = np.linspace(t, end, 61)
        n = next((n for n, time in enumerate(grid) if goes(time)), None)
        if not n:
            return t if n == 0 else end
        first, last = grid[n - 1 : n + 1]
        while last - first > 1e-13:
            middle = (first + last) / 2
            first, last = (first, middle) if goes(middle) else (middle, last)
        return last + 1e-9  # goes clearly; it moves the result by the square

    def by_hand(self, torque, end, v):
        """Angles and velocities of the cranks at the end, instants of impacts, and the modes."""
        q, v, t, impacts, modes = np.array([START["a"], START["e"]]), np.array(v), 0.0, [], []
        touches = q[0] == self.lower and v[0] == 0
        while t < end:
            if max(abs(v)) < STILL:
                t, v = self.breaks_away(q, torque, t, end, touches=touches), np.zeros(2)
                modes.append(Mode((0,) * 5, tuple(self.rubs), touches))
                if t >= end:
                    break
            mode = self.mode(q, v, torque(t), touches=touches)
            modes.append(mode)

            def rate(time, y, mode=mode):
                return [*y[2:], *self.solved(y[:2], y[2:], torque(time), mode)[0]]

            def speed(time, y, k=0, mode=mode, start=t):
                turning = TURNS.T @ KINEMATICS(y[:2], y[2:])[1][2::3] @ y[2:]
                return mode.ways[k] * turning[k] if time > start + 1e-9 else 1.0

            def room(time, y, mode=mode):
                _, held, limits, stop = self.solved(y[:2], y[2:], torque(time), mode)
                return stop + limits[0] if mode.closed else min(limits[k] - abs(held[k]) for k in mode.rests)

            def height(time, y, start=t):
                return y[0] - self.lower if time > start + 1e-9 else 1.0

            events = [lambda time, y, k=k: speed(time, y, k) for k in np.flatnonzero(mode.ways)]
            events += [] if mode.closed else [height]
            events += [room] if mode.closed or mode.rests else []
            for each in events:
                each.terminal, each.direction = True, -1
            out = solve_ivp(rate, (t, end), [*q, *v], "DOP853", rtol=1e-11, atol=1e-13, events=events)
            t, q, v = out.t[-1], out.y[:2, -1], out.y[2:, -1]
            if out.status == 0:
                break
            if not mode.closed and len(out.t_events[np.count_nonzero(mode.ways)]):
                impacts.append(t)
                J = KINEMATICS(q, v)[1]
                answer = np.linalg.inv(J.T @ MASS @ J)[:, 0]
                v = v - (1 + self.restitution) * v[0] * answer / answer[0]
            elif (mode.closed or mode.rests) and len(out.t_events[-1]):
                late = 1e-9  # [s] until the limit is passed clearly; it moves the result by the square
                t, q, v = t + late, q + late * v, v + late * np.array(rate(t, [*q, *v])[2:])
            touches = abs(q[0] - self.lower) < 1e-9 and abs(v[0]) < STILL
        return q, v, impacts, modes


COEFFICIENTS = {"a": 0.4, "b": 0.3, "c": 0.35, "d": 0.25, "e": 0.45}
CASES = {  # torque of a; size and rate of that of e; velocities; gravity; restitution; end
    "breaks_away_at_once": (JOINTS, (-1.5, 1.6, 9.0), (-1.5, 0.0), 0.0, 0.0, 0.55),
    "rests_and_breaks_away": (JOINTS, (-1.5, -0.4, 9.0), (-1.5, 0.4), 0.0, 0.0, 0.5),
    "leaves_it": (JOINTS, (-1.5, 2.5, 2.0), (-1.5, 0.0), 0.0, 0.0, 0.55),
    "rebounds": (JOINTS, (-0.8, 0.4, 3.0), (-2.5, 0.5), G, 0.6, 0.2),
    "without_friction": ("bc", (-1.5, 1.6, 9.0), (-1.5, 0.0), 0.0, 0.0, 0.42),
    "pins_rest": ("bc", (-1.5, -0.4, 9.0), (-1.5, 0.6), 0.0, 0.0, 0.5),
}


def stopping(rubs, lower, **numbers):
    """The linkage with friction from the load in some pins, and a stop of the crank a."""
    laws = {name: {"coefficient": COEFFICIENTS[name], "radius": RADIUS} for name in rubs}
    model = five_bar(laws, "g0", parameters=numbers)
    joint = model.joints["a"].replace(limits={"lower": lower, "restitution": "e0"})
    return model.replace(joints={**model.joints, "a": joint})


def linkage(rubs, g=0.0, lower=1.6, restitution=0.0):
    return Linkage(np.array([COEFFICIENTS[name] * RADIUS * (name in rubs) for name in JOINTS]), g, lower, restitution)


@pytest.mark.parametrize("case", CASES)
def test_a_crank_stops(case):
    rubs, (push, size, rate), v, g, restitution, end = CASES[case]
    model = stopping(rubs, 1.6, push=push, size=size, rate=rate, e0=restitution, g0=g)
    run = cardan.simulate(
        model, until=end, inputs={"a": "push", "e": "size*sin(rate*t)"}, initial={"a.v": v[0], "e.v": v[1]},
        method="dop853", **FINE,
    )  # fmt: skip
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    by_hand = linkage(rubs, g, restitution=restitution)
    q, w, impacts, modes = by_hand.by_hand(lambda t: np.array([push, size * np.sin(rate * t)]), end, v)
    assert any(each.closed for each in modes) == (restitution == 0)
    found = [run[f"{name}.{what}"].values[-1] for what in "qv" for name in "ae"]
    np.testing.assert_allclose(found, [*q, *w], rtol=0, atol=1e-8)
    met = [event.t for event in run.events if event.did == "meets its lower stop"]
    np.testing.assert_allclose(met, impacts, rtol=0, atol=1e-8)


def with_stop(model, name, limits):
    return model.replace(joints={**model.joints, name: model.joints[name].replace(limits=limits)})


def test_two_closed_stops_hold_all_and_one_opens():
    """Torques balance the weights but for 1 N m at a, and 1.5 N m − 3 t at e, which the stops hold without friction.
    The stop of e opens where its force is zero; friction holds on until its limits are used up.
    """
    model = with_stop(stopping("be", START["a"], e0=0.0, g0=G), "e", {"lower": START["e"], "restitution": 0})
    _, weights, *_ = terms(G)([START["a"], START["e"]], [0, 0], [0, 0])
    end, opens = 0.9, 0.5
    inputs = {"a": float(-1 - weights[0]), "e": f"3*t + {float(-1.5 - weights[1])!r}"}
    run = cardan.simulate(model, until=end, inputs=inputs, times=[0.2, end], method="dop853", **FINE)
    assert run.ok, run.message
    held = [run[f"{name}.stop_force"].values[0] for name in "ae"]
    np.testing.assert_allclose(held, [1, 0.9], rtol=1e-12)
    assert [run[f"{name}.friction"].values[0] for name in "be"] == [0, 0]
    assert [event.t for event in run.events if event.did == "leaves its stop"] == [pytest.approx(opens, abs=1e-9)]

    def torque(t):  # after the opening
        return np.array([-1, 3 * t]) - weights

    by_hand = linkage("be", G, START["a"])
    away = by_hand.breaks_away(np.array([START["a"], START["e"]]), torque, 0.0, end - opens, touches=True)
    starts = [event.t - opens for event in run.events if event.name == "e" and event.did == "slides forwards"]
    assert starts[0] == pytest.approx(away, abs=2e-9)  # the reference is late by 1e-9
    assert away > 0.02
    q, v, *_ = by_hand.by_hand(torque, end - opens, (0.0, 0.0))
    found = [run[f"{name}.{what}"].values[-1] for what in "qv" for name in "ae"]
    np.testing.assert_allclose(found, [*q, *v], rtol=0, atol=1e-8)
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_of_three_stops_at_one_place_two_hold_a_linkage_of_two_freedoms(side):
    model = with_stop(stopping("be", START["a"], e0=0.0, g0=0.0), "e", {"lower": START["e"], "restitution": 0})
    bound = float(cardan.assemble(model).q["b"])
    model = with_stop(model, "b", {side: bound, "restitution": 0})
    run = cardan.simulate(model, until=0.1, inputs={"a": "-1", "e": "-1"}, **FINE)
    assert run.ok, run.message
    closed = sum(run.array(f"{name}.stop") ** 2 for name in "abe")
    assert closed[-1] == max(closed) == 2
    assert np.ptp(run.array("a.q")) < 1e-12
