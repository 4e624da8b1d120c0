"""Solids that closed meshes enclose: volume, centre and inertia, read once for each version of a file."""

import os
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

from cardan.errors import ModelError
from cardan.model.meshes.files import CURE, read_mesh
from cardan.spatial.polyhedra import integrals

TEN = ("volume", "x", "y", "z", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""Volume, centre, and inertia about it at density 1 of a mesh, in units of its file."""


def solid_of_mesh(file: str) -> tuple[float, ...]:
    """The numbers `TEN` of the solid that the mesh in a `file` encloses."""
    try:
        found = os.stat(file)
    except (OSError, ValueError) as error:
        fault = f"{file} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ModelError(fault, "give the path of an STL, OBJ or glTF file") from None
    return _solid(file, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _solid(file: str, time: int, size: int) -> tuple[float, ...]:
    triangles = read_mesh(Path(file))
    _check_closed(file, triangles)
    V, centre, I_C = integrals(triangles)
    if not V > 0:
        raise ModelError(f"{file} encloses no volume", CURE)
    entries = (V, *centre, *np.diag(I_C), I_C[0, 1], I_C[0, 2], I_C[1, 2])
    return tuple(float(entry) for entry in entries)


def _check_closed(file: str, triangles: np.ndarray) -> None:
    """Refuse triangles that do not enclose a solid: each edge has to be passed once in either direction."""
    numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)[1].reshape(-1, 3)
    faces = [face for face in numbers.tolist() if len(set(face)) == 3]
    edges = Counter(edge for a, b, c in faces for edge in ((a, b), (b, c), (c, a)))
    uses = Counter((min(edge), max(edge)) for edge in edges.elements())
    lost = sum(count == 1 for count in uses.values())
    if lost:
        cure = "close its holes and merge equal corners, or give mass, com and inertia"
        raise ModelError(f"{file} is open: {lost} of its edges belong to one triangle only", cure)
    if any(count != edges[b, a] for (a, b), count in edges.items()):
        raise ModelError(f"{file}: triangles beside each other have opposite senses", "make its normals point outwards")
