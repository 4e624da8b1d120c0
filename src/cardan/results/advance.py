"""How far a sweep is: what its callback `progress` gets."""

import time

import numpy as np

from cardan.results.status import Status

_FINE = [str(status) for status in Status if status.ok]


class Advance(float):
    """Fraction of the runs that is done, with their numbers, their rate and the time that is left."""

    done: int  # number of runs that are done, those that a store had among them
    count: int  # number of all runs
    failed: int  # number of runs that did not end as they should
    rate: float  # runs per second since the call [1/s]
    left: float  # time left at this rate [s]


class Clock:
    """Counts runs as they are done."""

    def __init__(self, count: int, done: int = 0) -> None:
        self._count, self._begun, self._done, self._failed, self._start = count, done, done, 0, time.monotonic()

    def advanced(self, status: np.ndarray) -> Advance:
        """The advance after some more runs with these statuses."""
        self._done += len(status)
        self._failed += int(np.sum(~np.isin(status, _FINE)))
        found = Advance(self._done / self._count)
        found.done, found.count, found.failed = self._done, self._count, self._failed
        found.rate = (self._done - self._begun) / max(time.monotonic() - self._start, 1e-9)
        found.left = (self._count - self._done) / found.rate if found.rate else float("inf")
        return found
