"""Triangle meshes from files, STL (binary or text) and OBJ: closed ones enclose a solid."""

from __future__ import annotations

import os
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from cardan.errors import ModelError
from cardan.safety.reading import read_bounded
from cardan.spatial.polyhedra import integrals

__all__ = ["TEN", "read_mesh", "solid_of_mesh"]

_MOST = 100_000_000  # bytes of a file; two million triangles in binary STL
_CURE = "export the mesh as STL or OBJ again"

TEN = ("volume", "x", "y", "z", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""Volume, centre, and inertia about it at density 1 of a mesh, in units of its file."""


def solid_of_mesh(file: str) -> tuple[float, ...]:
    """The numbers `TEN` of the solid that the mesh in a `file` encloses.

    Raises
    ------
    ModelError
        The file cannot be read, or its triangles do not enclose a solid.
    """
    try:
        found = os.stat(file)
    except (OSError, ValueError) as error:
        fault = f"{file} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ModelError(fault, "give the path of an STL or OBJ file") from None
    return _solid(file, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _solid(file: str, time: int, size: int) -> tuple[float, ...]:
    triangles = read_mesh(Path(file))
    _check_closed(file, triangles)
    V, centre, I_C = integrals(triangles)
    if not V > 0:
        raise ModelError(f"{file} encloses no volume", _CURE)
    entries = (V, *centre, *np.diag(I_C), I_C[0, 1], I_C[0, 2], I_C[1, 2])
    return tuple(float(entry) for entry in entries)


def read_mesh(path: Path) -> np.ndarray:
    """Corners (n, 3, 3) of the triangles in a file, by triangle, corner and component, in the units of the file.

    Parameters
    ----------
    path : Path
        An STL or OBJ file.

    Raises
    ------
    ModelError
        The file has another extension, cannot be read, is damaged or holds no triangles.
    """
    readers = {".stl": _read_stl, ".obj": _read_obj}
    if path.suffix.lower() not in readers:
        raise ModelError(f"{path} is no mesh with a known extension", "export it as .stl or .obj")
    try:
        triangles = readers[path.suffix.lower()](read_bounded(path, _MOST, "use a coarser mesh"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}", "give the path of an STL or OBJ file") from None
    except (ValueError, IndexError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path} is damaged: {error}", _CURE) from None
    if not len(triangles) or not np.isfinite(triangles).all():
        raise ModelError(f"{path} holds no triangles, or some without finite corners", _CURE)
    return triangles


def _read_stl(content: bytes) -> np.ndarray:
    count = int.from_bytes(content[80:84], "little")
    if len(content) == 84 + 50 * count and count:
        rows = np.frombuffer(
            content, np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")]), offset=84
        )
        return np.asarray(rows["corners"], float)
    if not content.lstrip().startswith(b"solid"):
        raise ValueError("it is neither text nor as long as the number of its triangles says")
    words = content.decode("ascii", "replace").split()
    at = [k for k, word in enumerate(words) if word == "vertex"]
    return np.array([[float(word) for word in words[k + 1 : k + 4]] for k in at]).reshape(-1, 3, 3)


def _read_obj(content: bytes) -> np.ndarray:
    corners: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in content.decode("utf-8", "replace").splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            corners.append([float(word) for word in words[:3]])
        elif kind == "f":
            face = [_index(int(word.split("/")[0]), len(corners)) for word in words]
            triangles += [(face[0], b, c) for b, c in pairwise(face[1:])]  # faces are convex
    return np.array(corners).reshape(-1, 3)[np.array(triangles, int).reshape(-1, 3)]


def _index(written: int, count: int) -> int:
    """Index of a corner that OBJ counts from 1, or from the last one backwards."""
    index = written - 1 if written > 0 else count + written
    if not 0 <= index < count:
        raise ValueError(f"a face names corner {written}, and there are {count}")
    return index


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
