"""A model as text that loads without other files."""

import json
import os
from collections.abc import Iterable
from functools import lru_cache

from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.plain import plain
from cardan.model.signal import Sampled, Table, inline


def source_of(model: Model) -> str:
    """The model as text that loads without other files; tables are read from their files now."""
    return _text(model) if reads_files(model.inputs.values()) else _kept_text(model)


def _text(model: Model) -> str:
    """The model as JSON, which is YAML as well, with the samples of its tables, and whole paths of its meshes."""
    inputs = {name: inline(signal) for name, signal in model.inputs.items()}
    data = plain(model) | ({"inputs": inputs} if inputs else {})
    for shape in (one for body in data.get("bodies", {}).values() for one in body.get("shapes", ())):
        if "file" in shape:
            shape["file"] = os.path.abspath(shape["file"])
    return json.dumps(data)


def reads_files(signals: Iterable[Scalar | Table | Sampled]) -> bool:
    """Whether one of the signals is a table in a file, which may change between calls."""
    return any(isinstance(signal, Table) and signal.file is not None for signal in signals)


_kept_text = lru_cache(maxsize=64)(_text)
