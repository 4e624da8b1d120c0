"""Friction of constraints that leave their point a path: lines and curves, with the normal force of their equations.

Tolerances: runs at rtol 1e-10 and atol 1e-12; what they are compared with is exact or at 1e-12.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81


def bead(constraint, **more):
    """A bead of 2 kg, free in the plane but for a constraint."""
    return cardan.Model(
        planar="xy",
        gravity=[0, -G, 0],
        bodies={"bead": {"mass": 2, "inertia": [0.1, 0.1, 0.1]}},
        joints={"free": {"type": "planar", "parent": "ground", "child": "bead"}},
        constraints={"wire": {"child": "bead", **constraint}},
        **more,
    )


def line(angle, friction):
    return {"type": "point_on_line", "axis": [np.cos(angle), -np.sin(angle), 0], "friction": friction}


def test_a_bead_on_an_inclined_wire_slides_up_and_down_again():
    """Up with −g (sin α + μ cos α), down with g (sin α − μ cos α); what friction takes is its effort times the way."""
    angle, mu, v0 = 0.5, 0.3, -4.0
    model = bead(line(angle, {"coefficient": mu}))
    run = cardan.simulate(model, until=3, initial={"free.x.v": v0 * np.cos(angle)}, **FINE)
    assert run.ok, run.message
    up, down = (G * (np.sin(angle) + sign * mu * np.cos(angle)) for sign in (1, -1))
    turn = -v0 / up
    assert [(event.name, event.did) for event in run.events] == [("wire", "reverses")]
    assert run.events[0].t == pytest.approx(turn, abs=1e-9)
    end = -(v0**2) / (2 * up) + down * (3 - turn) ** 2 / 2
    assert run.array("bead.position")[-1] @ [np.cos(angle), -np.sin(angle), 0] == pytest.approx(end, abs=1e-8)
    friction = mu * 2 * G * np.cos(angle)
    np.testing.assert_allclose(run.array("wire.friction")[[0, -1]], [friction, -friction], rtol=1e-10)
    heat = friction * (v0**2 / (2 * up) + down * (3 - turn) ** 2 / 2)
    assert run.array("wire.heat")[-1] == pytest.approx(heat, abs=1e-7)
    assert run.report.relative_energy_error < 1e-9
    # the whole force of the wire: normal force and friction
    force = run.array("wire.force")[-1]
    assert np.hypot(force[0], force[1]) == pytest.approx(np.hypot(2 * G * np.cos(angle), friction), rel=1e-9)


def test_a_bead_on_an_inclined_wire_holds_below_the_angle_of_friction():
    """It holds m g sin α without creep, and could hold μ m g cos α."""
    angle = np.arctan(0.3) - 1e-6
    run = cardan.simulate(bead(line(angle, {"coefficient": 0.3})), until=100)
    assert run.ok
    assert run.events == ()
    assert np.abs(run.array("bead.position")[-1]).max() < 1e-11  # round-off of 100 s: creep would be 2e-7 of g t
    assert run.array("wire.friction")[-1] == pytest.approx(-2 * G * np.sin(angle), rel=1e-10)
    assert run.array("wire.friction_limit")[-1] == pytest.approx(0.3 * 2 * G * np.cos(angle), rel=1e-10)
    assert run.array("wire.sticking")[-1] == 1
    gone = cardan.simulate(bead(line(np.arctan(0.3) + 1e-6, {"coefficient": 0.3})), until=1)
    assert [event.did for event in gone.events] == ["slides forwards"]


def test_a_given_effort_breaks_away_under_a_growing_force():
    """A level wire, 12 N while it sticks and 8 N while it slides, pulled by 10 N/s t."""
    pull = {"type": "force", "child": "bead", "value": ["10*t", 0, 0]}
    model = bead(line(0.0, {"effort": "8 N", "static": "12 N"}), forces={"pull": pull})
    run = cardan.simulate(model, until=2.0, **FINE)
    assert [event.did for event in run.events] == ["slides forwards"]
    assert run.events[0].t == pytest.approx(1.2, abs=1e-9)
    v = (5 * (2.0**2 - 1.2**2) - 8 * 0.8) / 2
    assert run.array("bead.velocity")[-1][0] == pytest.approx(v, abs=1e-8)


@pytest.mark.parametrize("spatial", [False, True])
def test_a_bead_on_a_circle_comes_to_rest_where_friction_holds_it(spatial):
    """r θ̈ = −g sin θ − σ μ |g cos θ + r θ̇²|, from stop to stop, θ from the lowest point of a circle of 0.5 m."""
    r, mu = 0.5, 0.25
    equations = ["x**2 + y**2 - 0.25", *(["z"] if spatial else [])]
    wire = {"type": "point_on_curve", "equations": equations, "friction": {"coefficient": mu}}
    theta0 = 1.2
    model, start = bead(wire), {"free.x": r * np.sin(theta0), "free.y": {"guess": -r * np.cos(theta0)}}
    if spatial:
        free = {"type": "free", "parent": "ground", "child": "bead"}
        model = model.replace(planar=None, joints={"free": free})
    run = cardan.simulate(model, until=4.0, initial=start, **FINE)
    assert run.ok, run.message
    theta, t, stops = theta0, 0.0, []
    while abs(np.tan(theta)) > mu:
        way = -np.sign(theta)

        def rest(t, y, way):
            return y[1]

        rest.terminal, rest.direction = True, -way

        def rates(t, y, way):
            normal = G * np.cos(y[0]) + r * y[1] ** 2
            return [y[1], (-G * np.sin(y[0]) - way * mu * abs(normal)) / r]

        found = solve_ivp(rates, (t, t + 3), [theta, 0], args=(way,), events=rest, rtol=1e-12, atol=1e-13)
        t, theta = found.t[-1], found.y[0, -1]
        stops.append(t)
    assert len(stops) >= 2
    stopped = [event.t for event in run.events if event.did in ("stops", "reverses")]
    np.testing.assert_allclose(stopped, stops, atol=1e-8)
    place = run.array("bead.position")[-1]
    assert np.arctan2(place[0], -place[1]) == pytest.approx(theta, abs=1e-8)
    assert run.array("wire.sticking")[-1] == 1
    assert abs(run.array("wire.friction")[-1]) == pytest.approx(2 * G * abs(np.sin(theta)), rel=1e-8)
    assert run.report.relative_energy_error < 1e-9


def test_kinetostatics_of_a_bead_that_a_motion_draws_along_a_wire():
    """Its force along x: m a + μ (N = m g) on a level wire."""
    model = bead(line(0.0, {"coefficient": 0.3}), motions={"free.x": "0.5*t**2", "free.rz": "0"})
    run = cardan.kinetostatics(model, [0.5, 1.0])
    assert run.ok, run.message
    np.testing.assert_allclose(run.array("free.x.effort"), 2 * 1 + 0.3 * 2 * G, rtol=1e-10)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        ({"type": "distance", "length": 1, "friction": {"effort": 1}}, "type distance leaves its point no path"),
        ({"type": "point_on_line", "axis": "x", "friction": {"coefficient": 0.1, "radius": 1}}, "has no radius"),
        ({"type": "point_on_line", "axis": "x", "friction": {"effort": "1 N*m"}}, "force"),
        ({"type": "point_on_line", "axis": "x", "friction": {"effort": 2, "static": 1}}, "below the sliding one"),
    ],
)
def test_friction_that_a_constraint_cannot_have_is_refused(constraint, words):
    with pytest.raises(ModelError, match=words):
        bead(constraint)


def test_friction_on_a_surface_is_refused():
    bowl = bead({"type": "point_on_curve", "equations": ["x**2 + y**2 + z**2 - 1"], "friction": {"effort": 1}})
    free = {"free": {"type": "free", "parent": "ground", "child": "bead"}}
    with pytest.raises(ModelError, match=r"(?s)no curve along which.*in space two.*planar joint, or given"):
        cardan.simulate(bowl.replace(planar=None, joints=free), until=0.1)
