"""Profiles of motions against their closed forms and limits.

Expected peaks and times: Biagiotti & Melchiorri 2008, ch. 2, 3, worked out by hand beside each case.
"""

import casadi as ca
import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.model.motions import read_motion
from tests.selection import each

RESTING = ("quintic", "nonic", "cycloid", "trapezoid", "s_curve")


def number(scalar):
    return float(scalar.evaluate({}.__getitem__))


def law(written):
    """Functions of t for value, rate, second and third derivative of a motion."""
    motion, t = read_motion(written), ca.SX.sym("t")
    y = ca.SX(motion.values(lambda scalar: ca.DM(number(scalar)), t)[0])
    derivatives = [y]
    for _ in range(3):
        derivatives.append(ca.jacobian(derivatives[-1], t))
    function = ca.Function("law", [t], derivatives)
    return lambda t: np.array([float(x) for x in function(t)])


@each("profile", RESTING)
def test_a_profile_rests_in_every_point_and_holds_before_and_after(profile):
    y = law({"profile": profile, "points": [[1, 0.5], [3, 2.0], [4, -1.0]]})
    for t, value in ((0.0, 0.5), (1.0, 0.5), (3.0, 2.0), (4.0, -1.0), (9.0, -1.0)):
        assert y(t)[:2] == pytest.approx([value, 0.0], abs=1e-14)
    assert y(2.0)[0] == pytest.approx(1.25)  # all of them are symmetrical about the middle of their time
    assert y(3.5)[0] == pytest.approx(0.5)


def test_the_quintic_is_its_polynomial():
    y, T, h = law({"profile": "quintic", "points": [[0, 0.2], [4, 1.7]]}), 4.0, 1.5
    for t in np.linspace(0.01, 3.99, 57):
        s = t / T
        expected = 0.2 + h * (10 * s**3 - 15 * s**4 + 6 * s**5), h / T * 30 * (s**2 - 2 * s**3 + s**4)
        assert y(t)[:2] == pytest.approx(expected, rel=1e-13)
        assert y(t)[2] == pytest.approx(h / T**2 * 60 * (s - 3 * s**2 + 2 * s**3), abs=1e-13)


def test_the_nonic_is_its_polynomial_and_smooth_at_its_ends():
    y, T, h = law({"profile": "nonic", "points": [[0, 0.2], [4, 1.7]]}), 4.0, 1.5
    for t in np.linspace(0.01, 3.99, 57):
        s = t / T
        rate = 630 * (s * (1 - s)) ** 4  # the speed has four zeros at each end
        assert y(t)[:2] == pytest.approx(
            [0.2 + h * (126 * s**5 - 420 * s**6 + 540 * s**7 - 315 * s**8 + 70 * s**9), h / T * rate], rel=1e-11
        )
    for t in (1e-6, T - 1e-6):
        assert np.abs(y(t)[1:]).max() < 1e-6


def test_the_cycloid_is_its_sine():
    y, T, h = law({"profile": "cycloid", "points": [[0, 0], [2, 3]]}), 2.0, 3.0
    for t in np.linspace(0.01, 1.99, 57):
        s = t / T
        expected = h * (s - np.sin(2 * np.pi * s) / (2 * np.pi)), h / T * (1 - np.cos(2 * np.pi * s))
        assert y(t)[:2] == pytest.approx(expected, rel=1e-12)


def test_the_trapezoid_accelerates_for_a_third():
    y = law({"profile": "trapezoid", "points": [[0, 0], [3, 2]]})  # V (T − Ta) = 2: V = 1, a = 1
    assert [y(t)[1] for t in (0.5, 1.0, 1.7, 2.0, 2.5)] == pytest.approx([0.5, 1, 1, 1, 0.5])
    assert [y(t)[2] for t in (0.0, 0.5, 1.5, 2.5)] == pytest.approx([1, 1, 0, -1], abs=1e-14)


