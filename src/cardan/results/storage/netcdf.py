"""NetCDF files, classic format: one variable per channel, vectors with a named axis. Any NetCDF tool opens them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


def write(run: "Trajectory", names: Sequence[str], file: BinaryIO) -> None:
    """Write channels of a run; the header is the attribute ``cardan``, the model file the attribute ``model``."""
    run.to_dataset(names).to_netcdf(file, engine="scipy")


def read(path: Path) -> tuple[Mapping[str, Any], np.ndarray, dict[str, np.ndarray]]:
    """Return header, instants and channels."""
    import xarray

    content = xarray.load_dataset(path, engine="scipy", decode_times=False)
    if "cardan" not in content.attrs:
        raise ValueError("not a Cardan run: it has no attribute `cardan`")
    arrays = {str(name): variable.to_numpy() for name, variable in content.data_vars.items()}
    return json.loads(content.attrs["cardan"]), content["time"].to_numpy(), arrays
