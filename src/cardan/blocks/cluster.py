"""Blocks on the workers of a Dask cluster: a few at a time, those that fail again elsewhere, then item by item.

A block whose worker dies again and again is suspected to be the cause, as are those that waited beside it. Suspects
wait until nothing else runs and run one at a time, so that no block is blamed for another; they are divided until the
items that end workers stand alone.   Source: https://distributed.dask.org/en/stable/resilience.html
"""

from __future__ import annotations

import os
import re
import signal
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import cardan
from cardan.blocks.work import Cut, Piece, Work, measured
from cardan.blocks.worker import Answer, run_block, same
from cardan.errors import ModelError, SolveError
from cardan.frozen import dataclass, replace

AHEAD = 2  # blocks for each worker: one that it computes, and one that waits
PARTS = 8  # of a block that ends workers: few deaths of workers until the item that causes them stands alone
PATIENCE = 20.0  # time after which a scheduler that has not answered is not there, and missing workers are reported [s]
IDLE = 120.0  # time after which a cluster of this machine ends: without a client, or without a worker [s]
GOES_ON = "what a store holds is kept, and resume=True goes on"
ENDED = "its worker has ended each time that it was run, as happens where memory is exhausted"

QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
"""Settings of a cluster of this machine, which has no dashboard: records for one take 3 % of each processor."""

_LOCAL = re.compile(r"local(?::(\d+))?")


@contextmanager
def connected(client: Any) -> Iterator[Any]:
    """The Dask client that a caller names: a client, the address of a scheduler, "local" or "local:4"."""
    try:
        import distributed
    except ImportError:
        cure = "pip install dask[distributed]"
        raise ModelError("a cluster needs the package dask.distributed, which is not installed", cure) from None
    if isinstance(client, distributed.Client):
        yield client
        return
    local = _LOCAL.fullmatch(client) if isinstance(client, str) else None
    if local is None and not (isinstance(client, str) and "://" in client):
        cure = 'give "local", "local:4", an address such as "tcp://host:8786", or a dask.distributed.Client'
        raise ModelError(f"client={f'{client!r:.60}'} is no cluster", cure)
    if local is not None:
        workers = int(local[1] or os.cpu_count() or 1)
        with _of_this_machine(workers) as cluster, distributed.Client(cluster, set_as_default=False) as made:
            try:
                made.wait_for_workers(workers, timeout=IDLE)
            except TimeoutError as error:
                raise SolveError(f"{client}: {error}; what they have printed says why") from None
            yield made
        return
    try:
        made = distributed.Client(client, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ModelError(f"no scheduler answers at {client}: {error}", "start one: dask scheduler") from None
    with made:
        yield made


def _of_this_machine(workers: int) -> Any:
    """A cluster of so many processes, with one thread each, which are programs of their own.

    They do not import the caller's script again, as processes that Python spawns do.
    """
    from distributed import LocalCluster
    from distributed.deploy.subprocess import SubprocessCluster

    if workers < 1:
        raise ModelError(f'client="local:{workers}" has no worker', 'give "local:2" or more')
    given = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    if os.name == "nt":
        return LocalCluster(**given)
    # a terminal sends Ctrl-C to these processes too, which then would end before they are asked to
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    added = {name: value for name, value in QUIET.items() if name not in os.environ}
    os.environ.update(added)
    try:
        return SubprocessCluster(**given, scheduler_kwargs={"idle_timeout": f"{IDLE:g}s"})
    finally:
        for name in added:
            os.environ.pop(name, None)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True, eq=False)
class _Attempt:
    """A block, and how often it has failed."""

    items: range
    isolated: bool = False  # an exception has been raised: items that raise it are recorded as lost
    deaths: int = 0  # times that Dask has given it up, each after several workers have died
    elsewhere: str = ""  # address of the worker that is avoided


