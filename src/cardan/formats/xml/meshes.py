"""Where the meshes are that a file names."""

import os
from collections.abc import Iterable
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from cardan.safety.reading import is_inside

_DRAWN = (".stl", ".obj", ".glb", ".gltf", ".dae", ".msh")  # extensions that `cardan.model.meshes.read_mesh` knows
_INSTEAD = "in whose place collision shapes or boxes are drawn"


class NotDrawnError(Exception):
    """Why shapes of a kind cannot be drawn, and which one it is."""

    def __init__(self, what: str, which: str = "") -> None:
        super().__init__(f"{what}: {which}" if which else what)
        self.what, self.which = what, which


def package_folder(folder: Path) -> Path:
    """The folder of the package in which a folder lies, from which its files may read: the nearest of three kinds.

    It is never the user's home or above. Its marks lie above the file: whoever sends a file alone cannot set them.
    """
    start, home = Path(os.path.abspath(folder)), os.path.realpath(os.path.expanduser("~"))
    python: Path | None = None
    for one in takewhile(lambda one: not is_inside(home, [one]), (start, *start.parents)):
        if (one / "__init__.py").is_file():
            python = one
        elif python is not None:
            break
        elif (one / "package.xml").is_file() or (one / ".git").exists() or one / "urdf" in (start, *start.parents):
            return one
    return python or folder


def first_readable(paths: Iterable[str], folders: Iterable[Path]) -> str | None:
    """The first path of a file in one of the folders; None without one."""
    listed = list(folders)
    return next((one for one in paths if "\0" not in one and is_inside(one, listed) and os.path.isfile(one)), None)


class MeshFiles:
    """Where the meshes of a file are: beside it, in its package, or in folders that the caller allows."""

    def __init__(self, folder: Path, allow: Iterable[Path], instead: str = _INSTEAD) -> None:
        self._instead = instead  # what is done about a mesh that cannot be drawn
        self._folders = (folder, package_folder(folder), *allow)

    def __call__(self, name: str) -> str:
        """The path of the mesh that a file calls `name`."""
        suffix = Path(name).suffix.lower()
        if suffix not in _DRAWN:
            raise NotDrawnError(f"meshes that are no STL, OBJ, glTF or COLLADA files, {self._instead}", name)
        if suffix == ".dae" and find_spec("collada") is None:
            raise NotDrawnError(f"meshes in COLLADA, {self._instead}; to see them: pip install pycollada", name)
        if path := first_readable(self.candidates(unquote(name)), self._folders):
            return path
        what = f"meshes not found in the folder or package of the file, {self._instead}; allow= gives other folders"
        raise NotDrawnError(what, name)

    def candidates(self, name: str) -> Iterable[str]:
        """The paths at which the file that another one calls `name` may be."""
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
        yield os.path.normpath(self._folders[1] / inner)  # the folder of the package may have another name
