"""CSV files: comments with the header, one line of names with units, then numbers that read back exactly."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from cardan.results.storage.columns import TIME, columns, from_columns
from cardan.results.storage.header import header

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

_MAGIC = "# Cardan run; the comments are JSON, one entry per line"


def write(run: "Trajectory", names: Sequence[str], file: BinaryIO) -> None:
    """Write channels of a run; ``pandas.read_csv(path, comment="#")`` reads the table."""
    labels, units, values = zip(*columns(run, names), strict=True)
    entries = ",\n# ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in header(run, names).items())
    titles = ",".join(
        f"{label} [{'-' if unit in ('', '1') else unit}]" for label, unit in zip(labels, units, strict=True)
    )
    file.write(f"{_MAGIC}\n# {{{entries}}}\n{titles}\n".encode())
    for row in np.stack(values, axis=-1).tolist():
        file.write(
            (",".join(map(repr, row)) + "\n").encode()
        )  # repr is the shortest text that reads back to the same bits


def read(path: Path) -> tuple[Mapping[str, Any], np.ndarray, dict[str, np.ndarray]]:
    """Return header, instants and channels."""
    with path.open(encoding="utf-8") as file:
        if file.readline().rstrip("\n") != _MAGIC:
            raise ValueError("not a Cardan run: its first line is not that of one")
        comments = []
        while (line := file.readline()).startswith("#"):
            comments.append(line[1:])
        labels = [title.rsplit(" [", 1)[0] for title in line.rstrip("\n").split(",")]
        rows = file.readlines()
    numbers = np.loadtxt(rows, delimiter=",", ndmin=2) if rows else np.empty((0, len(labels)))
    head = json.loads("".join(comments))
    table = dict(zip(labels, numbers.T, strict=True))
    return head, table[TIME], from_columns(head, table)
