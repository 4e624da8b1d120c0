"""Stores of sweeps: Zarr folders that grow block by block, and that go on after any end of the process.

The arrays of a store are chunked along the axes of the sweep, and each block of runs is one chunk of every variable.
Zarr writes a chunk under another name and moves it into place. Statuses are written last: a block is done if, and only
if, its chunk of statuses is there, so that nothing can contradict it, and no run is lost or done twice.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.blocks import Arrays, Piece, joined
from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.safety.locking import locked

if TYPE_CHECKING:
    import xarray

KEY = "cardan"  # attribute that makes a Zarr folder a store of Cardan
FORMAT = 1
NOT_DONE = "interrupted"  # status of the runs that a store does not have yet


@dataclass(frozen=True, eq=False)
class StudyStore:
    """A store on disk."""

    path: Path  # of its folder
    study: Mapping[str, Any]  # plain data: what the runs are, and the parts that have to agree to go on
    shape: tuple[int, ...]  # number of values along each axis of the sweep
    chunks: tuple[int, ...]  # the same of a block

    @cached_property
    def blocks(self) -> Mapping[range, tuple[int, ...]]:
        """The blocks: numbers of their runs, and the place of the chunk along the axes."""
        counts = [-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True)]
        found = {}
        for place in np.ndindex(*counts):
            corner = tuple(k * c for k, c in zip(place, self.chunks, strict=True))
            first = int(np.ravel_multi_index(corner, self.shape))
            sizes = [min(c, n - at) for c, n, at in zip(self.chunks, self.shape, corner, strict=True)]
            found[range(first, first + math.prod(sizes))] = place
        return found

    def missing(self, again: Collection[str] = ()) -> list[range]:
        """The blocks that are not done, or of which runs have one of the statuses `again`."""
        import zarr

        pattern = re.compile(r"\d+(\.\d+)*")
        done = {tuple(map(int, name.split("."))) for name in _names(self.path / "status") if pattern.fullmatch(name)}
        if again:
            status = zarr.open_group(self.path, mode="r", zarr_format=2)["status"]
            done = {place for place in done if not np.isin(status[self.region(place)], [*again]).any()}
        return [items for items, place in self.blocks.items() if place not in done]

    def region(self, place: Sequence[int]) -> tuple[slice, ...]:
        """The runs of a block along the axes, by the place of its chunk."""
        return tuple(slice(k * c, min((k + 1) * c, n)) for k, c, n in zip(place, self.chunks, self.shape, strict=True))

    @contextmanager
    def writing(self) -> Iterator[StudyWriter]:
        """The writer of the store, of which there is one at a time."""
        try:
            lock = locked(self.path / ".lock")
            lock.__enter__()
        except OSError:
            cure = "wait until it ends, or stop it; a process that was killed holds nothing"
            raise ModelError(f"{self.path}: another process is writing this store", cure) from None
        try:
            yield StudyWriter(self)
        finally:
            lock.__exit__(None, None, None)

    def dataset(self) -> xarray.Dataset:
        """The dataset, whose values are read when they are needed."""
        import xarray

        found = xarray.open_zarr(self.path, consolidated=True)
        found = found.rename({name: str(name).replace("÷", "/") for name in found.variables if "÷" in str(name)})
        del found.attrs[KEY]
        found["message"] = found["message"].astype(object)  # as of a sweep in memory
        found = found.chunk(
            found.variables["status"].chunksizes
        )  # coordinates too: a dataset has one division of each axis
        if self.missing():
            status = found["status"]
            found["status"] = status.where(status != "", NOT_DONE).astype(status.dtype)
            found["message"] = found["message"].where(status != "", "")
        return found


class StudyWriter:
    """Writes blocks into a store."""

    def __init__(self, store: StudyStore) -> None:
        import zarr

        self._store, self._blocks = store, {items.start: items for items in store.blocks}
        self._starts = np.array(sorted(self._blocks))
        self._group = zarr.open_group(store.path, mode="r+", zarr_format=2)
        self._parts: dict[int, list[Piece]] = {}  # of blocks that come in several parts

    def write(self, members: np.ndarray, values: Arrays) -> None:
        """Write the results of some runs; those of a block wait until all of them are there."""
        items = self._blocks[int(self._starts[np.searchsorted(self._starts, members[0], "right") - 1])]
        parts = self._parts.setdefault(items.start, [])
        parts.append((members - items.start, values))
        if sum(len(part) for part, _ in parts) == len(items):
            self._write(items, joined(self._parts.pop(items.start), len(items)))

    def _write(self, items: range, values: Arrays) -> None:
        store, place = self._store, self._store.blocks[items]
        region = store.region(place)
        (store.path / "status" / ".".join(map(str, place))).unlink(missing_ok=True)  # of runs that are made again
        sizes = [part.stop - part.start for part in region]
        for name in sorted(values, key="status".__eq__):  # statuses last
            try:
                self._group[_stored(name)][region] = values[name].reshape(*sizes, *values[name].shape[1:])
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(store.path)) from None

    def update(self, **study: Any) -> None:
        """Write other plain data of the study."""
        import zarr

        group = zarr.open_group(self._store.path, mode="r+", zarr_format=2, use_consolidated=False)
        group.attrs[KEY] = json.dumps({**json.loads(group.attrs[KEY]), **study})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", zarr.errors.ZarrUserWarning)  # of the lock, which is no array
            zarr.consolidate_metadata(self._store.path, zarr_format=2)


def create_store(
    path: Path,
    axes: Mapping[str, int],
    variables: Mapping[str, tuple[Sequence[str], Sequence[int], Mapping[str, Any], Any]],
    coordinates: Mapping[str, Any],
    attributes: Mapping[str, Any],
    study: Mapping[str, Any],
    size: int,
    together: int,
) -> StudyStore:
    """A new store for blocks of about `size` runs; it is there as a whole or not at all.

    Of variables by name: dimensions behind the axes, their sizes, attributes, type.
    """
    import xarray
    import zarr

    shape = tuple(axes.values())
    chunks = chunks_of(shape, size, together)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    try:
        known = {_stored(name): _renamed(x) for name, x in coordinates.items()}
        attributes = {**attributes, KEY: json.dumps({**study, "format": FORMAT, "chunks": chunks})}
        xarray.Dataset(coords=known, attrs=attributes).to_zarr(draft, zarr_format=2, consolidated=False)
        group = zarr.open_group(draft, mode="r+", zarr_format=2)
        for name, (dims, sizes, attrs, dtype) in variables.items():
            named = {"_ARRAY_DIMENSIONS": [*map(_stored, axes), *dims], **attrs}
            fill = None if np.dtype(dtype).kind == "U" else np.nan
            given = {"shape": (*shape, *sizes), "chunks": (*chunks, *sizes), "dtype": dtype, "fill_value": fill}
            group.create_array(_stored(name), **given, attributes=named)
        zarr.consolidate_metadata(draft, zarr_format=2)
        os.rename(draft, path)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return StudyStore(path, study, shape, chunks)


def check_packages() -> None:
    """Refuse a store where the packages that it needs are not installed."""
    if missing := [name for name in ("zarr", "dask") if find_spec(name) is None]:
        fault = f"a store needs the package {missing[0]}, which is not installed"
        raise ModelError(fault, "pip install dask[distributed] zarr")


def open_store(path: Path) -> StudyStore:
    """The store at a path."""
    import zarr

    try:
        group = zarr.open_group(path, mode="r", zarr_format=2)
        study, status = json.loads(group.attrs[KEY]), group["status"]
        form, chunks = study["format"], tuple(study["chunks"])
    except (OSError, LookupError, TypeError, ValueError):
        raise ModelError(f"{path} is not a store of a sweep", "give the path of a store, or a new one") from None
    if form > FORMAT:
        raise ModelError(f"{path} was written in format {form}, this Cardan reads {FORMAT}", "upgrade it")
    return StudyStore(path, study, status.shape, chunks)


def check_same(store: StudyStore, parts: Mapping[str, str]) -> None:
    """Refuse a store whose study differs in one of its `parts`, such as its model."""
    old = store.study["parts"]
    if old["version"] != parts["version"]:
        fault = f"{store.path} was begun by Cardan {old['version']}, and this is {parts['version']}"
        raise ModelError(fault, "go on with that version, or give another path")
    if differing := [name for name in parts if old.get(name) != parts[name]]:
        fault = f"{store.path} is of another study, with other {' and '.join(differing)}"
        raise ModelError(fault, "give what it was begun with, or another path")


def chunks_of(shape: Sequence[int], size: int, together: int) -> tuple[int, ...]:
    """Shape of a block of about `size` runs that follow each other, the last axis fastest."""
    chunks, inner = [1] * len(shape), 1
    for k in reversed(range(len(shape))):
        if inner * shape[k] > size:
            step, fit = together // math.gcd(together, inner), max(1, size // inner)
            chunks[k] = fit - fit % step if fit >= step else fit
            break
        chunks[k] = shape[k]
        inner *= shape[k]
    return tuple(chunks)


def _names(folder: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return os.listdir(folder)
    return []


def _stored(name: str) -> str:
    """The name of a variable in a store, where "/" would stand for a group."""
    return name.replace("/", "÷")


def _renamed(entry: Any) -> Any:
    dims, *rest = entry
    return (tuple(map(_stored, dims)), *rest)
