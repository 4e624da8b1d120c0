"""Friction in all five joints of a five-bar linkage: its two freedoms are held by any two of them.

The comparison is written by hand in the two angles of the cranks, from event to event: at each one all combinations of
joints that rest and of ways to slide are tried, and what friction can hold is a linear program of its efforts.
Tolerances: runs at rtol 1e-10 and atol 1e-12 over some ten events.
"""

from functools import cache
from itertools import product

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog

import cardan
from cardan.errors import ModelError

pytestmark = pytest.mark.exhaustive

FINE = {"rtol": 1e-10, "atol": 1e-12}
G, L, BASE, M, INERTIA = 9.81, 0.3, 0.4, 1.0, 0.01
JOINTS = ("a", "b", "c", "d", "e")
EFFORTS = {"a": 0.25, "b": 0.1, "c": 0.15, "d": 0.12, "e": 0.3}
START = {"a": 1.7, "e": 1.4}


def five_bar(friction, g=0.0, **more):
    """The linkage a–b–c–d–e in a plane, with cranks at a and e."""
    ends = {
        "a": ("ground", "b1"),
        "b": ("b1.tip", "b2"),
        "e": ({"body": "ground", "position": [BASE, 0, 0]}, "b4"),
        "d": ("b4.tip", "b3"),
        "c": ("b2.tip", "b3.tip"),
    }
    joints = {
        name: {"type": "revolute", "parent": parent, "child": child, "axis": "z"}
        for name, (parent, child) in ends.items()
    }
    for name, law in friction.items():
        joints[name]["friction"] = law
    body = {"mass": M, "com": [L / 2, 0, 0], "inertia": [0, 0, INERTIA], "markers": {"tip": {"position": [L, 0, 0]}}}
    initial = {**START, "b": {"guess": -1.2}, "d": {"guess": 1.2}, **more.pop("initial", {})}
    bodies = {f"b{k}": body for k in (1, 2, 3, 4)}
    parameters = {"g": g, **more.pop("parameters", {})}
    return cardan.Model(
        planar="xy", parameters=parameters, gravity=[0, "-g", 0], bodies=bodies, joints=joints, initial=initial, **more
    )


def terms(g=0.0, rotor=0.0):
    """(q, v, torque) → M, the side of M v̇ = …, angular velocities G of the joints, Ġ v; by Lagrange's equations."""
    q, v, torque = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("torque", 2)
    A = L * ca.vertcat(ca.cos(q[0]), ca.sin(q[0]))
    D = ca.vertcat(BASE, 0) + L * ca.vertcat(ca.cos(q[1]), ca.sin(q[1]))
    u = D - A
    across, along = ca.acos(ca.norm_2(u) / (2 * L)), ca.atan2(u[1], u[0])
    angles = [q[0], along + across, along + np.pi - across, q[1]]  # of the links 1, 2, 3, 4
    starts = [ca.DM.zeros(2), A, D, ca.DM([BASE, 0])]
    T, V = 0, 0
    for angle, start in zip(angles, starts, strict=True):
        centre = start + L / 2 * ca.vertcat(ca.cos(angle), ca.sin(angle))
        velocity, spin = ca.jacobian(centre, q) @ v, ca.jacobian(angle, q) @ v
        T += M / 2 * ca.dot(velocity, velocity) + INERTIA / 2 * spin**2
        V += M * g * centre[1]
    T += rotor / 2 * v[0] ** 2
    one, two, three, four = angles
    rel = ca.vertcat(one, two - one, three - two, three - four, four)
    J = ca.jacobian(rel, q)
    mass = ca.hessian(T, v)[0]
    momentum = mass @ v
    side = torque - ca.jtimes(momentum, q, v) + ca.gradient(T - V, q)
    found = ca.Function("terms", [q, v, torque], [mass, side, J, ca.jtimes(J @ v, q, v)])
    return lambda *args: [np.array(each).squeeze() for each in found(*args)]


