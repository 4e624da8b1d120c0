"""A study: all runs of a sweep, made here or on a cluster, into memory or into a store."""

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import xarray

import cardan
from cardan.blocks import Work, in_blocks
from cardan.errors import ModelError
from cardan.frozen import dataclass, replace
from cardan.results.advance import Advance, Clock
from cardan.results.status import Status
from cardan.simulation.sweeps.axes import SweepGrid, Varied
from cardan.simulation.sweeps.blocks import STATUS, SweepBlocks, SweepRequest, make, read_request, rows_of
from cardan.simulation.sweeps.dataset import attributes_of, coordinates_of, variables_of
from cardan.simulation.sweeps.runs import LANES

Progress = Callable[[Advance], None]


@dataclass(frozen=True, eq=False)
class Study:
    """All runs of a sweep."""

    request: SweepRequest  # what is wanted of the runs
    blocks: SweepBlocks  # what makes the runs in this process
    grid: SweepGrid  # of all runs

    @property
    def work(self) -> Work:
        """The runs as work that falls into blocks."""
        return Work(
            self.grid.size,
            rows_of(self.grid),
            self.blocks,
            make,
            self.request.text,
            together=LANES,
            most=self.blocks.most,
        )

    def coordinates(self) -> dict[str, Any]:
        """Coordinates of the dataset."""
        return coordinates_of(self.blocks, self.grid)


def computed(study: Study, client: Any, progress: Progress | None) -> xarray.Dataset:
    """The dataset of all runs, in memory; after Ctrl-C that of the runs that are done."""
    grid, variables, clock = study.grid, variables_of(study.blocks), Clock(study.grid.size)
    arrays = {name: np.full((grid.size, *sizes), np.nan) for name, (_, sizes, _) in variables.items()}
    arrays["t_end"][:] = 0.0
    arrays["message"] = np.full(grid.size, "", dtype=object)
    arrays["status"] = np.full(grid.size, _codes(Status.INTERRUPTED), np.uint8)  # texts take 88 bytes each
    with closing(in_blocks(study.work, client)) as pieces, suppress(KeyboardInterrupt):  # what is done is not lost
        for members, values in pieces:
            for name, x in values.items():
                arrays[name][members] = _codes(x) if name == "status" else x
            _report(clock, values, progress)
    arrays["status"] = _texts(arrays["status"])
    shaped = {name: arrays[name].reshape(*grid.shape, *sizes) for name, (_, sizes, _) in variables.items()}
    found = {  # `fastpath` keeps arrays as they are: looking for dates among messages would copy them
        name: xarray.Variable((*grid.axes, *dims), shaped[name], attrs, fastpath=True)
        for name, (dims, _, attrs) in variables.items()
    }
    return xarray.Dataset(found, study.coordinates(), attributes_of(study.blocks, grid))


def stored(
    study: Study,
    path: Path,
    resume: bool,
    client: Any,
    progress: Progress | None,
    *,
    retry: bool = False,
    parts: Mapping[str, str] | None = None,
) -> xarray.Dataset:
    """The dataset of all runs, in a store; after Ctrl-C that of the blocks that are done.

    `retry`: whether runs that failed or timed out are made again; `parts`: those that have to agree with the store's.
    """
    from cardan.results.storage.study_store import StudyStore, check_packages, check_same, create_store, open_store

    check_packages()
    parts, work, found = parts or _parts(study), study.work, list[StudyStore]()
    if os.path.lexists(path):
        found.append(open_store(path))
        if not resume:
            raise ModelError(f"{path} is there already", "give resume=True to go on with it, or another path")
        check_same(found[0], parts)
    elif not path.absolute().parent.is_dir():
        raise ModelError(f"{path}: there is no folder {path.parent}", "make it, or give another path")
    limit = study.request.run_limit
    with ExitStack() as stack:

        def cut(measure: Callable[[], int]) -> Iterable[range]:
            """The blocks that are missing, and those that are made again."""
            if not found:
                types = {name: (*entry, _TYPES.get(name, float)) for name, entry in variables.items()}
                plain = {"request": work.text(), "varied": _varied(study.grid), "parts": parts, "run_limit": limit}
                found.append(create_store(path, study.grid.axes, types, known, attributes, plain, measure(), LANES))
            writers.append(stack.enter_context(found[0].writing()))
            again = {Status.FAILED, Status.TIMED_OUT} if retry else set()
            kept = _longest(found[0].study["run_limit"])
            if _longest(limit) > kept:
                again.add(Status.TIMED_OUT)
            elif _longest(limit) < kept:
                writers[0].update(run_limit=limit)
            todo = found[0].missing(again)
            clocks.append(Clock(study.grid.size, study.grid.size - sum(map(len, todo))))
            return todo

        variables, known = variables_of(study.blocks), study.coordinates()
        attributes, writers, clocks = attributes_of(study.blocks, study.grid), list[Any](), list[Clock]()
        pieces = stack.enter_context(closing(in_blocks(work, client, cut, isolated=True)))
        try:
            for members, values in pieces:
                writers[0].write(members, values)
                _report(clocks[0], values, progress)
            if _longest(limit) > _longest(found[0].study["run_limit"]):  # only now are no runs left that had less time
                writers[0].update(run_limit=limit)
        except KeyboardInterrupt:
            if not found:
                raise
    return found[0].dataset()


