"""Parquet files: one column per component, units in the fields, the header in the schema."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from cardan.results.storage.columns import TIME, columns, from_columns
from cardan.results.storage.header import header

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


def write(run: "Trajectory", names: Sequence[str], file: BinaryIO) -> None:
    """Write channels of a run; the header is the schema's entry ``cardan``."""
    import pyarrow
    import pyarrow.parquet

    listed = list(columns(run, names))
    fields = [pyarrow.field(label, pyarrow.float64(), metadata={"unit": unit}) for label, unit, _ in listed]
    schema = pyarrow.schema(fields, metadata={"cardan": json.dumps(header(run, names))})
    pyarrow.parquet.write_table(pyarrow.table([np.ascontiguousarray(v) for *_, v in listed], schema=schema), file)


def read(path: Path) -> tuple[Mapping[str, Any], np.ndarray, dict[str, np.ndarray]]:
    """Return header, instants and channels."""
    import pyarrow.parquet

    content = pyarrow.parquet.read_table(path)
    metadata = content.schema.metadata or {}
    if b"cardan" not in metadata:
        raise ValueError("not a Cardan run: its schema has no entry `cardan`")
    head = json.loads(metadata[b"cardan"])
    table = {name: content[name].to_numpy() for name in content.column_names}
    return head, table[TIME], from_columns(head, table)
