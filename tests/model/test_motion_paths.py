"""Motions along paths: lines, arcs and smooth curves, with a law of the way."""

import casadi as ca
import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.motions import read_motion
from tests.selection import each


def number(scalar):
    return float(scalar.evaluate({}.__getitem__))


def law(written):
    """Positions (size,) and speeds at an instant."""
    motion, t = read_motion(written), ca.SX.sym("t")
    y = ca.SX(ca.vertcat(*motion.values(lambda scalar: ca.DM(number(scalar)), t)))
    function = ca.Function("law", [t], [y, ca.jacobian(y, t)])
    return lambda t: tuple(np.array(part).ravel() for part in function(t))


def test_lines_are_followed_from_corner_to_corner_with_rest_in_each():
    y = law({"path": [[0, 0, 0], [3, 0, 4], [3, 5, 4]], "profile": "quintic", "duration": "4 s", "start": "1 s"})
    for t, point in ((0.5, [0, 0, 0]), (3.0, [3, 0, 4]), (5.0, [3, 5, 4]), (9.0, [3, 5, 4])):
        position, speed = y(t)
        assert position == pytest.approx(point, abs=1e-12)
        assert speed == pytest.approx([0, 0, 0], abs=1e-12)
    assert y(2.0)[0] == pytest.approx([1.5, 0, 2])  # half of the time of the first line, which is as long as the second
    assert y(2.0)[1] == pytest.approx(15 / 8 * 5 / 2 * np.array([0.6, 0, 0.8]))  # the quintic's largest speed


def test_an_arc_is_part_of_a_circle():
    y = law({"path": [[1, 0], [0, 1], [0, -1]], "curve": "arc", "profile": "cycloid", "duration": 2})
    for t in np.linspace(0, 2, 21):
        s = t / 2 - np.sin(np.pi * t) / (2 * np.pi)
        angle = 1.5 * np.pi * s
        assert y(t)[0] == pytest.approx([np.cos(angle), np.sin(angle)], abs=1e-12)
    tilted = law({"path": [[0, 0, 1], [0, 1, 0], [0, 0, -1]], "curve": "arc", "profile": "quintic", "duration": 2})
    assert tilted(1.0)[0] == pytest.approx([0, 1, 0], abs=1e-12)


def test_a_smooth_curve_goes_through_its_points():
    points = [[0, 0], [1, 0.5], [2, -0.3], [3, 1]]
    y = law({"path": points, "curve": "spline", "profile": "trapezoid", "max_speed": 0.5, "max_acceleration": 1})
    end = read_motion(
        {"path": points, "curve": "spline", "profile": "trapezoid", "max_speed": 0.5, "max_acceleration": 1}
    ).end(number)
    found = np.array([y(t)[0] for t in np.linspace(0, end, 4001)])
    for point in points:
        assert np.linalg.norm(found - point, axis=1).min() < 1e-3  # half the way between two samples: 0.5 m/s · 2 ms
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert end == pytest.approx(chords / 0.5 + 0.5, rel=1e-12)  # h/v + v/a


@each(
    "written, fault",
    [
        ({"path": [[0, 0]], "duration": 1}, "two points or more"),
        ({"path": [[0, 0], [1, 0, 0]], "duration": 1}, "2 or 3 coordinates"),
        ({"path": [[0, 0], [1, 0]]}, "nothing says how long"),
        ({"path": [[0, 0], [1, 0]], "duration": 1, "max_speed": 1}, "both given"),
        ({"path": [[0, 0], [1, 0]], "profile": "s_curve", "max_speed": 1}, "no end without max_jerk"),
        ({"path": [[0, 0], [1, 0]], "curve": "arc", "duration": 1}, "three points, not 2"),
    ],
)
def test_what_is_no_path_is_refused(written, fault):
    with pytest.raises(ModelError, match=fault):
        read_motion(written)


@each(
    "written, fault",
    [
        ({"path": [[0, 0], [0, 0]], "duration": 1}, "points 1 and 2 of the path are equal"),
        ({"path": [[0, 0], [1, 0]], "duration": 0}, "duration is 0 s"),
        ({"path": [[0, 0], [1, 0]], "max_speed": -1}, "the limit is -1"),
        ({"path": [[0, 0], [1, 0]], "profile": "trapezoid", "max_acceleration": 1, "max_jerk": 1}, "no jerk is kept"),
        ({"path": [[0, 0], [1, 0], [2, 0]], "curve": "arc", "duration": 1}, "stand in a line"),
    ],
)
def test_values_with_which_a_path_cannot_be_are_refused(written, fault):
    (issue,) = read_motion(written).value_issues(number)
    assert fault in issue.fault