def resumed(
    path: Path,
    client: Any = None,
    *,
    threads: int | None = None,
    run_limit: float | None = None,
    retry: bool = False,
    progress: Progress | None = None,
) -> xarray.Dataset:
    """The dataset of a store, of which the runs are made that it does not have yet."""
    from cardan.results.storage.study_store import check_packages, open_store

    check_packages()
    kept = open_store(path)
    request = read_request(kept.study["request"])
    request = replace(request, run_limit=kept.study["run_limit"] if run_limit is None else run_limit)
    with xarray.open_zarr(path) as known:
        varied = tuple(
            Varied(argument, name, label, tuple(dims), known[label].values, {})
            for argument, name, label, dims in kept.study["varied"]
        )
    axes = {name: n for entry in varied for name, n in zip(entry.dims, entry.values.shape, strict=True)}
    study = Study(request, SweepBlocks.of(request, threads), SweepGrid(axes, varied, request.fixed))
    parts = {**kept.study["parts"], "version": cardan.__version__}
    return stored(study, path, True, client, progress, retry=retry, parts=parts)


_TYPES = {"status": STATUS, "message": str}
"""Types of the variables that are no numbers."""


_STATUSES = np.array(sorted(Status), dtype=STATUS)


def _codes(status: str | np.ndarray) -> Any:
    """Places of statuses in `_STATUSES`."""
    return np.searchsorted(_STATUSES, status)


def _texts(codes: np.ndarray) -> np.ndarray:
    """The statuses with these codes, in as many characters as the longest of them has."""
    longest = max(len(_STATUSES[code]) for code in np.unique(codes))
    return np.asarray(_STATUSES.astype(f"U{longest}")[codes])


def _longest(limit: float | None) -> float:
    """Time that a run may take [s]."""
    return math.inf if limit is None else limit


def _varied(grid: SweepGrid) -> list[Any]:
    """What varies, without its values."""
    return [[entry.argument, entry.name, entry.label, entry.dims] for entry in grid.varied]


def _parts(study: Study) -> dict[str, str]:
    """The parts of a study that have to agree to go on with its store, by name: digests of their plain data."""
    plain = json.loads(study.request.text())
    model, outputs = plain.pop("model"), plain.pop("outputs")
    del plain["run_limit"]  # which decides how long runs may take, and not what they give
    values = [hashlib.sha256(entry.values.tobytes()).hexdigest() for entry in study.grid.varied]
    labels = [{name: [*map(str, x.tolist())] for name, x in entry.coords.items()} for entry in study.grid.varied]
    axes = [study.grid.shape, *zip(_varied(study.grid), values, labels, strict=True)]
    parts = {"model": model, "settings": plain, "outputs": outputs, "axes": axes}
    digests = {name: hashlib.sha256(json.dumps(x, sort_keys=True).encode()).hexdigest() for name, x in parts.items()}
    return {"version": cardan.__version__, **digests}


def _report(clock: Clock, values: Mapping[str, np.ndarray], progress: Progress | None) -> None:
    if "status" in values:
        advance = clock.advanced(values["status"])
        if progress is not None:
            progress(advance)