def on_cluster(work: Work, client: Any, cut: Cut, *, fixed: bool) -> Generator[Piece]:
    """Results of all items, computed by the workers of a cluster; `fixed`: one that gets no further workers."""
    tasks = _Tasks(work, client, fixed)

    def measure() -> int:
        size, share = measured(work, tasks.seconds), -(-work.count // max(1, len(tasks.workers())))
        return min(size, work.together * -(-share // work.together))

    fresh = iter(cut(measure))
    again, suspects = deque[_Attempt](), deque[_Attempt]()
    try:
        while True:
            for attempt in tasks.next_ones(fresh, again, suspects):
                tasks.start(attempt)
            if not tasks.running:
                return
            for attempt, answer in tasks.ended():
                if answer is None:
                    yield from _suspected(work, attempt, suspects)
                elif answer.values is not None:
                    yield np.arange(attempt.items.start, attempt.items.stop), answer.values
                else:
                    again.append(replace(attempt, isolated=True, elsewhere=answer.address))
    finally:
        tasks.cancel()


def _suspected(work: Work, attempt: _Attempt, suspects: deque[_Attempt]) -> Iterator[Piece]:
    """Put a block whose workers have died among the suspects, in parts from the second time on; a lost item."""
    items, deaths = attempt.items, attempt.deaths + 1
    if deaths == 1:
        suspects.append(replace(attempt, deaths=1))
    elif len(items) > 1:
        size = -(-len(items) // PARTS)
        parts = (items[first : first + size] for first in range(0, len(items), size))
        suspects.extend(replace(attempt, items=part, deaths=deaths) for part in parts)
    else:
        yield np.arange(items.start, items.stop), work.here.lost(1, ENDED)


class _Tasks:
    """The blocks that a cluster computes at the moment."""

    def __init__(self, work: Work, client: Any, fixed: bool) -> None:
        self._work, self._client, self._fixed = work, client, fixed
        self._text = client.submit(same, work.text(), pure=False)
        self._seen, self._warned = time.monotonic(), False  # when a worker was there, and whether its absence is known
        self.running: dict[Any, _Attempt] = {}

    def workers(self) -> list[str]:
        """Addresses of the workers that take blocks; one that has no memory left does not."""
        with self._answered():
            return [*self._client.sync(self._client.scheduler.ncores_running)]

    def seconds(self, items: range) -> float:
        """Time that a worker takes for a block [s]."""
        for attempt in (_Attempt(items), _Attempt(items, isolated=True)):
            self.start(attempt)
            for _, answer in self.ended():
                if answer is not None and answer.values is not None:
                    return answer.seconds
        return float("inf")  # blocks as small as can be

    def next_ones(
        self, fresh: Iterator[range], again: deque[_Attempt], suspects: deque[_Attempt]
    ) -> Iterator[_Attempt]:
        """The blocks to start now."""
        room = AHEAD * max(1, len(self.workers())) - len(self.running)
        for _ in range(room):
            if again:
                yield again.popleft()
            elif (items := next(fresh, None)) is not None:
                yield _Attempt(items)
            else:
                break
        if not self.running and suspects:
            yield suspects.popleft()

    def start(self, attempt: _Attempt) -> None:
        """Send a block to the cluster."""
        work = self._work
        given = work.rows(attempt.items), len(attempt.items), attempt.isolated
        others = [one for one in self.workers() if one != attempt.elsewhere] if attempt.elsewhere else []
        where = {"workers": others, "allow_other_workers": True} if others else {}
        with self._answered():
            future = self._client.submit(
                run_block, work.make, self._text, cardan.__version__, *given, pure=False, **where
            )
        self.running[future] = attempt

    def ended(self) -> Iterator[tuple[_Attempt, Answer | None]]:
        """Blocks that have ended, at least one, each with its answer; None where Dask has given it up."""
        from distributed import wait

        while not (done := [one for one in self.running if one.done()]):
            with self._answered(), self._client.as_current():
                try:
                    wait([*self.running], timeout=PATIENCE, return_when="FIRST_COMPLETED")
                except TimeoutError:
                    self._check_workers()
        for future in done:
            attempt = self.running.pop(future)
            with self._answered():
                answer = None if future.status == "error" else future.result()
            if answer is None and isinstance(future.exception(), ImportError):
                raise ModelError(f"a worker has no Cardan: {future.exception()}", "install the same Cardan everywhere")
            if answer is not None and answer.is_common:
                raise ModelError(f"a worker cannot prepare the model: {answer.fault}", "give all workers this Cardan")
            yield attempt, answer

    def _check_workers(self) -> None:
        """Say that blocks wait for workers; an error where none will come."""
        if self.workers():
            self._seen, self._warned = time.monotonic(), False
            return
        full = len(self._client.nthreads())
        fault = f"the memory of all workers ({full}) is full" if full else "the cluster has no workers"
        if self._fixed and not full and time.monotonic() - self._seen > IDLE:
            raise SolveError(f"{fault}, and gets none; {GOES_ON}")
        if not self._warned:
            warnings.warn(f"{fault}: blocks wait for one; Ctrl-C ends this, {GOES_ON}", RuntimeWarning, stacklevel=2)
            self._warned = True

    @contextmanager
    def _answered(self) -> Iterator[None]:
        """Turns errors of the connection to the scheduler into one that says what has happened."""
        from distributed.client import CancelledError

        try:
            if self._client.status in ("closing", "closed"):
                raise ConnectionError
            yield
        except (OSError, CancelledError):
            raise SolveError(f"the cluster has dropped its work: its scheduler has ended; {GOES_ON}") from None

    def cancel(self) -> None:
        """Withdraw the blocks that have not ended."""
        if self._client.status == "running":
            self._client.cancel([*self.running])
