"""The connection of moving bodies against clouds of point masses, and against the form in which it was published."""

import casadi as ca
import numpy as np
import pytest

from cardan.formulations import connection
from cardan.spatial import inertia
from cardan.spatial.motion import cross_force, cross_motion
from cardan.spatial.rotations import from_rpy, skew

ROUND_OFF = 1e-12  # a few hundred operations on numbers up to ten
RNG = np.random.default_rng(1)
R, D = from_rpy(ca.DM(RNG.normal(size=3))), ca.DM(RNG.normal(size=3))


def numbers(x):
    """Full array of a CasADi matrix."""
    return np.array(ca.DM(x))


@pytest.fixture
def cloud():
    """Point masses m (k,) at r (k, 3): a body whose every integral is a sum."""
    return RNG.uniform(0.1, 1, 12), RNG.normal(size=(12, 3))


@pytest.fixture
def V():
    """Twist of the cloud (ω, u)."""
    return RNG.normal(size=6)


def of_cloud(m, r):
    """Inertia of the cloud."""
    J = np.einsum("k,ki,kj->ij", m, r, r)
    return inertia.Inertia(ca.DM(m.sum()), ca.DM(m @ r), ca.DM(J))


def rates(V, r):
    """ṙ = u + ω × r of the points r (k, 3)."""
    return V[3:] + np.cross(V[:3], r)


def summed(m, r, rate):
    """B (6×6): the columns Σ m (r × (s × ṙ); s × ṙ) for the unit twists."""
    columns = []
    for s in np.eye(6)[:, :3]:
        change = m[:, None] * np.cross(s, rate)
        columns.append(np.concatenate([np.cross(r, change).sum(0), change.sum(0)]))
    return np.array(columns).T


def test_connection_is_what_turns_with_the_flow_of_the_points(cloud, V):
    m, r = cloud
    found = numbers(connection.connection(connection.flow(of_cloud(m, r), ca.DM(V))))
    np.testing.assert_allclose(found, summed(m, r, rates(V, r)), rtol=0, atol=ROUND_OFF)


def test_flows_of_several_bodies_add_up_in_another_frame(cloud, V):
    m, r = cloud
    own = connection.flow(of_cloud(m, r), ca.DM(V))
    total = connection.add(connection.transformed(own, R, D), own)
    R_AB, d = numbers(R), numbers(D).ravel()
    expected = summed(m, r @ R_AB.T + d, rates(V, r) @ R_AB.T) + summed(m, r, rates(V, r))
    np.testing.assert_allclose(numbers(connection.connection(total)), expected, rtol=0, atol=ROUND_OFF)


def test_connection_is_that_of_echeandia_and_wensing(cloud, V):
    """B = ½ ([V×*] I + [(I V)×̄*] − I [V×]), eq. 11, with [f×̄*] of eq. 6."""
    P, V = of_cloud(*cloud), ca.DM(V)
    I = inertia.matrix(P)
    N, F = skew((I @ V)[:3]), skew((I @ V)[3:])
    bar = -ca.blockcat([[N, F], [F, ca.DM(3, 3)]])
    expected = 0.5 * (cross_force(V) @ I + bar - I @ cross_motion(V))
    np.testing.assert_allclose(
        numbers(connection.connection(connection.flow(P, V))), numbers(expected), rtol=0, atol=ROUND_OFF
    )


def test_flow_gives_the_rate_of_the_tensor(cloud, V):
    m, r = cloud
    rate = rates(V, r)
    expected = sum(
        mass * (2 * (p @ v) * np.eye(3) - np.outer(p, v) - np.outer(v, p))
        for mass, p, v in zip(m, r, rate, strict=True)
    )
    G = numbers(connection.flow(of_cloud(m, r), ca.DM(V)).G)
    np.testing.assert_allclose(G + G.T, expected, rtol=0, atol=ROUND_OFF)
