"""Stops by impact of a slider-crank in whose joints friction follows the load, against a solution from event to event.

While a stop is closed it takes the whole load, and friction holds none; where it would pull it opens, and the joints
stick until their limits are used up. Impulses have no friction. The reference are the equations of Newton and Euler of
the single bodies, as of `test_load_friction_of_one_freedom`, with ways that turn round at impacts. Tolerances: runs at
rtol 1e-10 over some ten events; SciPy's at 1e-11.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from tests.truths.test_load_friction_of_one_freedom import (
    CASES,
    FINE,
    INERTIAS,
    L1,
    L2,
    MASSES,
    NAMES,
    root,
    slider_crank,
    speeds,
    unbalanced,
)

pytestmark = pytest.mark.exhaustive

LOADS = CASES["loads"]
EFFORTS = {"crank": 0.2, "pin": 0.1, "wrist": 0.1, "slide": 1.0}
GIVEN = ({name: {"effort": effort} for name, effort in EFFORTS.items()}, *[([0] * 4, list(EFFORTS.values()))] * 2)


def position(q):
    """Place of the slider."""
    return L1 * np.cos(q) + L2 * np.cos(np.arcsin(-L1 * np.sin(q) / L2))


def inertia(q):
    """Of the whole mechanism, as seen at the crank."""
    lean = np.arcsin(-L1 * np.sin(q) / L2)
    _, _, _, slide = speeds(q, 1.0)
    turn = -L1 * np.cos(q) / (L2 * np.cos(lean))
    n1, n2 = np.array([-np.sin(q), np.cos(q)]), np.array([-np.sin(lean), np.cos(lean)])
    middles = L1 / 2 * n1, L1 * n1 + L2 / 2 * turn * n2
    moved = MASSES[0] * middles[0] @ middles[0] + MASSES[1] * middles[1] @ middles[1] + MASSES[2] * slide**2
    return moved + INERTIAS[0] + INERTIAS[1] * turn**2


def stopped(joint, restitution, laws=LOADS[0]):
    """The slider-crank with friction in all joints, and a stop of one of them where the crank is at 1 rad.

    The restitution is 0, or the parameter "e", so that runs with other values share their machine code.
    """
    model = slider_crank(laws, {}, parameters={restitution: 0.5} if restitution else {})
    stop = {"crank": {"lower": 1.0}, "slide": {"upper": float(position(1.0))}}[joint]
    limits = {**stop, "restitution": restitution}
    return model.replace(joints={**model.joints, joint: model.joints[joint].replace(limits=limits)})


@cache
def bounces(q, w, e, torque, count):
    """Instants, speeds of the crank before them, and its angle and speed at the last of some impacts at 1 rad; with the
    heat of friction up to then.
    """
    _, slides, _ = LOADS
    last, t, ways, out, heat = np.zeros(8), 0.0, np.sign(speeds(q, w)), [], 0.0
    (coefficients, _), scale = slides, np.array([0.02, 0.02, 0.02, 1.0])

    def rates(t, y):
        nonlocal last
        last = root(lambda u: unbalanced(y[0], y[1], u[0], u[1:], -ways, slides, torque), last)
        forces = np.hypot(*last[1:7].reshape(3, 2).T)
        loads = scale * coefficients * [*forces, abs(last[7])]
        return [y[1], last[0], loads @ np.abs(speeds(*y[:2]))]

    def passes(i):
        def event(t, y):
            return speeds(*y[:2])[i]

        event.terminal, event.direction = True, -ways[i]
        return event

    def meets(t, y):
        return y[0] - 1.0

    meets.terminal, meets.direction = True, -1
    while len(out) < count:
        events = [*(passes(i) for i in range(4)), meets]
        found = solve_ivp(rates, (t, t + 3), [q, w, heat], events=events, rtol=1e-11, atol=1e-13, method="DOP853")
        assert found.status == 1
        t, (q, w, heat) = found.t[-1], found.y[:, -1]
        passed = [i for i in range(4) if len(found.t_events[i])]
        if len(found.t_events[4]):
            out.append((t, w))
            w, ways = -e * w, -ways
        elif 0 in passed:  # all come to rest, and go back: the torque is larger than friction
            ways, w = -ways, 0.0
        else:
            ways = np.where(np.isin(range(4), passed), -ways, ways)
    return np.array(out), q, w, heat


@pytest.mark.parametrize(("joint", "method"), [("crank", "dop853"), ("slide", "dop853"), ("slide", "rodas5p")])
def test_a_slider_crank_bounces_at_a_stop(joint, method):
    """A torque drives it back to the stop again and again: of the crank, or of the slider."""
    q, w, e, torque = 2.0, -1.0, 0.6, -8.0
    model = stopped(joint, "e")
    hits, q, w, heat = bounces(q, w, e, torque, 4)
    run = cardan.simulate(
        model,
        until=hits[-1, 0] + 1e-3,
        initial={"crank": 2.0, "crank.v": -1.0},
        inputs={"crank": torque},
        parameters={"e": e},
        method=method,
        **FINE,
    )
    assert run.ok, run.message
    met = [event.t for event in run.events if "meets" in event.did]
    np.testing.assert_allclose(met, hits[:, 0], atol=1e-8)
    at = np.searchsorted(run.t, met[-1], side="right") - 1  # just after the last impact
    assert run.array("crank.q")[at] == pytest.approx(q, abs=1e-8)
    assert run.array("crank.v")[at] == pytest.approx(w, abs=1e-7)
    assert sum(run.array(f"{name}.heat")[at] for name in NAMES) == pytest.approx(heat, abs=1e-7)
    lever = speeds(1.0, 1.0)[NAMES.index(joint)]
    blow = inertia(1.0) * (1 + e) * abs(hits[-1, 1] / lever)
    way = 1 if joint == "crank" else -1  # from a lower stop, and from an upper one
    assert run[f"{joint}.impulse"].values[-1] == pytest.approx(way * blow, rel=1e-7)
    lost = inertia(1.0) * (1 - e**2) / 2 * np.sum(hits[:, 1] ** 2)
    assert run[f"{joint}.impact_heat"].values[-1] == pytest.approx(lost, abs=1e-7)
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize("joint", ["crank", "slide"])
def test_bounces_accumulate_and_the_stop_holds(joint):
    """Times between bounces fall as a geometric series in the end; then the stop takes the whole load."""
    e, torque = 0.3, -8.0
    model = stopped(joint, "e")
    hits, *_ = bounces(2.0, -1.0, e, torque, 6)
    (a, b, c) = hits[-3:, 0]
    accumulated = c + (c - b) ** 2 / (2 * b - a - c)  # Aitken's limit: ratios of times change by 1e-6 of themselves
    run = cardan.simulate(
        model,
        until=accumulated + 0.5,
        initial={"crank": 2.0, "crank.v": -1.0},
        inputs={"crank": torque},
        parameters={"e": e},
        **FINE,
    )
    assert run.ok, run.message
    rests = next(event for event in run.events if event.did == "rests at its stop")
    assert rests.t == pytest.approx(accumulated, abs=3e-8)  # a bounce of 1.4e-8 s is as low as round-off of the angle
    assert rests is run.events[-1] or all(event.t == rests.t for event in run.events[-5:])
    forces = root(lambda u: unbalanced(1.0, 0, 0, u[1:], np.zeros(4), LOADS[1], u[0]), np.ones(8))
    lever = speeds(1.0, 1.0)[NAMES.index(joint)]  # the torque that holds the crank alone, less the given one
    assert run[f"{joint}.stop_force"].values[-1] == pytest.approx((forces[0] - torque) / lever, rel=1e-9)
    for name in NAMES:
        assert run[f"{name}.friction"].values[-1] == 0
        assert run[f"{name}.sticking"].values[-1] == 0
    at = run.t > rests.t
    assert np.ptp(run.array("crank.q")[at]) < 1e-12  # no creep
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize(
    ("joint", "laws"), [("crank", LOADS), ("slide", LOADS), ("slide", CASES["mixed"]), ("slide", GIVEN)]
)
def test_joints_leave_a_stop_stick_and_break_away(joint, laws):
    """A torque that grows: without force of the stop at the torque of the weights, and away where limits are used up.

    Between the two all joints stick within their limits, and the stop has no force.
    """
    laws, slides, holds = laws
    model = stopped(joint, 0.0, laws)
    run = cardan.simulate(
        model, until=1.4, initial={"crank": 1.2, "crank.v": -1.0}, inputs={"crank": "-8 + 8*t"}, **FINE
    )
    assert run.ok, run.message
    forward = np.sign(speeds(1.0, 1.0))
    free = root(lambda u: unbalanced(1.0, 0, 0, u[1:], np.zeros(4), slides, u[0]), np.ones(8))[0]
    away = root(lambda u: unbalanced(1.0, 0, 0, u[1:], -forward, holds, u[0]), np.ones(8))[0]
    leaves = next(event.t for event in run.events if event.did == "leaves its stop")
    starts = [event.t for event in run.events if event.t > leaves and event.did.startswith("slides")]
    assert leaves == pytest.approx((free + 8) / 8, abs=1e-9)
    assert starts[:4] == pytest.approx([(away + 8) / 8] * 4, abs=1e-9)
    between = (run.t > leaves + 1e-6) & (run.t < starts[0] - 1e-6)
    assert np.count_nonzero(between) > 5
    assert not np.any(run.array(f"{joint}.stop_force")[between])
    for name in NAMES:
        assert np.all(run.array(f"{name}.sticking")[between] == 1)
        parts = np.abs(run.array(f"{name}.friction") / run.array(f"{name}.friction_limit"))[between]
        assert np.all(np.diff(parts) > 0)
        assert parts[-1] <= 1
    assert run.array("crank.v")[-1] > 0
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize("e", [0, "e"])
def test_of_two_stops_at_one_place_one_takes_the_load(e):
    """Crank and slider meet their stops at one place: the run is that with one of them, whichever it is."""
    model = stopped("crank", e)
    both = model.replace(joints={**model.joints, "slide": stopped("slide", e).joints["slide"]})
    runs = [
        cardan.simulate(each, until=1.4, initial={"crank": 1.2, "crank.v": -1.0}, inputs={"crank": "-8 + 8*t"}, **FINE)
        for each in (model, both)
    ]
    assert all(run.ok for run in runs), runs[1].message
    leaves = [[event.t for event in run.events if event.did == "leaves its stop"] for run in runs]
    assert leaves[1] == pytest.approx(leaves[0], abs=1e-9)
    assert len(leaves[0]) == 1
    assert runs[1].array("crank.q")[-1] == pytest.approx(runs[0].array("crank.q")[-1], abs=1e-8)
    assert runs[1].report.relative_energy_error < 1e-9
