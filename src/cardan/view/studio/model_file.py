"""The model file that the studio works on: its text, and where the files that it names may lie."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from cardan.errors import Issue, ModelError
from cardan.errors import Path as KeyPath
from cardan.formats.gallery import gallery, gallery_path
from cardan.formats.registry import FORMATS, folders_of, format_of, load, options_for
from cardan.formats.xml.meshes import package_folder
from cardan.formats.yaml import dump, loads
from cardan.formats.yaml_edit import edited
from cardan.formats.yaml_text import read_text
from cardan.formats.yaml_tree import read_tree
from cardan.frozen import dataclass, replace
from cardan.model.model import Model
from cardan.safety.writing import replacing

EMPTY = """cardan: 1
name: mechanism
simulate: {until: 5 s}
"""
"""The file of a model that is still to be built."""

SECTIONS = tuple(Model.model_fields)
"""Sections of a model file in their order."""


@dataclass(frozen=True)
class ModelFile:
    """A text that is, or is to become, a model file."""

    text: str
    folder: Path  # where files that it names are looked for
    allow: tuple[Path, ...] = ()  # other folders that they may lie in
    path: Path | None = None  # the user's own file, which the studio may write
    known: str = ""  # what stood in the user's own file when it was last read or written

    @cached_property
    def data(self) -> dict[str, Any]:
        """What stands in it; empty where it is no YAML table."""
        try:
            found = read_tree(self.text).data
        except ModelError:
            return {}
        return found if isinstance(found, dict) else {}

    def section(self, name: str) -> dict[str, Any]:
        """The entries of a section; none where it is missing or no table."""
        found = self.data.get(name)
        return found if isinstance(found, dict) else {}

    def model(self) -> Model:
        """The model that it describes."""
        return loads(self.text, self.folder, self.allow)

    def changed(self, path: KeyPath, value: Any) -> ModelFile:
        """The document with an entry set to a value, or taken out."""
        return replace(self, text=edited(self.text, path, value, SECTIONS))

    def reread(self) -> ModelFile:
        """The user's own file as it is now."""
        if self.path is None:
            raise ModelError("the model has no file of its own", "save it as a new one")
        text = read_text(self.path)
        return replace(self, text=text, known=text)

    def written(self, *, over: bool) -> ModelFile | None:
        """Write the text to the user's own file; None where another program has changed that since.

        A link stays one, and the file behind it keeps its permissions.
        """
        if self.path is None:
            raise ModelError("the model has no file of its own", "save it as a new one")
        if not over and self.path.exists() and read_text(self.path) not in (self.known, self.text):
            return None
        with replacing(Path(os.path.realpath(self.path))) as stream:
            stream.write(self.text.encode())
        return replace(self, known=self.text)


def file_of(
    model: Model | str | PathLike[str],
    *,
    allow: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    **options: Any,
) -> ModelFile:
    """The document of a model, of one of the gallery, or of a file, read with the options of `load`.

    Of a file that is no YAML it is a new one.
    """
    folders = tuple(folders_of(allow))
    if isinstance(model, Model):
        return ModelFile(dump(model), Path(), folders)
    if not isinstance(model, str | PathLike):
        raise ModelError(f"{f'{model!r:.60}'} is not a model", "give a model, a name of the gallery or a model file")
    own = not (isinstance(model, str) and model in gallery())
    path = Path(model) if own else gallery_path(str(model))
    if path.suffix.lower() not in FORMATS or not path.is_file():
        load(model, allow=folders, **options)  # says what is wrong
        raise ModelError(Issue(f"{path} is not a model file that the studio can change", "give one in YAML"))
    if not format_of(path).is_yaml:
        text = dump(load(path, allow=folders, **options))
        return ModelFile(text, Path(), (path.parent, package_folder(path.parent), *folders))
    options_for(path, options)
    text = read_text(path)
    return ModelFile(text, path.parent, folders, path if own else None, text)