def test_the_s_curve_has_a_constant_jerk_on_seven_pieces():
    y = law({"profile": "s_curve", "points": [[0, 0], [3, 2]]})  # Ta = 1, Tj = 1/2, V = 1: a = 2, j = 4
    assert [y(t)[3] for t in (0.2, 0.7, 1.5, 2.2, 2.7)] == pytest.approx([4, -4, 0, -4, 4], abs=1e-11)
    assert [y(t)[2] for t in (0.25, 0.5, 0.75, 1.5, 2.5)] == pytest.approx([1, 2, 1, 0, -2], abs=1e-13)
    assert [y(t)[1] for t in (0.5, 1.0, 2.0, 2.5)] == pytest.approx([0.5, 1, 1, 0.5])


# profile, distance, limits → duration, worked out by hand
SHORTEST = [
    ("quintic", 2.0, {"max_speed": 0.5}, 15 / 8 * 2 / 0.5),
    ("quintic", 2.0, {"max_acceleration": 3.0}, (10 / 3**0.5 * 2 / 3) ** 0.5),
    ("quintic", 2.0, {"max_jerk": 10.0, "max_speed": 100}, (60 * 2 / 10) ** (1 / 3)),
    ("nonic", 2.0, {"max_speed": 0.5}, 630 / 4**4 * 2 / 0.5),
    ("nonic", 2.0, {"max_acceleration": 3.0}, (1215 / 49 / 7**0.5 * 2 / 3) ** 0.5),
    ("nonic", 2.0, {"max_jerk": 10.0}, (315 / 4 * 2 / 10) ** (1 / 3)),
    ("cycloid", 2.0, {"max_speed": 0.5}, 2 * 2 / 0.5),
    ("cycloid", 2.0, {"max_jerk": 10.0}, (4 * np.pi**2 * 2 / 10) ** (1 / 3)),
    ("trapezoid", 2.0, {"max_acceleration": 2.0}, 2.0),  # h = a T²/4
    ("trapezoid", 2.0, {"max_acceleration": 2.0, "max_speed": 1.0}, 2 / 1 + 1 / 2),  # h/v + v/a
    ("s_curve", 2.0, {"max_jerk": 32.0}, 2 ** (1 / 3)),  # h = j T³/32
    ("s_curve", 1.0, {"max_jerk": 8.0, "max_acceleration": 2.0, "max_speed": 0.5}, 1 / 0.5 + 0.5 / 2 + 2 / 8),
    (
        "s_curve",
        1.0,
        {"max_jerk": 8.0, "max_speed": 0.5},
        1 / 0.5 + 2 * (0.5 / 8) ** 0.5,
    ),  # full acceleration not needed
]


@pytest.mark.parametrize(("profile", "distance", "limits", "duration"), SHORTEST)
@pytest.mark.parametrize("sign", [1, -1])
def test_without_times_the_motion_is_the_shortest_that_keeps_its_limits(profile, distance, limits, duration, sign):
    written = {"profile": profile, "points": [0.3, 0.3 + sign * distance], **limits}
    y, motion = law(written), read_motion(written)
    assert motion.end(number) == pytest.approx(duration, rel=1e-12)
    assert y(duration)[:2] == pytest.approx([0.3 + sign * distance, 0], abs=1e-12)
    found = np.array([y(t) for t in np.linspace(0, duration * (1 - 1e-9), 4001)])
    peaks = np.abs(found[:, 1:]).max(axis=0)
    reached = [
        peak / limits[key]
        for peak, key in zip(peaks, ("max_speed", "max_acceleration", "max_jerk"), strict=True)
        if key in limits
    ]
    assert max(reached) == pytest.approx(1, rel=1e-5)  # one limit is met, at a sample beside the peak
    assert max(reached) < 1 + 1e-9  # and none is passed
    assert np.abs(np.diff(found[:, 1])).max() < 2 * peaks[1] * duration / 4000  # the speed does not jump


def test_breaks_are_where_the_acceleration_or_the_jerk_jumps():
    written = {
        "profile": "trapezoid",
        "points": [[0, 0], [3, 2]],
        "period": 4,
    }
    written["points"].append([3.5, 0])
    breaks = read_motion(written).breaks(number, 8.0)
    inner = {1, 2, 3, 3 + 0.5 / 3, 3 + 1 / 3, 3.5, 4}
    assert {round(t, 9) for t in breaks} == {round(t + k, 9) for t in inner for k in (0, 4) if 0 < t + k < 8}


