"""Trajectory → xarray. The one file of this room that imports xarray, and only when it is called."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from cardan.results.channel import Channel
from cardan.results.storage.header import header
from cardan.safety.text import visible

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


def data_array(run: "Trajectory", name: str) -> xarray.DataArray:
    """Return one channel over time, with its unit and description as attributes."""
    values = run.array(name)
    channel = run.channels[name]
    coordinates: dict[str, Any] = {"time": _time(run)}
    if channel.components:
        coordinates[channel.dimension] = list(channel.components)
    return xarray.DataArray(values, coordinates, _dims(channel), name, _attributes(channel))


def dataset(run: "Trajectory", names: Iterable[str] | None = None) -> xarray.Dataset:
    """Return several channels as one dataset; its attributes carry status, model and version."""
    arrays = run.arrays(names)
    channels = {name: run.channels[name] for name in arrays}
    components = {c.dimension: list(c.components) for c in channels.values() if c.components}
    variables = {name: (_dims(c), arrays[name], _attributes(c)) for name, c in channels.items()}
    attributes = {
        "title": visible(run.provenance.model),
        "source": f"Cardan {run.provenance.version}",
        "status": str(run.status),
        "model": run.provenance.source,
        "cardan": json.dumps(header(run, list(arrays))),
    }
    return xarray.Dataset(variables, {"time": _time(run), **components}, attributes)


def _time(run: "Trajectory") -> tuple[str, np.ndarray, dict[str, str]]:
    return "time", run.t, {"units": "s", "long_name": "time"}


def _dims(channel: Channel) -> tuple[str, ...]:
    return ("time", channel.dimension) if channel.components else ("time",)


def _attributes(channel: Channel) -> dict[str, str]:
    attributes = {"units": channel.unit, "long_name": channel.description or channel.name}
    return {**attributes, "unique": ", ".join(channel.unique)} if channel.unique else attributes
