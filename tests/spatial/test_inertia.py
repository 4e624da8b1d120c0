"""Inertias against clouds of point masses: Steiner, change of frame, 6×6 and 4×4 forms."""

import casadi as ca
import numpy as np
import pytest

from cardan.spatial import inertia
from cardan.spatial.motion import motion_matrix
from cardan.spatial.rotations import from_rpy
from cardan.spatial.transforms import pose

ROUND_OFF = 1e-12  # a few hundred operations on numbers up to ten


def numbers(x):
    """Full array of a CasADi matrix."""
    return np.array(ca.DM(x))


@pytest.fixture
def cloud(rng):
    """Point masses (m (k,), r (k, 3)): a body whose every integral is a sum."""
    return rng.uniform(0.1, 1, 12), rng.normal(size=(12, 3))


@pytest.fixture
def frame(rng):
    """(R_AB, p_A)."""
    return from_rpy(ca.DM(rng.normal(size=3))), ca.DM(rng.normal(size=3))


def tensor(m, r):
    """Σ m (rᵀr E − r rᵀ) about the origin."""
    return sum(mass * (p @ p * np.eye(3) - np.outer(p, p)) for mass, p in zip(m, r, strict=True))


def of_cloud(m, r):
    """The cloud's inertia from its mass, centre and central tensor."""
    c = m @ r / m.sum()
    return inertia.from_com(ca.DM(m.sum()), ca.DM(c), ca.DM(tensor(m, r - c)))


def assert_equal(a, b):
    """All ten parameters agree."""
    np.testing.assert_allclose(numbers(inertia.pseudo(a)), numbers(inertia.pseudo(b)), rtol=0, atol=ROUND_OFF)


def test_from_com_is_steiners_theorem(cloud):
    m, r = cloud
    J = of_cloud(m, r)
    np.testing.assert_allclose(numbers(J.h).ravel(), m @ r, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(numbers(inertia.tensor(J)), tensor(m, r), rtol=0, atol=ROUND_OFF)


def test_transformed_is_the_cloud_seen_from_another_frame(cloud, frame):
    m, r = cloud
    R, p = (numbers(x) for x in frame)
    assert_equal(inertia.transformed(of_cloud(m, r), *frame), of_cloud(m, r @ R.T + p.T))


def test_transformed_is_the_congruence_of_the_6x6_matrix(cloud, frame):
    """J_A = X_BAᵀ J_B X_BA with X_BA from A to B: kinetic energy does not depend on the frame."""
    J_B = of_cloud(*cloud)
    X_BA = numbers(motion_matrix(*frame))
    J_A = numbers(inertia.matrix(inertia.transformed(J_B, *frame)))
    np.testing.assert_allclose(J_A, X_BA.T @ numbers(inertia.matrix(J_B)) @ X_BA, rtol=0, atol=ROUND_OFF)


def test_matrix_gives_the_kinetic_energy(cloud, rng):
    m, r = cloud
    w, u = rng.normal(size=(2, 3))
    V = np.array([*w, *u])
    energy = 0.5 * m @ np.sum((u + np.cross(w, r)) ** 2, axis=1)
    assert 0.5 * V @ numbers(inertia.matrix(of_cloud(m, r))) @ V == pytest.approx(energy, rel=ROUND_OFF)


def test_pseudo_inertia_is_the_second_moment_and_follows_4x4_transforms(cloud, frame):
    """Σ m (r; 1)(r; 1)ᵀ, so that a transform acts as T · Tᵀ (Hroncová, eq. 8 with the corrected I)."""
    m, r = cloud
    points = np.column_stack([r, np.ones(len(m))])
    J = of_cloud(m, r)
    np.testing.assert_allclose(numbers(inertia.pseudo(J)), points.T @ (m[:, None] * points), rtol=0, atol=ROUND_OFF)
    T = numbers(pose(*frame))
    moved = numbers(inertia.pseudo(inertia.transformed(J, *frame)))
    np.testing.assert_allclose(moved, T @ numbers(inertia.pseudo(J)) @ T.T, rtol=0, atol=ROUND_OFF)


def test_bodies_add_up(cloud):
    m, r = cloud
    assert_equal(inertia.add(of_cloud(m[:5], r[:5]), of_cloud(m[5:], r[5:])), of_cloud(m, r))
    assert_equal(inertia.add(inertia.ZERO, of_cloud(m, r)), of_cloud(m, r))


def test_a_rotor_adds_its_moment_of_inertia_about_its_axis(cloud):
    axis = np.array([2, -1, 2]) / 3
    J = of_cloud(*cloud)
    turned = inertia.spun(J, ca.DM(axis), ca.DM(0.7))
    added = numbers(inertia.matrix(turned)) - numbers(inertia.matrix(J))
    np.testing.assert_allclose(added[:3, :3], 0.7 * np.outer(axis, axis), rtol=0, atol=ROUND_OFF)
    assert np.max(np.abs(added[3:])) == 0


def test_moment_of_a_linear_field_of_accelerations(cloud, rng):
    m, r = cloud
    U = rng.normal(size=(3, 3))
    moment = m @ np.cross(r, r @ U.T)
    np.testing.assert_allclose(
        numbers(inertia.moment(of_cloud(m, r), ca.DM(U))).ravel(), moment, rtol=0, atol=ROUND_OFF
    )


def test_second_moments_and_tensor_are_inverse(cloud):
    m, r = cloud
    J = numbers(inertia.second_moments(ca.DM(tensor(m, r))))
    np.testing.assert_allclose(J, r.T @ (m[:, None] * r), rtol=0, atol=ROUND_OFF)
