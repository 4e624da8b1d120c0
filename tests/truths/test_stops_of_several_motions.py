"""End stops of joints with several motions, by the names of these, against closed forms and joints of one motion.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over some events; what they are compared with is exact.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81


def body(kind, limits, **joint):
    """One body on a joint of a `kind` with end stops."""
    body = {"mass": 2, "inertia": [0.1, 0.1, 0.1]}
    record = {"type": kind, "parent": "ground", "child": "b", "limits": limits, **joint}
    return cardan.Model(bodies={"b": body}, joints={"j": record})


def impacts(run, name, did):
    return [event.t for event in run.events if event.name == name and event.did == did]


def test_a_rod_in_its_sleeve_bounces_along_and_about_its_axis():
    """It falls on its lower bound, e = 0.5, while it turns to and fro between ±1 rad at 2 rad/s, e = 1."""
    limits = {"d": {"lower": -0.5, "restitution": 0.5}, "r": {"lower": -1, "upper": 1, "restitution": 1}}
    model = body("cylindrical", limits, axis="z")
    run = cardan.simulate(model, 2.0, initial={"j.r.v": 2}, **FINE)
    first = np.sqrt(2 * 0.5 / G)
    falls = first * (1 + 2 * np.cumsum([0, *0.5 ** np.arange(1, 12)]))
    np.testing.assert_allclose(impacts(run, "j.d", "meets its lower stop")[:12], falls, atol=1e-9)
    below_round_off = 8 * np.sqrt(2.0**-50 * 0.5 / G)  # heights below the round-off of the bound are none
    np.testing.assert_allclose(impacts(run, "j.d", "rests at its stop"), [3 * first], rtol=0, atol=below_round_off)
    np.testing.assert_allclose(impacts(run, "j.r", "meets its upper stop"), [0.5], atol=1e-9)
    np.testing.assert_allclose(impacts(run, "j.r", "meets its lower stop"), [1.5], atol=1e-9)
    assert run["j.d.stop_force"].values[-1] == pytest.approx(2 * G)
    assert run["j.d.impact_heat"].values[-1] == pytest.approx(2 * G * 0.5)  # all that it had
    assert run["j.r.impulse"].values[-1] == pytest.approx(0.1 * 4)  # J (v⁺ − v⁻) at the lower stop
    assert run["j.r.v"].values[-1] == pytest.approx(2)


def test_a_puck_on_a_table_with_four_sides_is_reflected_by_each():
    sides = {"lower": -1, "upper": 1, "restitution": 1}
    run = cardan.simulate(body("planar", {"x": sides, "y": sides}), 3.0, initial={"j.x.v": 3, "j.y.v": 2}, **FINE)
    for name, speed in (("x", 3), ("y", 2)):
        zigzag = 1 - np.abs((speed * run.t + 1) % 4 - 2)
        np.testing.assert_allclose(run.array(f"j.{name}.q"), zigzag, atol=1e-9)


@pytest.mark.parametrize("friction", [{}, {"friction": {"effort": 0.3}}])
@pytest.mark.parametrize("law", [{"restitution": 0.4}, {"stiffness": 300, "damping": 2}])
def test_pins_of_a_universal_joint_stop_as_two_revolute_joints(law, friction):
    """A cross without mass between two revolute joints is a universal joint; so is its friction."""
    bounds = {"lower": -0.4, "upper": 0.5, **law}
    bodies = {"cross": {}, "b": {"mass": 1, "com": [0.1, 0.2, -0.5], "inertia": [0.1, 0.12, 0.05]}}
    universal = cardan.Model(
        bodies={"b": bodies["b"]},
        joints={
            "j": {
                "type": "universal",
                "parent": "ground",
                "child": "b",
                "axes": ["x", "y"],
                "limits": {"r1": bounds, "r2": bounds},
                **friction,
            }
        },
        initial={"j.r1": 0.3, "j.r2.v": 2},
        outputs={"pushed": "j.r1.stop_force"},
    )
    pin = {"type": "revolute", "limits": bounds, **friction}
    revolute = cardan.Model(
        bodies=bodies,
        joints={
            "a": {**pin, "parent": "ground", "child": "cross", "axis": "x"},
            "b": {**pin, "parent": "cross", "child": "b", "axis": "y"},
        },
        initial={"a": 0.3, "b.v": 2},
    )
    times = np.linspace(0, 2, 41)
    one, two = (cardan.simulate(model, times=times, **FINE) for model in (universal, revolute))
    assert len(one.events) == len(two.events) >= 4
    for pins, joint in (("j.r1", "a"), ("j.r2", "b")):
        for result in ("q", "v", "stop_force"):
            np.testing.assert_allclose(one.array(f"{pins}.{result}"), two.array(f"{joint}.{result}"), atol=1e-6)
    np.testing.assert_array_equal(one.array("pushed"), one.array("j.r1.stop_force"))


def test_a_sleeve_in_oil_stops_by_impact():
    """m v̇ = −m g − c v and J ω̇ = −c R² ω until it meets its stop, where it turns on."""
    c, R, m, J = 3, 0.1, 2, 0.1
    friction = {"type": "viscous", "viscous": c, "radius": R}
    model = body("cylindrical", {"d": {"lower": -0.5, "restitution": 0.6}}, axis="z", friction=friction)
    run = cardan.simulate(model, 0.5, initial={"j.r.v": 20}, **FINE)
    terminal, decay = m * G / c, m / c

    def height(t, v=0.0):
        return -terminal * t + (v + terminal) * decay * (1 - np.exp(-t / decay))

    met = brentq(lambda t: height(t) + 0.5, 0, 1, xtol=1e-15)
    back = 0.6 * terminal * (1 - np.exp(-met / decay))
    assert [event.t for event in run.events] == pytest.approx([met], abs=1e-9)
    assert run.array("j.d.q")[-1] == pytest.approx(-0.5 + height(0.5 - met, back), abs=1e-8)
    assert run.array("j.r.v")[-1] == pytest.approx(20 * np.exp(-c * R**2 / J * 0.5), rel=1e-8)


def test_a_file_keeps_stops_by_their_motions(tmp_path):
    limits = {"d": {"lower": "-50 mm", "stiffness": "1e4 N/m"}, "r": {"upper": "60 deg"}}
    model = body("cylindrical", limits, axis="z")
    cardan.save(model, tmp_path / "rod.yaml")
    again = cardan.load(tmp_path / "rod.yaml")
    assert again == model
    assert again.joints["j"].stops[".d"].lower.value == -0.05


@pytest.mark.parametrize(
    ("kind", "limits", "count"),
    [
        ("cylindrical", {"d": {"lower": -0.5}}, 1),
        ("cylindrical", {"d": {"lower": -0.5}, "r": {"lower": -1, "upper": 1}}, 3),
        ("planar", {"x": {"upper": 1}, "rz": {"upper": 1}}, 1),  # there is no symbol across the axis
    ],
)
def test_stops_along_and_about_the_axis_are_drawn(kind, limits, count):
    axis = {"axis": "z"} if kind == "cylindrical" else {}
    link = {"mass": 1, "com": [0.5, 0, 0.5]}  # stops far beyond the size of a mechanism are not drawn
    drawing = cardan.draw(body(kind, limits, **axis).replace(bodies={"b": link}))
    posts = [one for one in drawing.sheet.strokes if one.owner == "stop j" and one.style == "base"]
    assert len(posts) == count


@pytest.mark.parametrize(
    ("kind", "limits", "words"),
    [
        ("cylindrical", {"lower": 0}, "has 2 motions, and stops are along one\n    name it: {d: {lower: …}, r: "),
        (
            "cylindrical",
            {"z": {"lower": 0}},
            "limits.z: a joint of type cylindrical has no motion 'z'\n    known: d, r",
        ),
        ("cylindrical", {"d": {"lower": 1, "upper": 0}}, "limits.d.lower: lower is 1 and upper 0"),
        ("cylindrical", {"r": {"lower": "1 kg"}}, "limits.r.lower: '1 kg' is a mass, but an angle is needed here"),
        ("cylindrical", {"d": {"stiffness": 3}}, "limits.d: the stops have no bound"),
        ("cylindrical", {"d": {"lower": 0}, "r": 3}, "limits.r: 3 is not a table of keys"),
        ("cylindrical", {"d": {"lower": 0}, "lower": 3}, "limits.lower: 3 is not a table of keys"),
        ("prismatic", {"d": {"lower": 0}}, "a joint of type prismatic has one motion, without a name"),
        ("prismatic", [0, 1], "is not a table of keys\n    write {key: value, …}; known: lower, upper"),
    ],
)
def test_stops_that_a_joint_cannot_have_are_refused(kind, limits, words):
    with pytest.raises(ModelError) as error:
        body(kind, limits, axis="z")
    assert words in str(error.value)


def test_stops_of_a_ball_are_refused():
    with pytest.raises(ModelError, match="type spherical has no coordinate that stops could bound"):
        body("spherical", {"wx": {"lower": 0}})


def test_stops_by_impact_and_friction_of_a_sleeve_are_refused():
    with pytest.raises(ModelError, match="friction that sticks and stops by impact of one joint of type cylindrical"):
        body("cylindrical", {"d": {"lower": -1}}, axis="z", friction={"effort": 3, "radius": 0.1})


def test_a_start_beyond_a_stop_of_several_is_refused():
    with pytest.raises(ModelError, match=r"initial.j.d: 'j.d' starts at 0 m, beyond its stop at 0.1 m"):
        cardan.simulate(body("cylindrical", {"d": {"lower": 0.1}}, axis="z"), 1.0)


def test_a_rod_at_its_stop_is_not_linear():
    with pytest.raises(ModelError, match=r"'j.d' starts at .*, at or beyond its stop") as error:
        cardan.linearize(body("cylindrical", {"d": {"lower": 0}}, axis="z"))
    assert error.value.issues[0].path == ("joints", "j", "limits")
