"""Switchings by motion: steps end at them, whatever the function that switches and the method that steps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.selection import each, few

import cardan
from cardan.integration import METHODS

METHOD_STEPS = [("dop853", None), ("tsit5", None), ("rodas5p", None), ("rk4", 1e-3), ("auto", None)]


def block(force, **given):
    """A free block of 1 kg under a force, without weight, from x = −1 m with 1 m/s."""
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 1.0}},
        joints={"s": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
        inputs={"s": force},
        **{"initial": {"s": -1.0, "s.v": 1.0}, **given},
    )


TIMES = np.array([0.5, 1.0, 1.0 + np.pi / 8, 1.0 + np.pi / 2, 4.0])
CONTACT = np.array([-0.5, 0.0, np.sin(np.pi / 4) / 2, 0.0, -(3.0 - np.pi / 2)])
"""A spring of 4 N/m touches from x = 0 on: half a period of sin(2 t)/2, then back with the same speed."""


@each("method, step", METHOD_STEPS)
def test_a_one_sided_contact_is_its_closed_form(method, step):
    run = cardan.simulate(block("-4*max(0, s)"), method=method, step=step, times=TIMES, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run["s.q"], CONTACT, rtol=0, atol=1e-9)
    assert run.ok
    assert run.events == ()


@each(
    "force",
    [
        "-4*if(s > 0, s, 0)",
        "-4*if(not s < 0 and t >= 0, s, 0)",
        "-4*s*step(s)",
        "-2*(s + abs(s))",
        "4*min(-s, 0, 100)",
        "-2*s*(1 + sign(s))",
        "-interpolate(s, -1, 0, 0, 0, 1, 4)",
        "-4*push",
        "-4*max(0, s) + if(s > 10, 3, 0) + 7*step(t - 100)",
    ],
)
def test_every_function_that_switches_gives_the_same_contact(force):
    model = block(force, let={"push": "max(0, s)"})
    run = cardan.simulate(model, times=TIMES, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run["s.q"], CONTACT, rtol=0, atol=1e-9)
    assert run.statistics["steps"] < 40  # the steps of error control around a kink that it does not know are 300


def test_floors_and_saw_teeth_of_the_position():
    """Force 0.1 floor(s): constant between whole numbers, so that v²/2 grows by 0.1 floor(s) for each metre."""
    run = cardan.simulate(
        block("0.1*floor(s)", initial={"s": 0.5, "s.v": 1.0}), times=np.linspace(0, 4, 41), rtol=1e-10
    )
    s, v = run["s.q"].values, run["s.v"].values
    work = 0.1 * np.array([sum(range(1, int(x))) + int(x) * (x - int(x)) for x in s])
    np.testing.assert_allclose(v**2 / 2, 0.5 + work, rtol=0, atol=1e-9)
    saw = cardan.simulate(block("mod(s, 0.5)", initial={"s": 0.5, "s.v": 1.0}), times=np.linspace(0, 2, 21), rtol=1e-10)
    s, v = saw["s.q"].values, saw["s.v"].values
    turns = np.floor(s / 0.5)
    work = (turns - 1) * 0.125 + (s - 0.5 * turns) ** 2 / 2
    np.testing.assert_allclose(v**2 / 2, 0.5 + work, rtol=0, atol=1e-9)


def test_a_table_with_corners_and_a_jump_is_met_at_each():
    """Potential of a characteristic with a corner at 1, a jump at 2 and a plateau: v² follows from it."""
    force = "-interpolate(s, 0, 0, 1, 2, 2, 1, 2, 3, 3, 3)"
    run = cardan.simulate(
        block(force, initial={"s": -1.0, "s.v": 3.5}), times=np.linspace(0, 2, 101), rtol=1e-10, atol=1e-12
    )
    s, v = run["s.q"].values, run["s.v"].values
    assert s.max() > 2.3
    x = np.array([0.0, 1.0, 2.0, 2.0, 3.0, 9.0])
    y = np.array([0.0, 2.0, 1.0, 3.0, 3.0, 3.0])

    def potential(end):
        inside = np.sort(np.append(x[x < end], end)) if end > 0 else np.zeros(1)
        return sum(
            (b - a) * (np.interp(a + 1e-13, x, y) + np.interp(b - 1e-13, x, y)) / 2
            for a, b in pairwise(inside)
            if b > a
        )

    np.testing.assert_allclose(v**2 / 2 + [potential(end) for end in s], 3.5**2 / 2, rtol=0, atol=1e-8)


def test_dry_friction_that_brings_a_block_to_rest_is_reported():
    run = cardan.simulate(block("-0.5*sign(s.v)"), until=4.0)
    assert run.status == "chattering"
    assert run.statistics["reached"] == pytest.approx(2, abs=1e-12)
    assert run["s.q"].values[-1] == pytest.approx(0, abs=1e-12)
    assert "chattering at t = 2 s: '-0.5*sign(s.v)' in inputs.s: a condition of the motion" in run.message


def test_names_that_only_sampled_laws_read_end_no_steps():
    """A quantised position in a digital controller: one step for each sample, as if the law stood in the input."""
    law = {"every": "1 ms", "value": "-50*1e-6*floor(s/1e-6) - 5*s.v"}
    named = {"every": "1 ms", "value": "-50*Q - 5*s.v"}
    written = cardan.simulate(block(law), until=0.5)
    run = cardan.simulate(block(named, let={"Q": "1e-6*floor(s/1e-6)"}), until=0.5)
    np.testing.assert_allclose(run["s.q"].values[-1], written["s.q"].values[-1], rtol=0, atol=1e-12)
    assert run.statistics["steps"] == written.statistics["steps"] <= 502


@each("method", ["rk4", "dop853", "rodas5p"])
def test_an_integrator_that_stops_at_the_limit_slides_along_it(method):
    """u = kp (target − s) + ki e, ė = target − s where |u| < 24: u is driven to 24 from both sides while kp v < ki ė.

    In 20 runs each with another round-off; it comes to u = 24 from above at target − s = 24/kp, if it begins there.
    """
    limited = {"e": {"rate": "if(abs(u) < 24, 0.95 - s, 0)", "initial": "0 m*s"}}
    law = {"states": limited, "let": {"u": "kp*(0.95 - s) + 150*e"}}
    model = block("0", initial={"s": 0.0, "s.v": 1.2}, parameters={"kp": 30.0}, **law)
    step = 1e-3 if METHODS[method].fixed_step else None
    for kp in (*np.linspace(25.5, 54.5, 20), 55.0, 60.0):
        run = cardan.simulate(model, until=1.0, parameters={"kp": kp}, method=method, step=step)
        assert run.status == ("chattering" if 150 * 24 / kp > 1.2 * kp else "completed")
        if not run.status.ok or kp < 54.7:
            assert run.statistics["reached"] == pytest.approx((0.95 - 24 / kp) / 1.2, abs=1e-9)
            assert run.statistics["steps"] < 1500
        assert ("'if(abs(u) < 24, 0.95 - s, 0)' in states.e.rate" in run.message) == (not run.status.ok)


def test_an_integrator_that_gets_back_what_the_limit_cuts_off_overshoots_little():
    """The law of docs/events.md: beyond the limit u̇ = … − k (u − limited), so that u stays near it."""
    let = {"u": "kp*(0.5 - s) + ki*e", "limited": "max(-24, min(24, u))"}
    given = {"initial": {"s": -0.4}, "parameters": {"kp": 60.0, "ki": 150.0, "k": 10.0}, "let": let}
    overshoot = {}
    for rate in ("0.5 - s", "0.5 - s + k/ki*(limited - u)"):
        model = block("limited - 20*s.v", **given, states={"e": {"rate": rate, "initial": "0 m*s"}})
        run = cardan.simulate(model, until=20.0)
        assert run.ok
        assert run.array("s.q")[-1] == pytest.approx(0.5, abs=1e-6)
        overshoot[rate] = run.array("s.q").max() - 0.5
    plain, fed_back = overshoot.values()
    assert fed_back < plain / 4


def test_a_block_at_rest_stays_there():
    run = cardan.simulate(block("-0.5*sign(s.v)", initial={}), until=4.0)
    assert run.ok
    assert run.statistics["steps"] < 20
    np.testing.assert_array_equal(run["s.q"], 0)


def test_a_sign_at_zero_takes_the_side_of_the_motion():
    """From rest under 1 N against 0.25 N of friction."""
    run = cardan.simulate(block("1 - 0.25*sign(s.v)", initial={}), times=[0, 2.0])
    assert run.ok
    assert run["s.q"].values[-1] == pytest.approx(0.75 * 2, abs=1e-12)


def test_switchings_of_closed_loops():
    """A stop on the slider of a slider-crank: the energy that it takes comes back, and the loop stays closed."""
    model = cardan.load("slider_crank")
    name = next(iter(model.joints))
    plain = cardan.simulate(model, 1.0)
    middle = float(np.median(plain[f"{name}.q"].values))
    body = next(iter(model.bodies))
    stop = {"type": "torque", "child": body, "value": [0, 0, f"-0.01*max(0, {name} - ({middle}))"]}
    for embed in (True, False):
        run = cardan.simulate(model.replace(forces={**model.forces, "stop": stop}), 1.0, embed=embed)
        assert run.ok
        assert run.report.relative_energy_error < 1e-7


def test_a_closed_loop_that_friction_stops_is_chattering():
    model = cardan.load("slider_crank")
    name, body = next(iter(model.joints)), next(iter(model.bodies))
    brake = {"type": "torque", "child": body, "value": [0, 0, f"-50*sign({name}.v)"]}
    run = cardan.simulate(model.replace(forces={**model.forces, "brake": brake}), 20.0, embed=False)
    assert run.status == "chattering"
    assert abs(run[f"{name}.v"].values[-1]) < 1e-9


@each("method", ["rk4", "dop853", "rodas5p"])
def test_sweeps_in_lanes_are_single_runs(method):
    model = block("-k*max(0, s - d)", parameters={"k": 4.0, "d": 0.0})
    given = {"method": method, "step": 1e-2 if METHODS[method].fixed_step else None}
    d = np.linspace(0, 8, 17)  # some of the blocks touch, others do not
    sweep = cardan.sweep(model, parameters={"d": d}, outputs=["s.q"], times=[0.0, 3.0, 5.0], **given)
    for k, place in enumerate(d):
        run = cardan.simulate(model, parameters={"d": place}, times=[0.0, 3.0, 5.0], **given)
        np.testing.assert_allclose(sweep["s.q"][k], run["s.q"], rtol=0, atol=1e-11)


@each("force, speed, until, rtol", [(1e-7, 1e-6, 14, 1e-4), (1e-12, 1e-12, 3, 1e-8)])
def test_a_relay_of_a_small_motion_chatters_where_it_comes_to_rest(force, speed, until, rtol):
    """The jump of the law is judged by the tolerance of this run, which follows the size of its motion."""
    law = {"type": "force", "child": "block", "value": [f"-{force}*sign(x.v)", 0, 0]}
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 1}},
        joints={"x": slide},
        forces={"relay": law},
        initial={"x.v": speed},
    )
    run = cardan.simulate(model, until=until, rtol=rtol)
    assert run.status == "chattering"
    assert run.t[-1] == pytest.approx(speed / force, rel=1e-6)
    assert run["x.q"].values[-1] == pytest.approx(speed**2 / force / 2, rel=1e-6)


@pytest.mark.parametrize("method", few(["auto", "rodas5p"], 1))
@each(
    "force",
    [
        "1e6*max(-s, 0)**1.5",
        "1e6*pow(max(-s, 0), 1.5)",
        "if(s < 0, 1e6*(-s)**1.5, 0)",
        "if(s >= 0, 0, if(s < 0, 1e6*sqrt((-s)**3), 0))",
    ],
)
def test_contact_by_hertz_takes_no_root_of_a_negative_number(force, method):
    # Bounces on an elastic ball; SciPy integrates them with steps that are short against a contact of 8 ms.
    ball = cardan.Model(
        gravity=[-9.81, 0, 0],
        bodies={"ball": {"mass": 1.0}},
        joints={"s": {"type": "prismatic", "parent": "ground", "child": "ball", "axis": "x"}},
        inputs={"s": force},
        initial={"s": 0.1},
    )
    run = cardan.simulate(ball, until=0.5, method=method, rtol=1e-9)
    reference = solve_ivp(
        lambda t, y: [y[1], 1e6 * max(-y[0], 0) ** 1.5 - 9.81],
        (0, 0.5),
        [0.1, 0.0],
        method="DOP853",
        rtol=1e-11,
        atol=1e-13,
        max_step=1e-4,
    )
    assert run.status == "completed"
    assert run["s.q"][-1] == pytest.approx(
        reference.y[0, -1], abs=2e-7
    )  # two bounces, each near 100 times the tolerance
