"""Volume, centre and inertia of a solid that triangles enclose, by the divergence theorem: a sum over tetrahedra.

Every triangle makes a tetrahedron with one common point; those of triangles that face the point count negative.

Source: Mirtich 1996, J. Graphics Tools 1(2):31; moments of a tetrahedron: Tonon 2004, J. Math. Stat. 1(1):8
"""

import numpy as np

VolumeIntegrals = tuple[float, np.ndarray, np.ndarray]
"""Volume [m³], first moments ∫ r dV (3,) [m⁴], second moments ∫ r rᵀ dV (3×3) [m⁵]."""


def volume_integrals(triangles: np.ndarray) -> VolumeIntegrals:
    """∫ dV, ∫ r dV and ∫ r rᵀ dV of what `triangles` (n, 3, 3) enclose, their corners counterclockwise from outside.

    Example
    -------
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> V, first, second = volume_integrals(corners[[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]])
    >>> round(6 * V, 12), (24 * first).round(12).tolist()
    (1.0, [1.0, 1.0, 1.0])
    """
    a, b, c = np.moveaxis(np.asarray(triangles, float), 1, 0)
    V = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    s = a + b + c
    first = V @ s / 4
    second = sum((x * V[:, None]).T @ x for x in (a, b, c, s)) / 20
    return float(V.sum()), first, np.asarray(second)


def integrals(triangles: np.ndarray) -> VolumeIntegrals:
    """Volume, centre (3,) and inertia about it (3×3) at density 1 of what `triangles` (n, 3, 3) enclose."""
    near = triangles.reshape(-1, 3).mean(axis=0)  # far from the origin the sums would cancel
    V, first, second = volume_integrals(triangles - near)
    if V == 0:
        return 0.0, near, np.zeros((3, 3))
    centre = first / V
    J = (second - V * np.outer(centre, centre)) * np.sign(V)
    return abs(V), near + centre, np.trace(J) * np.eye(3) - J
