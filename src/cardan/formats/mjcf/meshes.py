"""The meshes of a document: the shapes that show them, and the solids of which they make masses.

Source: MuJoCo's XML reference, asset/mesh: corners are shifted by `refpos`, turned by `refquat`, then scaled; `inertia`
says what has mass. The usual one, `legacy`, adds up the tetrahedra of all faces with a point inside, those that face it
too, so that parts which are not convex count for more than they have.
"""

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.mjcf.settings import MAIN, MjcfSettings
from cardan.formats.xml.meshes import NotDrawnError
from cardan.formats.xml.tree import XmlElement, numbers
from cardan.model.meshes import read_mesh
from cardan.model.solids import Solid
from cardan.spatial.polyhedra import VolumeIntegrals, volume_integrals
from cardan.spatial.rotations import from_quaternion

_KINDS = ("legacy", "exact", "convex", "shell")


class Meshes:
    """The meshes of a document by their names."""

    def __init__(self, top: XmlElement, settings: MjcfSettings, mesh_file: Callable[[str], str]) -> None:
        listed = [settings.completed(mesh, MAIN) for asset in top.all("asset") for mesh in asset.all("mesh")]
        self._found = {mesh.name or PurePosixPath(mesh.attributes.get("file", "")).stem: mesh for mesh in listed}
        self._settings, self._file = settings, mesh_file
        self._solids: dict[str, Solid] = {}

    def shape(self, name: str) -> dict[str, Any]:
        """Data of the shape that shows a mesh."""
        mesh, path = self._mesh(name), self._path(name)
        x, y, z = numbers(mesh, "scale", (1.0,) * 3)
        if not x == y == z > 0 or "refpos" in mesh.attributes or "refquat" in mesh.attributes:
            what = "meshes that are mirrored, moved or scaled by direction, not drawn"
            raise NotDrawnError(what, mesh.attributes["file"])
        return {"type": "mesh", "file": path} | ({} if x == 1 else {"scale": x})

    def solid(self, name: str) -> Solid:
        """What of a mesh has mass."""
        if name not in self._solids:
            mesh, triangles = self._mesh(name), self._triangles(name)
            kind = mesh.attributes.get("inertia", "legacy")
            if kind not in _KINDS:
                raise mesh.fault(f"inertia of <mesh> is {kind!r}", f"write one of {', '.join(_KINDS)}")
            self._solids[name] = _solid(triangles, kind, name)
        return self._solids[name]

    def _mesh(self, name: str) -> XmlElement:
        """A mesh; one without anything where the file has none of this name."""
        return self._found.get(name) or XmlElement("mesh", {}, 1)

    def _path(self, name: str) -> str:
        """The path of the file of a mesh."""
        mesh = self._mesh(name)
        file = mesh.attributes.get("file", "")
        if not file:
            raise NotDrawnError("meshes that are in no file, not drawn", name)
        compiler = self._settings.compiler.attributes
        file = PurePosixPath(file).name if compiler.get("strippath") == "true" else file
        path = PurePosixPath(compiler.get("meshdir", compiler.get("assetdir", "")), file)
        try:
            return self._file(str(path))
        except NotDrawnError:
            included = mesh.origin.rpartition(":")[0]
            if "/" not in included:
                raise
            return self._file(str(PurePosixPath(included).parent / path))

    def _triangles(self, name: str) -> np.ndarray:
        """Corners (n, 3, 3) of the triangles of a mesh, where its geoms have it, counterclockwise from outside."""
        mesh = self._mesh(name)
        if "vertex" in mesh.attributes:
            corners, faces = (np.array(_threes(mesh, key), float).reshape(-1, 3) for key in ("vertex", "face"))
            if not np.isin(faces, np.arange(len(corners))).all():
                raise mesh.fault("a face of <mesh> names a vertex that it has not", "count them from 0")
            triangles = corners[faces.astype(int)] if len(faces) else _hull(corners, name)
        else:
            triangles = read_mesh(Path(self._path(name)))
        scale = np.array(numbers(mesh, "scale", (1.0,) * 3))
        quaternion = numbers(mesh, "refquat", (1.0, 0.0, 0.0, 0.0))
        R = np.array(ca.DM(from_quaternion(ca.DM(quaternion)))) if any(quaternion) else np.eye(3)
        moved = ((triangles - numbers(mesh, "refpos", (0.0,) * 3)) @ R) * scale
        return moved[:, ::-1] if scale.prod() < 0 else moved


def _threes(mesh: XmlElement, key: str) -> tuple[float, ...]:
    """The numbers of an attribute, three by three."""
    count = len(mesh.attributes.get(key, "").split())
    return numbers(mesh, key, (0.0,) * (count + -count % 3))


def _solid(triangles: np.ndarray, kind: str, name: str) -> Solid:
    """Sums over triangles (n, 3, 3): of tetrahedra with a point inside, or of the surface, whose area is the volume."""
    if kind == "convex":
        triangles = _hull(triangles.reshape(-1, 3), name)
    a, b, c = np.moveaxis(triangles, 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    if not area.sum() > 0:
        raise NotDrawnError("triangles without area", name)
    centre = area @ (a + b + c) / 3 / area.sum()

    def volume_about(apex: np.ndarray) -> VolumeIntegrals:
        at = triangles - apex
        faces_it = kind == "legacy" and np.linalg.det(at) < 0
        return volume_integrals(np.where(np.reshape(faces_it, (-1, 1, 1)), at[:, ::-1], at))

    if kind == "shell":
        at = np.moveaxis(triangles - centre, 1, 0)
        V, second = area.sum(), sum((x * area[:, None]).T @ x for x in (*at, at.sum(axis=0))) / 12
    else:
        V, first, _ = volume_about(centre)
        if not V > 0:
            return Solid(0.0, centre, np.zeros((3, 3)))
        centre = centre + first / V
        V, _, second = volume_about(centre)
    return Solid(float(V), centre, np.trace(second) * np.eye(3) - second)


def _hull(points: np.ndarray, name: str) -> np.ndarray:
    """Corners (n, 3, 3) of the triangles of the convex hull of `points` (n, 3), counterclockwise from outside."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        raise NotDrawnError("flat, without a convex hull", name) from None
    triangles = points[hull.simplices]
    inwards = np.linalg.det(triangles - points.mean(axis=0)) < 0
    triangles[inwards] = triangles[inwards, ::-1]
    return np.asarray(triangles)
