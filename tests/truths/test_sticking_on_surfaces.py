"""Points on surfaces that come to rest, stick and break away, against equations of a particle and other joints.

Tolerances: runs at rtol 1e-10 and atol 1e-12; a motion is at rest below 10 √n atol, which friction brakes away in
1e-11 s. SciPy at 1e-12 and 1e-14 up to a speed of 1e-6, and from there with a constant brake: (1e-6)² s.
"""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.truths.test_friction_on_surfaces import BOWL, MASS, SURFACES, G, bead
from tests.truths.test_sticking_in_several_directions import RUN, motion_to_rest, time_to_rest

pytestmark = pytest.mark.exhaustive

SLOPE = 0.3  # its tangent is 0.3093
PLANE = f"z*cos({SLOPE}) + x*sin({SLOPE})"
WEIGHT = MASS * G * np.sin(SLOPE)  # along the line of fall
DOWN = np.array([np.cos(SLOPE), 0, -np.sin(SLOPE)])


def disc(friction, **more):
    """The bead on the same plane as a planar joint."""
    joint = {"type": "planar", "parent": "ground.slope", "child": "bead", "friction": friction}
    return cardan.Model(
        gravity=[0, 0, -G],
        ground={"markers": {"slope": {"rpy": [0, SLOPE, 0]}}},
        bodies={"bead": {"mass": MASS, "inertia": [0.1, 0.1, 0.1]}},
        joints={"surface": joint},
        **more,
    )


def thrown(down, across):
    """Start of a bead that is thrown down and across the plane."""
    return {"free.vx.v": down * np.cos(SLOPE), "free.vy.v": across}


@pytest.mark.parametrize("by", ["coefficient", "effort"])
def test_a_block_comes_to_rest_across_an_incline_in_its_time(by):
    mu, down, across = 0.6, -0.5, 1.0
    law = {"coefficient": mu} if by == "coefficient" else {"effort": mu * MASS * G * np.cos(SLOPE)}
    expected = time_to_rest(SLOPE, mu, down, across)
    times = np.linspace(0, 2 * expected, 21)
    run = cardan.simulate(bead(PLANE, law), times=times, initial=thrown(down, across), **RUN)
    assert run.ok, run.message
    assert [(event.name, event.did) for event in run.events] == [("surface", "stops")]
    assert run.events[0].t == pytest.approx(expected, rel=1e-9)
    planar = cardan.simulate(disc(law), times=times, initial={"surface.x.v": down, "surface.y.v": across}, **RUN)
    assert planar.events[0].t == pytest.approx(expected, rel=1e-9)
    for name in ("bead.position", "bead.velocity", "surface.friction_force", "surface.friction", "surface.heat"):
        np.testing.assert_allclose(run.array(name), planar.array(name), rtol=0, atol=1e-8, err_msg=name)
    for name in ("surface.sticking", "surface.friction_limit"):
        np.testing.assert_allclose(run.array(name), planar.array(name), rtol=0, atol=1e-10, err_msg=name)
    after = times > expected
    np.testing.assert_allclose(run.array("bead.velocity")[after], 0, atol=1e-15)
    np.testing.assert_allclose(run.array("surface.friction_force")[-1], -WEIGHT * DOWN, rtol=0, atol=1e-12)
    assert run.array("surface.friction")[-1] == pytest.approx(-WEIGHT, rel=1e-12)
    moved = MASS * (down**2 + across**2) / 2 + WEIGHT * (run.array("bead.position")[-1] @ DOWN)
    assert run.array("surface.heat")[-1] == pytest.approx(moved, rel=1e-9)  # all energy is heat
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize("law", [{"coefficient": 0.31}, {"coefficient": 0.25, "static": 0.31}])
def test_a_block_rests_on_an_incline(law):
    """Its velocity is that of round-off of accelerations, ε g t, as of all joints without a coordinate."""
    run = cardan.simulate(bead(PLANE, law), until=1e4, **RUN)
    assert run.ok
    assert run.events == ()
    assert set(run.array("surface.sticking")) == {1}
    assert np.abs(run.array("bead.velocity")).max() < np.finfo(float).eps * G * 1e4


