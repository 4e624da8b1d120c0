"""Items to compute, the function that computes blocks of them, and how long a block takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

import numpy as np

from cardan.frozen import dataclass

Arrays = Mapping[str, np.ndarray]
"""Arrays by name whose first axis counts items."""

Piece = tuple[np.ndarray, Arrays]
"""Numbers (b,) of some items, and their results."""

Cut = Callable[[Callable[[], int]], Iterable[range]]
"""The blocks to compute, given a function that measures how many items take about `LONG`."""

LONG = 2.0  # intended duration of a block [s]: a thousand times what sending it takes, and little to lose
PROBE = LONG / 50  # shortest duration from which a rate is measured [s]: ten times what a block takes beside its items


class BlockFunction(Protocol):
    """What computes a block; it is made once in each process."""

    def pieces(self, rows: Arrays) -> Iterator[Piece]:
        """Results of the items of a block as they are computed; items are counted from 0 within the block."""

    def lost(self, count: int, why: str) -> Arrays:
        """What stands for the results of so many items that cannot be computed."""


@dataclass(frozen=True, eq=False)
class Work:
    """Items to compute, and how another process makes the function that does it."""

    count: int  # number of items
    rows: Callable[[range], Arrays]  # what differs between the items of a block
    here: BlockFunction  # the function, made in this process
    make: Callable[[str, int], BlockFunction]  # makes it elsewhere, of a text and a number of threads
    text: Callable[[], str]  # plain data for `make`
    together: int = 1  # number of items that are computed together: blocks begin at multiples of it
    most: int = 2**62  # largest number of items whose results are held in memory


def ranges(count: int, size: int) -> list[range]:
    """The numbers below `count` in blocks of `size`."""
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def measured(work: Work, seconds: Callable[[range], float]) -> int:
    """Number of items, a multiple of those computed together, that take about `LONG` and fit into memory."""
    count = min(work.together, work.count)
    seconds(range(count))  # the first block compiles what it needs
    while (taken := seconds(range(count))) < PROBE and count < work.count:
        count = min(4 * count, work.count)
    size = int(min(count * LONG / max(taken, 1e-9), work.most))
    return max(work.together, size - size % work.together)


def duration(function: BlockFunction, rows: Arrays, count: int) -> float:
    """Time that a block takes [s]."""
    begin = time.perf_counter()
    computed(function, rows, count)
    return time.perf_counter() - begin


def computed(function: BlockFunction, rows: Arrays, count: int) -> Arrays:
    """Results of a block; where an exception is raised, items are halved until those that raise it stand alone."""
    try:
        return joined(function.pieces(rows), count)
    except Exception as error:
        if count == 1:
            return function.lost(1, f"{type(error).__name__}: {error}")
    half = count // 2
    parts = [computed(function, _cut(rows, k), len(range(count)[k])) for k in (slice(half), slice(half, None))]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _cut(rows: Arrays, items: slice) -> Arrays:
    return {name: values[items] for name, values in rows.items()}


def joined(pieces: Iterable[Piece], count: int) -> Arrays:
    """The results of `count` items in one array for each name."""
    out: dict[str, np.ndarray] = {}
    for members, values in pieces:
        for name, x in values.items():
            if name not in out:
                out[name] = np.empty((count, *x.shape[1:]), x.dtype)
            out[name][members] = x
    return out
