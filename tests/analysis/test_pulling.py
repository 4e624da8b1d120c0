"""A mechanism whose body is pulled keeps its loops closed, and its point comes as near as it can."""

import numpy as np

import cardan
from cardan.analysis.inverse.pulling import pulled
from tests.selection import each

CLOSED = 1e-12  # as the law promises [m, rad]


def _place(dynamics, q, body, point):
    return (dynamics.forward_kinematics(q)[body] @ np.append(point, 1.0))[:3]


def _start(name):
    model = cardan.load(name)
    return cardan.compile(model), np.array(list(cardan.assemble(model).q.values()))


@each("name, body, shift", [("overhead_crane", "payload", [0.1, 0, 0.1]), ("planar_3rrr", "platform", [0.02, 0.03, 0])])
def test_a_target_that_can_be_reached_is_reached(name, body, shift):
    dynamics, q = _start(name)
    point = np.array([0, 0, -0.7]) if body == "payload" else np.zeros(3)
    target = _place(dynamics, q, body, point) + shift
    found = pulled(dynamics, q, body, point, target)
    np.testing.assert_allclose(_place(dynamics, found, body, point), target, atol=1e-6)  # it stops where nothing helps
    assert np.abs(dynamics.constraint(found)).max(initial=0) < CLOSED


def test_a_target_out_of_reach_gets_the_nearest_position():
    """The tip of a rocker stays on its circle: nearest is where the line to the target meets it."""
    dynamics, q = _start("four_bar")
    pivot = _place(dynamics, q, "rocker", np.zeros(3))
    point = np.array([0.1, 0.0, 0.0])
    begin = _place(dynamics, q, "rocker", point)
    away = np.array([-(begin - pivot)[1], (begin - pivot)[0], 0]) * 0.3  # along the circle
    target = pivot + 2 * (begin - pivot + away)
    found = pulled(dynamics, q, "rocker", point, target)
    wanted = pivot + 0.1 * (target - pivot) / np.linalg.norm(target - pivot)
    np.testing.assert_allclose(_place(dynamics, found, "rocker", point), wanted, atol=1e-4)  # 12 steps
    assert np.abs(dynamics.constraint(found)).max() < CLOSED


def test_other_parameters_hold():
    dynamics, q = _start("overhead_crane")
    found = pulled(dynamics, q, "payload", [0, 0, -1.2], [0.3, 0, -1.1], {"L": 1.2})
    assert dynamics.forward_kinematics(found, parameters={"L": 1.2})["payload"].shape == (4, 4)


def test_what_cannot_move_stays():
    dynamics, q = _start("four_bar")
    np.testing.assert_array_equal(pulled(dynamics, q, "rocker", [0, 0, 0], [5.0, 5.0, 5.0]), q)  # its own pivot
