"""Trajectory ⇄ flat columns, for formats that know tables only: a vector becomes one column per component."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.results.storage.header import channels_of

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

TIME = "time"
"""Name of the column of instants."""


def columns(run: "Trajectory", names: Sequence[str]) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield name, unit and numbers (N,) of the instants and of every component of every channel."""
    yield TIME, "s", run.t
    for name, values in run.arrays(names).items():
        channel = run.channels[name]
        for label, column in zip(channel.columns, values.reshape(len(run), len(channel.columns)).T, strict=True):
            yield label, channel.unit, column


def from_columns(head: Mapping[str, Any], table: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the channels (N, *shape) whose columns a table has, by name."""
    return {
        name: np.stack([table[label] for label in channel.columns], axis=-1) if channel.components else table[name]
        for name, channel in channels_of(head).items()
        if all(label in table for label in channel.columns)
    }