def test_a_growing_sideways_force_breaks_a_block_away():
    """Where F(t)² + (m g sin α)² = (μₛ m g cos α)²; from there it moves as the same block on a planar joint."""
    law, rate = {"coefficient": 0.35, "static": 0.5}, 4.0
    force = {"push": {"type": "force", "child": "bead", "value": [0, f"{rate}*t", 0]}}
    start = np.sqrt((0.5 * MASS * G * np.cos(SLOPE)) ** 2 - WEIGHT**2) / rate
    times = np.linspace(0, start + 1, 11)
    run = cardan.simulate(bead(PLANE, law, forces=force), times=times, **RUN)
    assert [(event.name, event.did) for event in run.events] == [("surface", "slides")]
    assert run.events[0].t == pytest.approx(start, rel=1e-12)
    # it begins to slide with twice the speed of rest, 2e-11 m/s, in both
    planar = cardan.simulate(disc(law, forces=force), times=times, **RUN)
    for name in ("bead.position", "bead.velocity", "surface.friction_force", "surface.heat"):
        np.testing.assert_allclose(run.array(name), planar.array(name), rtol=0, atol=1e-8, err_msg=name)
    assert np.linalg.norm(run.array("bead.velocity")[-1]) > 0.5


def test_a_block_on_a_steeper_incline_slides_at_once():
    run = cardan.simulate(bead(PLANE, {"coefficient": 0.2, "static": 0.309}), until=2, **RUN)
    assert [(event.did, event.t) for event in run.events] == [("slides", 0.0)]
    a = G * (np.sin(SLOPE) - 0.2 * np.cos(SLOPE))
    np.testing.assert_allclose(run.array("bead.velocity")[-1], 2 * a * DOWN, rtol=0, atol=1e-9)


def test_a_bead_comes_to_rest_in_a_bowl():
    """m a = m g + N n − μ |N| v/|v|; at rest friction holds the weight along the surface."""
    gradient, hessian, place = SURFACES[BOWL]
    mu, place = 0.5, np.array(place)

    def rates(t, y):
        p, v = y[:3], y[3:6]
        g = gradient(p)
        n = g / np.linalg.norm(g)
        N = MASS * (-(v @ hessian(p) @ v) / np.linalg.norm(g) + G * n[2])
        F = -mu * abs(N) * v / np.linalg.norm(v)
        return np.array([*v, *((N * n + F) / MASS - [0, 0, G]), -F @ v])

    n = gradient(place) / np.linalg.norm(gradient(place))
    start = np.array([0.5, 2.5, 0])
    start[2] = -(start @ n) / n[2]
    t, y = motion_to_rest(rates, lambda y: y[3:6], np.array([*place, *start, 0]), 10)
    given = {"free.x": place[0], "free.y": place[1], "free.z": {"guess": place[2]}}
    given |= {"free.vx.v": start[0], "free.vy.v": start[1]}
    run = cardan.simulate(bead(BOWL, {"coefficient": mu}), until=t + 1, initial=given, **RUN)
    assert run.ok, run.message
    assert [event.did for event in run.events] == ["stops"]
    assert run.events[0].t == pytest.approx(t, abs=1e-8)
    np.testing.assert_allclose(run.array("bead.position")[-1], y[:3], rtol=0, atol=1e-8)
    assert run.array("surface.heat")[-1] == pytest.approx(y[-1], rel=1e-8)
    n = gradient(y[:3]) / np.linalg.norm(gradient(y[:3]))
    weight = np.array([0, 0, -MASS * G])
    held = -(weight - n * (n @ weight))
    assert np.linalg.norm(held) > 1  # it rests away from the bottom
    np.testing.assert_allclose(run.array("surface.friction_force")[-1], held, rtol=0, atol=1e-6)
    assert run.array("surface.friction_limit")[-1] == pytest.approx(mu * abs(n @ weight), rel=1e-7)
    assert run.report.relative_energy_error < 1e-8


