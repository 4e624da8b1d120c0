"""The gallery: mechanisms of published papers as model files that come with Cardan."""

import re
from os.path import isfile
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "gallery"
_TITLE = re.compile(r"^name:\s*(.*?)\s*$", re.MULTILINE)


def gallery() -> dict[str, str]:
    """Title of every model in the gallery by the name that `load` takes, in alphabetical order.

    Example
    -------
    >>> gallery()["overhead_crane"]
    'overhead crane'
    """
    return {path.stem: _title(path) for path in sorted(_FOLDER.glob("*.yaml"))}


def is_in_gallery(name: str) -> bool:
    """Whether the gallery has a model of this name."""
    return name.isidentifier() and isfile(gallery_path(name))


def gallery_path(name: str) -> Path:
    """Path of the file of the gallery model `name`."""
    return _FOLDER / f"{name}.yaml"


def _title(path: Path) -> str:
    found = _TITLE.search(path.read_text(encoding="utf-8"))
    return found[1] if found else path.stem
