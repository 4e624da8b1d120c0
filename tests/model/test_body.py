"""Bodies: markers in four ways of writing a rotation, inertia with or without products, shapes."""

import math

import casadi as ca
import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.body import Body, Marker
from cardan.model.shapes import Box, Cylinder, Mesh, Sphere
from tests.selection import each


def numbers(record):
    return record.resolved(lambda scalar: ca.DM(scalar.value))


S = math.sin(0.3)
C = math.cos(0.3)


@each(
    "written",
    [
        {"rpy": [0, 0, 0.3]},
        {"rotation": [[C, -S, 0], [S, C, 0], [0, 0, 1]]},
        {"quaternion": [2 * math.cos(0.15), 0, 0, 2 * math.sin(0.15)]},
        {"axis_angle": {"axis": [0, 0, 5], "angle": 0.3}},
    ],
)
def test_four_ways_to_write_one_rotation(written):
    T = np.array(numbers(Marker(position=[1, 2, 3], **written)).transform())
    expected = [[C, -S, 0, 1], [S, C, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
    assert np.allclose(T, expected, rtol=0, atol=4e-16)  # a few roundings of numbers of size 1


def test_roll_pitch_yaw_turn_about_the_fixed_axes_x_y_z_in_this_order():
    R = np.array(numbers(Marker(rpy=["90 deg", 0, "90 deg"])).orientation())
    assert (R @ [0, 1, 0] == [0, 0, 1]).all()  # y → z by the roll, then z stays under the yaw: exact, not 6e-17
    assert (R @ [1, 0, 0] == [0, 1, 0]).all()


def test_a_marker_without_rotation_has_the_axes_of_the_body():
    assert (np.array(numbers(Marker()).transform()) == np.eye(4)).all()


def test_one_rotation_is_written_once():
    with pytest.raises(ModelError, match="given in 2 ways: rpy, quaternion") as error:
        Marker(rpy=[0, 0, 0], quaternion=[1, 0, 0, 0])
    assert error.value.issues[0].cure == "keep one of them"


def test_products_of_inertia_may_be_left_away():
    assert Body(inertia=[1, 2, 2.5]) == Body(inertia=[1, 2, 2.5, 0, 0, 0])
    I_C = np.array(numbers(Body(inertia=[1, 2, 2.5, 0.1, 0.2, 0.3])).inertia_matrix())
    assert (I_C == [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]).all()


@each(
    "inertia, fault",
    [([1, 2], "an inertia has 3 or 6 entries, not 2"), (3, "3 is not a list"), ([-1, 1, 1], "-1 is out of range")],
)
def test_other_inertias_are_refused(inertia, fault):
    with pytest.raises(ModelError, match=fault) as error:
        Body(inertia=inertia)
    assert error.value.issues[0].path[0] == "inertia"
    assert error.value.issues[0].cure.startswith("write ")


def test_markers_by_name():
    body = numbers(Body(com=[0, 0, -1], markers={"tip": {"position": [1, 0, 0]}}))
    assert float(body.marker("tip").transform()[0, 3]) == 1
    assert float(body.marker("com").transform()[2, 3]) == -1
    assert (np.array(numbers(body.marker("")).transform()) == np.eye(4)).all()
    with pytest.raises(KeyError):
        body.marker("top")


def test_shapes_of_every_kind():
    data = [
        {"type": "box", "size": [1, "20 mm", "L"], "color": "tomato"},
        {"type": "cylinder", "radius": 1, "length": 2, "rpy": ["90 deg", 0, 0]},
        {"type": "sphere", "radius": "L/2"},
        {"type": "mesh", "file": "part.stl", "scale": 0.001},
    ]
    assert [type(shape) for shape in Body(shapes=data).shapes] == [Box, Cylinder, Sphere, Mesh]
    assert Body(shapes=data) == Body(shapes=[Box(size=[1, "20 mm", "L"], color="tomato"), *data[1:]])