def test_breaks_of_a_smooth_path_are_where_it_passes_its_inner_points():
    """Three equal chords: a cycloid s = h (t/T − sin(2π t/T)/2π) is at h/3 and 2h/3 at instants symmetric about T/2."""
    path = [[0, 0], [1, 0], [1, 1], [2, 1]]
    motion = read_motion({"path": path, "curve": "spline", "profile": "cycloid", "start": 1, "duration": 4})
    first, second = motion.breaks(number, 5.0)[1:]  # after the start
    share = (first - 1) / 4
    assert share - np.sin(2 * np.pi * share) / (2 * np.pi) == pytest.approx(1 / 3, abs=1e-15)
    assert first + second == pytest.approx(6, abs=1e-14)


def test_a_spline_is_smooth_and_at_rest_at_its_ends():
    y = law({"profile": "spline", "points": [[0, 0], [1, 1], [2, -1], [4, 2]]})
    for t, value in ((0, 0), (1, 1), (2, -1), (4, 2)):
        assert y(t)[0] == pytest.approx(value, abs=1e-13)
    assert [y(0)[1], y(4)[1]] == pytest.approx([0, 0], abs=1e-13)
    for t in (1.0, 2.0):
        assert y(t - 1e-9)[1:3] == pytest.approx(y(t + 1e-9)[1:3], abs=1e-6)  # third derivative times 2e-9


def test_a_spline_that_repeats_is_smooth_over_its_period_and_may_gain_whole_turns():
    points = [[0.5, 0.0], [1, 2.0], [2, 3.5], [2.5, 2 * np.pi]]
    y = law({"profile": "spline", "points": points, "period": 2})
    assert y(2.5 + 0.7)[:3] == pytest.approx(y(1.2)[:3] + np.array([2 * np.pi, 0, 0]), abs=1e-12)
    assert y(2.5 - 1e-9)[:3] == pytest.approx(y(2.5 + 1e-9)[:3], abs=1e-6)
    assert y(0.2)[0] == pytest.approx(y(2.2)[0] - 2 * np.pi)  # before its first point the period before goes on


@each(
    "written, fault",
    [
        ({}, "the motion is empty"),
        ({"by": "hinge"}, "the motion has no law"),
        ({"value": ["t"] * 4}, "1 to 3 components"),
        ({"value": "t", "by": ["a", "a"]}, "named twice"),
        ({"value": "t", "by": 3}, "names no joints"),
        ({"profile": "quintic", "points": [[0, 1]]}, "two points or more"),
        ({"profile": "quintic", "points": [[0, 1], 2]}, "some have none"),
        ({"profile": "quintic", "points": [[0, 1], [1, 2, 3]]}, "3 entries"),
        ({"profile": "quintic", "points": [[0, 1], [None, 2]]}, "a point has no time"),
        ({"profile": "quintic", "points": [0, 1]}, "nothing decides them"),
        ({"profile": "s_curve", "points": [0, 1], "max_speed": 1}, "nothing decides them"),
        ({"profile": "trapezoid", "points": [0, 1], "max_speed": 1}, "nothing decides them"),
        ({"profile": "spline", "points": [0, 1]}, "nothing decides them"),
        ({"profile": "spline", "points": [[0, 0], [1, 1]], "max_speed": 1}, "does not keep limits"),
        ({"table": [[0, 0], [1, 1]], "file": "a.csv"}, "either inline or as a file"),
        ({"file": "nowhere.csv"}, "nowhere.csv cannot be read"),
    ],
)
def test_what_is_no_motion_is_refused(written, fault):
    with pytest.raises(ModelError, match=fault):
        read_motion(written)


