"""What every format of model files gives: a module of this room with a record `FORMAT`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from cardan.errors import Path as KeyPath
from cardan.model.model import Model


class LoadsFile(Protocol):
    """Reads a file; its meshes and tables may lie beside it, or in the allowed folders."""

    def __call__(self, path: Path, allow: Sequence[Path] = (), *, contacts: bool = False) -> Model:
        """The model, with contacts between its shapes on request."""


class Format(NamedTuple):
    """How one kind of file is read and written."""

    load: LoadsFile
    save: Callable[[Model, Path], None]
    lines: Callable[[Path], Mapping[KeyPath, int]]  # line, from 1, of what stands in the model under a path of keys
    is_yaml: bool  # the file is the text of a model, which people write and the studio changes
