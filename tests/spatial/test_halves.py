"""Solids cut by the plane x = 0, against closed forms and against the whole."""

import numpy as np
import pytest

from cardan.spatial.halves import ball_beyond, box_beyond, cylinder_beyond
from tests.selection import each

EXACT = 1e-12  # Gauss's rule with 40 nodes of smooth integrands


def pose(position=(0, 0, 0), seed=None):
    T = np.eye(4)
    if seed is not None:
        Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
        T[:3, :3] = Q * np.sign(np.linalg.det(Q))
    T[:3, 3] = position
    return T


SOLIDS = {
    "box": (lambda T: box_beyond(T, (0.3, 0.5, 0.7)), 0.105),
    "cylinder": (lambda T: cylinder_beyond(T, 0.2, 0.9), np.pi * 0.04 * 0.9),
    "ball": (lambda T: ball_beyond(T[:3, 3], 0.4), 4 / 3 * np.pi * 0.064),
}


@each("name", SOLIDS)
@each("seed", range(6))
def test_both_parts_make_the_whole(name, seed):
    """Turned by 180° about z, the other part lies beyond."""
    cut, volume = SOLIDS[name]
    T, whole = pose((0.1, 0.2, -0.3), seed), pose((10.1, 0.2, -0.3), seed)
    half_turn = np.diag([-1.0, -1, 1, 1])
    (V1, h1, J1), (V2, h2, J2), (V, h, J) = cut(T), cut(half_turn @ T), cut(whole)
    H = half_turn[:3, :3]
    assert 0 < V1 < volume
    assert pytest.approx(volume, rel=EXACT) == V1 + V2
    shift = np.array([10.0, 0, 0])
    assert h1 + H @ h2 == pytest.approx(h - V * shift, abs=EXACT)
    moved = J - np.outer(h, shift) - np.outer(shift, h) + V * np.outer(shift, shift)
    assert pytest.approx(moved, abs=100 * EXACT) == J1 + H @ J2 @ H  # the shift cancels two digits


@each("name", SOLIDS)
def test_a_solid_before_the_plane_has_nothing_beyond(name):
    V, h, J = SOLIDS[name][0](pose((-2, 0, 0), 1))
    assert (V, *h, *J.ravel()) == pytest.approx([0] * 13, abs=1e-15)


def test_half_a_ball():
    V, h, J = ball_beyond(np.zeros(3), 0.4)
    assert pytest.approx(2 / 3 * np.pi * 0.064, rel=EXACT) == V
    assert h[0] == pytest.approx(V * 3 / 8 * 0.4, rel=EXACT)
    assert pytest.approx(V * 0.16 / 5 * np.eye(3), rel=EXACT, abs=1e-15) == J


def test_half_a_cylinder_along_its_axis():
    V, h, J = cylinder_beyond(pose(), 0.2, 0.9)
    assert pytest.approx(np.pi * 0.02 * 0.9, rel=EXACT) == V
    assert h[0] == pytest.approx(V * 4 * 0.2 / (3 * np.pi), rel=EXACT)
    assert np.diag(J) == pytest.approx(V * np.array([0.01, 0.01, 0.81 / 12]), rel=EXACT)


def test_a_cylinder_across_its_axis_is_a_shorter_one():
    T = np.eye(4)
    T[:3, :3] = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    T[0, 3] = 0.15
    V, h, J = cylinder_beyond(T, 0.2, 0.9)
    assert pytest.approx(np.pi * 0.04 * 0.6, rel=EXACT) == V
    assert h[0] == pytest.approx(V * 0.3, rel=EXACT)
    assert np.diag(J) == pytest.approx(V * np.array([0.36 / 3, 0.01, 0.01]), rel=EXACT)
