"""Joints that stick while other joints drive a program: against equations by hand, event by event."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import cardan
from cardan import ModelError
from tests.truths.rods_on_a_trolley import CENTRES, INERTIAS, LENGTHS, MASSES, TROLLEY, Chain, model

FINE = {"rtol": 1e-11, "atol": 1e-12}
CLOSE = 1e-8  # instants and states: a thousand times the tolerance of the runs


def path(**more):
    program = {"type": "program", "expression": "rod1.mark.x - 0.2*sin(6*t)", "by": ["rail"], **more}
    return {"path": program}


AT_START = {"pin1.v": 0, "pin1": 0.1, "rail.v": 1.2}


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
        return chain.pins @ replace(chain, sliding=tuple(moments)).solve(0.0, q, still, [-1] * n)

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


@pytest.mark.exhaustive
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
