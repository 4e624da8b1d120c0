"""Joints that stick while other joints drive a program: against equations by hand, event by event."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import cardan
from cardan import ModelError
from tests.truths.rods_on_a_trolley import CENTRES, INERTIAS, LENGTHS, MASSES, TROLLEY, Chain, model

pytestmark = pytest.mark.exhaustive

FINE = {"rtol": 1e-11, "atol": 1e-12}
CLOSE = 1e-8  # instants and states: a thousand times the tolerance of the runs


def compare(mechanism, chain, q, v, until, **call):
    """Events, positions, heat, efforts of the drives and energy of a run, against the same by hand."""
    run = cardan.simulate(mechanism, until=until, **FINE, **call)
    assert run.ok
    by_hand_q, by_hand_v, heat = chain.run(np.array(q, float), np.array(v, float), until)
    assert [(e.name, e.did.split()[0]) for e in run.events] == [(f"pin{i + 1}", did) for _, i, did in chain.events]
    assert [e.t for e in run.events] == pytest.approx([t for t, _, _ in chain.events], abs=CLOSE)
    pins = [run[f"pin{i + 1}.q"].values[-1] for i in range(chain.rods)]
    assert pins == pytest.approx(chain.pins @ by_hand_q, abs=CLOSE)
    for i in (i for i, moment in enumerate(chain.sliding) if moment):
        assert run[f"pin{i + 1}.heat"].values[-1] == pytest.approx(heat[i], abs=CLOSE)
    ways = [int(run[f"pin{i + 1}.slip"].values[-1]) if m else 1 for i, m in enumerate(chain.sliding)]
    _, tau, phi, _ = chain.solve(until, by_hand_q, by_hand_v, ways)
    for i in (i for i, moment in enumerate(chain.sliding) if moment):
        assert run[f"pin{i + 1}.friction"].values[-1] == pytest.approx(phi[i], abs=1e-6)
    assert run.report.energy_error < 1e-8 * run.report.energy_scale  # with the work of the drives
    return run, tau


def on_path(t, q, v):
    """The mark 0.2 m below the first pin keeps x = 0.2 sin 6t."""
    J = np.zeros((1, len(q)))
    J[0, 0], J[0, 1] = 1, 0.2 * np.cos(q[1])
    return J, np.array([-7.2 * np.sin(6 * t) + 0.2 * np.sin(q[1]) * v[1] ** 2])


def path(**more):
    program = {"type": "program", "expression": "rod1.mark.x - 0.2*sin(6*t)", "by": ["rail"], **more}
    return {"path": program}


AT_START = {"pin1.v": 0, "pin1": 0.1, "rail.v": 1.2}


def on_trolley(rods):
    """Efforts of the drive, coordinates and velocities at the start."""
    drive = np.zeros((rods + 1, 1))
    drive[0] = 1
    return drive, [-0.2 * np.sin(0.1), *[0.1] * rods], [1.2, *[0] * rods]


@pytest.mark.parametrize("stabilization", ["projection", "none"])
def test_a_passive_pin_while_the_trolley_moves_the_rod(stabilization):
    drive, q, v = on_trolley(1)
    mechanism = model(1, {0: {"effort": "1.6 N*m"}}, constraints=path(), initial=AT_START | {"rail": q[0]})
    chain = Chain(1, (1.6,), on_path, drive)
    run, tau = compare(mechanism, chain, q, v, 1.5, stabilization=stabilization)
    assert run["rail.effort"].values[-1] == pytest.approx(tau[0], rel=1e-8)
    assert {did for _, _, did in chain.events} == {"stops", "slides", "reverses"}
    sticks = run["pin1.sticking"].values[1:-1] == 1
    assert sticks.any()
    assert np.all(run["pin1.v"].values[1:-1][sticks] == 0)  # no creep


ANGLES = np.array([0.5, 1.1])
HEIGHT = -LENGTHS[0] * np.cos(ANGLES[0]) - LENGTHS[1] * np.cos(ANGLES[1])
SPEED = (0.5 - LENGTHS[0] * np.sin(ANGLES[0]) * 0.2) / (LENGTHS[1] * np.sin(ANGLES[1]))
MOTORS = np.array([[0, 0], [1, -1], [0, 1], [0, 0]], float)  # between ground and first rod, first and second one
TURNS = np.array([[0, 0], [1, 0], [1, 1], [1, 1]], float)  # angles of the rods per angle of the first two pins


def arm(friction, kp=0.0, kd=0.0, elbow=0.6, **more):
    """Two driven links keep the height of their end, a third one hangs there; and the relation by hand."""
    expression = f"rod2.end.z - ({float(HEIGHT)!r}) - 0.1*sin(5*t)"
    program = {"type": "program", "expression": expression, "by": ["pin1", "pin2"], **more}
    initial = {"pin1": 0.5, "pin2": elbow, "pin3": 0, "pin1.v": 0.2, "pin2.v": float(SPEED - 0.2), "pin3.v": 0}

    def rows(t, q, v):
        sines, cosines = LENGTHS[:2] * np.sin(q[1:3]), LENGTHS[:2] * np.cos(q[1:3])
        lack = -cosines.sum() - HEIGHT - 0.1 * np.sin(5 * t)
        rate = sines @ v[1:3] - 0.5 * np.cos(5 * t)
        J = np.array([[0, *sines, 0]])
        return J, np.array([-2.5 * np.sin(5 * t) - cosines @ v[1:3] ** 2 - kd * rate - kp * lack])

    return model(3, friction, still=True, constraints={"line": program}, initial=initial), rows


def fixed(*parts):
    """A rule with efforts in these proportions."""
    return lambda t, J, D: (np.array(parts)[:, None], np.zeros(2))


WRIST = {2: {"effort": "0.6 N*m"}}
RULES = {
    "minimum_norm": ({}, {}),
    "weights": ({"weights": {"pin1": 4}}, {"rule": lambda t, J, D: (np.diag([0.25, 1]) @ D.T, np.zeros(2))}),
    "zero": ({"zero": ["pin1"]}, {"rule": fixed(0.0, 1.0)}),
    "given": (
        {"given": {"pin1": "2*sin(3*t)"}},
        {"rule": lambda t, J, D: (np.array([[0.0], [1.0]]), np.array([2 * np.sin(3 * t), 0]))},
    ),
    "share": ({"share": {"pin1": 0.7, "pin2": 0.3}}, {"rule": fixed(0.7, 0.3)}),
    "ideal": ("ideal", {"rule": lambda t, J, D: ((J @ TURNS).T, np.zeros(2))}),
    "limits": ({"limits": {"pin2": "12 N*m"}}, {"limits": np.array([np.inf, 12.0])}),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_wrist_that_sticks_while_two_motors_share_a_program(rule):
    realize, by_hand = RULES[rule]
    mechanism, rows = arm(WRIST, **({"realize": realize} if realize else {}))
    chain = Chain(3, (0, 0, 0.6), rows, MOTORS, still=True, **by_hand)
    run, tau = compare(mechanism, chain, [0, 0.5, 1.1, 1.1], [0, 0.2, SPEED, SPEED], 0.6)
    assert {"stops", "slides"} <= {did for _, _, did in chain.events}
    efforts = [run[f"pin{i}.effort"].values[-1] for i in (1, 2)]
    assert efforts == pytest.approx(tau, rel=1e-8, abs=1e-9)
    if rule == "limits":
        reached = np.abs(run["pin2.effort"].values)
        assert reached.max() == pytest.approx(12)
        assert reached.min() < 10


def test_friction_of_the_rail_is_what_its_drive_adds():
    """The motion is that without friction in the rail, whose drive adds it against the velocity."""
    initial = AT_START | {"rail": -0.2 * np.sin(0.1)}
    smooth, rough = (
        model(1, {0: {"effort": "1.6 N*m"}}, drag=drag, constraints=path(), initial=initial)
        for drag in (None, {"effort": "5 N", "prescribed": True})
    )
    times = np.linspace(0, 1.5, 16)
    one, other = (cardan.simulate(each, times=times, **FINE) for each in (smooth, rough))
    assert other["pin1.q"].values == pytest.approx(one["pin1.q"].values, abs=CLOSE)
    added = other["rail.effort"].values - one["rail.effort"].values
    assert added == pytest.approx(5 * np.sign(one["rail.v"].values), abs=1e-6)
    assert other.report.energy_error < 1e-8 * other.report.energy_scale
    sticking = model(1, {}, drag={"effort": "5 N"}, constraints=path(), initial=initial)
    with pytest.raises(
        ModelError, match=r"'rail' drives a motion, so that its drive and its friction .*\n.*the drive adds what"
    ):
        cardan.simulate(sticking, until=0.1)


def test_a_pin_whose_friction_the_drive_turns_round():
    """Beyond the centre of percussion, (I + m c²)/(m c) below the pin, the trolley goes back to bring the point forth.

    (I + m c² − m c d cos²θ) θ̈ = φ − m c cos θ ẍ − m g c sin θ − k θ: a negative inertia. A pin at rest could stick, or
    slide either way; beyond its limit it slides one way only, with its friction against it.
    """
    m, c, d = MASSES[0], CENTRES[0], LENGTHS[0]
    assert d > (INERTIAS[0] + m * c**2) / (m * c)
    program = {"type": "program", "expression": "rod1.end.x - 0.05*t**2*s", "by": ["rail"]}
    mechanism = model(
        1,
        {0: {"effort": "0.5 N*m"}},
        constraints={"path": program},
        parameters={"s": 1.0},
        initial={"pin1": 0, "rail.v": 0, "pin1.v": 0},
    )
    run = cardan.simulate(mechanism, until=1)
    assert run.status == "friction_indeterminate"
    assert "pin1" in run.message
    assert run.t[-1] == 0
    needed = m * c * 0.1 * 10  # at s = 10
    assert needed > 0.5
    run = cardan.simulate(mechanism, parameters={"s": 10.0}, until=0.01, **FINE)
    assert run.ok
    assert run["pin1.slip"].values[-1] == 1
    inertia = INERTIAS[0] + m * c**2 - m * c * d
    assert run["pin1.a"].values[0] == pytest.approx((-0.5 - needed) / inertia, rel=1e-9)
    force = (TROLLEY + m) * (1.0 - d * run["pin1.a"].values[0]) + m * c * run["pin1.a"].values[0]
    assert run["rail.effort"].values[0] == pytest.approx(force, rel=1e-9)


def answers(chain, q):
    """All ways in which pins at rest can stick and slide, of all combinations; whether H is a P-matrix."""
    n, F, still = chain.rods, np.array(chain.sliding), np.zeros(chain.rods + 1)

    def accelerations(moments):
        a, *_ = replace(chain, sliding=tuple(moments)).solve(0.0, q, still, [-1] * n)
        return chain.pins @ a

    a0, found = accelerations(np.zeros(n)), []
    H = np.array([accelerations(e) - a0 for e in np.eye(n)]).T
    for ways in product((-1, 0, 1), repeat=n):
        rest, phi = [i for i in range(n) if not ways[i]], -np.array(ways) * F
        phi[rest] = np.linalg.solve(H[np.ix_(rest, rest)], -(a0 + H @ phi)[rest])
        a = a0 + H @ phi
        if all(ways[i] * a[i] > 0 if ways[i] else abs(phi[i]) <= F[i] for i in range(n)):
            found.append(ways)
    minors = [some for size in range(1, n + 1) for some in combinations(range(n), size)]
    return found, all(np.linalg.det(H[np.ix_(some, some)]) > 0 for some in minors)


def test_starts_from_rest_against_all_combinations():
    """Sixty random starts: where all principal minors of H are positive, and wherever else a run goes on."""
    rng, drive, answered = np.random.default_rng(1), np.array([[1.0], [0], [0]]), 0
    program = {"type": "program", "expression": "rail + d*sin(pin1) + c*sin(pin1 + pin2) - k*t**2/2", "by": ["rail"]}
    mechanism = model(
        2,
        {0: {"effort": "F1"}, 1: {"effort": "F2"}},
        constraints={"path": program},
        parameters={"d": 0.1, "c": 0.1, "k": 1.0, "F1": "1 N*m", "F2": "1 N*m"},
        initial={"pin1": 0.1, "pin2": 0.1, "pin1.v": 0, "pin2.v": 0},
    )
    for _ in range(60):
        lever, k = rng.uniform(-0.8, 0.8, 3)[:2], rng.uniform(-8, 8)
        F, angles = 10 ** rng.uniform(-1, 1, 2), rng.uniform(-1.2, 1.2, 2)
        q = np.array([0, angles[0], angles.sum()])

        def rows(t, q, v, lever=lever, k=k):
            return np.array([[1, *(lever * np.cos(q[1:]))]]), np.array([k + (lever * np.sin(q[1:])) @ v[1:] ** 2])

        found, is_regular = answers(Chain(2, tuple(F), rows, drive), q)
        call = {"d": lever[0], "c": lever[1], "k": k, "F1": F[0], "F2": F[1]}
        initial = {"pin1": angles[0], "pin2": angles[1], "rail": -lever @ np.sin(q[1:])}
        run = cardan.simulate(mechanism, until=1e-7, parameters=call, initial=initial)
        ways = tuple(int(run[f"pin{i}.slip"].values[-1]) for i in (1, 2))
        if is_regular:
            assert len(found) == 1
            assert run.ok
        if run.ok:
            assert [ways] == found
            answered += 1
    assert answered > 50


def on_far_path(laws, drag=None):
    """Three rods that start at rest below a trolley whose drive moves a mark of the last one."""
    program = {"type": "program", "expression": "rod3.mark.x - 0.07*sin(3*t)", "by": ["rail"]}
    initial = {"pin1": 0.1, "pin2": 0.3, "pin3": -0.2, "rail": {"guess": 0}, **{f"pin{i}.v": 0 for i in (1, 2, 3)}}
    return model(3, laws, drag=drag, constraints={"path": program}, initial=initial)


def test_pins_under_loads_that_cannot_rest_break_away_before_they_are_judged():
    """What the drive answers to pins beyond their limits is of no account: they slide from the first instant.

    Pins that creep at 1e-6 m/s in place of sticking are 1e-6 rad away at most, times what the chain makes of it.
    """
    laws = {i: {"coefficient": mu, "radius": 0.05} for i, mu in enumerate((0.3, 0.2, 0.14))}
    run, creeping = (
        cardan.simulate(on_far_path({i: law | more for i, law in laws.items()}), until=0.09, rtol=1e-9, method=method)
        for more, method in (({}, "dop853"), ({"regularize": 1e-6}, "rodas5p"))
    )
    assert run.ok, run.message
    assert creeping.ok, creeping.message
    for pin in ("pin1", "pin2", "pin3"):
        assert run[f"{pin}.q"].values[-1] == pytest.approx(creeping[f"{pin}.q"].values[-1], abs=1e-4)


def test_a_joint_that_reverses_as_another_breaks_away_is_decided_again():
    """The rail's drive turns round which way pin2 accelerates when pin1 breaks away at the instant of its reversal.

    What the projection of the program adds to pin2's velocity of zero is no motion: friction must not push it along.
    """
    load = {"coefficient": 0.42214463866883517, "radius": 0.07094432440587173}
    laws = {0: load, 1: {"effort": 0.6636910816585516}}
    expression = "rail + 0.3*pin1 - 0.11776718264752567*sin(5.109032004723033*t)"
    path = {"type": "program", "expression": expression, "by": ["rail"]}
    initial = {"pin1.v": 0, "pin2.v": 0, "pin1": 0.1, "pin2": 0.09418134117030497, "rail": {"guess": 0}}
    run = cardan.simulate(
        model(2, laws, constraints={"path": path}, initial=initial, stiffness=4.0), until=1.14, rtol=1e-9, atol=1e-11
    )
    assert run.ok
    for pin in ("pin1", "pin2"):
        assert np.max(run[f"{pin}.friction"].values * run[f"{pin}.v"].values) < 1e-12  # [W] round-off at events
    assert run["pin2.sticking"].values[-1] == 1
    assert run["pin1.v"].values[-1] == pytest.approx(0.1725277, abs=1e-6)  # with regularize: 1e-7 rad/s
