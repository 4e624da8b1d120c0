"""Triangles from files: STL (binary or text), OBJ, glTF and COLLADA."""

import hashlib
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np

from cardan.errors import ModelError
from cardan.model.meshes.collada import read_collada
from cardan.model.meshes.gltf import read_glb, read_gltf
from cardan.safety.reading import read_bounded

_MOST = 100_000_000  # bytes of a file; two million triangles in binary STL
CURE = "export the mesh as STL, OBJ or glTF again"
"""What helps where a file is damaged."""


def read_mesh(path: Path) -> np.ndarray:
    """Corners (n, 3, 3) of the triangles in a file, by triangle, corner and component, in the units of the file."""
    readers = {".stl": _read_stl, ".obj": _read_obj, ".glb": read_glb, ".gltf": read_gltf, ".dae": read_collada}
    readers[".msh"] = _read_msh
    if path.suffix.lower() not in readers:
        raise ModelError(f"{path} is no mesh with a known extension", "export it as .stl, .obj, .glb or .gltf")
    try:
        triangles = readers[path.suffix.lower()](read_bounded(path, _MOST, "use a coarser mesh"))
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read: {error.strerror}", "give the path of an STL, OBJ or glTF file"
        ) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path} is damaged: {_words(error)}", CURE) from None
    if not len(triangles) or not np.isfinite(triangles).all():
        raise ModelError(f"{path} holds no triangles, or some without finite corners", CURE)
    return triangles


def fingerprint(path: str) -> str:
    """SHA-256 of a mesh, in hexadecimal digits; empty where it cannot be read."""
    try:
        return hashlib.sha256(read_bounded(Path(path), _MOST, "")).hexdigest()
    except (OSError, ModelError):
        return ""


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__} {error}"


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
    return np.array([_numbers(words[k + 1 : k + 4]) for k in at]).reshape(-1, 3, 3)


def _read_msh(content: bytes) -> np.ndarray:
    """Of MuJoCo's own format: numbers of corners, normals, texture points and triangles, then these in this order.

    Source: MuJoCo's XML reference, asset/mesh, "Legacy MSH file format"
    """
    corners, normals, textures, faces = (int(one) for one in np.frombuffer(content[:16], "<i4"))
    if (
        len(content) != 16 + 12 * (corners + normals + faces) + 8 * textures
        or min(corners, normals, textures, faces) < 0
    ):
        raise ValueError("it is not as long as its numbers of corners and triangles say")
    points = np.frombuffer(content, "<f4", 3 * corners, 16).reshape(-1, 3)
    index = np.frombuffer(content, "<i4", 3 * faces, len(content) - 12 * faces).reshape(-1, 3)
    if faces and not (index.min() >= 0 and index.max() < corners):
        raise ValueError("a triangle names a corner that it has not")
    return np.asarray(points[index], float)


def _read_obj(content: bytes) -> np.ndarray:
    corners: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in content.decode("utf-8", "replace").splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            corners.append(_numbers(words[:3]))
        elif kind == "f":
            face = [_index(int(one), len(corners)) for one in _numbers(word.split("/")[0] for word in words)]
            triangles += [(face[0], b, c) for b, c in pairwise(face[1:])]  # faces are convex
    return np.array(corners).reshape(-1, 3)[np.array(triangles, int).reshape(-1, 3)]


def _numbers(words: Iterable[str]) -> list[float]:
    """The numbers in a text; the message about another word is without it: whatever file this is may be a secret."""
    try:
        return [float(word) for word in words]
    except ValueError:
        raise ValueError("a number cannot be read") from None


def _index(written: int, count: int) -> int:
    """Index of a corner that OBJ counts from 1, or from the last one backwards."""
    index = written - 1 if written > 0 else count + written
    if not 0 <= index < count:
        raise ValueError(f"a face names corner {written}, and there are {count}")
    return index