def test_a_bead_that_swings_through_a_bowl_stops_as_on_its_meridian():
    """Released from rest where friction does not hold it; the same path as two equations has friction of one motion."""
    law = {"coefficient": 0.1, "static": 0.15}
    given = {"free.x": 1.2, "free.z": {"guess": 0.6}}
    one = bead(BOWL, law)
    surface = cardan.simulate(one, until=6, initial=given | {"free.y": 0}, **RUN)
    path = one.constraints["surface"].replace(equations=[BOWL, "y"])
    meridian = cardan.simulate(one.replace(constraints={"surface": path}), until=6, initial=given, **RUN)
    assert surface.ok, surface.message
    rests = [event.t for event in surface.events if event.did == "stops"]
    expected = [event.t for event in meridian.events if event.did in {"stops", "reverses"}]
    assert surface.events[0].did == "slides"
    assert surface.events[0].t == 0
    assert len(rests) > 3
    assert len(surface.events) == 2 * len(rests)  # it slides on from each stop but the last
    np.testing.assert_allclose(rests, expected, rtol=0, atol=1e-8)
    for name in ("bead.position", "surface.heat"):
        np.testing.assert_allclose(surface.array(name)[-1], meridian.array(name)[-1], rtol=0, atol=1e-8)
    assert surface.array("surface.sticking")[-1] == 1


def test_a_bead_slides_round_a_pipe_several_times_before_it_rests():
    """Without weight and with a given effort it brakes on a helix, F/m, whatever its normal: it comes by every one.

    The normal passes through all directions across the axis y, so that the basis of tangents jumps on the way.
    """
    effort, round_, along = 1.0, 4.0, 1.5
    model = bead("x**2 + z**2 - r**2", {"effort": effort, "static": 3.0}).replace(gravity=[0, 0, 0])
    speed = np.hypot(round_, along)
    t = speed * MASS / effort
    given = {"free.x": 0.0, "free.z": {"guess": 1.5}, "free.vx.v": round_, "free.vy.v": along}
    run = cardan.simulate(model, until=t + 1, initial=given, **RUN)
    assert run.ok, run.message
    assert [event.did for event in run.events] == ["stops"]
    assert run.events[0].t == pytest.approx(t, abs=1e-9)
    way = speed * t / 2
    angle = way * round_ / speed / 1.5
    assert angle > 3 * np.pi
    expected = [1.5 * np.sin(angle), way * along / speed, 1.5 * np.cos(angle)]
    np.testing.assert_allclose(run.array("bead.position")[-1], expected, rtol=0, atol=1e-8)
    assert run.array("surface.heat")[-1] == pytest.approx(MASS * speed**2 / 2, rel=1e-9)


def test_a_bead_is_carried_along_by_a_turntable_until_it_slides():
    """At the radius ρ, as far as ρ √(α² + (α t)⁴) = μ g."""
    mu, alpha, radius = 0.4, 1.5, 0.5
    table = {"type": "revolute", "parent": "ground", "child": "table", "axis": "z"}
    model = bead(
        "z",
        {"coefficient": mu},
        parent="table",
        bodies={"table": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"turn": table},
        motions={"turn": f"{alpha}*t**2/2"},
    )
    t = ((mu * G / radius) ** 2 - alpha**2) ** 0.25 / alpha
    run = cardan.simulate(model, times=[0, t, t + 0.5], initial={"free.x": radius}, **RUN)
    assert run.ok, run.message
    assert [(event.name, event.did) for event in run.events] == [("surface", "slides")]
    assert run.events[0].t == pytest.approx(t, abs=1e-9)
    angle = alpha * t**2 / 2
    carried = radius * np.array([np.cos(angle), np.sin(angle), 0])
    np.testing.assert_allclose(run.array("bead.position")[1], carried, rtol=0, atol=1e-9)
    assert np.hypot(*run.array("bead.position")[2][:2]) > radius + 0.01


def test_results_of_it_may_be_outputs_and_formulations_agree():
    model = bead(PLANE, {"coefficient": 0.4}, outputs={"spare": "surface.friction_limit + surface.friction"})
    assert cardan.verify(model).ok
    run = cardan.simulate(model, until=1)
    expected = 0.4 * MASS * G * np.cos(SLOPE) - WEIGHT
    np.testing.assert_allclose(run.array("spare"), expected, rtol=1e-12)


