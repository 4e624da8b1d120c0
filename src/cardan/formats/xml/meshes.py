"""Where the meshes are that a file names."""

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from cardan.safety.reading import is_inside

_DRAWN = (".stl", ".obj", ".glb", ".gltf")  # extensions that `cardan.model.meshes.read_mesh` knows


class NotDrawnError(Exception):
    """Why a shape cannot be drawn."""


class MeshFiles:
    """Where the meshes of a file are: beside it, in its package, or in folders that the caller allows."""

    def __init__(self, folder: Path, allow: Iterable[Path]) -> None:
        self._folders = (folder, *allow)

    def __call__(self, name: str) -> str:
        """The path of the mesh that a file calls `name`."""
        if Path(name).suffix.lower() not in _DRAWN:
            raise NotDrawnError(f"the mesh {name}, which is no STL, OBJ or glTF file")
        for path in self._candidates(unquote(name)):
            if "\0" not in path and is_inside(path, self._folders) and os.path.isfile(path):
                return path
        raise NotDrawnError(f"the mesh {name}, which is not in the folder of the file; others are given by allow=")

    def _candidates(self, name: str) -> Iterable[str]:
        scheme, found, rest = name.partition("://")
        if not found or scheme == "file":
            yield from (os.path.normpath(folder / (rest or name)) for folder in self._folders)
            return
        package, _, inner = rest.partition("/")
        above = Path(os.path.abspath(self._folders[0])).parents
        for folder in (*self._folders, *above):
            if folder.name == package or Path(os.path.abspath(folder)).name == package:
                yield os.path.normpath(folder / inner)
            yield os.path.normpath(folder / package / inner)
