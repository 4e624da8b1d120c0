"""Friction that follows its load beside stops by impact, against solutions put together from event to event.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over some events, at which their errors grow; SciPy's at 1e-12.
"""

import numpy as np
import pytest

import cardan
from tests.selection import few

FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81
METHODS = few([("dop853", FINE), ("tsit5", FINE), ("rodas5p", FINE)], 1)


def incline(angle, friction, limits, **more):
    """A block of 2 kg on an incline; the coordinate grows downhill, where a buffer stands."""
    axis = [np.cos(angle), 0, -np.sin(angle)]
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": axis}
    slide |= {"friction": friction, "limits": limits}
    return cardan.Model(bodies={"block": {"mass": 2}}, joints={"slide": slide}, **more)


@pytest.mark.parametrize(("method", "settings"), METHODS)
def test_a_block_bounces_on_an_incline_that_rubs(method, settings):
    """Down with g (sin α − μ cos α), up with −g (sin α + μ cos α): each bounce is lower by their quotient, too.

    Speeds before impacts follow v' = ε v √(down/up), and the time of a bounce is ε v (1/up + √(1/(up down))).
    """
    angle, mu, e, way, m = 0.6, 0.25, 0.7, 1.5, 2
    model = incline(angle, {"coefficient": mu}, {"upper": 0, "restitution": e})
    run = cardan.simulate(model, until=6, initial={"slide": -way}, method=method, **settings)
    assert run.ok, run.message
    up, down = (G * (np.sin(angle) + sign * mu * np.cos(angle)) for sign in (1, -1))
    ratio, v = e * np.sqrt(down / up), np.sqrt(2 * down * way)
    first, bounce = v / down, e * v * (1 / up + 1 / np.sqrt(up * down))
    met = [event.t for event in run.events if event.did == "meets its upper stop"]
    np.testing.assert_allclose(met[:20], first + bounce * (1 - ratio ** np.arange(20)) / (1 - ratio), atol=1e-8)
    rests = run.events[-1]
    assert rests.did == "rests at its stop"
    assert rests.t == pytest.approx(first + bounce / (1 - ratio), abs=1e-8)
    assert set(run["slide.q"].values[run.t > rests.t]) == {0.0}
    assert run["slide.friction"].values[-1] == 0
    assert run["slide.stop_force"].values[-1] == pytest.approx(-m * G * np.sin(angle), rel=1e-12)
    taken = m * v**2 * (1 - e**2) / 2 / (1 - ratio**2)
    assert run["slide.impact_heat"].values[-1] == pytest.approx(taken, abs=1e-7)
    height = m * G * way * np.sin(angle)
    assert run["slide.heat"].values[-1] == pytest.approx(height - taken, abs=1e-7)
    assert run.report.relative_energy_error < 1e-9


def test_friction_holds_a_block_that_has_bounced():
    """Steeper friction than slope: the block rebounds once, comes to rest up the incline, and stays there."""
    angle, mu, e, v = 0.3, 0.5, 0.8, 2.0
    model = incline(angle, {"coefficient": mu}, {"upper": 0.1, "restitution": e})
    run = cardan.simulate(model, until=3, initial={"slide.v": v}, **FINE)
    down, up = (G * (np.sin(angle) + sign * mu * np.cos(angle)) for sign in (-1, 1))
    meets = np.sqrt(v**2 + 2 * down * 0.1)
    back = e * meets
    t = (meets - v) / down
    assert [event.did for event in run.events] == ["meets its upper stop", "stops"]
    assert [event.t for event in run.events] == pytest.approx([t, t + back / up], abs=1e-9)
    assert run["slide.q"].values[-1] == pytest.approx(0.1 - back**2 / (2 * up), abs=1e-9)
    assert run["slide.friction"].values[-1] == pytest.approx(-2 * G * np.sin(angle), rel=1e-12)