def test_what_nothing_decides_is_refused():
    rough = bead("z", {"effort": 1})
    walls = {axis: rough.constraints["surface"].replace(equations=[axis], friction=None) for axis in "xy"}
    with pytest.raises(ModelError, match=r"the constraint 'surface' cannot slide in any.*\n.*leave friction out"):
        cardan.simulate(rough.replace(constraints={**rough.constraints, **walls}), until=0.1)


@pytest.mark.parametrize("law", [{"coefficient": 0.6}, {"effort": 0.6 * MASS * G * np.cos(SLOPE)}])
def test_a_smooth_wall_leaves_the_block_one_direction(law):
    """It is at rest after v/(μ g cos α − g sin α); the wall, at right angles to the plane, carries no load."""
    open_plane, v = bead(PLANE, law), -0.8
    wall = open_plane.constraints["surface"].replace(equations=["y"], friction=None)
    walled = open_plane.replace(constraints={**open_plane.constraints, "wall": wall})
    run = cardan.simulate(walled, until=1, initial=thrown(v, 0), **RUN)
    assert run.ok, run.message
    brake = 0.6 * G * np.cos(SLOPE) + G * np.sin(SLOPE)  # it slides up the plane
    assert [(event.name, event.did) for event in run.events] == [("surface", "stops")]
    assert run.events[0].t == pytest.approx(-v / brake, abs=1e-8)  # it rests below 4e-9 m/s
    assert run.array("bead.position")[-1] @ DOWN == pytest.approx(-(v**2) / (2 * brake), rel=1e-9)
    np.testing.assert_allclose(run.array("surface.friction_force")[-1], -WEIGHT * DOWN, rtol=0, atol=1e-11)


def test_motions_may_prescribe_its_way():
    """A gantry of 1 kg and 1 kg moves the bead on a circle: its drives overcome μ m g. Elsewhere this is refused."""
    law, circle = {"coefficient": 0.3, "prescribed": True}, {"x": "0.2*cos(t)", "y": "0.2*sin(t)"}
    ends = {"x": ("ground", "beam"), "y": ("beam", "trolley"), "z": ("trolley", "bead")}
    guides = {
        axis: {"type": "prismatic", "parent": parent, "child": child, "axis": axis}
        for axis, (parent, child) in ends.items()
    }
    gantry = bead("z", law).replace(
        bodies={"beam": {"mass": 1}, "trolley": {"mass": 1}, "bead": {"mass": MASS}}, joints=guides, motions=circle
    )
    times = np.linspace(0, 3, 7)
    out, along = np.array([np.cos(times), np.sin(times)]), np.array([-np.sin(times), np.cos(times)])
    expected = np.array([[-4], [-3]]) * 0.2 * out + 0.3 * MASS * G * along
    for run in (cardan.simulate(gantry, times=times, **RUN), cardan.kinetostatics(gantry, times=times)):
        assert run.ok, run.message
        np.testing.assert_allclose([run.array("x.effort"), run.array("y.effort")], expected, rtol=0, atol=1e-9)
    with pytest.raises(ModelError, match="the constraint 'surface' moves only together with 'x', 'y'"):
        cardan.simulate(gantry.replace(constraints=bead("z", {"coefficient": 0.3}).constraints), until=1)
    for model, noun in ((bead("z", law), "constraint"), (disc(law), "joint")):
        with pytest.raises(ModelError, match=f"no motion prescribes how the {noun} 'surface' moves"):
            cardan.simulate(model, until=0.1)


def test_outputs_name_the_force_of_friction_on_a_surface():
    outputs = {"pull": "-surface.friction_force.x", "brake": "surface.friction"}
    run = cardan.simulate(bead(PLANE, {"coefficient": 0.6}, outputs=outputs), times=[0, 0.1], initial=thrown(1.0, 0.0))
    assert run["pull"].attrs["units"] == "N"
    np.testing.assert_array_equal(run.array("pull"), -run.array("surface.friction_force")[:, 0])
    np.testing.assert_array_equal(run.array("brake"), run.array("surface.friction"))
