"""The part of a solid of density 1 beyond the plane x = 0: volume, first and second moments about the origin.

Polyhedra need no cap: tetrahedra with their common point in the plane have no volume over it. Discs are cut along
chords: with u = r cos φ along the radius all moments are elementary. Slices are summed by Gauss's rule in a
variable that makes the integrand smooth where the chord leaves the disc.

Source: Mirtich 1996, J. Graphics Tools 1(2):31
"""

from itertools import pairwise

import numpy as np

from cardan.spatial.polyhedra import VolumeIntegrals, volume_integrals

_QUADS = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)  # smooth integrands of a few waves: exact to round-off


def box_beyond(T: np.ndarray, size: np.ndarray) -> VolumeIntegrals:
    """What lies beyond of a box."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = signs * np.asarray(size) / 2 @ T[:3, :3].T + T[:3, 3]
    found = []
    for quad in _QUADS:
        face = _clipped(corners[quad])
        found += [(face[0], b, c) for b, c in pairwise(face[1:])]
    return volume_integrals(np.array(found)) if found else (0.0, np.zeros(3), np.zeros((3, 3)))


def _clipped(face: np.ndarray) -> list[np.ndarray]:
    """Corners of the part of a convex face with x ≥ 0 (Sutherland & Hodgman 1974)."""
    out = []
    for a, b in zip(face, np.roll(face, -1, axis=0), strict=True):
        if a[0] >= 0:
            out.append(a)
        if (a[0] >= 0) != (b[0] >= 0):
            crossing = a + a[0] / (a[0] - b[0]) * (b - a)
            crossing[0] = 0.0
            out.append(crossing)
    return out


def ball_beyond(centre: np.ndarray, radius: float) -> VolumeIntegrals:
    """What lies beyond of a ball with this `centre` (3,) and `radius` [m]."""
    begin = float(np.clip(-centre[0], -radius, radius))
    s, w = _rule(begin, radius)
    area = np.pi * (radius**2 - s**2)
    p = np.array([1.0, 0, 0]) * s[:, None] + centre
    across = np.sum(w * area**2) / (4 * np.pi)
    second = np.einsum("n,ni,nj->ij", w * area, p, p) + across * np.diag([0.0, 1, 1])
    return float(w @ area), (w * area) @ p, second


def _rule(begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of Gauss's rule between two ends."""
    half = (end - begin) / 2
    return begin + half * (_NODES + 1), half * _WEIGHTS


def cylinder_beyond(T: np.ndarray, radius: float, length: float) -> VolumeIntegrals:
    """What lies beyond of a cylinder along the z axis of T."""
    n, centre = T[:3, 2], T[:3, 3]
    slope = np.hypot(n[1], n[2])  # of x over u, the distance along the steepest radius e
    e = (np.array([1.0, 0, 0]) - n[0] * n) / slope if slope > 0 else T[:3, 0]
    f = np.cross(n, e)
    ends = {-length / 2, length / 2}
    if n[0] != 0:
        ends |= {
            float(np.clip(s, -length / 2, length / 2)) for s in (np.array([-1, 1]) * radius * slope - centre[0]) / n[0]
        }
    V, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    places = sorted(ends)
    for begin, end in pairwise(places):
        tau, w = _rule(-np.pi / 2, np.pi / 2)
        s = (begin + end) / 2 + (end - begin) / 2 * np.sin(tau)
        w = w * (end - begin) / 2 * np.cos(tau)
        p = centre + s[:, None] * n
        with np.errstate(divide="ignore", invalid="ignore"):
            phi = np.arccos(np.clip(np.nan_to_num(-p[:, 0] / (radius * slope), nan=1.0), -1, 1))
        A = radius**2 * (phi - np.sin(2 * phi) / 2)
        u = radius**3 * 2 / 3 * np.sin(phi) ** 3
        uu = radius**4 / 4 * (phi - np.sin(4 * phi) / 4)
        vv = radius**4 * (phi / 4 - np.sin(2 * phi) / 6 + np.sin(4 * phi) / 48)
        V += w @ A
        first += (w * A) @ p + (w @ u) * e
        cross = np.outer((w * u) @ p, e)
        second += np.einsum("n,ni,nj->ij", w * A, p, p) + cross + cross.T
        second += (w @ uu) * np.outer(e, e) + (w @ vv) * np.outer(f, f)
    return float(V), first, second