def part_used(J, side, limits):
    """Least part of the limits with which the joints hold the linkage, by a linear program."""
    n = len(limits)
    F = np.column_stack([np.eye(n), -limits])
    found = linprog(
        [*np.zeros(n), 1],
        A_ub=np.vstack([F, np.column_stack([-np.eye(n), -limits])]),
        b_ub=np.zeros(2 * n),
        A_eq=np.column_stack([J.T, np.zeros(2)]),
        b_eq=-side,
        bounds=[(None, None)] * n + [(0, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return found.fun


def accelerations(found, ways, limits):
    """v̇ and the effort of the joint that rests, None without one, for the ways of the joints (0: it rests)."""
    mass, side, J, bias = found
    side = side - J.T @ (ways * limits)
    rests = np.flatnonzero(ways == 0)
    if not len(rests):
        return np.linalg.solve(mass, side), None
    (k,) = rests
    whole = np.block([[mass, -J[k][:, None]], [J[k][None, :], np.zeros((1, 1))]])
    out = np.linalg.solve(whole, [*side, -bias[k]])
    return out[:2], out[2]


def decided(found, v, limits, still, static=1.0):
    """Ways of the joints: the combination in which all fits; those of `still` have no velocity.

    At rest they hold `static` times their limits. Where this is more, several combinations may fit: as many joints
    stick as can.
    """
    _, side, J, bias = found
    n = len(limits)
    if len(still) == n and part_used(J, side, static * limits) <= 1:
        return np.zeros(n)
    fitting = []
    for own in product((-1.0, 0.0, 1.0), repeat=len(still)):
        ways = np.sign(J @ v)
        ways[list(still)] = own
        if np.sum(ways == 0) > 1:
            continue
        a, effort = accelerations(found, ways, limits)
        turning = J @ a + bias
        fits = all(ways[k] * turning[k] > 0 for k in still if ways[k] != 0)
        if fits and (effort is None or abs(effort) <= static * limits[np.argmin(abs(ways))]):
            fitting.append(ways)
    assert len(fitting) == 1 or static > 1, "given limits leave one motion"
    return max(fitting, key=lambda ways: np.sum(ways == 0))


def by_hand(torque, end, limits, v=(0.0, 0.0), at=None, q=(START["a"], START["e"]), static=1.0):
    """Angles and velocities of the cranks at the end, and the instants at which joints change."""
    at, q, v, t, n = at or terms(), np.array(q), np.array(v), 0.0, len(limits)
    happened: list[tuple[float, np.ndarray]] = []
    still = [k for k in range(n) if not (at(q, v, torque(0))[2] @ v)[k]]
    away = None
    while t < end:
        ways = decided(at(q, v, torque(t)), v, limits, still, static) if away is None else away
        happened.append((t, ways))
        if not ways.any():

            def spare(time, place=q):
                _, side, J, _ = at(place, np.zeros(2), torque(time))
                return 1 - part_used(J, side, static * limits)

            grid = np.linspace(t, end, 401)
            k = next((k for k in range(1, 401) if spare(grid[k]) < 0), None)
            if k is None:
                break
            t = brentq(spare, grid[k - 1], grid[k], xtol=1e-14) + 1e-12  # beyond it by the tolerance of the program
            v, still = np.zeros(2), list(range(n))
            continue

        def rate(time, y, ways=ways):
            return np.concatenate([y[2:], accelerations(at(y[:2], y[2:], torque(time)), ways, limits)[0]])

        def velocities(time, y, k=0, ways=ways, start=t):
            turning = at(y[:2], y[2:], torque(time))[2] @ y[2:]
            return ways[k] * turning[k] if time > start + 1e-9 else 1.0

        def room(time, y, ways=ways):
            effort = accelerations(at(y[:2], y[2:], torque(time)), ways, limits)[1]
            return 1.0 if effort is None else static * limits[np.argmin(abs(ways))] - abs(effort)

        events = [lambda time, y, k=k: velocities(time, y, k) for k in range(n) if ways[k]] + [room]
        for each in events:
            each.terminal, each.direction = True, -1
        y0 = np.concatenate([q, v])
        out = solve_ivp(rate, (t, end), y0, "DOP853", rtol=1e-11, atol=1e-13, events=events)
        t, q, v = out.t[-1], out.y[:2, -1], out.y[2:, -1]
        if out.status == 0:
            break
        away = None
        if len(out.t_events[-1]):  # the joint that rests breaks away against its effort, the others go on
            effort = accelerations(at(q, v, torque(t)), ways, limits)[1]
            away = np.where(ways == 0, -np.sign(effort), ways)
        turning = at(q, v, torque(t))[2] @ v
        still = [k for k in range(n) if abs(turning[k]) < 1e-9 or ways[k] == 0]
        if len(still) >= 2 and max(abs(turning)) < 1e-7:
            v, still = np.zeros(2), list(range(n))
    return q, v, happened


def instants(run):
    """Instants of events after the start, each once."""
    out = []
    for event in run.events:
        if event.t > 0 and (not out or event.t - out[-1] > 1e-9):
            out.append(event.t)
    return out


LAWS = {name: {"effort": effort} for name, effort in EFFORTS.items()}
LIMITS = np.array([EFFORTS[name] for name in JOINTS])
CASES = {
    "breaks_away": (lambda t: (1.2 * t, -0.9 * t), ("1.2*t", "-0.9*t"), {}, 1.2),
    "comes_to_rest": (lambda t: (0.1, 0.05), ("0.1", "0.05"), {"a.v": -1.5, "e.v": 1.2}, 1.0),
    "stops_and_goes": (lambda t: (np.sin(3 * t), 0.7 * np.sin(2 * t)), ("sin(3*t)", "0.7*sin(2*t)"), {}, 3.0),
    "dead_centre": (lambda t: (-0.6, 0.6), ("-0.6", "0.6"), {"a.v": 0.0, "e.v": 1.5}, 0.6),  # of b, while a rests
    "one_side": (lambda t: (0.0, np.sin(4 * t)), ("0", "sin(4*t)"), {}, 1.0),
}


@cache
def expected(case):
    """Angles and velocities of the cranks at the end of a case, and the instants of its events."""
    torque, _, initial, end = CASES[case]
    start = np.array([initial.get("a.v", 0.0), initial.get("e.v", 0.0)])
    q, v, happened = by_hand(lambda t: np.array(torque(t)), end, LIMITS, v=start)
    return [*q, *v], [t for t, _ in happened if t > 0]


def check(run, case):
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    state, at = expected(case)
    np.testing.assert_allclose(instants(run), at, rtol=0, atol=1e-8)
    found = [run[name].values[-1] for name in ("a.q", "e.q", "a.v", "e.v")]
    np.testing.assert_allclose(found, state, rtol=0, atol=1e-8)


@pytest.mark.parametrize("method", ["tsit5", "dop853"])
@pytest.mark.parametrize("case", CASES)
def test_joints_of_a_five_bar_linkage_stick_and_break_away(case, method):
    _, (first, second), initial, end = CASES[case]
    model = five_bar(LAWS, initial=initial)
    check(cardan.simulate(model, until=end, inputs={"a": first, "e": second}, method=method, **FINE), case)


def test_so_they_do_beside_a_plate_and_a_guide_that_rubs_under_its_load():
    """Both stand in a corner of the same model and stick."""
    _, (first, second), initial, end = CASES["stops_and_goes"]
    model = five_bar(LAWS, initial=initial)
    plate = {"type": "planar", "parent": "ground", "child": "plate", "friction": {"effort": 1.0}}
    law = {"coefficient": 0.3, "preload": 10}
    guide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x", "friction": law}
    bodies = {**model.bodies, "plate": {"mass": 1.0, "inertia": [0, 0, 1]}, "block": {"mass": 1.0}}
    model = model.replace(bodies=bodies, joints={**model.joints, "plate": plate, "guide": guide})
    run = cardan.simulate(model, until=end, inputs={"a": first, "e": second}, **FINE)
    check(run, "stops_and_goes")


@pytest.mark.parametrize(("rubs", "torque"), [("ae", 0.5), ("ae", 0.55), ("ae", 0.65), ("a", 0.35)])
def test_cranks_break_away_where_round_off_hides_the_instant(rubs, torque):
    """At the located instant the effort of the crank a is below its limit by round-off: it breaks away just after."""
    model = five_bar({name: LAWS[name] for name in rubs}, initial={"a.v": 0.0, "e.v": 2.0})
    run = cardan.simulate(model, until=0.6, inputs={"a": "0", "e": str(torque)}, method="dop853", **FINE)
    assert run.ok, run.message
    assert ("a", "slides backwards") in [(event.name, event.did) for event in run.events]
    assert run.report.relative_energy_error < 1e-9


def test_what_they_hold_uses_the_least_parts_of_their_limits():
    """The part is that of the linear program; four joints use it, and the fifth, which stays at rest, less."""
    t = 0.6
    run = cardan.simulate(five_bar(LAWS), until=t, inputs={"a": f"{1.2}*t", "e": f"{-0.9}*t"}, times=[t], **FINE)
    _, side, J, _ = terms()([START["a"], START["e"]], [0, 0], [1.2 * t, -0.9 * t])
    parts = np.array([run[f"{name}.friction"].values[-1] for name in JOINTS]) / LIMITS
    assert [run[f"{name}.sticking"].values[-1] for name in JOINTS] == [1] * 5
    assert run["a.friction"].unique == "no"
    np.testing.assert_allclose(abs(parts[:4]), part_used(J, side, LIMITS), rtol=1e-9)  # of the program: 1e-10
    assert abs(parts[4]) < abs(parts[0])
    np.testing.assert_allclose(J.T @ (parts * LIMITS), -side, rtol=0, atol=1e-12)


def refused(model, message):
    with pytest.raises(ModelError, match=message):
        cardan.simulate(model, until=0.1)


def with_rotor(friction, of_rotor, **more):
    """The linkage, and a rotor that a gear turns with the first crank at half its speed."""
    model = five_bar(friction, **more)
    rotor = {"type": "revolute", "parent": "ground", "child": "rotor", "axis": "z", "friction": of_rotor}
    mesh = {"type": "gear", "kind": "external", "joints": ["a", "spin"], "teeth": [20, 40]}
    return model.replace(
        bodies={**model.bodies, "rotor": {"mass": 1, "inertia": [0, 0, 0.04]}},
        joints={**model.joints, "spin": rotor},
        constraints={"mesh": mesh},
    )


def test_two_joints_of_one_freedom_among_others_of_several_hold_it_together():
    """For the linkage the rotor adds a quarter of its inertia to the first crank, and half of its friction."""
    end, of_rotor = 3.0, 0.12
    model = with_rotor(LAWS, {"effort": of_rotor})
    run = cardan.simulate(
        model, until=end, inputs={"a": "1.5*sin(3*t)", "e": "0.7*sin(2*t)"}, times=[0.1, end], method="dop853", **FINE
    )
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    limits = LIMITS + np.array([of_rotor / 2, 0, 0, 0, 0])
    q, v, happened = by_hand(
        lambda t: np.array([1.5 * np.sin(3 * t), 0.7 * np.sin(2 * t)]), end, limits, at=terms(rotor=0.04 / 4)
    )
    np.testing.assert_allclose(instants(run), [t for t, _ in happened if t > 0], rtol=0, atol=1e-8)
    found = [run[name].values[-1] for name in ("a.q", "e.q", "a.v", "e.v")]
    np.testing.assert_allclose(found, [*q, *v], rtol=0, atol=1e-8)
    assert any(event.name == "spin" for event in run.events)
    parts = [run["a.friction"].values[0] / EFFORTS["a"], -run["spin.friction"].values[0] / of_rotor]
    assert parts[0] == pytest.approx(parts[1], rel=1e-9)


LONG, SHORT, ARM = 0.5, 0.15, 0.2


def palletizer(friction, **more):
    """Two cranks A, B about one axis, a rod C parallel to A, an arm D parallel to B: three joints turn as A − B."""

    def bar(length, mass):
        inertia = [0, 0, mass * length**2 / 12]
        return {
            "mass": mass,
            "com": [length / 2, 0, 0],
            "inertia": inertia,
            "markers": {"tip": {"position": [length, 0, 0]}},
        }

    arm = {"mass": 2, "com": [ARM, 0, 0], "inertia": [0, 0, 0.05], "markers": {"rear": {"position": [-SHORT, 0, 0]}}}
    ends = {"jA": ("ground", "A"), "jB": ("ground", "B"), "jBC": ("B.tip", "C")}
    ends |= {"jAD": ("A.tip", "D"), "jCD": ("C.tip", "D.rear")}
    joints = {
        name: {"type": "revolute", "parent": parent, "child": child, "axis": "z", "friction": friction}
        for name, (parent, child) in ends.items()
    }
    return cardan.Model(
        planar="xy",
        gravity=[0, -G, 0],
        joints=joints,
        initial={"jA": 1.4, "jB": 2.8, "jBC": {"guess": -1.4}, "jAD": {"guess": 4.54}},
        bodies={"A": bar(LONG, 3), "B": bar(SHORT, 1), "C": bar(LONG, 1), "D": arm},
        **more,
    )


def of_palletizer():
    """As `terms`, with the joints jA, jB and the three others as one."""
    q, v, torque = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("torque", 2)

    def along(angle, length):
        return length * ca.vertcat(ca.cos(angle), ca.sin(angle))

    one, two = q[0], q[1]
    centres = [along(one, LONG / 2), along(two, SHORT / 2), along(two, SHORT) + along(one, LONG / 2)]
    centres.append(along(one, LONG) - along(two, ARM))
    T, V = 0, 0
    for mass, spin, centre, angle in zip(
        (3, 1, 1, 2), (3 * LONG**2 / 12, SHORT**2 / 12, LONG**2 / 12, 0.05), centres, (one, two, one, two), strict=True
    ):
        velocity, turn = ca.jacobian(centre, q) @ v, ca.jacobian(angle, q) @ v
        T += mass / 2 * ca.dot(velocity, velocity) + spin / 2 * turn**2
        V += mass * G * centre[1]
    mass = ca.hessian(T, v)[0]
    side = torque - ca.jtimes(mass @ v, q, v) + ca.gradient(T - V, q)
    found = ca.Function("terms", [q, v, torque], [mass, side, ca.DM([[1, 0], [0, 1], [1, -1]]), ca.DM.zeros(3)])
    return lambda *args: [np.array(each).squeeze() for each in found(*args)]


def test_parallel_linkages_of_a_palletizer_stick_beside_motions_of_the_others():
    """Three of five joints have one freedom in all positions: as one of three times their friction by hand."""
    effort, end = 3.0, 2.0
    run = cardan.simulate(
        palletizer({"effort": effort}),
        until=end,
        inputs={"jA": "15*sin(3*t)", "jB": "10*cos(4*t)"},
        method="dop853",
        **FINE,
    )
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    q, v, happened = by_hand(
        lambda t: np.array([15 * np.sin(3 * t), 10 * np.cos(4 * t)]),
        end,
        effort * np.array([1, 1, 3]),
        at=of_palletizer(),
        q=(1.4, 2.8),
    )
    np.testing.assert_allclose(instants(run), [t for t, _ in happened if t > 0], rtol=0, atol=1e-7)  # jB turns slowly
    found = [run[name].values[-1] for name in ("jA.q", "jB.q", "jA.v", "jB.v")]
    np.testing.assert_allclose(found, [*q, *v], rtol=0, atol=1e-8)
    sticking = np.array([run[f"{name}.sticking"].values for name in ("jBC", "jAD", "jCD")])
    assert np.ptp(sticking, axis=0).max() == 0
    assert ((sticking[0] == 1) & (run["jA.sticking"].values == 0)).any()


@pytest.mark.parametrize("method", ["dop853", "auto"])
@pytest.mark.parametrize(
    ("effort", "start", "v", "pushes"),
    [
        (3.801809721746402, (1.4242868315607886, 2.6555907807563126), (0.4896913032562775, 0.3535086452911038),
         ((16.507349027607084, 1.323178060735438, 0.6706444759412087),
          (12.142471862146344, 6.025649001337596, 0.18809774225474385))),
        (1.433600450703707, (1.2020448288954741, 2.885098543164332), (0.0, 0.0),
         ((10.204017969445598, 3.4781257119414297, 3.4048809755520018),
          (15.084109991009935, 2.432893288119786, 2.541327248540968))),
    ],
)  # fmt: skip
def test_the_cranks_of_a_palletizer_go_on_where_its_other_joints_come_to_rest(effort, start, v, pushes, method):
    """Both cranks are equally fast then, and of the three others one may come to rest in an event of its own."""
    sides = tuple(f"{name}*sin({rate}*t + {phase})" for name, rate, phase in (("s", "w", "f"), ("S", "W", "F")))
    numbers = dict(zip("swfSWF", (*pushes[0], *pushes[1]), strict=True))
    run = cardan.simulate(
        palletizer({"effort": "effort"}, parameters={"effort": effort, **numbers}),
        until=1.5,
        inputs=dict(zip(("jA", "jB"), sides, strict=True)),
        initial=dict(zip(("jA", "jB", "jA.v", "jB.v"), (*start, *v), strict=True)),
        method=method,
        **(FINE if method == "dop853" else {"rtol": 1e-4, "atol": 1e-6}),
    )
    assert run.ok, run.message
    assert run.report.relative_energy_error < (1e-9 if method == "dop853" else 1e-3)
    q, w, happened = by_hand(
        lambda t: np.array([size * np.sin(rate * t + phase) for size, rate, phase in pushes]),
        1.5, effort * np.array([1, 1, 3]), v=v, at=of_palletizer(), q=start,
    )  # fmt: skip
    close = 1e-7 if method == "dop853" else 1e-2  # some twenty events; at rtol 1e-4
    found = [run[name].values[-1] for name in ("jA.q", "jB.q", "jA.v", "jB.v")]
    np.testing.assert_allclose(found, [*q, *w], rtol=0, atol=close)
    np.testing.assert_allclose(instants(run), [t for t, _ in happened if t > 0], rtol=0, atol=close)


@pytest.mark.parametrize(
    ("effort", "start", "v", "pushes", "method", "rtol"),
    [
        (1.5116486982111013, (1.5497180721449906, 2.824844183016883), (1.0252267368202417, 0.7792994869276764),
         ((8.773370323823702, 4.652068831990485, 4.998739401869517),
          (11.726285400647278, 3.683988503807303, 5.8197038964841825)), "dop853", 1e-11),
        (2.85546213572313, (1.2545156883711932, 2.893698793090592), (0.0, 0.5749627796197365),
         ((17.832608553015078, 5.5823931787741925, 3.1124913331694124),
          (12.497463704578248, 1.8572445656447667, 4.0835179853456935)), "tsit5", 1e-10),
        (2.85546213572313, (1.2545156883711932, 2.893698793090592), (0.0, 0.5749627796197365),
         ((17.832608553015078, 5.5823931787741925, 3.1124913331694124),
          (12.497463704578248, 1.8572445656447667, 4.0835179853456935)), "dop853", 1e-6),
    ],
)  # fmt: skip
def test_a_parallelogram_that_is_nearly_flat_comes_to_rest_as_one(effort, start, v, pushes, method, rtol):
    """At 0.03 rad from its flat position, where the loops give the ratios of its joints to ten digits only."""
    static, end = 1.3, 1.5
    sides = tuple(f"{name}*sin({rate}*t + {phase})" for name, rate, phase in (("s", "w", "f"), ("S", "W", "F")))
    numbers = dict(zip("swfSWF", (*pushes[0], *pushes[1]), strict=True))
    run = cardan.simulate(
        palletizer({"effort": "F0", "static": "K*F0"}, parameters={"F0": effort, "K": static, **numbers}),
        until=end,
        inputs=dict(zip(("jA", "jB"), sides, strict=True)),
        initial=dict(zip(("jA", "jB", "jA.v", "jB.v"), (*start, *v), strict=True)),
        method=method,
        rtol=rtol,
        atol=1e-2 * rtol,
    )
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e4 * rtol  # errors of the loops, over the angle squared; ten times
    sticking = np.array([run[f"{name}.sticking"].values for name in ("jBC", "jAD", "jCD")])
    assert np.ptp(sticking, axis=0).max() == 0
    assert 0.02 < abs(np.sin(run["jBC.q"].values[-1])) < 0.04
    q, w, happened = by_hand(
        lambda t: np.array([size * np.sin(rate * t + phase) for size, rate, phase in pushes]),
        end, effort * np.array([1, 1, 3]), v=v, at=of_palletizer(), q=start, static=static,
    )  # fmt: skip
    close = 1e-7 + 10 * rtol  # two events where joints turn slowly; five events
    found = [run[name].values[-1] for name in ("jA.q", "jB.q", "jA.v", "jB.v")]
    np.testing.assert_allclose(found, [*q, *w], rtol=0, atol=close)
    found = [[event.t for event in run.events if event.name == "jBC" and event.did == "stops"][-1]]
    np.testing.assert_allclose(
        found, [min((t for t, _ in happened), key=lambda t: abs(t - found[0]))], rtol=0, atol=close
    )


def differentials(rubs):
    """Two differentials in a row, of whose five shafts some rub."""
    turns = {"type": "revolute", "parent": "ground", "axis": "z"}
    law = {"friction": {"effort": 0.1}}
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={f"b{name}": {"mass": 1, "inertia": [1, 1, 1]} for name in JOINTS},
        joints={name: {**turns, "child": f"b{name}", **(law if name in rubs else {})} for name in JOINTS},
        constraints={
            "first": {"type": "coupler", "terms": {"a": 1, "b": 1, "c": -2}},
            "second": {"type": "coupler", "terms": {"c": 1, "d": 1, "e": -2}},
        },
    )


def test_joints_that_fewer_others_hold_are_refused():
    """Two differentials in a row have three freedoms, but three of their five shafts only two."""
    refused(
        differentials(JOINTS),
        r"'c' moves only together with 'a', 'b', fewer joints .* than the 3 freedoms that 'a', 'b', 'c'",
    )


def test_too_many_motions_of_such_joints_are_refused():
    """A ring of nine bars and the ground has six freedoms: any five of its nine joints at rest leave it one motion."""
    count, law = 9, {"effort": 0.1}
    turn = 2 * np.pi / count
    body = {"mass": M, "inertia": [0, 0, INERTIA], "markers": {"tip": {"position": [L, 0, 0]}}}
    hinge = {"type": "revolute", "axis": "z", "friction": law}
    joints = {"j0": {**hinge, "parent": "ground", "child": "b0"}}
    joints |= {f"j{k}": {**hinge, "parent": f"b{k - 1}.tip", "child": f"b{k}"} for k in range(1, count - 1)}
    joints["j8"] = {**hinge, "parent": {"body": "ground", "position": [-L, 0, 0]}, "child": f"b{count - 2}.tip"}
    initial = {f"j{k}": {"guess": turn} for k in range(count - 1)}
    bodies = {f"b{k}": body for k in range(count - 1)}
    model = cardan.Model(planar="xy", gravity=[0, 0, 0], bodies=bodies, joints=joints, initial=initial)
    refused(model, "share 6 freedoms: friction may leave them 126 motions, more than 100")
