"""Files of sweeps: NetCDF with the dataset's own axes; CSV and Parquet as one table, a row for each run and instant."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from cardan.results.storage.files import check_target
from cardan.safety.writing import replacing

if TYPE_CHECKING:
    import xarray


def save_sweep(sweep: "xarray.Dataset", path: str | Path) -> Path:
    """Write a sweep to a file and return its path; an existing file is replaced at once or not at all."""
    path = Path(path)
    check_target(path)
    writers: dict[str, Callable[[xarray.Dataset, BinaryIO], None]] = {
        ".nc": _write_netcdf,
        ".csv": _write_csv,
        ".parquet": _write_parquet,
    }
    if sweep.chunks:  # of a store: read here, where its folder is, also if a cluster is connected
        sweep = sweep.compute(scheduler="threads")
    with replacing(path) as stream:
        writers[path.suffix.lower()](sweep, stream)
    return path


def _write_netcdf(sweep: "xarray.Dataset", file: BinaryIO) -> None:
    """The dataset as it is; "/" in a name is written as "÷", because NetCDF keeps it for groups."""
    names = {name: str(name).replace("/", "÷") for name in sweep.variables if "/" in str(name)}
    sweep.rename(names).to_netcdf(file, engine="scipy")


def _write_csv(sweep: "xarray.Dataset", file: BinaryIO) -> None:
    """Comments with the attributes, a line of names with units, then numbers that read back exactly."""
    labels, units, values = zip(*_columns(sweep), strict=True)
    entries = ",\n# ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in sweep.attrs.items())
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    text.write(f"# Cardan sweep; the comments are JSON, one entry per line\n# {{{entries}}}\n")
    table = csv.writer(text, lineterminator="\n")
    shown = ["-" if unit == "1" else unit for unit in units]
    table.writerow([f"{label} [{unit}]" if unit else label for label, unit in zip(labels, shown, strict=True)])
    table.writerows(zip(*(column.tolist() for column in values), strict=True))
    text.detach()


def _write_parquet(sweep: "xarray.Dataset", file: BinaryIO) -> None:
    """Units in the fields, the attributes in the schema's entry ``cardan``."""
    import pyarrow
    import pyarrow.parquet

    listed = list(_columns(sweep))
    arrays = [pyarrow.array(values) for *_, values in listed]
    fields = [
        pyarrow.field(label, array.type, metadata={"unit": unit})
        for (label, unit, _), array in zip(listed, arrays, strict=True)
    ]
    schema = pyarrow.schema(fields, metadata={"cardan": json.dumps(sweep.attrs)})
    pyarrow.parquet.write_table(pyarrow.table(arrays, schema=schema), file)


def _columns(sweep: "xarray.Dataset") -> Iterator[tuple[str, str, np.ndarray]]:
    """Name, unit and values of what varies, of the instants, and of every component of every variable."""
    over_time = ("time",) if "time" in sweep.dims else ()
    dims = (*(str(dim) for dim in sweep["status"].dims), *over_time)
    for dim in dims:
        if dim not in sweep.coords:  # an axis without labels is counted
            yield dim, "", _spread(sweep, sweep[dim], dims)
    for name, variable in (*sweep.coords.items(), *sweep.data_vars.items()):
        parts = [dim for dim in variable.dims if dim not in dims]
        unit = str(variable.attrs.get("units", ""))
        if not parts:
            yield str(name), unit, _spread(sweep, variable, dims)
        elif name not in sweep.coords:
            (part,) = parts
            for k, component in enumerate(sweep[part].values):
                yield f"{name}.{component}", unit, _spread(sweep, variable.isel({part: k}), dims)


def _spread(sweep: "xarray.Dataset", variable: "xarray.DataArray", dims: tuple[str, ...]) -> np.ndarray:
    """The values of a variable for every row of the table."""
    own = variable.transpose(*(dim for dim in dims if dim in variable.dims)).values
    places = tuple(slice(None) if dim in variable.dims else None for dim in dims)
    return np.broadcast_to(own[places], [sweep.sizes[dim] for dim in dims]).ravel()
