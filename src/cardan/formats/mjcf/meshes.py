"""Meshes of a document as data of shapes, by their names in the file."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from cardan.formats.mjcf.settings import MAIN, MjcfSettings
from cardan.formats.xml.meshes import NotDrawnError
from cardan.formats.xml.tree import XmlElement, numbers


def meshes_of(
    top: XmlElement, settings: MjcfSettings, mesh_file: Callable[[str], str]
) -> Callable[[str], dict[str, Any]]:
    """A function that gives the data of a mesh for its name; it raises `NotDrawnError` where it cannot be drawn."""
    meshes = [settings.completed(mesh, MAIN) for asset in top.all("asset") for mesh in asset.all("mesh")]
    found = {_name(mesh): mesh for mesh in meshes}

    def data(name: str) -> dict[str, Any]:
        mesh = found.get(name)
        file = "" if mesh is None else mesh.attributes.get("file", "")
        if mesh is None or not file:
            raise NotDrawnError(f"the mesh {name}, which is in no file")
        x, y, z = numbers(mesh, "scale", (1.0,) * 3)
        if not x == y == z > 0 or "refpos" in mesh.attributes or "refquat" in mesh.attributes:
            raise NotDrawnError(f"the mesh {file}, which is mirrored, moved or scaled by direction")
        path = mesh_file(str(PurePosixPath(settings.mesh_folder, file)))
        return {"type": "mesh", "file": path} | ({} if x == 1 else {"scale": x})

    return data


def _name(mesh: XmlElement) -> str:
    """Its name; without one that of its file without folder and extension."""
    return mesh.attributes.get("name") or PurePosixPath(mesh.attributes.get("file", "")).stem