def test_a_block_leaves_its_stop_and_breaks_away_later():
    """A pull that grows: without force of the stop at m g sin α, and friction used up at m g (sin α + μ cos α)."""
    angle, mu = 0.4, 0.3
    model = incline(angle, {"coefficient": mu}, {"upper": "0 m"})
    run = cardan.simulate(model, until=4, motors="none", inputs={"slide": "-5*t"}, **FINE)
    weight, holds = 2 * G * np.sin(angle), 2 * G * mu * np.cos(angle)
    did = [event.did for event in run.events]
    assert did == ["slides forwards", "stops", "rests at its stop", "leaves its stop", "slides backwards"]
    assert [event.t for event in run.events[3:]] == pytest.approx([weight / 5, (weight + holds) / 5], abs=1e-9)
    s = 4 - run.events[-1].t  # acceleration 5 s/m
    assert run["slide.q"].values[-1] == pytest.approx(-5 / 2 * s**3 / 6, abs=1e-8)
    between = (run.t > weight / 5) & (run.t < (weight + holds) / 5)
    np.testing.assert_allclose(run["slide.friction"].values[between], 5 * run.t[between] - weight, atol=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_an_impact_of_another_joint_moves_a_carriage_that_sticks(restitution):
    """A slider strikes the end of its carriage, which sticks by its weight: impulses are larger than any friction.

    Then the carriage brakes with μ (M + m) g, and the slider keeps its speed until it strikes again, or moves along.
    """
    M, m, mu, v, gap = 4.0, 1.0, 0.2, 3.0, 0.5
    rail = {"type": "prismatic", "axis": "x"}
    joints = {
        "carriage": rail | {"parent": "ground", "child": "frame", "friction": {"coefficient": mu}},
        "slider": rail | {"parent": "frame", "child": "block", "limits": {"upper": gap, "restitution": restitution}},
    }
    model = cardan.Model(bodies={"frame": {"mass": M}, "block": {"mass": m}}, joints=joints)
    run = cardan.simulate(model, until=3, initial={"slider.v": v}, **FINE)
    assert run.ok, run.message
    met = [event.t for event in run.events if event.did == "meets its upper stop"]
    away = [event.t for event in run.events if event.did == "slides forwards"]
    assert met[0] == pytest.approx(gap / v, abs=1e-10)
    assert away[0] == met[0]
    speed = m * v * (1 + restitution) / (M + m)
    brake = mu * (M + m) * G  # while nothing but friction and the slider's weight acts on the carriage
    braked = M if restitution else M + m  # after a plastic impact the slider stays at the end, and presses
    at = next(k for k, t in enumerate(run.t) if t > met[0] + 1e-6)
    assert run.array("carriage.v")[at] == pytest.approx(speed - brake / braked * (run.t[at] - met[0]), abs=1e-9)
    stop = next(event.t for event in run.events if event.did == "stops")
    assert stop == pytest.approx(met[0] + speed * braked / brake, abs=1e-9)
    assert run.report.relative_energy_error < 1e-9


def test_a_pendulum_leaves_its_stop_slowly_in_coarse_steps_too():
    """Long steps of a stiff method begin with another slope than the motion, and seemed to meet the stop without end.

    Events at rtol 1e-3 are those at 1e-10, but for what the tolerance makes of them over 2 s.
    """
    joint = {"type": "revolute", "parent": "ground", "child": "b", "axis": "y"}
    joint |= {"friction": {"coefficient": 0.5825861377725874, "radius": 0.05}, "limits": {"upper": 0.319377171514944}}
    pulls = {"f": {"type": "force", "child": "b", "value": ["14.742*sin(0.983*t)", 0, 4.79]}}
    body = {"mass": 1.9241362734468117, "com": [0, 0, -0.36582446259941054], "inertia": [0.05, 0.06, 0.07]}
    start = {"j.v": -3.062744404676379}
    model = cardan.Model(bodies={"b": body}, joints={"j": joint}, forces=pulls, initial=start)
    coarse = cardan.simulate(model, until=3, method="rodas5p", rtol=1e-3)
    fine = cardan.simulate(model, until=3, **FINE)
    assert coarse.ok, coarse.message
    assert [event.did for event in coarse.events] == [event.did for event in fine.events]
    assert "leaves its stop" in [event.did for event in fine.events]
    assert [e.t for e in coarse.events] == pytest.approx([e.t for e in fine.events], abs=1e-2)
