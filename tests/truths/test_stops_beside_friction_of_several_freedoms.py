"""Friction in joints of a five-bar linkage, or of a palletizer, one of which stops by impact.

The comparison is written by hand in the angles of two cranks, from event to event. Accelerations at rest are those
of Gauss's principle with friction: of all a with g·a ≥ 0 at the stop they make ½ (a − a₀)ᵀ M (a − a₀) + Σ F |g·a + ġ|
over the joints at rest least. Nothing is shared there, and no order of deciding enters.
Tolerances: runs at rtol 1e-10 and atol 1e-12 over some ten events.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog

import cardan
from tests.truths.test_friction_of_several_freedoms import (
    EFFORTS,
    FINE,
    JOINTS,
    START,
    five_bar,
    of_palletizer,
    palletizer,
    terms,
)

pytestmark = pytest.mark.exhaustive

LOWER = 1.6  # angle of the stop of the crank a of the five-bar linkage
STILL = 1e-9  # velocities below this are round-off of the integration


def with_stop(model, name, lower, restitution):
    """The model with a stop by impact of one joint."""
    limits = {"lower": lower, "restitution": restitution}
    return model.replace(joints={**model.joints, name: model.joints[name].replace(limits=limits)})


@dataclass(frozen=True)
class Linkage:
    """Two cranks with their equations of motion, the largest efforts of the joints, and the stop of one of these."""

    whole: Callable  # as `terms`, of all joints
    efforts: np.ndarray  # of all joints, 0 without friction
    q: tuple[float, float]  # angles of the cranks at the start
    stops: int  # joint that has the stop
    way: float  # 1, or -1 where the joint turns against its row of the equations
    lower: float  # combination of the angles at the stop

    @property
    def g(self):
        """Velocity of the joint per velocity of the cranks."""
        return self.way * self.whole(np.array(self.q), np.zeros(2), np.zeros(2))[2][self.stops]

    def at(self, *args):
        """As `terms`, of the joints with friction."""
        mass, side, J, bias = self.whole(*args)
        return mass, side, J[self.efforts > 0], bias[self.efforts > 0]

    @property
    def limits(self):
        """Largest efforts of the joints with friction."""
        return self.efforts[self.efforts > 0]

    @property
    def joint(self):
        """Number of the joint with the stop among those with friction; None if it has none."""
        return np.count_nonzero(self.efforts[: self.stops]) if self.efforts[self.stops] else None


def of_five_bar(efforts, lower=LOWER):
    """The five-bar linkage with friction in some joints, and a stop of its crank a."""
    limits = np.array([efforts.get(name, 0.0) for name in JOINTS])
    return Linkage(terms(), limits, (START["a"], START["e"]), 0, 1.0, lower)


FIVE_BAR = of_five_bar(EFFORTS)


def least_of_gauss(found, v, still, touches, limits, g, away=None):
    """Accelerations, and which joints rest: rows of `still` without acceleration, and the stop if it is closed.

    The joint of `away`, {joint: way}, has just used up what held it, and moves.
    """
    away = away or {}
    mass, side, J, bias = found
    moving = [k for k in range(len(J)) if k not in still]
    free = np.linalg.solve(mass, side - J[moving].T @ (np.sign(J[moving] @ v) * limits[moving]))
    rows, drift = np.vstack([J[still], g]), np.array([*bias[still], 0.0])

    def action(a):
        return (a - free) @ mass @ (a - free) / 2 + limits[still] @ abs(J[still] @ a + bias[still])

    best = None
    choices = [k for k in range(len(rows) if touches else len(still)) if k == len(still) or still[k] not in away]
    for signs in product(*((away[k],) if k in away else (-1.0, 1.0) for k in still)):
        for count in range(3):
            for held in combinations(choices, count):
                C = rows[list(held)]
                if np.linalg.matrix_rank(C, tol=1e-9) < count:
                    continue
                push = sum(
                    (signs[k] * limits[still[k]] * rows[k] for k in range(len(still)) if k not in held), np.zeros(2)
                )
                whole = np.block([[mass, C.T], [C, np.zeros((count, count))]])
                a = np.linalg.solve(whole, [*(mass @ free - push), *-drift[list(held)]])[:2]
                if (not touches or g @ a >= -1e-10) and (best is None or action(a) < action(best) - 1e-13):
                    best = a
    rests = [k for k in still if k not in away and abs(J[k] @ best + bias[k]) < 1e-8]
    return best, rests, touches and abs(g @ best) < 1e-8


def part_used(J, side, touches, limits, g):
    """Least part of the limits with which joints and the stop hold the linkage, by a linear program."""
    n, push = len(limits), g[:, None] * touches
    within = np.vstack(
        [np.column_stack([np.eye(n), np.zeros(n), -limits]), np.column_stack([-np.eye(n), np.zeros(n), -limits])]
    )
    balance, tight = np.column_stack([J.T, push, np.zeros(2)]), {"primal_feasibility_tolerance": 1e-10}
    bounds = [(None, None)] * n + [(0, None)] * 2
    found = linprog(
        [*np.zeros(n + 1), 1],
        A_ub=within,
        b_ub=np.zeros(2 * n),
        A_eq=balance,
        b_eq=-side,
        bounds=bounds,
        options={**tight, "dual_feasibility_tolerance": 1e-10},
    )
    return found.fun


def by_hand(linkage, torque, end, restitution, v):
    """Angles and velocities of the cranks at the end, and the instants of impacts with a velocity."""
    at, limits, g, n = linkage.at, linkage.limits, linkage.g, len(linkage.limits)
    q, v, t, impacts, away = np.array(linkage.q), np.array(v), 0.0, [], {}
    touches = abs(g @ q - linkage.lower) < 1e-9 and abs(g @ v) < STILL
    while t < end:
        _, _, J, bias = found = at(q, v, torque(t))
        still = [k for k in range(n) if abs(J[k] @ v) < STILL]
        a, rests, closed = least_of_gauss(found, v, still, touches, limits, g, away)
        if len(rests) == n:

            def spare(time, place=q, touches=touches):
                _, side, J, _ = at(place, np.zeros(2), torque(time))
                return 1 - part_used(J, side, touches, limits, g)

            grid = np.linspace(t, end, 401)
            k = next((k for k in range(1, 401) if spare(grid[k]) < 0), None)
            if k is None:
                return q, np.zeros(2), impacts
            late = 1e-6  # [s] until the lack shows in Gauss's function, of which it is the square
            t, v = brentq(spare, grid[k - 1], grid[k], xtol=1e-14) + late, np.zeros(2)
            continue
        ways = np.where(np.isin(range(n), still), np.sign(J @ a + bias), np.sign(J @ v))
        ways[rests] = 0
        rubs = linkage.joint is not None
        lowest = -limits[linkage.joint] if closed and rubs else 0.0  # its friction holds the joint at its stop too

        def solved(time, y, ways=ways, rests=rests, closed=closed):
            mass, side, J, bias = at(y[:2], y[2:], torque(time))
            C, drift = (g[None, :], [0.0]) if closed else (J[rests[:1]], bias[rests[:1]])
            whole = np.block([[mass, -C.T], [C, np.zeros((len(C), len(C)))]])
            return np.linalg.solve(whole, [*(side - J.T @ (ways * limits)), *np.negative(drift)])

        def rate(time, y, solved=solved):
            return np.concatenate([y[2:], solved(time, y)[:2]])

        def velocity(time, y, k=0, ways=ways, start=t):
            return ways[k] * (at(y[:2], y[2:], torque(time))[2][k] @ y[2:]) if time > start + 1e-9 else 1.0

        def room(time, y, rests=rests, closed=closed, lowest=lowest, solved=solved):
            effort = solved(time, y)[2]
            return effort - lowest if closed else limits[rests[0]] - abs(effort)

        def height(time, y, start=t):
            return g @ y[:2] - linkage.lower if time > start + 1e-9 else 1.0

        events = [lambda time, y, k=k: velocity(time, y, k) for k in range(n) if ways[k]]
        events += [] if closed else [height]
        events += [room] if closed or rests else []
        for each in events:
            each.terminal, each.direction = True, -1
        out = solve_ivp(rate, (t, end), [*q, *v], "DOP853", rtol=1e-11, atol=1e-13, events=events)
        t, q, v = out.t[-1], out.y[:2, -1], out.y[2:, -1]
        if out.status == 0:
            break
        away, opens = {}, closed and len(out.t_events[-1])
        if (closed or rests) and len(out.t_events[-1]):
            joint = linkage.joint if closed else rests[0]
            way = linkage.way if closed else -np.sign(solved(t, [*q, *v])[2])
            away = {} if joint is None else {joint: way}
        met = not closed and len(out.t_events[sum(ways != 0)])
        if met:
            impacts.append(t)
            answer = np.linalg.solve(at(q, v, torque(t))[0], g)
            v = v - (1 + restitution) * (g @ v) * answer / (g @ answer)
        touches = abs(g @ q - linkage.lower) < 1e-9 and abs(g @ v) < STILL and not opens
        v = np.zeros(2) if max(abs(at(q, v, torque(t))[2] @ v)) < 1e-7 else v
    return q, v, impacts


CASES = {
    "leaves_it": (lambda t: (0.05, 0.05), ("0.05", "0.05"), (-1.5, 1.2), 0.0, 1.0),
    "rests_there": (lambda t: (-0.4, 0.8 * np.sin(5 * t)), ("-0.4", "0.8*sin(5*t)"), (-1.5, 0.0), 0.0, 1.2),
    "others_go_on": (lambda t: (-1.5, 1.6 * np.sin(9 * t)), ("-1.5", "1.6*sin(9*t)"), (-1.5, 0.0), 0.0, 1.0),
    "others_break_away": (lambda t: (-1.5, 1.2 * t), ("-1.5", "1.2*t"), (-1.5, 0.0), 0.0, 1.0),
    "rebounds": (lambda t: (-0.4, 0.2), ("-0.4", "0.2"), (-2.5, 0.5), 0.6, 0.45),
    "turns_round_at_rest": (  # of b, which first breaks away with the others while the stop is closed
        lambda t: (0.206 + 0.325 * np.cos(13.6 * t), 1.76 * np.sin(13.6 * t) - 0.577),
        ("0.206 + 0.325*cos(13.6*t)", "1.76*sin(13.6*t) - 0.577"),
        (-1.54, 0.262),
        0.0,
        0.12,
    ),
}


def check(run, cranks, linkage, *known):
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    q, v, impacts = by_hand(linkage, *known)
    found = [run[f"{name}.{what}"].values[-1] for what in "qv" for name in cranks]
    np.testing.assert_allclose(found, [*q, *v], rtol=0, atol=1e-8)
    met = [event.t for event in run.events if event.did == "meets its lower stop"]
    np.testing.assert_allclose(met, impacts, rtol=0, atol=1e-8)


def run_five_bar(case, until):
    _, inputs, v, restitution, _ = CASES[case]
    laws = {name: {"effort": effort} for name, effort in EFFORTS.items()}
    model = with_stop(five_bar(laws, initial={"a.v": v[0], "e.v": v[1]}), "a", LOWER, restitution)
    return cardan.simulate(model, until=until, inputs=dict(zip("ae", inputs, strict=True)), method="dop853", **FINE)


@pytest.mark.parametrize("case", CASES)
def test_a_crank_with_friction_in_all_joints_stops_by_impact(case):
    torque, _, v, restitution, end = CASES[case]
    check(run_five_bar(case, end), "ae", FIVE_BAR, lambda t: np.array(torque(t)), end, restitution, v)


PINS = {"b": 0.3, "c": 0.45}


def on_pins(lower, v, inputs, end, times):
    """The run of the linkage with friction in two pins, and a stop of the crank a, which has none."""
    laws = {name: {"effort": effort} for name, effort in PINS.items()}
    model = with_stop(five_bar(laws, initial={"a.v": v[0], "e.v": v[1]}), "a", lower, 0.0)
    run = cardan.simulate(
        model, until=end, inputs=dict(zip("ae", inputs, strict=True)), times=times, method="dop853", **FINE
    )
    assert run.ok, run.message
    return run


def test_a_crank_without_friction_stops_beside_two_pins_that_rub():
    """Stop and pins hold more than both freedoms: at rest the pins use equal parts of their limits."""
    end, v = 0.7, (-1.5, 0.0)
    run = on_pins(LOWER, v, ("-1.5", "1.6*sin(3*t)"), end, [0, 0.15, end])
    check(run, "ae", of_five_bar(PINS), lambda t: np.array([-1.5, 1.6 * np.sin(3 * t)]), end, 0.0, v)
    held = [abs(run[f"{name}.friction"].values[1]) / effort for name, effort in PINS.items()]
    assert held[0] == pytest.approx(held[1], rel=1e-9)
    assert 0 < held[0] < 1


@pytest.mark.parametrize("push", ["-1.5", "1.6*sin(9*t + 1)"])
def test_pins_begin_to_slide_beside_a_closed_stop(push):
    """From rest at the stop one of them slides the other way than it would without the stop, which stays closed."""
    end = 0.3
    run = on_pins(START["a"], (0.0, 0.0), ("-1.5", push), end, [0, end])

    def torque(t):
        return np.array([-1.5, -1.5 if push == "-1.5" else 1.6 * np.sin(9 * t + 1)])

    check(run, "ae", of_five_bar(PINS, START["a"]), torque, end, 0.0, (0.0, 0.0))
    assert not any(event.did == "leaves its stop" for event in run.events)


def test_pins_rest_beside_a_stop_from_the_start():
    """A linear program of the forces of the stop and of both pins has a part below one."""
    run = on_pins(START["a"], (0.0, 0.0), ("-2", "0.8"), 0.1, [0, 0.1])
    linkage = of_five_bar(PINS, START["a"])
    _, side, J, _ = linkage.at(linkage.q, [0, 0], [-2, 0.8])
    part = part_used(J, side, True, linkage.limits, linkage.g)
    used = [abs(run[f"{name}.friction"].values[-1]) / effort for name, effort in PINS.items()]
    np.testing.assert_allclose(used, part, rtol=1e-9)  # of the program: 1e-10
    assert [run[f"{name}.sticking"].values[-1] for name in PINS] == [1, 1]


def test_the_stop_of_a_crank_takes_what_friction_of_the_others_leaves():
    torque, _, v, restitution, _ = CASES["others_go_on"]
    end = 0.2  # the other joints slide, so that the equations determine the force of the stop
    run = run_five_bar("others_go_on", end)
    q, v, _ = by_hand(FIVE_BAR, lambda t: np.array(torque(t)), end, restitution, v)
    mass, side, J, _ = FIVE_BAR.at(q, v, np.array(torque(end)))
    ways = np.where(abs(J @ v) < STILL, 0, np.sign(J @ v))
    assert np.sum(ways == 0) == 1, "only the crank rests"
    side = side - J.T @ (ways * FIVE_BAR.limits)
    assert run["a.stop_force"].values[-1] == pytest.approx(mass[0, 1] * side[1] / mass[1, 1] - side[0], rel=1e-8)
    assert run["a.friction"].values[-1] == 0


@pytest.mark.parametrize(("stop", "way", "lower", "rub"), [("jAD", -1.0, 4.5 - np.pi, 3), ("jBC", 1.0, -1.5, 2)])
def test_parallel_bars_rest_at_a_stop_of_one_of_them(stop, way, lower, rub):
    """The stop takes what friction of the other joints of its parallelogram would hold, with friction of its own or
    without.
    """
    effort, end, v = 0.3, 0.8, (-0.5 * way, 0.6 * way)
    linkage = Linkage(of_palletizer(), effort * np.array([1, 1, rub]), (1.4, 2.8), 2, way, lower)
    bound = lower + np.pi if stop == "jAD" else lower
    model = palletizer({"effort": effort})
    if rub < 3:
        model = model.replace(joints={**model.joints, stop: model.joints[stop].replace(friction=None)})
    model = with_stop(model, stop, bound, 0.0).replace(initial={**model.initial, "jA.v": v[0], "jB.v": v[1]})
    inputs = {"jA": f"3.3 + {way}*sin(6*t)", "jB": f"1.6 + {-way}*cos(4*t)"}
    run = cardan.simulate(model, until=end, inputs=inputs, method="dop853", **FINE)

    def torque(t):
        return np.array([3.3 + way * np.sin(6 * t), 1.6 - way * np.cos(4 * t)])

    check(run, ("jA", "jB"), linkage, torque, end, 0.0, v)
    others = {"jAD", "jBC", "jCD"} - {stop}
    closed = abs(run[f"{stop}.stop_force"].values) > 0
    assert closed.any()
    rubbing = others | ({stop} if rub == 3 else set())
    assert not any(np.any(run[f"{name}.friction"].values[closed]) for name in rubbing)
