"""Twists and wrenches: change of frame against rigid-body velocities, duality, and the two cross products."""

import casadi as ca
import numpy as np
import pytest

from cardan.spatial import motion
from cardan.spatial.rotations import from_rpy, skew

ROUND_OFF = 1e-13  # some fifty operations on numbers of size one


def numbers(x):
    """Full array of a CasADi matrix."""
    return np.array(ca.DM(x))


@pytest.fixture
def frame(rng):
    """(R_PC, p) of a child frame in its parent."""
    return from_rpy(ca.DM(rng.normal(size=3))), ca.DM(rng.normal(size=3))


@pytest.fixture
def vectors(rng):
    """Six random spatial vectors, one per column."""
    return ca.DM(rng.normal(size=(6, 6)))


def test_motion_matrix_is_the_velocity_field_of_a_rigid_body(frame, rng):
    R, p = frame
    w, u = rng.normal(size=(2, 3))
    moved = numbers(motion.motion_matrix(R, p) @ ca.DM([*w, *u])).ravel()
    R_CP = numbers(R).T
    np.testing.assert_allclose(moved[:3], R_CP @ w, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(moved[3:], R_CP @ (u + np.cross(w, numbers(p).ravel())), rtol=0, atol=ROUND_OFF)


def test_motion_to_child_is_the_matrix(frame, vectors):
    expected = motion.motion_matrix(*frame) @ vectors
    np.testing.assert_allclose(
        numbers(motion.motion_to_child(*frame, vectors)), numbers(expected), rtol=0, atol=ROUND_OFF
    )


def test_force_to_parent_is_the_transposed_motion_matrix(frame, vectors):
    """Power is the same in both frames: fᵀ (X v) = (Xᵀ f)ᵀ v."""
    expected = motion.motion_matrix(*frame).T @ vectors
    np.testing.assert_allclose(
        numbers(motion.force_to_parent(*frame, vectors)), numbers(expected), rtol=0, atol=ROUND_OFF
    )


def test_cross_motion_is_the_rate_of_a_motion_matrix(vectors):
    """d/dt X_CP = −[v×] X_CP for a child moving with the twist v in its own axes (Featherstone 2008, eq. 2.45)."""
    V = vectors[:, 0]
    s = ca.SX.sym("s")
    R_0 = from_rpy(ca.DM([0.3, -0.2, 0.5]))
    R = R_0 @ (ca.DM.eye(3) + s * skew(V[:3]))  # first order in s is enough for a rate at 0
    p = ca.DM([0.1, 0.4, -0.3]) + s * (R_0 @ V[3:])
    X = motion.motion_matrix(R, p)
    rate = ca.Function("rate", [s], [ca.jtimes(ca.densify(X), s, ca.SX(1)), X])
    X_dot, X_0 = (numbers(value) for value in rate(0))
    np.testing.assert_allclose(X_dot, -numbers(motion.cross_motion(V)) @ X_0, rtol=0, atol=ROUND_OFF)


def test_cross_products_are_antisymmetric_and_dual(vectors):
    v, m = vectors[:, 0], vectors[:, 1]
    np.testing.assert_allclose(
        numbers(motion.cross_motion(v) @ m), -numbers(motion.cross_motion(m) @ v), rtol=0, atol=ROUND_OFF
    )
    np.testing.assert_array_equal(numbers(motion.cross_force(v)), -numbers(motion.cross_motion(v)).T)
