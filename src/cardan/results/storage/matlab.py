"""MAT files of MATLAB, version 5: one variable per channel, `swing_q` for `swing.q`; beside them `names`, `units`."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from cardan.results.storage.header import channels_of, header

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

_OWN = ("time", "names", "units", "variables", "cardan")
_LONGEST = 63  # characters of a name in MATLAB


def write(run: "Trajectory", names: Sequence[str], file: BinaryIO) -> None:
    """Write channels of a run as columns, vectors with a column for each component; the header is the text `cardan`."""
    from scipy.io import savemat

    words = variables(names)
    content = {word: run.array(name) for word, name in zip(words, names, strict=True)}
    texts = {"names": names, "units": [run.channels[name].unit for name in names], "variables": words}
    cells = {key: np.array([*entries], dtype=object) for key, entries in texts.items()}
    savemat(file, {"time": run.t, **content, **cells, "cardan": json.dumps(header(run, names))}, oned_as="column")


def read(path: Path) -> tuple[Mapping[str, Any], np.ndarray, dict[str, np.ndarray]]:
    """Return header, instants and channels."""
    from scipy.io import loadmat

    content = loadmat(path)
    if "cardan" not in content:
        raise ValueError("not a Cardan run: it has no variable `cardan`")
    head = json.loads(str(content["cardan"][0]))
    vectors = {name for name, channel in channels_of(head).items() if channel.components}
    names, words = ([str(entry[0]) for entry in content[key].ravel()] for key in ("names", "variables"))
    columns = {name: content[word] for name, word in zip(names, words, strict=True)}
    arrays = {name: array if name in vectors else array.ravel() for name, array in columns.items()}
    return head, content["time"].ravel(), arrays


def variables(names: Sequence[str]) -> list[str]:
    """A name that MATLAB allows for each result, no two alike."""
    found: list[str] = []
    for name in names:
        word = stem = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_0123456789")[: _LONGEST - 4] or "x"
        number = 1
        while word in found or word in _OWN:
            number += 1
            word = f"{stem}_{number}"
        found.append(word)
    return found
