"""Rotations against the matrix exponential, against each other, and at the places where formulas break down."""

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from cardan.spatial import rotations
from tests.selection import each

ROUND_OFF = 1e-14  # some ten operations on numbers of size one
AXES = [
    *((0, 0, 1), (0, 0, -1), (0, -1, 0), (1, 0, 0), (1, 2, -3)),
    *((1e-9, 0, -1), (1e-9, -1e-9, 1), (0.1, 0.2, 1e-300), (3e5, 0, -4e5)),
]


def numbers(x):
    """Full array of a CasADi matrix."""
    return np.array(ca.DM(x))


def column(entries):
    """CasADi column of numbers."""
    return ca.DM(np.asarray(entries, dtype=float))


def assert_rotation(R):
    """R is orthonormal and right-handed."""
    np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=ROUND_OFF)
    assert np.linalg.det(R) == pytest.approx(1, abs=ROUND_OFF)


def test_skew_is_the_cross_product(rng):
    a, b = rng.normal(size=(2, 3))
    np.testing.assert_allclose(
        numbers(rotations.skew(column(a)) @ column(b)).ravel(), np.cross(a, b), rtol=0, atol=ROUND_OFF
    )


@each("name, axis", [("rotation_x", 0), ("rotation_y", 1), ("rotation_z", 2)])
def test_rotations_about_axes_are_exponentials(name, axis):
    generator = numbers(rotations.skew(column(np.eye(3)[axis])))
    for angle in (-2.5, 0.0, 0.3, 4.0):
        R = numbers(getattr(rotations, name)(ca.DM(angle)))
        np.testing.assert_allclose(R, expm(angle * generator), rtol=0, atol=10 * ROUND_OFF)  # squarings of expm


def test_axis_angle_is_an_exponential_and_the_axis_needs_no_unit_length(rng):
    axis, angle = rng.normal(size=3), 1.7
    R = numbers(rotations.from_axis_angle(column(7 * axis), ca.DM(angle)))
    unit = column(axis / np.linalg.norm(axis))
    np.testing.assert_allclose(R, expm(angle * numbers(rotations.skew(unit))), rtol=0, atol=ROUND_OFF)


def test_rpy_is_urdf(rng):
    rpy = rng.uniform(-3, 3, 3)
    R = numbers(rotations.from_rpy(column(rpy)))
    np.testing.assert_allclose(R, Rotation.from_euler("xyz", rpy).as_matrix(), rtol=0, atol=ROUND_OFF)


def test_quaternion_is_scalar_first_and_needs_no_unit_length(rng):
    e = rng.normal(size=4)
    R = numbers(rotations.from_quaternion(column(3 * e)))
    assert_rotation(R)
    np.testing.assert_allclose(R, Rotation.from_quat(e, scalar_first=True).as_matrix(), rtol=0, atol=ROUND_OFF)


def test_quaternion_rate_turns_the_body_with_its_angular_velocity_in_body_axes(rng):
    e, w = rng.normal(size=4), rng.normal(size=3)
    e /= np.linalg.norm(e)
    symbol = ca.SX.sym("e", 4)
    e_dot = rotations.quaternion_rate(symbol, column(w))
    rate = ca.jtimes(ca.densify(rotations.from_quaternion(symbol)), symbol, e_dot)
    R_dot = numbers(ca.Function("R_dot", [symbol], [rate])(e))
    R = numbers(rotations.from_quaternion(column(e)))
    np.testing.assert_allclose(R_dot, R @ numbers(rotations.skew(column(w))), rtol=0, atol=ROUND_OFF)
    assert numbers(rotations.quaternion_rate(column(e), column(w))).ravel() @ e == pytest.approx(0, abs=ROUND_OFF)


@each("axis", AXES)
def test_align_z_puts_the_third_axis_along_a_direction(axis):
    R = numbers(rotations.align_z(column(axis)))
    assert_rotation(R)
    np.testing.assert_allclose(R[:, 2], np.array(axis) / np.linalg.norm(axis), rtol=0, atol=ROUND_OFF)


def test_align_zx_has_both_directions(rng):
    z, other = rng.normal(size=(2, 3))
    x = np.cross(z, other)
    R = numbers(rotations.align_zx(column(z), column(x)))
    assert_rotation(R)
    np.testing.assert_allclose(R[:, 2], z / np.linalg.norm(z), rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(R[:, 0], x / np.linalg.norm(x), rtol=0, atol=ROUND_OFF)


def test_snap_makes_right_angles_exact_and_leaves_the_rest():
    turned = rotations.snap(rotations.rotation_x(ca.DM(np.pi / 2)))
    assert turned.nnz() == 3
    np.testing.assert_array_equal(numbers(turned), [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    near = np.array([[1e-12, 1 - 1e-12], [-1.5, 3.0]])
    np.testing.assert_array_equal(numbers(rotations.snap(ca.DM(near))), near)


def test_acceleration_tensor_is_that_of_a_point_of_a_turning_body(rng):
    w, alpha, r = rng.normal(size=(3, 3))
    tensor = numbers(rotations.acceleration_tensor(column(w), column(alpha)))
    np.testing.assert_allclose(tensor @ r, np.cross(alpha, r) + np.cross(w, np.cross(w, r)), rtol=0, atol=ROUND_OFF)
