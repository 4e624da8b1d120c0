"""What every format of model files gives: a module of this room with a record `FORMAT`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from cardan.errors import Path as KeyPath
from cardan.model.model import Model


class Format(NamedTuple):
    """How one kind of file is read and written."""

    load: Callable[..., Model]  # path, allowed folders; by keyword the options of `cardan.load` that it knows
    save: Callable[[Model, Path], None]
    lines: Callable[[Path], Mapping[KeyPath, int]]  # line, from 1, of what stands in the model under a path of keys
    is_yaml: bool  # the file is the text of a model, which people write and the studio changes