@each(
    "written, fault",
    [
        ({"profile": "quintic", "points": [[0, 0], [1, 1]], "max_speed": 1.8}, "the speed reaches 1.875"),
        (
            {"profile": "quintic", "points": [[0, 0], [1, 1]], "max_acceleration": 5.7},
            "the acceleration reaches 5.7735",
        ),
        ({"profile": "s_curve", "points": [[0, 0], [3, 2]], "max_jerk": 3.9}, "the jerk reaches 4"),
        ({"profile": "trapezoid", "points": [0, 1], "max_acceleration": 1, "max_jerk": 1}, "no jerk is kept"),
        ({"profile": "quintic", "points": [0, 0], "max_speed": 1}, "equal, so the way takes no time"),
        ({"profile": "quintic", "points": [0, 1], "max_speed": -1}, "the limit is -1"),
        ({"profile": "quintic", "points": [[0, 0], [0, 1]]}, "out of order"),
        ({"profile": "quintic", "points": [[0, 0], [1, 0.5], [2, 0]], "period": 1}, "shorter than the motion"),
        ({"profile": "spline", "points": [[0, 0], [1, 0.5], [2, 0]], "period": 3}, "fills its period"),
        ({"table": [[0, 0], [1, 1], [2, 0]]}, "3 rows"),
        ({"table": [[0, 0], [1, 1], [1, 2], [2, 0]]}, "jumps at 1 s"),
        ({"table": [[1, 0], [2, 1], [3, 2], [4, 0]]}, "begins at 1 s"),
        ({"table": [[0, 0], [1, 1], [2, 2], [3, 0]], "period": 4}, "not the period"),
    ],
)
def test_values_with_which_a_law_cannot_be_are_refused(written, fault):
    motion = read_motion(written)
    (issue,) = motion.value_issues(number)
    assert fault in issue.fault


def test_periods_that_do_not_close_are_refused_and_whole_turns_are_not():
    closed = read_motion({"profile": "quintic", "points": [[0, 0], [1, 2 * np.pi]], "period": 2})
    assert not closed.period_issues(number, 2 * np.pi)
    assert "ends it at 6.28" in closed.period_issues(number, np.inf)[0].fault
    table = read_motion({"table": [[0, 0], [1, 1], [2, 2], [3, 1]], "period": 3})
    assert "no whole turns" in table.period_issues(number, 2 * np.pi)[0].fault


def test_a_table_is_interpolated_smoothly():
    t = np.linspace(0, 3, 31)
    y = law({"table": [[a, b] for a, b in zip(t.tolist(), np.sin(2 * t).tolist(), strict=True)]})
    for at in np.linspace(0.05, 2.95, 40):
        # errors of a cubic spline: 5/384 h⁴ |y''''|, and for derivatives h³/24, 3h²/8 (Hall & Meyer 1976)
        assert y(at)[0] == pytest.approx(np.sin(2 * at), abs=16 * 0.1**4 * 0.05)
        assert y(at)[1] == pytest.approx(2 * np.cos(2 * at), abs=16 * 0.1**3 * 0.2)
        assert y(at)[2] == pytest.approx(-4 * np.sin(2 * at), abs=16 * 0.1**2)


def test_a_table_that_repeats_is_smooth_over_its_period(tmp_path):
    t = np.linspace(0, 2, 41)
    rows = "\n".join(f"{a!r},{b!r}" for a, b in zip(t.tolist(), np.cos(np.pi * t).tolist(), strict=True))
    (tmp_path / "cam.csv").write_text(f"t,q\n{rows}\n")
    y = law({"file": str(tmp_path / "cam.csv"), "column": "q", "period": 2})
    assert y(2.7)[:3] == pytest.approx(y(0.7)[:3], rel=1e-9)
    assert y(2 - 1e-9)[:3] == pytest.approx(y(2 + 1e-9)[:3], abs=1e-6)
    read = read_motion({"file": str(tmp_path / "cam.csv"), "column": "q", "period": 2})
    assert read.file is None  # the record holds the rows, so that it needs no file any more
    assert len(read.table) == 41


def test_points_without_times_are_written_as_they_were_read():
    text = """
cardan: 1
bodies: {b: {mass: 1}}
joints: {slide: {type: prismatic, parent: ground, child: b, axis: x}}
motions: {slide: {profile: quintic, points: [0, 25 mm, 10 mm], max_speed: 1 m/s}}
"""
    model = loads(text)
    assert "points: [0, 25 mm, 10 mm]" in dump(model)
    assert loads(dump(model)) == model
    assert model.motions["slide"].replace(max_speed=2).points == model.motions["slide"].points
